"""Strength of poker hands of five to seven cards, as an integer from 1 to 7,462 (larger is better,
equal hands split).

7,462 is the number of hands of five cards that differ in strength; a hand of six or seven is worth
its best five. A card is an integer below 52: ``rank * 4 + suit``, ranks from the deuce to the ace,
suits in the order of ``SUITS``.

Two sums over its cards determine a hand, so the sums over a board are computed once for all
players:

- the *key* (``HandTables.keys``) has in bits 0 to 16 the counts of the ranks 2 to 8 as digits to
  the base 5, in bits 17 to 30 those of the ranks 9 to A, and from bit 32 on for each suit four bits
  that start at 3, so that the highest is set by a flush;
- the *masks* (``HandTables.bits``) have for each suit 16 bits, one for each rank.

Without a flush the lower digits choose a row of a table and the upper digits the place in that row.
Rows differ in length and follow one another without gaps: among hands of n cards, a row has a place
for each way to complete it with the upper ranks.
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from games.kernels import kernel

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUM_CARDS = 52
NUM_STRENGTHS = 7462
_LOW_RANKS, _HIGH_RANKS = 7, 6
_HIGH_SHIFT, _SUIT_SHIFT = 17, 32
_FLUSH_BITS = 0x8888 << _SUIT_SHIFT
RANK_BITS = (1 << _SUIT_SHIFT) - 1
"""The part of a key that does not depend on suits."""


class Category(IntEnum):
    """Kinds of hands, from the weakest."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8


LAST_OF_CATEGORY = (1277, 4137, 4995, 5853, 5863, 7140, 7296, 7452, 7462)
"""The strength of the best hand of each category."""


class HandTables(NamedTuple):
    """Tables for the kernels below, 0.9 MB; hands of seven cards use 0.5 MB of them.

    Attributes:
        keys: int64 ``[52]``, a card's term in the key.
        bits: int64 ``[52]``, a card's term in the masks.
        row: int32 ``[3, 5**7]``, for hands of 5, 6 and 7 cards the start in ``strength`` of the row
            of the lower digits.
        place: int16 ``[5**6]``, the place of the upper digits among those with equally many cards.
        strength: int16 ``[73775]``, by the ranks of the hand.
        flush: int16 ``[8192]``, by the mask of the suit.
    """

    keys: np.ndarray
    bits: np.ndarray
    row: np.ndarray
    place: np.ndarray
    strength: np.ndarray
    flush: np.ndarray


EMPTY_KEY = 0x3333 << _SUIT_SHIFT
"""The key of no cards."""


@kernel(inline="always")
def strength_of(tables: HandTables, key: int, masks: int, num_cards: int) -> int:
    """Returns the strength of a hand of five to seven cards from the two sums over its cards."""
    flush = key & _FLUSH_BITS
    if flush:
        shift = 0
        while not (flush >> (_SUIT_SHIFT + 3)) & 1:
            flush >>= 4
            shift += 16
        return np.int64(tables.flush[(masks >> shift) & 0x1FFF])
    place = tables.place[(key >> _HIGH_SHIFT) & 0x3FFF]
    return np.int64(tables.strength[tables.row[num_cards - 5, key & 0x1FFFF] + place])


@kernel(inline="always")
def strength_with(
    tables: HandTables, key: int, masks: int, one: int, two: int, num_cards: int
) -> int:
    """Returns the strength of a hand with two cards that are not yet in the two sums."""
    return strength_of(
        tables,
        key + tables.keys[one] + tables.keys[two],
        masks | tables.bits[one] | tables.bits[two],
        num_cards,
    )


