"""Averages of weights over the steps of learning: smoother players than the latest weights, at no cost in play.

Source: Polyak & Juditsky, "Acceleration of stochastic approximation by averaging", 1992; exponentially, as in Izmailov et al.,
"Averaging weights leads to wider optima", 2018, and its successors.
"""

import torch
from torch import Tensor, nn


def _tensors(module: nn.Module) -> list[Tensor]:
    """Returns parameters and statistics, in a fixed order."""
    return [t for t in (*module.parameters(), *module.buffers()) if t.is_floating_point()]


@torch.no_grad()
def move_towards(average: nn.Module, latest: nn.Module, share: float) -> None:
    """Moves the weights and statistics of ``average`` by a share, in [0, 1], of the way to those of ``latest``."""
    torch._foreach_lerp_(_tensors(average), _tensors(latest), share)
