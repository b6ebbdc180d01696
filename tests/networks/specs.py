"""Specifications and networks for the tests of this folder."""

import numpy as np
import pytest
import torch
from torch import nn

from games.play.interface import GameSpec
from networks.resnet import NetworkConfig, PolicyValueNet

needs_avx2 = pytest.mark.skipif(
    not torch.cpu._is_avx2_supported(), reason="the processor has no AVX2"
)
LENGTH = 15
DOUDIZHU = GameSpec.of(
    "doudizhu",
    num_actions=27472,
    max_moves=200,
    max_return=8192.0,
    observation_shape=(53, LENGTH),
    num_seats=3,
    teams=(0, 1, 1),
    observation_scale=np.linspace(0.1, 1.0, 53, dtype=np.float32),
    policy_size=632,
    max_legal=500,
    stake_factors=(1.0, 2.0, 4.0, 8.0),
    hidden_counts=5,
)
TINY = GameSpec.of("tiny", 2, 3, 2.0, (4, 3))
"""Fewer policy outputs than positions, nothing hidden, a return that is no power of two."""
SMALL = NetworkConfig(channels=16, blocks=2, head_units=16)


CONFIGS = {
    "win_stakes": (DOUDIZHU, SMALL),
    "scalar": (
        DOUDIZHU,
        NetworkConfig(
            channels=24, blocks=3, value_head="scalar", hidden_head=False, value_scale=8.0
        ),
    ),
    "no blocks": (DOUDIZHU, NetworkConfig(channels=8, blocks=0, objective="wp")),
    "tiny": (TINY, NetworkConfig(channels=4, blocks=1, value_head="scalar")),
    "dense": (
        TINY._replace(
            observation_scale=np.linspace(0.5, 1.0, 4, dtype=np.float32), scalar_planes=3
        ),
        NetworkConfig(channels=4, blocks=1, value_head="scalar", dense=True),
    ),
}


def observations(count: int, spec: GameSpec = DOUDIZHU, seed: int = 0) -> np.ndarray:
    """Returns random int8 planes ``[count, C, L]``."""
    return (
        np.random.default_rng(seed).integers(0, 5, (count, *spec.observation_shape)).astype(np.int8)
    )


def as_if_trained(net: nn.Module, seed: int = 0) -> nn.Module:
    """Returns the module in evaluation mode, with random weights and statistics instead of the
    special initial ones.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.weight.uniform_(0.5, 1.0, generator=generator)
                module.bias.normal_(0, 0.1, generator=generator)
                module.running_mean.normal_(0, 0.1, generator=generator)
                module.running_var.uniform_(0.5, 1.5, generator=generator)
        if isinstance(net, PolicyValueNet):
            net.planes.weight.normal_(0, 0.1, generator=generator)
            net.globals.weight.normal_(0, 0.1, generator=generator)
    return net.eval()


def trained(config: NetworkConfig = SMALL, spec: GameSpec = DOUDIZHU) -> PolicyValueNet:
    """Returns such a network, the same each time."""
    torch.manual_seed(0)
    net = as_if_trained(PolicyValueNet(spec, config))
    assert isinstance(net, PolicyValueNet)
    return net
