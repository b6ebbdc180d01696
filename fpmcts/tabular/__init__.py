"""Tabular algorithms over information states: self-play MCTS, Outcome Sampling, CFR+, exact best
responses.
"""
