"""On a GPU: how busy self-play keeps it, and the time of DeltaDou's whole training (640,000 games).

Part of ``make gpu``, after ``pytest -m gpu``. Without a CUDA device there are no rows.
"""

import threading
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from networks.evaluator import Evaluator

from .measure import Row, median_seconds
from .network import networks_of, observations
from .selfplay import composed, rows_of, scalars_of, taught

DELTADOU_GAMES = 640_000
"""Self-play games of the paper's training: 80 iterations of 8,000 (5.1, 5.2)."""
GAMES = 8_192
BATCHES = (1_024, 8_192, 65_536)


def utilisation(stop: threading.Event, into: list[float]) -> None:
    """Adds the utilisation of the GPU (per cent, by its driver) to a list, ten times a second."""
    while not stop.wait(0.1):
        try:
            into.append(float(torch.cuda.utilization()))
        except (ModuleNotFoundError, RuntimeError):  # the optional package nvidia-ml-py is missing
            return


def run() -> Iterator[Row]:
    """Yields the rates on the GPU; none where there is no GPU."""
    if not torch.cuda.is_available():
        return
    evaluator = Evaluator(networks_of(64, 10).to("cuda"), device="cuda")
    for n in BATCHES:
        function = partial(evaluator.evaluate, observations(n), np.zeros(n, np.int8))
        seconds = median_seconds(function, time.perf_counter)
        yield Row(f"64x10, batches of {n}, one thread", n / seconds, "evaluations/s")
    sizes = [
        f"{key}={GAMES}" for key in ("selfplay.lanes", "episode.games", "episode.games_per_step")
    ]
    network = ("network.channels=64", "network.blocks=10", "train.batch_size=4096")
    trainer = taught(composed("device=cuda", *sizes, *network))
    samples, stop = list[float](), threading.Event()
    watcher = threading.Thread(target=utilisation, args=(stop, samples), daemon=True)
    watcher.start()
    scalars = scalars_of(trainer)
    stop.set()
    watcher.join()
    yield from rows_of(f"{GAMES} games side by side, 64x10", scalars)
    hours = DELTADOU_GAMES / scalars["throughput/games_per_second"] / 3600
    yield Row(f"{DELTADOU_GAMES:,} games", hours, "h", 1.0)
    if samples:
        yield Row("utilisation of the GPU, self-play and learning", float(np.mean(samples)), "%")
