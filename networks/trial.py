"""``precision=auto`` by a trial: which precision answers fastest on this machine.

Engines of the same network answer the same batch in turn, on one thread, so that other work on the machine slows all of them
alike; what counts is the median of their processor time. Of those that are within ``TIE`` of the fastest the most exact one is
taken. The caller keeps the choice: times differ from trial to trial, and numbers must not.

A trial takes some 0.3 s for each precision. There is none for small networks: *measured* on an AMD EPYC with bf16 and AVX-512
VNNI, batches of 256, int8 is 0.83 to 1.03 times as fast as bfloat16 up to 48 channels x 4 blocks (0.8 million products), and
1.2 times with 64 x 8 (2.9 million). Nor is there one on a GPU: it has no int8 here, and small batches tell nothing of large ones.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import NamedTuple

import torch

from networks.engine import Engine, resolve_precision
from networks.int8 import Int8Engine, check_int8
from networks.resnet import PolicyValueNet
from runtime.settings import ConfigError

ROWS = 256
"""Observations of a batch, as matches and self-play ask for."""
SECONDS = 0.3
"""For each precision."""
LEAST_ROUNDS = 5
TIE = 0.1
LEAST_PRODUCTS = 1_000_000
"""Products of the residual blocks in one evaluation, from which on there is a trial."""


class Choice(NamedTuple):
    """A precision, and the rates that it was chosen by.

    Attributes:
        precision: One of ``networks.engine.PRECISIONS``.
        rates: Evaluations per second of one thread, the most exact precision first; empty: there was no trial.
    """

    precision: str
    rates: Mapping[str, float] = {}

    def __str__(self) -> str:
        if not self.rates:
            return self.precision
        others = ", ".join(f"{name} {rate:,.0f}" for name, rate in self.rates.items() if name != self.precision)
        return f"{self.precision} ({self.rates[self.precision]:,.0f} evaluations/s on one thread; {others})"


def by_processor(device: torch.device) -> str:
    """Returns what ``auto`` is without a trial: "bfloat16" or "float32"."""
    return "bfloat16" if resolve_precision("auto", device) == torch.bfloat16 else "float32"


def products(net: PolicyValueNet) -> int:
    """Returns the products of the residual blocks in one evaluation."""
    return net.length * sum(weight.numel() for weight in net.blocks.parameters() if weight.dim() > 1)


def choose_precision(net: PolicyValueNet, device: torch.device, with_int8: bool) -> Choice:
    """Returns the precision to play with.

    Args:
        net: One of the networks; their weights do not matter.
        device: Of the forward passes.
        with_int8: Whether it may be int8, where the processor has what that needs.
    """
    if device.type != "cpu" or products(net) < LEAST_PRODUCTS:
        return Choice(by_processor(device))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        engines, planes = _engines(net, with_int8), _planes(net)
        if len(engines) < 2:
            return Choice(by_processor(device))
        rates = measured_rates({name: partial(engine, planes) for name, engine in engines.items()})
    finally:
        torch.set_num_threads(threads)
    return Choice(fastest(rates), rates)


def fastest(rates: Mapping[str, float]) -> str:
    """Returns the first precision within ``TIE`` of the fastest; they come the most exact one first."""
    return next(name for name, rate in rates.items() if rate * (1.0 + TIE) >= max(rates.values()))


def measured_rates(runs: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Returns evaluations per second of processor time, of functions that each evaluate ``ROWS`` observations."""
    for run in runs.values():
        run()  # oneDNN compiles its kernels
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    end, rounds = time.monotonic() + SECONDS * len(runs), 0
    while rounds < LEAST_ROUNDS or time.monotonic() < end:
        for name, run in runs.items():
            began = time.thread_time()
            run()
            seconds[name].append(time.thread_time() - began)
        rounds += 1
    return {name: ROWS / median(times) for name, times in seconds.items()}


def _planes(net: PolicyValueNet) -> torch.Tensor:
    """Returns observations of zeros and ones, int8 ``[ROWS, C, L]``."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 2, (ROWS, len(net.scale), net.length), dtype=torch.int8, generator=generator)


def _engines(net: PolicyValueNet, with_int8: bool) -> dict[str, Callable[[torch.Tensor], object]]:
    """Returns an engine for each precision that this processor has, the most exact first."""
    device = torch.device("cpu")
    engines: dict[str, Callable[[torch.Tensor], object]] = {"float32": Engine(net, "float32", device)}
    if by_processor(device) == "bfloat16":
        engines["bfloat16"] = Engine(net, "bfloat16", device)
    if with_int8:
        try:
            check_int8(device)
        except ConfigError:
            return engines
        engines["int8"] = Int8Engine(net, _planes(net))
    return engines
