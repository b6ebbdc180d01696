"""What limit poker games share: bets, hands, states and their kernels, and the view as tables for
tabular algorithms.
"""
