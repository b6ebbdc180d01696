"""Batches of hands of no-limit Hold'em: one row (*lane*) per hand, S seats, all amounts in whole
chips.

Seats are those of PokerKit and of the PHH format. With three or more players seat 0 has the small
blind, seat 1 the big blind, and the last seat is the button. Heads-up seat 0 has the **big** blind,
and seat 1 is the button with the small blind: it acts first before the flop, and last later. So
seat 0, where it is in, acts first on the flop, turn and river at any table.

Actions are ``FOLD``, ``CALL`` (which is also check), ``FIRST_SIZE + k``, a bet or raise of the k-th
of the listed sizes, and ``FIRST_AMOUNT + chips``, a bet or raise **to** so many chips of this
round. ``legal`` lists those before ``FIRST_AMOUNT`` alone.
"""

from typing import NamedTuple

import numpy as np

from games.poker.cards import HIDDEN as HIDDEN
from games.poker.hands import NUM_CARDS, HandTables

NUM_BOARD = 5
NUM_ROUNDS = 4
OVER = 4
"""The round of a hand that is over."""
FOLD, CALL, FIRST_SIZE = 0, 1, 2
FIRST_AMOUNT = 32
"""The action that is a raise to 0 chips, which is never legal; a raise to n is n higher."""
MOST_SEATS = 10
MOST_SIZES = FIRST_AMOUNT - FIRST_SIZE
MOST_CHIPS = 2**15 - 1 - FIRST_AMOUNT
"""The largest stack: actions fit int16."""


class Rules(NamedTuple):
    """What does not change from hand to hand.

    Attributes:
        sizes: float64 ``[n]``, the listed bet sizes, ascending: a raise adds so many times the pot
            after a call. 0 is the least raise, infinity all-in.
        stacks: int32 ``[S]``, chips of each seat before a hand.
        antes: int32 ``[S]``.
        blinds: int32 ``[S]``, by the seat that posts them.
        big_blind: Chips, the least bet.
        hands: The tables that hands are compared by.
        num_private: This and what follows are the sizes of the deck, see ``games.poker.cards``.
    """

    sizes: np.ndarray
    stacks: np.ndarray
    antes: np.ndarray
    blinds: np.ndarray
    big_blind: int
    hands: HandTables
    num_private: int = 2
    num_public: int = NUM_BOARD
    num_cards: int = NUM_CARDS
    num_suits: int = 4
    suit_planes: int = 4


class States(NamedTuple):
    """B hands.

    Attributes:
        hole: int8 ``[B, S, 2]``, own cards, ``rank * 4 + suit`` as in ``games.poker.hands``,
            descending; ``HIDDEN`` in views.
        board: int8 ``[B, 5]``, the three of the flop descending. A full state holds all five from
            the deal on; views hide those that are not on the table.
        shown: int8 ``[B]``, how many of them are on the table.
        stacks: int32 ``[B, S]``, chips behind.
        paid: int32 ``[B, S]``, chips put in during the hand, antes and blinds included; at the end
            without the uncalled ones.
        street_paid: int32 ``[B, S]``, chips put in during this round, blinds included, antes not.
        put: int32 ``[B, S, 4]``, the same for each round, ``street_paid`` being that of the present
            one.
        ante: int32 ``[B, S]``, what was posted as such.
        blind: The same; negative as in ``betting.start_row``.
        folded: int8 ``[B, S]``, 1 = folded.
        acted: int8 ``[B, S]``, 1 = has acted since the last full raise.
        last_raise: int32 ``[B]``, what the largest bet or raise of this round added, 0 before the
            first. The next must add as much, and no less than the big blind
            (``betting.raise_bounds``).
        short_raise: int32 ``[B]``, what all-ins too short for a raise have added since the last
            full one.
        big_blind: int32 ``[B]``, the least bet.
        pending: int16 ``[B]``, a bit for each seat that has still to act in this round.
        round: int8 ``[B]``, 0 before the flop … 3 on the river, ``OVER``.
        seat: int8 ``[B]``, the seat to move; -1 when the hand is over.
        aggressor: int8 ``[B]``, the seat that bet or raised last in this hand, -1 = nobody.
        calls: int8 ``[B, S, 4]``, checks and calls of each seat in each round.
        raises: The same for bets and raises.
        history: uint64 ``[B]``, a hash of stacks, posts and all moves, which is the public part of
            the hand apart from the board.
    """

    hole: np.ndarray
    board: np.ndarray
    shown: np.ndarray
    stacks: np.ndarray
    paid: np.ndarray
    street_paid: np.ndarray
    put: np.ndarray
    ante: np.ndarray
    blind: np.ndarray
    folded: np.ndarray
    acted: np.ndarray
    last_raise: np.ndarray
    short_raise: np.ndarray
    big_blind: np.ndarray
    pending: np.ndarray
    round: np.ndarray
    seat: np.ndarray
    aggressor: np.ndarray
    calls: np.ndarray
    raises: np.ndarray
    history: np.ndarray


def empty(count: int, seats: int) -> States:
    """Returns ``count`` rows of zeros."""
    of_seat = ("stacks", "paid", "street_paid", "ante", "blind", "folded", "acted")
    chips = (*of_seat[:5], "put", "last_raise", "short_raise", "big_blind")
    kinds = {"pending": np.int16, "history": np.uint64, **dict.fromkeys(chips, np.int32)}
    shapes: dict[str, tuple[int, ...]] = {
        "hole": (seats, 2),
        "board": (NUM_BOARD,),
        **dict.fromkeys(of_seat, (seats,)),
        **dict.fromkeys(("put", "calls", "raises"), (seats, NUM_ROUNDS)),
    }
    return States(
        *(
            np.zeros((count, *shapes.get(name, ())), kinds.get(name, np.int8))
            for name in States._fields
        )
    )
