"""Shared code of limit poker games: bets, hands, states and their kernels, and tables for tabular
algorithms.
"""
