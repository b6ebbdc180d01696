"""Speed of inference on one core: worlds, hands from phase 1, whole determinizations.

The networks answer from a table, so the figures are those of the kernels. Positions are from
random games, which are longer than games of skill.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from games.doudizhu.game import Doudizhu
from games.kernels import kernel, random_below, streams
from games.kernels.generic import current_seat, legal, step
from games.kernels.rows import take
from games.play.interface import Records
from inference.determinizer import Determinizer, InferenceSettings
from inference.draws import draw_from_marginal, empty_draws, weigh_by_marginal
from inference.positions import Positions, make_positions
from inference.prior import prior_worlds
from networks.resnet import Outputs

from .measure import Row, rate

GAME = Doudizhu()
NUM_GAMES = 512
NUM_MOVES = 20
NUM_WORLDS = 256
TARGET = 20 * 4 / 0.1
"""Positions/s, if 20 games/s with 4 positions each may take a tenth of a core."""


class TableEvaluator:
    """Answers from a table: the speed of what is around a network."""

    def __init__(self, count: int = 65_536) -> None:
        rng = np.random.default_rng(0)
        self._policy = rng.standard_normal((count, GAME.spec.policy_size), np.float32)
        self._hidden = rng.standard_normal((count, 5, 15), np.float32)

    def evaluate(
        self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False
    ) -> Outputs:
        """Returns rows of the table."""
        rows = slice(0, len(observations))
        return Outputs(self._policy[rows], self._policy[rows, 0], self._hidden[rows])


@kernel
def _play(rules: Any, states: Any, records: Records, rng: np.ndarray, actions: np.ndarray) -> None:
    for i in range(rng.size):
        while current_seat(rules, states, i) >= 0 and records.lengths[i] < NUM_MOVES:
            action = actions[random_below(rng, i, legal(rules, states, i, actions))]
            step(rules, states, i, action)
            records.moves[i, records.lengths[i]] = action
            records.lengths[i] += 1


def positions_of_random_games() -> tuple[Positions, Records]:
    """Returns what the seats to move see after 20 moves, and the records of all games."""
    states = GAME.deal(streams(0, NUM_GAMES))
    records = Records(
        np.full((NUM_GAMES, GAME.spec.max_moves), -1, np.int16), np.zeros(NUM_GAMES, np.int16)
    )
    _play(
        GAME.rules, states, records, streams(1, NUM_GAMES), np.empty(GAME.spec.max_legal, np.int16)
    )
    lanes = np.flatnonzero(states.winner < 0)
    here = take(states, lanes)
    return make_positions(GAME, lanes, GAME.view(here, here.seat)), records


def run() -> Iterator[Row]:
    """Yields the rates."""
    positions, records = positions_of_random_games()
    count, rng = len(positions.lanes), streams(2, NUM_GAMES)
    every, worlds = np.arange(count), GAME.empty(count * NUM_WORLDS)
    function = partial(prior_worlds, GAME.rules, positions, rng, NUM_WORLDS, 1, worlds)
    yield rate("worlds from the prior, filled in", "worlds", count * NUM_WORLDS, function, 1e6)

    draws = empty_draws(count, NUM_WORLDS, 1, None)
    logits = np.random.default_rng(0).standard_normal((count, 5, 15), np.float32)

    def draw() -> None:
        draw_from_marginal(GAME.rules, positions, every, logits, rng, draws)
        weigh_by_marginal(GAME.rules, positions, logits, draws)

    name = "hands from the network's distribution, with density"
    yield rate(name, "hands", count * NUM_WORLDS, draw, 1e6)

    determinizer = Determinizer(
        GAME, TableEvaluator(), InferenceSettings(active_below=21), NUM_GAMES
    )
    evaluations = 0

    def determinize() -> None:
        nonlocal evaluations
        determinizer.reset(every)
        found = determinizer.worlds(positions.lanes, positions.views, records, rng, 32)[1]
        evaluations = int(found.num_evaluations.sum())

    name = f"determinizations, {NUM_MOVES} moves replayed as evidence, 32 particles"
    yield rate(name, "positions", count, determinize, TARGET)
    yield Row("  evaluations asked for", evaluations / count, "evaluations each")
