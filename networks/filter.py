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
NUM_WORLD_PLANES = 8


def world_planes(next_hand: np.ndarray, previous_hand: np.ndarray) -> np.ndarray:
    """Returns the planes of worlds: int8 ``[N, 8, L]``, whether the next (then the previous) seat holds >= 1, 2, 3, 4 of a rank.

    Args:
        next_hand: Cards per rank of the seat that plays next, int8 ``[N, L]``.
        previous_hand: Those of the seat before the searching player, int8 ``[N, L]``.
    """
    hands = np.stack([next_hand, previous_hand], axis=1)[:, :, None, :]
    thresholds = np.arange(1, 5, dtype=np.int8)[:, None]
    planes: np.ndarray = (hands >= thresholds).astype(np.int8)
    return planes.reshape(len(next_hand), NUM_WORLD_PLANES, -1)


class FilterNet(nn.Module):
    """Six convolutions over the planes of an observation and of a world, then one score."""

    scale: Tensor

    def __init__(self, spec: GameSpec, channels: int = 32, head_channels: int = 4) -> None:
        super().__init__()
        num_inputs, length = spec.observation_shape
        self.length = length
        scale = np.concatenate([np.asarray(spec.observation_scale, np.float32), np.ones(NUM_WORLD_PLANES, np.float32)])
        self.register_buffer("scale", torch.as_tensor(scale), persistent=False)
        widths = [num_inputs + NUM_WORLD_PLANES] + [channels] * (NUM_LAYERS - 1) + [head_channels]
        self.layers = nn.ModuleList(ConvNorm(a, b, 3) for a, b in zip(widths[:-1], widths[1:], strict=True))
        self.score = nn.Linear(head_channels * length, 1)
        convert_conv2d_weight_memory_format(self, torch.channels_last)

    def forward(self, planes: Tensor) -> Tensor:
        """Returns scores ``[N]`` for int8 ``[N, C + 8, L]``: the observation's planes, then those of the world.

        A score is a log-odds of "true world" against "drawn from the prior", up to a constant of the observation.
        """
        x = scaled_planes(planes, self.scale)
        for layer in self.layers:
            x = functional.relu(layer(x))
        return self.score(x.flatten(1))[:, 0].float()
