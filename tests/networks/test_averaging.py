"""Averages of weights, against sums by hand."""

import copy

import torch

from games import make
from networks.averaging import move_towards
from networks.resnet import NetworkConfig, PolicyValueNet


def shaken(net: PolicyValueNet, seed: int) -> PolicyValueNet:
    """Returns a copy with other weights and statistics."""
    other = copy.deepcopy(net)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in (*other.parameters(), *other.buffers()):
            if tensor.is_floating_point():
                tensor += torch.rand(tensor.shape, generator=generator)
    return other


def test_the_average_is_the_exponential_one() -> None:
    """After n steps with share s the weight of step k is s (1 - s)^(n - k), that of the start (1 - s)^n; statistics too."""
    start = PolicyValueNet(make("doudizhu").spec, NetworkConfig(channels=4, blocks=1))
    steps, share = [shaken(start, k) for k in range(3)], 0.25
    average = copy.deepcopy(start)
    for net in steps:
        move_towards(average, net, share)
    parts = [start.state_dict(), *(net.state_dict() for net in steps)]
    weights = [0.75**3, *(share * 0.75 ** (2 - k) for k in range(3))]
    for name, tensor in average.state_dict().items():
        if tensor.is_floating_point():
            expected = sum(weight * part[name] for weight, part in zip(weights, parts, strict=True))
            torch.testing.assert_close(tensor, expected, msg=name)
    move_towards(average, steps[0], 1.0)
    for name, tensor in average.state_dict().items():
        if tensor.is_floating_point():
            torch.testing.assert_close(tensor, steps[0].state_dict()[name], msg=name)
