"""What the stages share when they learn: steps side by side, the filter network, and what the losses were."""

import math
from collections.abc import Iterator

import numpy as np
import torch

from fpmcts.filter_learner import ROWS
from fpmcts.samples import Samples
from games.batches import num_rows, take
from runtime.pools import side_by_side
from training.batches import batches_of
from training.reports import Event
from training.state import RunState
from training.workers import Workers

Losses = dict[str, float]
"""Parts of the loss of one step, by name."""


class Totals:
    """The losses of many steps."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, losses: Losses, network: int) -> None:
        """Adds what a step of a network said."""
        for name, value in losses.items():
            self._values.setdefault(f"{name}_{network}", []).append(value)

    def scalars(self) -> dict[str, float]:
        """Returns the means, as curves."""
        return {f"loss/{name}": float(np.mean(values)) for name, values in self._values.items()}


def cosine(progress: float, end: float) -> float:
    """Returns the factor of the learning rate: 1 at progress 0, falling to ``end`` at 1 by a half cosine."""
    return end + (1.0 - end) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


def begin_next(state: RunState, workers: Workers) -> None:
    """With ``cluster.lag``: begins the games of the next iteration, which the weights from before the learning play."""
    last = state.config.budget.iterations
    if state.lagging is not None:
        state.catch_up()
        if last is None or state.iteration + 1 < last:
            workers.begin(batches_of(state.config, state.iteration + 1))


def learn_side_by_side(state: RunState, networks: list[Iterator[Losses]], steps: int, totals: Totals) -> Iterator[Event]:
    """Takes all steps of the networks, which are theirs alone, a thread each; adds their losses to ``totals``."""

    def alone(steps: Iterator[Losses]) -> Iterator[Losses]:
        torch.set_num_threads(1)  # of this thread, as in ``fpmcts.workers.worker``
        yield from steps

    networks = [alone(steps) for steps in networks]
    one_by_one = state.threads == 1 or state.device.type != "cpu"
    learned = ((k, parts) for k, one in enumerate(networks) for parts in one) if one_by_one else side_by_side(networks)
    for done, (k, parts) in enumerate(learned, 1):
        totals.add(parts, k)
        if done % 8 == 0:
            yield Event("learning", done, steps, "steps")


def learn_filter(state: RunState, rows: Samples, steps: int, totals: Totals) -> None:
    """Steps the filter network, if there is one, on rows drawn from the given ones."""
    if state.filter is None:
        return
    generator = np.random.default_rng([state.config.seed, 1, state.step])
    for b in range(steps):
        drawn = take(rows, generator.integers(0, num_rows(rows), ROWS))
        totals.add(state.filter.step(drawn, state.config.seed, (1, state.step, b)), 0)


def loss_text(scalars: dict[str, float]) -> str:
    """Returns the mean policy and value losses over the networks."""
    parts = []
    for name in ("policy", "surrogate", "value", "hidden_gain"):
        values = [v for key, v in scalars.items() if key.startswith(f"loss/{name}_") and key[len(f"loss/{name}_") :].isdigit()]
        if values:
            parts.append(f"{name.replace('_', ' ')} {np.mean(values):.3f}")
    return "loss " + ", ".join(parts) if parts else "nothing learned"
