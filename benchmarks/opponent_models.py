"""Speed of the opponent model on one core: distributions of actions from states of no-limit
Hold'em.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from fpmcts.no_limit_holdem.opponents.model import action_probabilities
from fpmcts.no_limit_holdem.opponents.model_file import load
from fpmcts.no_limit_holdem.opponents.statistics import STATISTICS
from games import make
from games.base.files import shipped
from games.kernels import kernel
from games.kernels.rows import take

from .measure import Row, rate
from .rules import positions

MODEL = shipped("models") / "no_limit_holdem-opponents.safetensors"
TIMES = 25


@kernel
def _ask(model: Any, rules: Any, states: Any, statistics: np.ndarray, out: np.ndarray) -> float:
    total = 0.0
    for _ in range(TIMES):
        for i in range(len(states.seat)):
            action_probabilities(model, rules, states, i, statistics, out)
            total += out[0]
    return total


def run() -> Iterator[Row]:
    """Yields the rates for two and for six players."""
    model = load(MODEL).model
    for players, target in ((2, None), (6, 1_000_000)):
        game = make("no_limit_holdem", players=players, stacks=20_000)
        states = positions(game, 40_000)
        states = take(states, np.flatnonzero(states.seat >= 0)[:4096])
        statistics = np.random.default_rng(0).random((players, STATISTICS), np.float32)
        function = partial(_ask, model, game.rules, states, statistics, np.zeros(3))
        name = f"actions from a state, {players} players"
        yield rate(name, "evaluations", TIMES * len(states.seat), function, target)