@kernel(forceinline=True)
def sums(tables: HandTables, cards: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """Returns the key and the masks of ``cards[first:last]``."""
    key, masks = np.int64(EMPTY_KEY), np.int64(0)
    for k in range(first, last):
        key += tables.keys[cards[k]]
        masks |= tables.bits[cards[k]]
    return key, masks


@kernel
def evaluate(tables: HandTables, cards: np.ndarray, strengths: np.ndarray) -> None:
    """Writes the strength of each row of ``cards`` (int8 ``[N, 5..7]``) to ``strengths`` (int16
    ``[N]``). Nothing is checked.
    """
    num_cards = cards.shape[1]
    for i in range(len(cards)):
        key, masks = sums(tables, cards[i], 0, num_cards)
        strengths[i] = strength_of(tables, key, masks, num_cards)


@kernel
def _best_straight(mask: int) -> int:
    """Returns the highest rank of the best straight in a mask of ranks, -1 if there is none; the
    ace is also below the deuce.
    """
    wheel = (mask << 1) | (mask >> 12)
    for rank in range(12, 2, -1):
        if (wheel >> (rank - 3)) & 31 == 31:
            return rank
    return -1


@kernel
def _value(category: int, counts: np.ndarray, first: int, second: int, kickers: int) -> int:
    """Returns a number that orders hands: category, the ranks that make it, then the highest
    ``kickers`` other ranks.
    """
    value = (category * 14 + first + 1) * 14 + second + 1
    rank = 12
    for k in range(5):
        while k < kickers and (counts[rank] == 0 or rank == first or rank == second):
            rank -= 1
        value = value * 14 + (rank + 1 if k < kickers else 0)
        rank -= 1
    return value


@kernel
def _value_of_ranks(counts: np.ndarray) -> int:
    """Returns a number that orders hands without a flush, from their number of cards of each rank
    (int64 ``[13]``).
    """
    quads = trips = second_trips = pair = second_pair = -1
    mask = 0
    for rank in range(13):
        if counts[rank]:
            mask |= 1 << rank
        if counts[rank] == 4:
            quads = rank
        elif counts[rank] == 3:
            second_trips, trips = trips, rank
        elif counts[rank] == 2:
            second_pair, pair = pair, rank
    straight = _best_straight(mask)
    if quads >= 0:
        return _value(Category.QUADS, counts, quads, -1, 1)
    if trips >= 0 and max(second_trips, pair) >= 0:
        return _value(Category.FULL_HOUSE, counts, trips, max(second_trips, pair), 0)
    if straight >= 0:
        return _value(Category.STRAIGHT, counts, straight, -1, 0)
    if trips >= 0:
        return _value(Category.TRIPS, counts, trips, -1, 2)
    if second_pair >= 0:
        return _value(Category.TWO_PAIR, counts, pair, second_pair, 1)
    if pair >= 0:
        return _value(Category.PAIR, counts, pair, -1, 3)
    return _value(Category.HIGH_CARD, counts, -1, -1, 5)


@kernel
def _fill_rows(row: np.ndarray, place: np.ndarray, values: np.ndarray) -> int:
    """Fills the tables of hands without a flush, ``values`` with numbers that order them; returns
    the number of five-card ones.
    """
    # The upper digits by their number of cards.
    highs = np.empty((8, 5**_HIGH_RANKS), dtype=np.int64)
    num_highs = np.zeros(8, dtype=np.int64)
    for high in range(5**_HIGH_RANKS):
        cards, rest = 0, high
        while rest:
            cards, rest = cards + rest % 5, rest // 5
        if cards < 8:
            place[high] = num_highs[cards]
            highs[cards, num_highs[cards]] = high
            num_highs[cards] += 1
    counts = np.empty(13, dtype=np.int64)
    end = of_five = 0
    for num_cards in range(5, 8):
        for low in range(5**_LOW_RANKS):
            cards, rest = 0, low
            for rank in range(_LOW_RANKS):
                counts[rank], rest = rest % 5, rest // 5
                cards += counts[rank]
            if cards > num_cards:
                continue
            row[num_cards - 5, low] = end
            for k in range(num_highs[num_cards - cards]):
                rest = highs[num_cards - cards, k]
                for rank in range(_LOW_RANKS, 13):
                    counts[rank], rest = rest % 5, rest // 5
                values[end] = _value_of_ranks(counts)
                end += 1
        if num_cards == 5:
            of_five = end
    return of_five


@kernel
def _flush_values() -> np.ndarray:
    """Returns a number that orders flushes for each mask of ranks (int64 ``[8192]``), 0 for fewer
    than five ranks.
    """
    values = np.zeros(8192, dtype=np.int64)
    counts = np.empty(13, dtype=np.int64)
    for mask in range(8192):
        for rank in range(13):
            counts[rank] = (mask >> rank) & 1
        if counts.sum() >= 5:
            straight = _best_straight(mask)
            if straight >= 0:
                values[mask] = _value(Category.STRAIGHT_FLUSH, counts, straight, -1, 0)
            else:
                values[mask] = _value(Category.FLUSH, counts, -1, -1, 5)
    return values


@cache
def tables() -> HandTables:
    """Returns the tables, computed in a few milliseconds on the first call."""
    cards = np.arange(NUM_CARDS)
    rank, suit = cards // 4, cards % 4
    digit = np.where(
        rank < _LOW_RANKS, 5**rank, 5 ** np.maximum(rank - _LOW_RANKS, 0) << _HIGH_SHIFT
    )
    row = np.zeros((3, 5**_LOW_RANKS), dtype=np.int32)
    place = np.zeros(5**_HIGH_RANKS, dtype=np.int16)
    values = np.zeros(73_775, dtype=np.int64)
    of_five = _fill_rows(row, place, values)
    flushes = _flush_values()
    order = np.unique(np.concatenate([values[:of_five], flushes[flushes > 0]]))
    assert len(order) == NUM_STRENGTHS
    flush = np.where(flushes > 0, np.searchsorted(order, flushes) + 1, 0)
    return HandTables(
        keys=digit + (1 << (_SUIT_SHIFT + 4 * suit)),
        bits=1 << (16 * suit + rank),
        row=row,
        place=place,
        strength=(np.searchsorted(order, values) + 1).astype(np.int16),
        flush=flush.astype(np.int16),
    )


def parse_cards(text: str) -> list[int]:
    """Returns the cards of a text such as ``"As Td 2c"``; blanks may be left out.

    Raises:
        ValueError: The text contains something other than cards, or a card twice.
    """
    letters = "".join(text.split())
    cards = []
    for card in (letters[k : k + 2] for k in range(0, len(letters), 2)):
        if len(card) < 2 or card[0] not in RANKS or card[1] not in SUITS:
            raise ValueError(
                f"cards {text!r}: {card!r} is none; expected a rank of {RANKS} and a suit of "
                f"{SUITS}, as in 'As Td'"
            )
        cards.append(RANKS.index(card[0]) * 4 + SUITS.index(card[1]))
    if len(set(cards)) < len(cards):
        raise ValueError(f"cards {text!r}: expected no card twice")
    return cards


def card_texts(cards: Iterable[int]) -> list[str]:
    """Returns texts such as ``"As"``."""
    return [RANKS[card // 4] + SUITS[card % 4] for card in cards]
