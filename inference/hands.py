"""What Doudizhu gives to inference: the hidden cards of a seat, and worlds filled in.

The *searching seat* sees its own hand, the cards played and the bottom cards. Of the unseen cards, some are *fixed*: bottom cards
that the landlord has not played. The others are *free*: the next seat holds some of them, the previous seat the rest. A world is
therefore given by the hand of the next seat alone, and this is all that inference stores of it.

Sets of cards are packed as in ``games.doudizhu.cards``. Everything else in this package is the same for any game with a world
of this kind.
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import NUM_SEATS, Seat, size
from games.doudizhu.hidden import known_bottom, unseen_cards
from games.doudizhu.state import hand_size, start
from games.interface import Rules, States, copy_row
from games.kernels import kernel


class Positions(NamedTuple):
    """n information states for which worlds are wanted.

    Attributes:
        places: int64 ``[n]``, place in the answer: the worlds of a position start at row ``places * num_worlds``.
        lanes: int64 ``[n]``, the game, by its record and its random stream.
        seats: int64 ``[n]``, the searching seat.
        slots: int64 ``[n]``, lane * seats + seat: where the particles are kept.
        views: States ``[n]``, as the searching seat sees them.
    """

    places: np.ndarray
    lanes: np.ndarray
    seats: np.ndarray
    slots: np.ndarray
    views: States


def make_positions(lanes: np.ndarray, views: States) -> Positions:
    """Returns the positions of views in which the seat to move searches."""
    lanes, seats = np.asarray(lanes, np.int64), np.asarray(views.seat, np.int64)
    return Positions(np.arange(len(lanes)), lanes, seats, lanes * NUM_SEATS + seats, views)


@kernel
def hidden_cards(states: States, i: int, seat: int) -> tuple[np.uint64, np.uint64, int]:
    """Returns (free cards, cards that the next seat is known to hold, number of free cards that the next seat holds).

    Reads what ``seat`` sees of lane ``i`` only.
    """
    following = (seat + 1) % NUM_SEATS
    known = np.uint64(0) if seat == Seat.LANDLORD else known_bottom(states, i)
    fixed = known if following == Seat.LANDLORD else np.uint64(0)
    return unseen_cards(states, i, seat) - known, fixed, hand_size(states, i, following) - size(fixed)


@kernel
def next_hand(states: States, i: int, seat: int) -> np.uint64:
    """Returns the hand of the seat after ``seat``."""
    return states.hands[i, (seat + 1) % NUM_SEATS]


@kernel
def fill_world(rules: Rules, views: States, i: int, seat: int, hand: np.uint64, worlds: States, j: int) -> None:
    """Writes the view ``i`` of ``seat`` to lane ``j`` of ``worlds``: the next seat holds ``hand``, the previous one the rest."""
    copy_row(rules, views, i, worlds, j)
    worlds.hands[j, (seat + 1) % NUM_SEATS] = hand
    worlds.hands[j, (seat + 2) % NUM_SEATS] = unseen_cards(views, i, seat) - hand


@kernel
def find_active(views: States, below: int, active: np.ndarray) -> None:
    """Writes whether some hand has fewer than ``below`` cards, for every view (bool ``[n]``)."""
    for i in range(active.size):
        fewest = hand_size(views, i, 0)
        for seat in range(1, NUM_SEATS):
            fewest = min(fewest, hand_size(views, i, seat))
        active[i] = fewest < below


def start_views(positions: Positions) -> States:
    """Returns what the searching seats saw before the first move (``[n]`` rows)."""
    rows, views = np.arange(len(positions.seats)), positions.views
    hands = np.zeros_like(views.hands)
    hands[rows, positions.seats] = views.hands[rows, positions.seats] + views.played[rows, positions.seats]
    return start(hands, views.bottom)


def played_by_next(positions: Positions) -> np.ndarray:
    """Returns the cards that the seats after the searching ones have played (uint64 ``[n]``)."""
    return positions.views.played[np.arange(len(positions.seats)), (positions.seats + 1) % NUM_SEATS]


def true_next_hands(states: States, seats: np.ndarray) -> np.ndarray:
    """Returns the hand of the seat after ``seats[i]`` (uint64 ``[n]``) in states that hold all the hands."""
    return states.hands[np.arange(len(seats)), (np.asarray(seats, np.int64) + 1) % NUM_SEATS]
