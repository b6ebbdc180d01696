"""What other players do: models of actions, bet sizes and hands at showdown in no-limit Hold'em,
learned from hand histories.
"""
