"""Fictitious-Play MCTS, self-play and learning (DeltaDou, IJCAI 2019), for any game of
``games.interface``.
"""

__version__ = "0.2.0"
