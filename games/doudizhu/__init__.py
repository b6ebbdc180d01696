"""Doudizhu: cards, moves, states, observations and sure wins. Importing the package registers its
kernels.
"""

from games.doudizhu import dispatch as dispatch
