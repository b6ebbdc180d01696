"""Self-play by threads and by actors of a Ray cluster on this machine, the same games: how much the way to an actor costs.

Untrained networks play; rates are medians of three batches after a first one. And how many megabytes of answers a driver takes
in a second, from actors that play nothing.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

import numpy as np

from benchmarks.table import Row
from runtime.cluster import ClusterSettings
from runtime.connect import connect
from training.algorithms import read_run
from training.batches import Batch
from training.trainer import Trainer

_GAMES = {"searched": 256, "of the policies": 16_384}
_REPEATS = 3
_ANSWER = 700_000
"""Numbers of 4 bytes in an answer: 2.8 MB, as of 512 searched games."""
_ANSWERS = 60


class Stub:
    """A worker whose answers are all the same."""

    def __init__(self) -> None:
        self._answer = np.zeros(_ANSWER, np.float32)

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        """Does nothing."""

    def work(self, task: None) -> Callable[[int], Iterator[np.ndarray]]:
        """Returns what a pool asks of a worker."""

        def answer(unit: int) -> Iterator[np.ndarray]:
            yield self._answer

        return answer


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
    """Yields the rates of two threads and of two actors, and the driver's."""
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
    for count in (2, 8):
        settings: dict[str, Any] = {"kind": "ray", "actors": count, "actor_cpus": 0.1}
        cluster = connect(ClusterSettings(**settings), "benchmarks.cluster:Stub", {}, "games.environment:environment")
        pool = cluster.pool({}, None)
        for _ in pool.run(range(2 * count)):
            pass
        started = time.perf_counter()
        for _ in pool.run(range(_ANSWERS)):
            pass
        seconds = time.perf_counter() - started
        cluster.close()
        yield {"name": f"answers taken in from {count} actors", "value": _ANSWERS * _ANSWER * 4 / seconds / 1e6, "unit": "MB/s"}
