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
    Category,
    HandTables,
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
def hand_strength(tables: HandTables, states: States, i: int, seat: int) -> HandStrength:
    """Returns the strength of a seat's hand; three cards or more must be open."""
    shown, board, hole = np.int64(states.shown[i]), states.board[i], states.hole[i, seat]
    key, masks = sums(tables, board, 0, shown)
    own = strength_with(tables, key, masks, hole[0], hole[1], shown + 2)
    rest, size = np.empty(NUM_CARDS, np.int64), 0
    for card in range(NUM_CARDS):
        bit = tables.bits[card]
        if not masks & bit and card != hole[0] and card != hole[1]:
            rest[size] = card
            size += 1
    halves = 0
    for j in range(size):
        for k in range(j):
            other = strength_with(tables, key, masks, rest[j], rest[k], shown + 2)
            halves += 2 if other < own else 1 if other == own else 0
    outs = 0
    if shown < 5 and own <= _BELOW_STRAIGHT:
        key, masks = key + tables.keys[hole[0]], masks | tables.bits[hole[0]]
        for k in range(size):
            next_one = strength_with(tables, key, masks, hole[1], rest[k], shown + 3)
            outs += next_one > _BELOW_STRAIGHT
    return HandStrength(
        np.searchsorted(_CATEGORIES, own), halves / (size * (size - 1)), outs / size
    )
