"""Fictitious-Play MCTS, self-play and learning (DeltaDou, IJCAI 2019), for any game of
``games.interface``.
"""
