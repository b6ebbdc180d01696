"""Deals: the cards of one hand, future public cards included, as the algorithms see them.

A deal is its buckets, one for each player and round, and its outcome at a showdown. Everything else about the cards stays below
this line: a game brings a NamedTuple and registers the kernel ``deal`` for it, as below for the games whose deals can be listed.
"""

from typing import Any, NamedTuple

import numpy as np

from games.interface import register
from games.kernels import kernel


class EnumeratedDeals(NamedTuple):
    """All deals of a small game, each equally likely: E deals of K cards, P players, R rounds.

    Attributes:
        cards: int8 ``[E, K]``, one card for each player, then the public cards in the order in which they appear.
        buckets: int32 ``[E, P * R]``, the bucket of a player in a round at ``player * R + round``.
        outcome: int32 ``[E]``, the order of the hands (``betting.outcomes``).
    """

    cards: np.ndarray
    buckets: np.ndarray
    outcome: np.ndarray


def deal(deals: Any, bits: np.uint64, buckets: np.ndarray) -> int:
    """Draws a deal; writes its buckets to ``buckets`` (int32 ``[P * R]``) and returns its outcome. A generic kernel.

    Args:
        deals: The cards of the game, a NamedTuple: a kernel is registered for its type.
        bits: 64 random bits; whoever needs more seeds a stream with them.
        buckets: Where the buckets go.
    """
    raise TypeError("generic kernel: callable from compiled code only")


@kernel
def _draw(deals: EnumeratedDeals, bits: np.uint64, buckets: np.ndarray) -> int:
    """Draws one of the enumerated deals; the probability of each is exact to within 2**-32."""
    row = ((bits >> np.uint64(32)) * np.uint64(len(deals.outcome))) >> np.uint64(32)
    for k in range(len(buckets)):
        buckets[k] = deals.buckets[row, k]
    return deals.outcome[row]


register(deal, EnumeratedDeals, _draw)
