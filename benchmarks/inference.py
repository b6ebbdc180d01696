"""Speed of inference on one core: worlds from the prior and from the network's distribution, and whole determinizations.

The networks answer from a table here, so that the figures are those of the kernels; ``python -m benchmarks network`` has theirs.
Positions are from random games, which are longer than games of skill.
"""

from typing import Any

import numpy as np

from benchmarks.table import Row, median_seconds
from games.batches import take
from games.doudizhu.game import Doudizhu
from games.generic import current_seat, legal, step
from games.interface import Records
from games.kernels import kernel, random_below, streams
from inference.determinizer import Determinizer, InferenceSettings
from inference.draws import draw_from_marginal, empty_draws, weigh_by_marginal
from inference.positions import Positions, make_positions
from inference.prior import prior_worlds
from networks.resnet import Outputs

GAME = Doudizhu()
_NUM_GAMES = 512
_NUM_MOVES = 20
_NUM_WORLDS = 32
_POSITIONS_PER_GAME = 4
_GAMES_PER_SECOND = 20
_SHARE_OF_A_CORE = 0.1
"""What the kernels of inference may take of one core at the target rate of self-play."""


class TableEvaluator:
    """Answers from a table: the speed of what is around a network."""

    def __init__(self, count: int = 65_536) -> None:
        rng = np.random.default_rng(0)
        self._policy = rng.standard_normal((count, GAME.spec.policy_size), np.float32)
        self._hidden = rng.standard_normal((count, 5, 15), np.float32)

    def evaluate(self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False) -> Outputs:
        """Returns rows of the table."""
        rows = slice(0, len(observations))
        return Outputs(self._policy[rows], self._policy[rows, 0], self._hidden[rows])


@kernel
def _play(rules: Any, states: Any, moves: np.ndarray, lengths: np.ndarray, rng: np.ndarray, actions: np.ndarray) -> None:
    for i in range(rng.size):
        while current_seat(rules, states, i) >= 0 and lengths[i] < _NUM_MOVES:
            action = actions[random_below(rng, i, legal(rules, states, i, actions))]
            step(rules, states, i, action)
            moves[i, lengths[i]] = action
            lengths[i] += 1


def positions_of_random_games() -> tuple[Positions, Records]:
    """Returns what the seats to move see after 20 moves, and the records of all games."""
    states = GAME.deal(streams(0, _NUM_GAMES))
    records = Records(np.full((_NUM_GAMES, GAME.spec.max_moves), -1, np.int16), np.zeros(_NUM_GAMES, np.int16))
    _play(GAME.rules, states, *records, streams(1, _NUM_GAMES), np.empty(GAME.spec.max_legal, np.int16))
    lanes = np.flatnonzero(states.winner < 0)
    here = take(states, lanes)
    return make_positions(GAME, lanes, GAME.view(here, here.seat)), records


def run() -> list[Row]:
    """Returns the rates."""
    positions, records = positions_of_random_games()
    count = len(positions.lanes)
    rng = streams(2, _NUM_GAMES)
    worlds = GAME.empty(count * 256)
    seconds = median_seconds(lambda: prior_worlds(GAME.rules, positions, rng, 256, 1, worlds))
    rows: list[Row] = [Row(name="worlds from the prior, filled in", value=count * 256 / seconds, unit="worlds/s", target=1e6)]

    draws = empty_draws(count, 256, 1, None)
    logits = np.random.default_rng(0).standard_normal((count, 5, 15), np.float32)
    every = np.arange(count)

    def draw() -> None:
        draw_from_marginal(GAME.rules, positions, every, logits, rng, draws)
        weigh_by_marginal(GAME.rules, positions, logits, draws)

    seconds = median_seconds(draw)
    rows.append(Row(name="hands from the network's distribution, with density", value=count * 256 / seconds, unit="hands/s"))
    rows[-1]["target"] = 1e6

    evaluator = TableEvaluator()
    target = _GAMES_PER_SECOND * _POSITIONS_PER_GAME / _SHARE_OF_A_CORE
    for history in (0, 12):
        determinizer = Determinizer(GAME, evaluator, InferenceSettings(history=history, active_below=21), _NUM_GAMES)
        evaluations = 0

        def determinize(determinizer: Determinizer = determinizer) -> None:
            nonlocal evaluations
            determinizer.reset(every)
            _, diagnostics = determinizer.worlds(positions.lanes, positions.views, records, rng, _NUM_WORLDS)
            evaluations = int(diagnostics.num_evaluations.sum())

        seconds = median_seconds(determinize)
        what = f"{_NUM_MOVES} moves replayed, {f'the last {history}' if history else 'all'} as evidence, 32 particles"
        rows.append(Row(name=f"determinizations, {what}", value=count / seconds, unit="positions/s", target=target))
        rows.append(Row(name="  evaluations asked for per position", value=evaluations / count, unit="evaluations"))
        rows[-1]["less_is_better"] = True
    return rows
