"""Positions that need worlds, and what inference computes for a batch of them."""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import hidden_of, shortest_hand, start_view
from games.kernels.rows import Rules, States, num_rows
from games.play.interface import Game, seats_to_move


class Positions(NamedTuple):
    """n information sets that need worlds.

    Attributes:
        places: int64 ``[n]``, place in the output: the worlds of a position start at row ``places *
            num_worlds``.
        lanes: int64 ``[n]``, the game: index of its record and random stream.
        seats: int64 ``[n]``, the searching seat.
        slots: int64 ``[n]``, lane * seats + seat: where the particles are kept.
        views: States ``[n]``, as the searching seat sees them.
    """

    places: np.ndarray
    lanes: np.ndarray
    seats: np.ndarray
    slots: np.ndarray
    views: States


def make_positions(game: Game, lanes: np.ndarray, views: States) -> Positions:
    """Returns the positions of views in which the seat to move searches."""
    lanes, seats = np.asarray(lanes, np.int64), seats_to_move(game, views)
    return Positions(
        np.arange(len(lanes)), lanes, seats, lanes * game.spec.num_seats + seats, views
    )


@kernel
def find_active(rules: Rules, views: States, below: int, active: np.ndarray) -> None:
    """Writes whether some hand has fewer than ``below`` cards (bool ``[n]``); True where hands do
    not run out.
    """
    for i in range(active.size):
        active[i] = shortest_hand(rules, views, i) < below


@kernel
def _hidden_of_all(rules: Rules, states: States, seats: np.ndarray, hidden: np.ndarray) -> None:
    for i in range(seats.size):
        hidden_of(rules, states, i, seats[i], hidden[i])


def true_hidden(game: Game, states: States, seats: np.ndarray) -> np.ndarray:
    """Returns the hidden words (uint64 ``[n, W]``) of full states for ``seats[i]`` in row i."""
    hidden = np.empty((len(seats), game.spec.hidden_words), np.uint64)
    _hidden_of_all(game.rules, states, np.asarray(seats, np.int64), hidden)
    return hidden


@kernel
def _start_all(rules: Rules, positions: Positions, starts: States) -> None:
    for i in range(positions.seats.size):
        start_view(rules, positions.views, i, positions.seats[i], starts, i)


def start_views(game: Game, positions: Positions) -> States:
    """Returns the searching seats' views before the first move (``[n]`` rows)."""
    starts = game.empty(num_rows(positions.views))
    _start_all(game.rules, positions, starts)
    return starts
