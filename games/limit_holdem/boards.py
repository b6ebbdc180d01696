"""Boards of three to five public cards up to suits: 1,755 flops, 16,432 turns and 134,459 rivers.

Suits do not rank, so boards that differ by a permutation of the suits are equivalent for a player
whose cards are permuted too. A board is its *masks*: for each suit the ranks on it
(``hands.HandTables.bits``). The canonical board has its suits in descending order, by the number of
cards and then by the mask; equal masks keep their order, which does not matter: swapping them
leaves the board unchanged.

The number of a canonical board is a sum of one term for each suit, so lookups suffice to find it.
The numbers of cards in the suits, (2, 2, 1, 0) say, are the board's *pattern*. Within a pattern the
suits of k cards are a multiset of masks out of C(13, k), and the multisets are counted by
binomials: x >= y >= z is number C(x + 2, 3) + C(y + 1, 2) + z.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.poker.hands import NUM_CARDS, tables

NUM_BOARDS = (1, 1_755, 16_432, 134_459)
"""Number of canonical boards in each round; before the flop there are no cards."""
CARDS_ON_BOARD = (0, 3, 4, 5)
NUM_HOLDINGS = 1_326
"""Number of sets of two cards: the cards a < b have number ``b * (b - 1) / 2 + a``."""
SAME_SUITS = 0b11100100
"""The identity permutation."""


class BoardTables(NamedTuple):
    """Tables for the kernels below, 60 KB.

    Attributes:
        suit: int32 ``[8192]``, for the mask of a suit its place among all masks, by the number of
            cards and then by value, plus 2**16 times its term in the code of the pattern: a base-5
            digit for each number of cards.
        start: int32 ``[626, 4]``, for a pattern's code and the position of a suit in descending
            order, the start of its terms in ``term``, minus the place of the first mask with that
            number of cards.
        term: int32 ``[T]``, a suit's term in the number of the board.
    """

    suit: np.ndarray
    start: np.ndarray
    term: np.ndarray


_DIGIT = (0, 1, 5, 25, 125, 625)
"""The term of a suit in the code of a pattern, by its number of cards."""


@cache
def board_tables() -> BoardTables:
    """Returns the tables."""
    masks = sorted(
        (mask for mask in range(8192) if mask.bit_count() <= 5),
        key=lambda mask: (mask.bit_count(), mask),
    )
    sets = [comb(13, k) for k in range(6)]  # by number of ranks
    suit = np.zeros(8192, dtype=np.int32)
    for order, mask in enumerate(masks):
        suit[mask] = order + (_DIGIT[mask.bit_count()] << 16)
    start = np.zeros((626, 4), dtype=np.int32)
    terms = [0]  # of a suit without cards
    for cards in CARDS_ON_BOARD[1:]:
        before = 0
        for pattern in combinations_with_replacement(range(cards, -1, -1), 4):
            if sum(pattern) != cards:
                continue
            sizes = {
                k: comb(sets[k] + pattern.count(k) - 1, pattern.count(k)) for k in {*pattern} - {0}
            }
            for position, k in enumerate(pattern[: np.count_nonzero(pattern)]):
                alike = pattern[position:].count(k)  # number of suits of this size left
                later = prod(size for j, size in sizes.items() if j < k)
                start[sum(_DIGIT[j] for j in pattern), position] = len(terms) - sum(sets[:k])
                terms += [
                    (before if position == 0 else 0) + comb(x + alike - 1, alike) * later
                    for x in range(sets[k])
                ]
            before += prod(sizes.values())
    return BoardTables(suit, start, np.array(terms, dtype=np.int32))


@kernel(inline="always")
def canonical(boards: BoardTables, masks: int) -> tuple[int, int]:
    """Returns the number of the canonical board of three to five cards, and the permutation of
    suits that leads to it.

    The permutation has two bits for each suit: the suit it becomes.
    """
    suit = boards.suit
    s0, s1 = np.int64(suit[masks & 0x1FFF]), np.int64(suit[(masks >> 16) & 0x1FFF])
    s2, s3 = np.int64(suit[(masks >> 32) & 0x1FFF]), np.int64(suit[(masks >> 48) & 0x1FFF])
    code = (s0 + s1 + s2 + s3) >> 16
    a, b, c, d = s0 & 0xFFFF, s1 & 0xFFFF, s2 & 0xFFFF, s3 & 0xFFFF
    # A suit's new position is the number of suits before it: larger ones, and equal ones that
    # already preceded it.
    ab, ac, ad = np.int64(a < b), np.int64(a < c), np.int64(a < d)
    bc, bd, cd = np.int64(b < c), np.int64(b < d), np.int64(c < d)
    to0, to1, to2, to3 = ab + ac + ad, 1 - ab + bc + bd, 2 - ac - bc + cd, 3 - ad - bd - cd
    number = boards.term[boards.start[code, to0] + a] + boards.term[boards.start[code, to1] + b]
    number += boards.term[boards.start[code, to2] + c] + boards.term[boards.start[code, to3] + d]
    return np.int64(number), to0 | to1 << 2 | to2 << 4 | to3 << 6


@kernel(inline="always")
def holding(one: int, two: int, suits: int) -> int:
    """Returns the number of two cards after a permutation of the suits (as from ``canonical``)."""
    one = (one & ~3) | (suits >> 2 * (one & 3)) & 3
    two = (two & ~3) | (suits >> 2 * (two & 3)) & 3
    high, low = max(one, two), min(one, two)
    return (high * (high - 1) >> 1) + low


@cache
def holding_cards() -> np.ndarray:
    """Returns the two cards of each holding, the lower one first: int8 ``[1326, 2]``."""
    return np.array([(a, b) for b in range(NUM_CARDS) for a in range(b)], dtype=np.int8)


@cache
def start_hands() -> np.ndarray:
    """Returns the index of each holding among the 169 starting hands (uint8 ``[1326]``).

    An index is 13 times one rank plus the other: the higher rank first if the hand is suited, else
    the lower one.
    """
    low, high = (holding_cards() // 4).T.astype(int)
    suited = holding_cards()[:, 0] % 4 == holding_cards()[:, 1] % 4
    return np.where(suited, high * 13 + low, low * 13 + high).astype(np.uint8)


@kernel
def moved_holdings() -> np.ndarray:
    """Returns the image of each holding under each packed permutation of suits: int16 ``[256,
    1326]``.

    Rows that are not permutations are meaningless.
    """
    moved = np.empty((256, NUM_HOLDINGS), dtype=np.int16)
    for suits in range(256):
        for two in range(NUM_CARDS):
            for one in range(two):
                moved[suits, (two * (two - 1) >> 1) + one] = holding(one, two, suits)
    return moved


@kernel
def _representatives(
    boards: BoardTables, bits: np.ndarray, masks: np.ndarray, first: int, left: int, so_far: int
) -> None:
    """Writes the masks of all canonical boards that extend ``so_far`` by ``left`` cards from
    ``first`` on to ``masks``.
    """
    if left == 0:
        number, suits = canonical(boards, so_far)
        if suits == SAME_SUITS:
            masks[number] = so_far
        return
    for card in range(first, NUM_CARDS - left + 1):
        _representatives(boards, bits, masks, card + 1, left - 1, so_far | bits[card])


@cache
def canonical_boards(round_number: int) -> np.ndarray:
    """Returns the masks of the canonical boards of a round: int64 ``[N]``."""
    masks = np.zeros(NUM_BOARDS[round_number], dtype=np.int64)
    _representatives(board_tables(), tables().bits, masks, 0, CARDS_ON_BOARD[round_number], 0)
    return masks
