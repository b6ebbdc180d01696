"""What the stages share when they learn: steps side by side, the filter network, and what the
losses were.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from fpmcts.filter_learner import ROWS, FilterLearner
from fpmcts.samples import Samples
from games.batches import num_rows, take
from runtime.pools import ThreadPool, Tick
from runtime.progress import Progress

Losses = dict[str, float]
"""Parts of the loss of one step, by name."""


def cosine(progress: float, end: float) -> float:
    """Returns the factor of the learning rate: 1 at progress 0, falling to ``end`` at 1 by a half
    cosine.
    """
    return end + (1.0 - end) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


def learn_side_by_side(
    threads: int, networks: Sequence[Iterator[Losses]], steps: Sequence[int], progress: Progress
) -> dict[str, float]:
    """Takes all steps of the networks, which are theirs alone, a thread each; returns the mean
    losses as curves.

    Args:
        threads: Networks that learn at the same time, at most.
        networks: Each takes a step when it is asked for the losses of the next one.
        steps: Of each network.
        progress: Called with the steps.
    """

    def work(k: int, tick: Tick) -> list[Losses]:
        torch.set_num_threads(1)  # of this thread, as in ``training.workers``
        found: list[Losses] = []
        for losses in networks[k]:
            found.append(losses)
            if len(found) % 8 == 0:
                tick(len(found))
        return found

    pool = ThreadPool([work] * min(threads, len(networks)))
    return loss_curves(
        pool.map(
            range(len(networks)),
            steps,
            lambda done: progress("learning", done, sum(steps), "steps"),
        )
    )


def learn_filter(
    learner: FilterLearner | None, path: Sequence[int], rows: Samples, steps: int
) -> dict[str, float]:
    """Steps the filter network, if there is one, on rows drawn from the given ones; returns the mean
    losses as curves. ``path`` is the seed of the run, and what tells this stage from others.
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
        values = [
            v
            for key, v in scalars.items()
            if key.startswith(f"loss/{name}_") and key[len(f"loss/{name}_") :].isdigit()
        ]
        if values:
            parts.append(f"{name.replace('_', ' ')} {np.mean(values):.3f}")
    return "loss " + ", ".join(parts) if parts else "nothing learned"
