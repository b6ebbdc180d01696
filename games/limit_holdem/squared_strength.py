"""Hand strength and its expected square, E[HS^2], exactly, in integers.

On the river the *hand strength* HS of two cards is their winning percentage against all 990
holdings that an opponent can have; a tie counts half (the paper does not say). In integers it is
the *points* ``2 * wins + ties``, out of 1,980. Before the river, E[HS^2] is the mean of HS^2 over
all ways to complete the board: 46 rivers after a turn, 1,081 pairs of cards after a flop. All sums
below are of squared points, so no bucket depends on rounding.

Source: Heinrich & Silver 2015, 4.3; Zinkevich et al., "Regret minimization in games with incomplete
information", 2007.
"""

import numpy as np

from games.kernels import kernel
from games.limit_holdem.boards import NUM_HOLDINGS, BoardTables, canonical
from games.poker.hands import EMPTY_KEY, NUM_CARDS, NUM_STRENGTHS, HandTables, strength_with

MOST_POINTS = 1_980
MOST = (0, 47 * 46 * MOST_POINTS**2, 46 * MOST_POINTS**2, MOST_POINTS**2)
"""The sum that equals an E[HS^2] of 1 in each round. After a flop each pair of cards is counted
twice, once in each order.
"""


@kernel
def river_points(tables: HandTables, masks: int, points: np.ndarray) -> None:
    """Writes ``2 * wins + ties`` of each holding on a board of five cards to ``points`` (int16
    ``[1326]``).

    Holdings that share a card with the board have 0. The number of holdings weaker than (a, b)
    without a and b is that of all weaker ones, minus those with a, minus those with b: none has
    both.
    """
    cards = np.empty(NUM_CARDS, dtype=np.int64)
    holders = np.empty(1081, dtype=np.int64)  # one * 64 + two
    strengths = np.empty(1081, dtype=np.int64)
    ordered = np.empty(1081, dtype=np.int64)
    begin = np.zeros(NUM_STRENGTHS + 2, dtype=np.int64)
    weaker = np.zeros(NUM_CARDS, dtype=np.int64)  # holdings so far, by card
    equal = np.zeros(NUM_CARDS, dtype=np.int64)  # holdings of one strength, by card
    points[:] = 0
    key, count = np.int64(EMPTY_KEY), 0
    for card in range(NUM_CARDS):
        if masks & tables.bits[card]:
            key += tables.keys[card]
        else:
            cards[count] = card
            count += 1
    number = 0
    for j in range(count):
        for i in range(j):
            one, two = cards[i], cards[j]
            strengths[number] = strength_with(tables, key, masks, one, two, 7)
            holders[number] = one * 64 + two
            begin[strengths[number] + 1] += 1
            number += 1
    for strength in range(NUM_STRENGTHS + 1):
        begin[strength + 1] += begin[strength]
    for k in range(number):
        ordered[begin[strengths[k]]] = k
        begin[strengths[k]] += 1

    start = 0
    while start < number:
        end = start
        while end < number and strengths[ordered[end]] == strengths[ordered[start]]:
            held = holders[ordered[end]]
            equal[held >> 6] += 1
            equal[held & 63] += 1
            end += 1
        for k in range(start, end):
            held = holders[ordered[k]]
            one, two = held >> 6, held & 63
            wins = start - weaker[one] - weaker[two]
            # Plus one, since the holding itself is counted both with ``one`` and with ``two``.
            ties = end - start + 1 - equal[one] - equal[two]
            points[(two * (two - 1) >> 1) + one] = 2 * wins + ties
        for k in range(start, end):
            held = holders[ordered[k]]
            weaker[held >> 6] += 1
            weaker[held & 63] += 1
            equal[held >> 6] = 0
            equal[held & 63] = 0
        start = end


@kernel
def rivers(tables: HandTables, boards: np.ndarray, points: np.ndarray) -> None:
    """Writes the points on each of the boards (masks, int64 ``[N]``) to ``points`` (int16 ``[N,
    1326]``).
    """
    for k in range(len(boards)):
        river_points(tables, boards[k], points[k])


@kernel
def expected_squares(
    tables: HandTables,
    board_tables: BoardTables,
    moved: np.ndarray,
    boards: np.ndarray,
    following: np.ndarray,
    square: bool,
    sums: np.ndarray,
) -> None:
    """Writes the sums of squared points over all next cards to ``sums``.

    Args:
        tables: Tables of cards.
        board_tables: Tables of boards.
        moved: ``moved_holdings()``.
        boards: int64 ``[N]``, masks of three or four cards.
        following: ``[B, 1326]``, values on the canonical boards with one more card.
        square: Whether these are points, to be squared, rather than sums of squares.
        sums: int64 ``[N, 1326]``.
    """
    for k in range(len(boards)):
        sums[k] = 0
        for card in range(NUM_CARDS):
            if boards[k] & tables.bits[card]:
                continue
            number, suits = canonical(board_tables, boards[k] | tables.bits[card])
            # A holding that shares a card with the board has 0, for all permutations.
            for pair in range(NUM_HOLDINGS):
                value = np.int64(following[number, moved[suits, pair]])
                sums[k, pair] += value * value if square else value


def buckets(sums: np.ndarray, round_number: int, size: int) -> np.ndarray:
    """Returns the bucket of E[HS^2] on a uniform grid of ``size`` cells over [0, 1]; the last cell
    includes 1.

    Args:
        sums: Integers; ``MOST[round_number]`` equals an E[HS^2] of 1. After the river they are
            squared points.
        round_number: 1 to 3.
        size: Number of cells.
    """
    values: np.ndarray = np.minimum(sums * np.int64(size) // MOST[round_number], size - 1)
    return values.astype(np.uint8 if size <= 256 else np.uint16)
