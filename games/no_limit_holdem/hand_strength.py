"""What two cards are worth on the table as it is: numbers that a network would need many hands to
find by itself.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.state import States
from games.poker.hands import (
    EMPTY_KEY,
    LAST_OF_CATEGORY,
    NUM_CARDS,
    Category,
    HandTables,
    strength_of,
)

_CATEGORIES = np.array(LAST_OF_CATEGORY)
_BELOW_STRAIGHT = LAST_OF_CATEGORY[Category.STRAIGHT - 1]


class HandStrength(NamedTuple):
    """A hand on the cards that are open.

    Attributes:
        category: Of the best five cards, see ``games.poker.hands.Category``.
        beaten: The share of all other hands of two cards that are worse, equal ones counted as
            half: the *hand strength* of Billings, Davidson, Schaeffer & Szafron 2002, 5.2.1.
        outs: The share of all next cards that lift it to a straight or more, 0 where it is one or
            where no card comes.
    """

    category: int
    beaten: float
    outs: float


@kernel
def hand_strength(tables: HandTables, states: States, i: int, seat: int) -> HandStrength:
    """Returns the strength of a seat's hand; three cards or more must be open."""
    shown = np.int64(states.shown[i])
    seen = np.zeros(NUM_CARDS, np.bool_)
    board_key, board_masks = EMPTY_KEY, 0
    for k in range(shown):
        card = states.board[i, k]
        seen[card] = True
        board_key += tables.keys[card]
        board_masks |= tables.bits[card]
    key, masks = board_key, board_masks
    for k in range(2):
        card = states.hole[i, seat, k]
        seen[card] = True
        key += tables.keys[card]
        masks |= tables.bits[card]
    rest = np.empty(NUM_CARDS, np.int64)
    size = 0
    for card in range(NUM_CARDS):
        if not seen[card]:
            rest[size] = card
            size += 1
    own = strength_of(tables, key, masks, shown + 2)
    halves = 0
    for j in range(size):
        first_key, first_masks = (
            board_key + tables.keys[rest[j]],
            board_masks | tables.bits[rest[j]],
        )
        for k in range(j):
            other = strength_of(
                tables,
                first_key + tables.keys[rest[k]],
                first_masks | tables.bits[rest[k]],
                shown + 2,
            )
            halves += 2 if other < own else 1 if other == own else 0
    outs = 0
    if shown < 5 and own <= _BELOW_STRAIGHT:
        for k in range(size):
            outs += (
                strength_of(
                    tables, key + tables.keys[rest[k]], masks | tables.bits[rest[k]], shown + 3
                )
                > _BELOW_STRAIGHT
            )
    return HandStrength(
        np.searchsorted(_CATEGORIES, own), halves / (size * (size - 1)), outs / size
    )
