"""Learning of the filter network of inference phase 1: which world is the true one? Source:
DeltaDou, 4.3 (the loss is ours).
"""

import numpy as np
import torch
from torch.nn import functional

from fpmcts.training.learner import LossNotFiniteError
from fpmcts.training.learner_settings import LearnerSettings
from fpmcts.training.samples import Samples
from games.batches import num_rows
from games.interface import Game
from games.kernels import streams
from inference.filter import FilterNet, filter_batch

NEGATIVES = 7
"""Worlds from the prior beside each true one."""
ROWS = 128
"""Information states per step."""


class FilterLearner:
    """Steps the filter network, one for all seats."""

    def __init__(
        self, game: Game, net: FilterNet, settings: LearnerSettings, device: torch.device
    ) -> None:
        self.game, self.net, self.device = game, net, device
        self.optimizer = torch.optim.AdamW(
            net.parameters(), lr=1e-3, weight_decay=settings.weight_decay, fused=True
        )

    def step(self, rows: Samples, seed: int, path: tuple[int, ...]) -> dict[str, float]:
        """Returns the cross-entropy (nats) of picking the true world, and what it gains over a
        guess.

        Args:
            rows: Decisions, all cards known.
            seed, path: Of the random streams that the other worlds are drawn from.

        Raises:
            LossNotFiniteError: Nothing was changed.
        """
        batch = filter_batch(
            self.game, rows.states, streams(seed, num_rows(rows), *path), NEGATIVES
        )
        planes = torch.from_numpy(batch.planes.reshape(-1, *batch.planes.shape[2:])).to(self.device)
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
