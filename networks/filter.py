"""The filter of inference phase 1: scores how plausible a world is, given the observation of the player who searches.

Source: Jiang et al., "DeltaDou", IJCAI 2019, section 4.3 ("a 6-layer 1D-convolutional neural network"). The paper gives neither
its input nor its loss: it is trained here to tell the true world from worlds drawn from the prior at the same observation.
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from games.interface import GameSpec
from networks.resnet import ConvNorm, scaled_planes

NUM_LAYERS = 6


def num_world_planes(spec: GameSpec) -> int:
    """Returns how many planes show a world: for each other seat one for each count above 0 of hidden cards."""
    return (spec.num_seats - 1) * (spec.hidden_counts - 1)


def world_planes(spec: GameSpec, *hands: np.ndarray) -> np.ndarray:
    """Returns the planes of worlds: int8 ``[N, W, L]``, for each other seat whether it holds >= 1, 2, … cards of a position.

    Args:
        spec: Of the game.
        hands: For each other seat, the one that plays next first, its cards per position, int8 ``[N, L]``.
    """
    thresholds = np.arange(1, spec.hidden_counts, dtype=np.int8)[:, None]
    planes: np.ndarray = (np.stack(hands, axis=1)[:, :, None, :] >= thresholds).astype(np.int8)
    return planes.reshape(len(planes), num_world_planes(spec), -1)


class FilterNet(nn.Module):
    """Six convolutions over the planes of an observation and of a world, then one score."""

    scale: Tensor

    def __init__(self, spec: GameSpec, channels: int = 32, head_channels: int = 4) -> None:
        super().__init__()
        num_inputs, length = spec.observation_shape
        self.length = length
        num_planes = num_inputs + num_world_planes(spec)
        scale = np.ones(num_planes, np.float32)
        scale[:num_inputs] = spec.observation_scale
        self.register_buffer("scale", torch.as_tensor(scale), persistent=False)
        widths = [num_planes] + [channels] * (NUM_LAYERS - 1) + [head_channels]
        self.layers = nn.ModuleList(ConvNorm(a, b, 3) for a, b in zip(widths[:-1], widths[1:], strict=True))
        self.score = nn.Linear(head_channels * length, 1)
        convert_conv2d_weight_memory_format(self, torch.channels_last)

    def forward(self, planes: Tensor) -> Tensor:
        """Returns scores ``[N]`` for int8 ``[N, C + W, L]``: the observation's planes, then those of the world.

        A score is a log-odds of "true world" against "drawn from the prior", up to a constant of the observation.
        """
        x = scaled_planes(planes, self.scale)
        for layer in self.layers:
            x = functional.relu(layer(x))
        return self.score(x.flatten(1))[:, 0].float()
