"""Learning: rows per second, by the two ways in which a run learns, and the games that policy gradient lives on.

Whole iterations of a run on its defaults, half as many games in each, from networks that have learned from a few heuristic games;
medians.
"""

from collections.abc import Iterator
from statistics import median

from benchmarks.selfplay import composed, taught
from benchmarks.table import Row
from training.trainer import Trainer

ITERATIONS = 3
"""Of which the first is not counted: it compiles kernels."""


def rates(trainer: Trainer, name: str, batch_size: int) -> tuple[float, float]:
    """Returns the medians of rows learned from and of games played per second, over iterations; ``name`` is a loss of theirs."""
    learned, played = [], []
    for _ in range(ITERATIONS):
        for _ in trainer.run_step():
            pass
        assert trainer.last_report is not None
        scalars = trainer.last_report.scalars
        assert f"loss/{name}_0" in scalars
        steps = sum(value for key, value in scalars.items() if key.startswith("data/learning_steps_"))
        learned.append(steps * batch_size / scalars["time/learning_seconds"])
        played.append(scalars["throughput/games_per_second"])
    return median(learned[1:]), median(played[1:])


def run() -> Iterator[Row]:
    """Yields the measured rates."""
    searched = taught(composed("episode.games=256", "episode.games_per_step=256"))
    shape = f"{searched.config.network.channels} x {searched.config.network.blocks}, {searched.state.threads} threads"
    rows, _ = rates(searched, "policy", searched.config.train.batch_size)
    yield Row(name=f"learning from searches and results, three networks of {shape}", value=rows, unit="rows/s")
    gradient = taught(composed("gradient.start=0", "gradient.games=8192"))
    drawn, games = rates(gradient, "surrogate", gradient.config.gradient.batch_size)
    yield Row(name=f"policy gradient, three networks of {shape}", value=drawn, unit="rows/s")
    yield Row(name=f"games of the policies alone, three networks of {shape}", value=games, unit="games/s")
