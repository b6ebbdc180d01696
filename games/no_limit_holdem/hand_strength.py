"""Strength of two cards on the current board: features that a network would need many hands to
learn.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.state import States
from games.poker.hands import (
    LAST_OF_CATEGORY,
    NUM_CARDS,
    RANK_BITS,
    Category,
    HandTables,
    strength_of,
    strength_with,
    sums,
)

_CATEGORIES = np.array(LAST_OF_CATEGORY)
_BELOW_STRAIGHT = LAST_OF_CATEGORY[Category.STRAIGHT - 1]


class HandStrength(NamedTuple):
    """The strength of a hand with the open cards.

    Attributes:
        category: Category of the best five cards, see ``games.poker.hands.Category``.
        beaten: The share of all other hands of two cards that are worse, equal ones counting half:
            the *hand strength* of Billings, Davidson, Schaeffer & Szafron 2002, 5.2.1.
        outs: The share of all next cards that improve it to a straight or better; 0 if it already
            is one or no card comes.
    """

    category: int
    beaten: float
    outs: float


@kernel
def _halves(other: int, own: int) -> int:
    return 2 if other < own else 1 if other == own else 0


@kernel
def _beaten(tables: HandTables, board: np.ndarray, shown: int, hole: np.ndarray, own: int) -> float:
    """Returns ``HandStrength.beaten``, given the strength of the own hand.

    Hands without a flush differ by their ranks alone, so they are compared by pairs of ranks: 91
    instead of about 1,000 hands. Only a suit with three cards on the board makes a flush.
    """
    key, masks = sums(tables, board, 0, shown)
    of_suit, seen = np.zeros(4, np.int64), np.int64(0)
    for k in range(shown):
        of_suit[board[k] % 4] += 1
        seen |= np.int64(1) << np.int64(board[k])
    for k in range(2):
        seen |= np.int64(1) << np.int64(hole[k])
    suit = np.argmax(of_suit)
    missing = 5 - of_suit[suit]  # for a flush
    suited, others = np.zeros(13, np.int64), np.zeros(13, np.int64)
    for card in range(NUM_CARDS):
        if not (seen >> card) & 1:
            (suited if missing <= 2 and card % 4 == suit else others)[card // 4] += 1

    halves, unsuited, ranks = 0, others.sum(), key & RANK_BITS
    for a in range(13):
        for b in range(a + 1):
            ways = 0
            if missing > 0:
                ways += others[a] * (others[b] - (a == b)) // (1 + (a == b))
            if missing > 1:
                ways += suited[a] * others[b] + (suited[b] * others[a] if a != b else 0)
            if ways:
                pair = (tables.keys[4 * a] & RANK_BITS) + (tables.keys[4 * b] & RANK_BITS)
                halves += ways * _halves(strength_of(tables, ranks + pair, 0, shown + 2), own)
    if missing <= 0:
        board_alone = strength_of(tables, key, masks, shown + 2)
        halves += unsuited * (unsuited - 1) // 2 * _halves(board_alone, own)
    for a in range(13):
        if suited[a]:
            one = 4 * a + suit
            if missing <= 1:  # whatever the other card
                flush = strength_with(tables, key, masks, one, one, shown + 2)
                halves += unsuited * _halves(flush, own)
            for b in range(a):
                if suited[b]:
                    flush = strength_with(tables, key, masks, one, 4 * b + suit, shown + 2)
                    halves += _halves(flush, own)
    unseen = NUM_CARDS - 2 - shown
    return halves / (unseen * (unseen - 1))


@kernel
def hand_strength(tables: HandTables, states: States, i: int, seat: int) -> HandStrength:
    """Returns the strength of a seat's hand; three cards or more must be open."""
    shown, board, hole = np.int64(states.shown[i]), states.board[i], states.hole[i, seat]
    key, masks = sums(tables, board, 0, shown)
    own, outs = strength_with(tables, key, masks, hole[0], hole[1], shown + 2), 0
    if shown < 5 and own <= _BELOW_STRAIGHT:
        key, masks = (
            key + tables.keys[hole[0]] + tables.keys[hole[1]],
            masks | tables.bits[hole[0]] | tables.bits[hole[1]],
        )
        for card in range(NUM_CARDS):
            bit = tables.bits[card]
            if not masks & bit:
                with_card = strength_of(tables, key + tables.keys[card], masks | bit, shown + 3)
                outs += with_card > _BELOW_STRAIGHT
    return HandStrength(
        np.searchsorted(_CATEGORIES, own),
        _beaten(tables, board, shown, hole, own),
        outs / (NUM_CARDS - 2 - shown),
    )
