"""Methods for no-limit Hold'em alone: models of opponents, a search that asks them, and the player
``mcts``.
"""
