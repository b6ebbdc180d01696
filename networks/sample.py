"""Observations of random games: the same ones in every process and on every machine, for what must be fitted to a game."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor, from_numpy

from games.batches import Rules, States
from games.generic import legal, observe
from games.interface import Game
from games.kernels import Stream, deal_seeds, kernel, random_below, streams
from games.lockstep import Lockstep

NUM_GAMES = 64
MOST_POSITIONS = 1536


class Sample(NamedTuple):
    """Observations of the seats to move. Attributes: observations: int8 ``[N, C, L]``. seats: int8 ``[N]``."""

    observations: np.ndarray
    seats: np.ndarray

    def of_seats(self, seats: Sequence[int]) -> Tensor:
        """Returns the observations of some seats, int8 ``[n, C, L]``; all where those seats made no decision."""
        rows = np.isin(self.seats, seats)
        return from_numpy(self.observations[rows] if rows.any() else self.observations)


@kernel
def _observe_and_draw(
    rules: Rules, states: States, lanes: np.ndarray, seats: np.ndarray, rng: np.ndarray, observations: np.ndarray,
    actions: np.ndarray, scratch: np.ndarray,
) -> None:  # fmt: skip
    """Writes what the seats to move see (int8 ``[n, C, L]``), and a random legal action of each (int16 ``[n]``)."""
    for k in range(lanes.size):
        observe(rules, states, lanes[k], seats[lanes[k]], observations[k])
        actions[k] = scratch[random_below(rng, lanes[k], legal(rules, states, lanes[k], scratch))]


def random_sample(game: Game) -> Sample:
    """Returns decisions of ``NUM_GAMES`` games of random moves: all, or ``MOST_POSITIONS`` evenly spread over their course."""
    deals, rng = game.deal(deal_seeds(0, NUM_GAMES, Stream.BOOTSTRAP, 1)), streams(0, NUM_GAMES, Stream.BOOTSTRAP, 2)
    games, scratch = Lockstep(game, deals), np.empty(game.spec.max_legal, np.int16)
    met: list[Sample] = []

    def decide(lanes: np.ndarray) -> np.ndarray:
        observations, actions = np.empty((lanes.size, *game.spec.observation_shape), np.int8), np.empty(lanes.size, np.int16)
        _observe_and_draw(game.rules, games.states, lanes, games.seats, rng, observations, actions, scratch)
        met.append(Sample(observations, games.seats[lanes]))
        return actions

    for _ in games.run(decide):
        pass
    observations, seats = (np.concatenate(parts) for parts in zip(*met, strict=True))
    rows = np.linspace(0, len(seats) - 1, min(len(seats), MOST_POSITIONS)).astype(np.int64)
    return Sample(observations[rows], seats[rows])
