"""The smallest run of FPMCTS that has every stage: Kuhn, where a step takes a moment."""

from collections.abc import Mapping, Sequence

import numpy as np

from fpmcts.training.algorithms import read_run
from fpmcts.training.config import TrainConfig

KUHN = """
game=kuhn threads=1 episode.games=16 episode.games_per_step=8 episode.value_games=12
search.playouts=8 train.batch_size=16 train.reservoir=40 train.averaging=5
evaluation.exact_every=0 evaluation.decks=150 gradient.start=2 gradient.games=2048
network.channels=8 network.blocks=1
""".split()
STEPS = 6
"""Two iterations of two steps with searches, two of policy gradient."""


def command_line(*overrides: str, base: Sequence[str] = KUHN) -> list[str]:
    """Returns a command line in which later keys count; without searches, none of their games."""
    keys = {key.partition("=")[0]: key for key in (*base, *overrides)}
    searches = keys.get("gradient.start") != "gradient.start=0"
    return [key for key in keys.values() if searches or not key.startswith("episode.")]


def config(*overrides: str, base: Sequence[str] = KUHN) -> TrainConfig:
    """Returns the configuration of such a command line."""
    given: TrainConfig = read_run(command_line(*overrides, base=base))
    return given


def same(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> None:
    """Compares bit by bit."""
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)
