"""Speed of the networks on Doudizhu observations: evaluations for play, and steps of learning, on up to two threads."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import torch

from benchmarks.table import Row, median_seconds
from games.doudizhu.game import Doudizhu
from networks.evaluator import Evaluator
from networks.int8 import check_int8
from networks.losses import hidden_loss, policy_loss, value_loss
from networks.resnet import NetworkConfig, build_networks
from networks.sample import random_sample
from runtime.settings import ConfigError

GAME = Doudizhu()
SIZES = ((32, 5), (48, 6), (64, 10))
BATCHES = (64, 256, 1024)
EXPECTED = {(32, 5): 170_000.0, (64, 10): 45_000.0}
"""Evaluations/s at batches of 256 to 1,024 by the design's measurement, on two cores with AVX-512."""
PRECISION_SIZE = (64, 8)
PRECISION_BATCHES = (64, 256, 1024)
PRECISION_SECONDS = 3.0
TRAINING_BATCH = 1024
MOVES_PER_ROW = 15


def observations(count: int) -> np.ndarray:
    """Returns random planes, int8 ``[count, C, L]``; the speed does not depend on their values."""
    return np.random.default_rng(0).integers(0, 5, (count, *GAME.spec.observation_shape)).astype(np.int8)


def evaluation_rows(channels: int, blocks: int) -> list[Row]:
    """Returns evaluations per second of the landlord's network at fixed and at varying batch sizes, and of mixed seats."""
    networks = build_networks(GAME.spec, NetworkConfig(channels=channels, blocks=blocks), seed=0)
    evaluator = Evaluator(networks)
    planes, landlord = observations(max(BATCHES)), np.zeros(max(BATCHES), np.int8)
    seats = np.arange(max(BATCHES), dtype=np.int8) % GAME.spec.num_seats
    varying = np.random.default_rng(1).integers(100, 513, 40)

    def rate(what: str, rows: int, run: Callable[[], object], target: float | None = None) -> Row:
        return Row(name=f"{channels}x{blocks}, {what}", value=rows / median_seconds(run), unit="evaluations/s", target=target)

    def run_varying() -> None:
        for n in varying:
            evaluator.evaluate(planes[:n], landlord[:n])

    target = EXPECTED.get((channels, blocks))
    result = [
        rate(f"batch {n}", n, partial(evaluator.evaluate, planes[:n], landlord[:n]), target if n == max(BATCHES) else None)
        for n in BATCHES
    ]
    result.append(rate("batches of 100 to 512", int(varying.sum()), run_varying))
    result.append(rate("batch 1024 of three seats", len(seats), lambda: evaluator.evaluate(planes, seats)))
    refresh = median_seconds(lambda: evaluator.refresh(networks))
    return [*result, Row(name=f"{channels}x{blocks}, taking over the weights of three networks", value=1e3 * refresh, unit="ms")]


def least_seconds(runs: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Returns the least processor time of each function over many rounds in turn: other work changes it less than the clock."""
    seconds = dict.fromkeys(runs, np.inf)
    end = time.monotonic() + PRECISION_SECONDS
    while time.monotonic() < end:
        for name, run in runs.items():
            began = time.process_time()
            run()
            seconds[name] = min(seconds[name], time.process_time() - began)
    return seconds


def precision_rows() -> list[Row]:
    """Returns evaluations per second of processor time by precision, on one thread."""
    channels, blocks = PRECISION_SIZE
    networks = build_networks(GAME.spec, NetworkConfig(channels=channels, blocks=blocks), seed=0)
    precisions = ["float32", "bfloat16"]
    try:
        check_int8(torch.device("cpu"))
        precisions.append("int8")
    except ConfigError:
        pass
    evaluators = {precision: Evaluator(networks, precision, game=GAME) for precision in precisions}
    planes, landlord = random_sample(GAME).observations[: max(PRECISION_BATCHES)], np.zeros(max(PRECISION_BATCHES), np.int8)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rows = []
    for n in PRECISION_BATCHES:
        runs = {name: partial(evaluator.evaluate, planes[:n], landlord[:n]) for name, evaluator in evaluators.items()}
        for name, seconds in least_seconds(runs).items():
            name = f"{channels}x{blocks}, batch {n}, {name}, processor time of one thread"
            rows.append(Row(name=name, value=n / seconds, unit="evaluations/s"))
    refreshes = {name: partial(evaluator.refresh, networks) for name, evaluator in evaluators.items()}
    for name, seconds in least_seconds(refreshes).items():
        name = f"{channels}x{blocks}, taking over three networks, {name}, processor time of one thread"
        rows.append(Row(name=name, value=1e3 * seconds, unit="ms"))
    torch.set_num_threads(threads)
    return rows


def training_row(channels: int, blocks: int, bfloat16: bool) -> Row:
    """Returns samples per second of learning: forward, all losses, backward, AdamW."""
    spec, rng = GAME.spec, np.random.default_rng(0)
    net = build_networks(spec, NetworkConfig(channels=channels, blocks=blocks), seed=0).seat(0)
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    planes = torch.from_numpy(observations(TRAINING_BATCH))
    decoder = torch.from_numpy(GAME.decoder)
    offsets = torch.arange(TRAINING_BATCH + 1) * MOVES_PER_ROW
    actions = torch.from_numpy(rng.integers(0, spec.num_actions, TRAINING_BATCH * MOVES_PER_ROW))
    targets = torch.full((TRAINING_BATCH * MOVES_PER_ROW,), 1 / MOVES_PER_ROW)
    returns = torch.from_numpy(rng.choice([-2.0, -1.0, 1.0, 2.0], TRAINING_BATCH))
    most = torch.from_numpy(rng.integers(0, 5, (TRAINING_BATCH, spec.observation_shape[1])))
    counts = most // 2

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            raw = net(planes)
        loss = (
            policy_loss(raw.policy, decoder, offsets, actions, targets).cross_entropy
            + value_loss(raw.value, returns, net.config.objective, net.value_scale, net.stake_factors)
            + hidden_loss(raw.hidden, torch.zeros_like(most), most, counts, counts.sum(dim=1)).nll
        ).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    precision = "bfloat16 autocast" if bfloat16 else "float32"
    return Row(
        name=f"{channels}x{blocks}, learning from batches of {TRAINING_BATCH}, {precision}",
        value=TRAINING_BATCH / median_seconds(step),
        unit="samples/s",
    )


def run() -> Iterator[Row]:
    """Yields evaluations and samples per second."""
    threads = torch.get_num_threads()
    torch.set_num_threads(min(2, os.cpu_count() or 1))
    try:
        for size in SIZES:
            yield from evaluation_rows(*size)
        yield from precision_rows()
        for size in SIZES:
            for bfloat16 in (False, True):
                yield training_row(*size, bfloat16)
    finally:
        torch.set_num_threads(threads)
