"""Cards: ranks, seats, and sets of cards packed into 64 bits.

Suits do not matter, so a set of cards is a count per rank. It is packed as a uint64 with four bits
per rank, rank 0 (the 3) in the lowest bits; the top four bits are zero. A *rank mask* has at most
the lowest bit of each group of four set. Adding disjoint sets and removing a subset are plain ``+``
and ``-``.

Kernels mix uint64 with uint64 only: numba turns ``uint64 + int64`` into float64.
"""

from enum import IntEnum

import numpy as np

from games.kernels import kernel, leading_zeros, trailing_zeros

NUM_RANKS = 15
RANK_NAMES = "3456789TJQKA2LB"
ACE, TWO, LITTLE_JOKER, BIG_JOKER = 11, 12, 13, 14
COPIES = np.array([4] * 13 + [1, 1], dtype=np.int8)
"""int8 ``[15]``: how many cards of each rank the deck has."""
OTHER_NAMES = {
    **dict.fromkeys("10", "T, for the ten"),
    "X": "L, the little joker (X in DouZero's notation)",
    "D": "B, the big joker (D in DouZero's notation)",
    "R": "B, the big joker (R in RLCard's notation, whose B is the little joker, L here)",
}
"""Characters of other notations, and what they are here."""

NUM_SEATS = 3
HAND_SIZES = (20, 17, 17)
"""Cards of each seat before the first move; the landlord's include the three bottom cards."""

DECK = np.uint64(0x114444444444444)
ONES = np.uint64(0x111111111111111)
CHAIN_RANKS = np.uint64(0x111111111111)
"""Rank mask of 3 to A: chains hold neither twos nor jokers."""
BORROWS = np.uint64(0x888888888888888)
JOKERS = np.uint64(0x110000000000000)


class Seat(IntEnum):
    """The seats in the order of play: the landlord, the peasant after the landlord, the peasant
    before.
    """

    LANDLORD = 0
    DOWN = 1
    UP = 2


ROLES = ("landlord", "peasant after the landlord", "peasant before the landlord")
"""What they are called."""


def pack(counts: np.ndarray) -> np.ndarray:
    """Returns the packed sets (uint64 ``[...]``) of counts per rank (``[..., 15]``, 0 to 4)."""
    shifts = np.arange(NUM_RANKS, dtype=np.uint64) * np.uint64(4)
    return (np.asarray(counts).astype(np.uint64) << shifts).sum(axis=-1, dtype=np.uint64)


def unpack(cards: np.ndarray) -> np.ndarray:
    """Returns the counts per rank (int8 ``[..., 15]``) of packed sets (uint64 ``[...]``)."""
    shifts = np.arange(NUM_RANKS, dtype=np.uint64) * np.uint64(4)
    return ((np.asarray(cards, dtype=np.uint64)[..., None] >> shifts) & np.uint64(15)).astype(
        np.int8
    )


def cards_text(cards: int) -> str:
    """Returns the text of a packed set, low cards first.

    >>> cards_text(0x1000000000000021)
    Traceback (most recent call last):
    ...
    ValueError: 0x1000000000000021 is not a set of cards: it has bits above the jokers
    >>> cards_text(0x110000000000012)
    '334LB'
    """
    if int(cards) >> 60:
        raise ValueError(f"{int(cards):#x} is not a set of cards: it has bits above the jokers")
    return "".join(
        name * int(count) for name, count in zip(RANK_NAMES, unpack(np.uint64(cards)), strict=True)
    )


def parse_cards(text: str) -> np.uint64:
    """Returns the packed set of a text, in any order of the cards; spaces and the case of letters
    do not matter.

    Raises:
        ValueError: A character names no rank, or there are more cards of a rank than in the deck.

    >>> cards_text(parse_cards("LB 3 2t"))
    '3T2LB'
    """
    counts = np.zeros(NUM_RANKS, dtype=np.int64)  # a long text must not wrap around
    for name in "".join(text.upper().split()):
        if name not in RANK_NAMES:
            hint = OTHER_NAMES.get(name, "")
            raise ValueError(
                f"no card {name!r} in {text!r}: expected characters of {RANK_NAMES} (L, B: the "
                "little and the big joker)" + f"; did you mean {hint}?" * bool(hint)
            )
        counts[RANK_NAMES.index(name)] += 1
    for rank in np.flatnonzero(counts > COPIES):
        raise ValueError(
            f"{text!r} has {counts[rank]} cards {RANK_NAMES[rank]}, the deck has {COPIES[rank]}"
        )
    return np.uint64(pack(counts))


@kernel
def count(cards: np.uint64, rank: int) -> int:
    """Returns the number of cards of a rank."""
    return np.int64((cards >> np.uint64(4 * rank)) & np.uint64(15))


@kernel
def size(cards: np.uint64) -> int:
    """Returns the number of cards."""
    pairs = (cards & np.uint64(0x0F0F0F0F0F0F0F0F)) + (
        (cards >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    )
    return np.int64((pairs * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def contains(cards: np.uint64, subset: np.uint64) -> bool:
    """Returns whether the cards contain a subset: no rank borrows from the bit set above its
    count.
    """
    return (((cards | BORROWS) - subset) & BORROWS) == BORROWS


@kernel
def remaining(cards: np.uint64, removed: np.uint64) -> np.uint64:
    """Returns the cards less those removed, per rank, and none of a rank where more are removed
    than there are.
    """
    difference = (cards | BORROWS) - removed
    return difference & (((difference & BORROWS) >> np.uint64(3)) * np.uint64(7))


@kernel
def at_least(cards: np.uint64, copies: int) -> np.uint64:
    """Returns the rank mask of the ranks with at least 1, 2, 3 or 4 cards."""
    ones, twos, fours = cards, cards >> np.uint64(1), cards >> np.uint64(2)
    if copies == 1:
        mask = ones | twos | fours
    elif copies == 2:
        mask = twos | fours
    elif copies == 3:
        mask = (ones & twos) | fours
    else:
        mask = fours
    return mask & ONES


@kernel
def lowest(mask: np.uint64) -> int:
    """Returns the lowest rank of a rank mask that is not empty."""
    return np.int64(trailing_zeros(mask)) >> 2


@kernel
def highest(mask: np.uint64) -> int:
    """Returns the highest rank of a rank mask, -1 if it is empty."""
    if mask == np.uint64(0):
        return np.int64(-1)
    return (np.int64(63) - np.int64(leading_zeros(mask))) >> 2


@kernel
def row_of(start: int, length: int) -> np.uint64:
    """Returns the rank mask of ``length`` (0 to 12) ranks in a row."""
    return (ONES & ((np.uint64(1) << np.uint64(4 * length)) - np.uint64(1))) << np.uint64(4 * start)


@kernel
def above(rank: int) -> np.uint64:
    """Returns the rank mask of the ranks above ``rank`` (-1 to 14)."""
    return (ONES << np.uint64(4 * (rank + 1))) & ONES
