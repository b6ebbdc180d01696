"""On a GPU: how busy self-play and learning keep it, and what that makes of DeltaDou's whole training (640,000 games).

Part of ``make gpu``, after ``pytest -m gpu``. Without a CUDA device there are no rows.
"""

import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from benchmarks.network import GAME, observations
from benchmarks.selfplay import composed, mean_batch, network_rate, taught
from benchmarks.table import Row, median_seconds
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks
from training.batches import Batch
from training.reports import drain
from training.trainer import Trainer

DELTADOU_GAMES = 640_000
"""Self-play games of the paper's training: 80 iterations of 8,000 (5.1, 5.2)."""
GAMES = 8_192
BATCHES = (1_024, 8_192, 65_536)
SHAPES = ((48, 6), (64, 10))


def utilisation(stop: threading.Event, into: list[float]) -> None:
    """Adds the utilisation of the GPU (per cent, by its driver) to a list, ten times a second."""
    while not stop.wait(0.1):
        try:
            into.append(float(torch.cuda.utilization()))
        except (ModuleNotFoundError, RuntimeError):  # the optional package nvidia-ml-py is not there
            return


def evaluation_rows() -> list[Row]:
    """Returns evaluations per second of one thread."""
    rows: list[Row] = []
    for channels, blocks in SHAPES:
        networks = build_networks(GAME.spec, NetworkConfig(channels=channels, blocks=blocks), seed=0).to("cuda")
        evaluator = Evaluator(networks, device="cuda")
        for batch in BATCHES:
            planes, seats = observations(batch), np.zeros(batch, np.int8)
            rate = batch / median_seconds(partial(evaluator.evaluate, planes, seats))
            rows.append({"name": f"{channels}x{blocks}, batch {batch}, one thread", "value": rate, "unit": "evaluations/s"})
    return rows


def busy_rows(trainer: Trainer) -> list[Row]:
    """Returns the rates of self-play and learning, and the utilisation of the GPU in each."""
    rows: list[Row] = []
    samples: list[float] = []
    stop = threading.Event()
    watcher = threading.Thread(target=utilisation, args=(stop, samples), daemon=True)
    watcher.start()
    finished = drain(trainer.workers.self_play(Batch(0, 0, GAMES, searches=True)))
    stop.set()
    watcher.join()
    played, _, statistics = finished
    scalars = trainer.workers.curves(finished)
    rate, share = statistics.games / statistics.seconds, scalars["throughput/network_share"]
    threads = trainer.state.threads
    rows.append({"name": f"self-play, {GAMES} games side by side, {threads} threads", "value": rate, "unit": "games/s"})
    hours = DELTADOU_GAMES / rate / 3600
    rows.append({"name": f"  {DELTADOU_GAMES:,} games", "value": hours, "unit": "h", "target": 1.0, "less_is_better": True})
    rows.append({"name": "  share of the threads' time outside of the networks", "value": 100 * (1 - share), "unit": "%"})
    if samples:
        rows.append({"name": "  utilisation of the GPU, mean", "value": float(np.mean(samples)), "unit": "%"})
    evaluations = scalars["throughput/evaluations_per_second"]
    alone = network_rate(trainer, mean_batch(trainer))
    rows.append({"name": "  evaluations", "value": evaluations, "unit": "evaluations/s"})
    rows.append({"name": "  of what the networks alone reach", "value": 100 * evaluations / alone, "unit": "%", "target": 80.0})
    state = trainer.state
    for k, reservoir in enumerate(state.reservoirs):
        reservoir.add(state.of_network(played, k))
    generator, size = np.random.default_rng(0), trainer.config.train.batch_size
    state.learners[0].step(None, state.reservoirs[0].draw(generator, size), 1e-4)
    torch.cuda.synchronize()
    begin, steps = time.perf_counter(), 50
    for _ in range(steps):
        state.learners[0].step(None, state.reservoirs[0].draw(generator, size), 1e-4)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    rows.append({"name": f"learning, batches of {size}", "value": steps * size / seconds, "unit": "samples/s"})
    return rows


def run() -> list[Row]:
    """Returns the rates on the GPU; none where there is no GPU."""
    if not torch.cuda.is_available():
        return []
    config = composed("device=cuda", f"selfplay.lanes={GAMES}", "train.batch_size=4096")
    trainer = taught(replace(config, network=replace(config.network, channels=64, blocks=10)))
    return evaluation_rows() + busy_rows(trainer)
