"""Tabular algorithms over information sets: self-play MCTS, Outcome Sampling, CFR+, exact best
responses.
"""
