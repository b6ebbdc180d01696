"""Self-play by threads and by actors of a Ray cluster on this machine, the same games: how much the way to an actor costs.

Untrained networks play; rates are medians of three batches after a first one. What a driver takes in, and what many actors would
do: ``cluster_scale``.
"""

import time
from collections.abc import Iterator
from statistics import median

from benchmarks.table import Row
from training.algorithms import read_run
from training.batches import Batch
from training.trainer import Trainer

_GAMES = {"searched": 256, "of the policies": 16_384}
_REPEATS = 3


def rates(*overrides: str) -> dict[str, float]:
    """Returns games a second, searched and of the policies, with some settings."""
    trainer = Trainer(read_run(("game=doudizhu", "bootstrap=none", "run_dir=unused", *overrides))[0])
    found: dict[str, list[float]] = {kind: [] for kind in _GAMES}
    for k in range(_REPEATS + 1):
        for kind, count in _GAMES.items():
            started = time.perf_counter()
            for _ in trainer.workers.play(Batch(k, 0, count, searches=kind == "searched")):
                pass
            found[kind].append(count / (time.perf_counter() - started))
    trainer.workers.close()
    return {kind: median(values[1:]) for kind, values in found.items()}


def run() -> Iterator[Row]:
    """Yields the rates of two threads and of two actors."""
    threads, actors = rates("threads=2"), rates("threads=2", "cluster=ray", "cluster.actors=2")
    for kind in _GAMES:
        yield {"name": f"two threads, games {kind}", "value": threads[kind], "unit": "games/s"}
        yield {
            "name": f"two Ray actors, games {kind}",
            "value": actors[kind],
            "unit": "games/s",
            "target": 0.95 * threads[kind],
            "reference": {"two threads": threads[kind]},
        }
