"""Batches of hands of no-limit Hold'em: one row (*lane*) per hand, S seats, all amounts in whole
chips.

Seats are those of PokerKit and of the PHH format. With three or more players seat 0 has the small
blind, seat 1 the big blind, and the last seat is the button. Heads-up seat 0 has the **big** blind,
and seat 1 is the button with the small blind: it acts first before the flop (unless both blinds are
equal), and last afterwards. So seat 0, unless folded, always acts first on the flop, turn and
river.

Actions are ``FOLD``, ``CALL`` (also check), ``FIRST_SIZE + k``, a bet or raise of the k-th listed
size, and ``FIRST_AMOUNT + chips``, a bet or raise **to** that many chips in this round. ``legal``
lists only those before ``FIRST_AMOUNT``.
"""

from typing import NamedTuple

import numpy as np

from games.poker.cards import HIDDEN as HIDDEN
from games.poker.hands import NUM_CARDS, HandTables

NUM_BOARD = 5
NUM_ROUNDS = 4
OVER = 4
"""The round of a finished hand."""
FOLD, CALL, FIRST_SIZE = 0, 1, 2
FIRST_AMOUNT = 32
"""The action of a raise to 0 chips, which is never legal; a raise to n chips is this plus n."""
MOST_SEATS = 10
MOST_SIZES = FIRST_AMOUNT - FIRST_SIZE
MOST_CHIPS = 2**15 - 1 - FIRST_AMOUNT
"""The largest stack, so that actions fit int16."""
MOST_COUNTED = 127
"""Calls and raises of a seat in a round are counted up to this, which fits int8."""


class Rules(NamedTuple):
    """The settings that are the same for every hand.

    Attributes:
        sizes: float64 ``[n]``, the listed bet sizes, ascending, as multiples of the pot after a
            call. 0 is the minimum raise, infinity all-in.
        stacks: int32 ``[S]``, chips of each seat before a hand.
        antes: int32 ``[S]``.
        blinds: int32 ``[S]``, by the seat that posts them.
        big_blind: Chips, the minimum bet.
        hands: Tables of hand strengths.
        num_private: This and the following fields describe the deck, see ``games.poker.cards``.
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
        shown: int8 ``[B]``, number of them on the table.
        stacks: int32 ``[B, S]``, chips behind.
        paid: int32 ``[B, S]``, chips put in during the hand, antes and blinds included; at the end
            without uncalled chips.
        street_paid: int32 ``[B, S]``, chips put in during this round, including blinds but not
            antes.
        put: int32 ``[B, S, 4]``, the same for each round, the current one in ``street_paid``.
        ante: int32 ``[B, S]``, antes posted.
        blind: int32 ``[B, S]``, blinds posted; negative as in ``betting.start_row``.
        folded: int8 ``[B, S]``, 1 = folded.
        acted: int8 ``[B, S]``, 1 = has acted in this round; posts do not count.
        last_raise: int32 ``[B]``, chips added by the largest bet or raise of this round, 0 before
            the first. The next must add at least as much, and at least the big blind
            (``betting.raise_bounds``).
        big_blind: int32 ``[B]``, the minimum bet.
        pending: int16 ``[B]``, a bit for each seat still to act in this round.
        round: int8 ``[B]``, 0 before the flop … 3 on the river, ``OVER``.
        seat: int8 ``[B]``, the seat to move; -1 when the hand is over.
        aggressor: int8 ``[B]``, the seat that bet or raised last in this hand, -1 = nobody.
        calls: int8 ``[B, S, 4]``, checks and calls of each seat in each round.
        raises: The same for bets and raises.
        history: uint64 ``[B]``, a hash of stacks, posts and all moves: everything public except the
            board.
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
    chips = (*of_seat[:5], "put", "last_raise", "big_blind")
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
