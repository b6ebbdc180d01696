"""Speed of the opponent model on one core: distributions of actions from states and from features that are ready.

Rates are by processor time, so that work beside it on the same machine counts as little as it can.
"""

from typing import Any

import numpy as np

from benchmarks.table import Row, median_cpu_seconds
from games import generic, make
from games.kernels import ROOT, kernel, random_below, streams
from opponent_models.features import NUM_COLUMNS, features, with_statistics
from opponent_models.model import action_probabilities, action_row, load
from opponent_models.statistics import STATISTICS

MODEL = ROOT / "models" / "no_limit_holdem-opponents.safetensors"
_NUM_STATES, _TIMES = 4096, 25


@kernel
def _play_some(rules: Any, states: Any, rng: np.ndarray, actions: np.ndarray) -> None:
    """Plays up to ten listed moves in every hand, as long as it is not over after them."""
    for i in range(len(rng)):
        for _ in range(random_below(rng, i, 10)):
            num_actions = generic.legal(rules, states, i, actions)
            # All-in, the last one, is left out, so that hands last.
            generic.step(rules, states, i, actions[random_below(rng, i, max(num_actions - 1, 1))])
            if generic.current_seat(rules, states, i) < 0:
                break


@kernel
def _told(model: Any, rules: Any, states: Any, statistics: np.ndarray, times: int, out: np.ndarray) -> float:
    total = 0.0
    for _ in range(times):
        for i in range(len(states.seat)):
            action_probabilities(model, rules, states, i, statistics, out)
            total += out[0]
    return total


@kernel
def _told_of_rows(model: Any, rows: np.ndarray, times: int, out: np.ndarray) -> float:
    total = 0.0
    for _ in range(times):
        for i in range(len(rows)):
            action_row(model, rows[i], 0, rows[i, 1] > 0.0, rows[i, 27] < 9.0, out)
            total += out[0]
    return total


@kernel
def _features_of(rules: Any, states: Any, statistics: np.ndarray, times: int, rows: np.ndarray) -> None:
    for _ in range(times):
        for i in range(len(rows)):
            features(rules, states, i, states.seat[i], rows[i])
            with_statistics(states, i, states.seat[i], statistics, rows[i])


def states_of(players: int) -> tuple[Any, Any]:
    """Returns the rules and states in which somebody is to move."""
    game = make("no_limit_holdem", players=players, stacks=20_000)
    states = game.deal(streams(0, 4 * _NUM_STATES))
    _play_some(game.rules, states, streams(1, 4 * _NUM_STATES), np.empty(game.spec.max_legal, np.int16))
    running = np.flatnonzero(states.seat >= 0)[:_NUM_STATES]
    return game.rules, type(states)(*(field[running] for field in states))


def run() -> list[Row]:
    """Returns the rates on one core."""
    rows: list[Row] = []
    model, out = load(MODEL)[0], np.zeros(3)
    for players in (2, 6):
        rules, states = states_of(players)
        columns = np.zeros((len(states.seat), NUM_COLUMNS), np.float32)
        statistics = np.random.default_rng(0).random((players, STATISTICS), np.float32)
        count = _TIMES * len(states.seat)

        def from_states(rules: Any = rules, states: Any = states, statistics: Any = statistics) -> None:
            _told(model, rules, states, statistics, _TIMES, out)

        def make_features(rules: Any = rules, states: Any = states, statistics: Any = statistics, rows: Any = columns) -> None:
            _features_of(rules, states, statistics, _TIMES, rows)

        def from_rows(columns: Any = columns) -> None:
            _told_of_rows(model, columns, _TIMES, out)

        rate = count / median_cpu_seconds(from_states)
        row: Row = {"name": f"actions from a state, {players} players", "value": rate, "unit": "evaluations/s"}
        rows.append(row | {"target": 1_000_000} if players == 6 else row)
        rows.append(
            {"name": f"features, {players} players", "value": count / median_cpu_seconds(make_features), "unit": "rows/s"}
        )
        rate = count / median_cpu_seconds(from_rows)
        rows.append({"name": f"actions from features, {players} players", "value": rate, "unit": "evaluations/s"})
    return rows
