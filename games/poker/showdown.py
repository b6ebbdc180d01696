"""From the strengths of the hands at a showdown to their order (``betting.outcomes``).

Every pair of players is compared; the results are the base-3 digits of an index into a table.
"""

from functools import cache
from itertools import combinations, product

import numpy as np

from games.kernels import kernel
from games.poker import betting


@cache
def outcome_table(num_players: int) -> np.ndarray:
    """Returns the outcome (``betting.outcomes``) for each result of comparing the strengths, int8.

    The index has a base-3 digit for each pair of players, the first pair's highest: 0 weaker, 1
    equal, 2 stronger. Impossible entries are -1.
    """
    pairs = list(combinations(range(num_players), 2))
    table = np.full(3 ** len(pairs), -1, dtype=np.int8)
    for strengths in product(range(num_players), repeat=num_players):
        index = 0
        for one, two in pairs:
            index = (
                3 * index
                + 1
                + (strengths[one] > strengths[two])
                - (strengths[one] < strengths[two])
            )
        table[index] = betting.outcome_of(strengths)
    return table


@kernel(inline="always")
def compared(index: int, own: int, other: int) -> int:
    """Returns an index into ``outcome_table`` extended by one pair."""
    return 3 * index + 1 + int(own > other) - int(own < other)


@kernel(inline="always")
def with_hand(
    player: int, strength: int, index: int, first: int, second: int
) -> tuple[int, int, int]:
    """Returns the index into ``outcome_table`` extended by the hand of one of two or three players,
    and the first two strengths.

    Start with zeros, and pass the hands in the order of the players.
    """
    if player == 0:
        return index, strength, second
    if player == 1:
        return compared(0, first, strength), first, strength
    return compared(compared(index, first, strength), second, strength), first, second
