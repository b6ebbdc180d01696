"""Learning code shared by the stages: parallel steps, the filter network, the losses, and their
part of a checkpoint.
"""

import math
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.optim import Optimizer

from fpmcts.cluster.pools import ThreadPool, Tick
from fpmcts.progress import Progress
from fpmcts.training.learner import LossNotFiniteError
from fpmcts.training.learner_settings import LearnerSettings
from fpmcts.training.samples import Samples, SampleStore
from games.kernels import streams
from games.kernels.rows import num_rows, take
from games.play.interface import Game
from inference.filter import FilterNet, filter_batch
from networks.weights import load_module, load_optimizer, module_arrays, optimizer_arrays

NEGATIVES = 7
"""Worlds from the prior per true world."""
ROWS = 128
"""Information sets per step."""
Losses = dict[str, float]
"""Parts of the loss of one step, by name."""
Part = nn.Module | Optimizer | SampleStore[Any]
"""A named part of a checkpoint."""


def numbered(name: str, parts: Iterable[Part]) -> dict[str, Part]:
    """Returns parts as ``NAME.0``, ``NAME.1`` and so on."""
    return {f"{name}.{k}": part for k, part in enumerate(parts)}


def part_arrays(parts: Mapping[str, Part]) -> dict[str, np.ndarray]:
    """Returns the arrays of parts, named ``NAME.array``."""
    arrays: dict[str, np.ndarray] = {}
    for name, part in parts.items():
        if isinstance(part, nn.Module):
            arrays |= module_arrays(part, name)
        elif isinstance(part, SampleStore):
            arrays |= {f"{name}.{key}": array for key, array in part.get_state().items()}
        else:
            arrays |= optimizer_arrays(part, name)
    return arrays


def load_parts(parts: Mapping[str, Part], arrays: Mapping[str, np.ndarray]) -> None:
    """Restores parts from ``part_arrays``; other arrays are ignored.

    Raises:
        CheckpointError: A network has another shape, or its weights are not finite.
        ValueError: A store has another capacity.
    """
    for name, part in parts.items():
        if isinstance(part, nn.Module):
            load_module(part, arrays, name)
        elif isinstance(part, SampleStore):
            own = (key for key in arrays if key.startswith(f"{name}."))
            part.set_state({key.removeprefix(f"{name}."): arrays[key] for key in own})
        else:
            load_optimizer(part, arrays, name)


def cosine(progress: float, end: float) -> float:
    """Returns the factor of the learning rate: 1 at progress 0, falling to ``end`` at 1 by a half
    cosine.
    """
    return end + (1.0 - end) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


def learn_side_by_side(
    threads: int, networks: Sequence[Iterator[Losses]], steps: Sequence[int], progress: Progress
) -> dict[str, float]:
    """Takes all steps of independent networks in parallel; returns the mean losses as curves.

    A free thread takes one step of the network that has most of its steps left, so that two threads
    share the work of three networks evenly.

    Args:
        threads: Maximum networks that learn in parallel.
        networks: Iterators that take a step and yield its losses.
        steps: Number of steps of each network.
        progress: Called with the steps taken.
    """
    found: list[list[Losses]] = [[] for _ in networks]
    waiting, taking = {k for k, count in enumerate(steps) if count}, threading.Lock()

    def work(_: int, tick: Tick) -> None:
        torch.set_num_threads(1)  # of this thread, as in ``fpmcts.training.workers``
        while True:
            with taking:
                if not waiting:
                    return  # the other threads finish what is left
                k = max(sorted(waiting), key=lambda k: steps[k] - len(found[k]))
                waiting.remove(k)
            found[k].append(next(networks[k]))
            tick(0)
            with taking:
                if len(found[k]) < steps[k]:
                    waiting.add(k)

    count = min(threads, len(networks))
    ThreadPool([work] * count).map(
        range(count),
        [0] * count,
        lambda _: progress("learning", sum(map(len, found)), sum(steps), "steps"),
    )
    return loss_curves(found)


class FilterLearner:
    """Trains the filter network of inference phase 1, one for all seats, to pick the true world.

    Source: DeltaDou, 4.3 (the loss is ours).
    """

    def __init__(
        self, game: Game, net: FilterNet, settings: LearnerSettings, device: torch.device
    ) -> None:
        self.game, self.net, self.device = game, net, device
        self.optimizer = torch.optim.AdamW(
            net.parameters(), lr=1e-3, weight_decay=settings.weight_decay, fused=True
        )

    def step(self, rows: Samples, seed: int, path: tuple[int, ...]) -> dict[str, float]:
        """Returns the cross-entropy (nats) of picking the true world, and its gain over guessing.

        Args:
            rows: Decisions with all cards known.
            seed, path: Seed of the random streams that draw the other worlds.

        Raises:
            LossNotFiniteError: The loss is not finite; nothing was changed.
        """
        batch = filter_batch(
            self.game, rows.states, streams(seed, num_rows(rows), *path), NEGATIVES
        )
        planes = torch.from_numpy(batch.reshape(-1, *batch.shape[2:])).to(self.device)
        self.net.train()
        scores = self.net(planes).view(num_rows(rows), 1 + NEGATIVES)
        loss = functional.cross_entropy(
            scores, torch.zeros(len(scores), dtype=torch.long, device=self.device)
        )
        if not torch.isfinite(loss):
            raise LossNotFiniteError(f"the loss of the filter network is {loss.item()}")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return {"filter": loss.item(), "filter_gain": float(np.log(1 + NEGATIVES)) - loss.item()}


def learn_filter(
    learner: FilterLearner | None, path: Sequence[int], rows: Samples, steps: int
) -> dict[str, float]:
    """Steps the filter network, if there is one, on rows drawn from ``rows``; returns the mean
    losses as curves. ``path`` is the seed of the run and numbers that distinguish this stage from
    others.
    """
    if learner is None:
        return {}
    seed, *rest = path
    generator, found = np.random.default_rng([seed, 1, *rest]), []
    for b in range(steps):
        drawn = take(rows, generator.integers(0, num_rows(rows), ROWS))
        found.append(learner.step(drawn, seed, (1, *rest, b)))
    return loss_curves([found])


def loss_curves(found: Sequence[Sequence[Losses]]) -> dict[str, float]:
    """Returns the means over the steps of each network, as curves."""
    return {
        f"loss/{name}_{k}": float(np.mean([one[name] for one in losses]))
        for k, losses in enumerate(found)
        for name in (losses[0] if losses else ())
    }


def loss_text(scalars: dict[str, float]) -> str:
    """Returns the mean policy and value losses over the networks."""
    parts = []
    for name in ("policy", "surrogate", "value", "hidden_gain"):
        values = [v for key, v in scalars.items() if re.fullmatch(rf"loss/{name}_\d+", key)]
        if values:
            parts.append(f"{name.replace('_', ' ')} {np.mean(values):.3f}")
    return "loss " + ", ".join(parts) if parts else "nothing learned"
