"""Grown networks answer as before and learn what is new; averages of weights against sums by
hand.
"""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from games.play.interface import GameSpec
from networks.checkpoint import CheckpointError
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.weights import grow, grown_arrays, module_arrays, move_towards
from tests.networks.specs import CONFIGS, DOUDIZHU, SMALL, as_if_trained, observations, trained


def net(seed: int, **sizes: int) -> PolicyValueNet:
    torch.manual_seed(seed)
    return PolicyValueNet(DOUDIZHU, replace(SMALL, **sizes))


@pytest.fixture(scope="module")
def small() -> PolicyValueNet:
    result = as_if_trained(net(1))
    assert isinstance(result, PolicyValueNet)
    return result


PLANES = np.concatenate([DOUDIZHU.observation_scale, np.ones(16, np.float32)])
AUCTION = DOUDIZHU._replace(
    observation_shape=(len(PLANES), 15), observation_scale=PLANES, policy_size=632 + 6
)
"""Further planes, which a grown network does not read yet, and outputs."""


@pytest.mark.parametrize(
    ("larger", "spec"),
    [
        ({"blocks": 3}, DOUDIZHU),
        ({"channels": 24}, DOUDIZHU),
        ({"channels": 32, "blocks": 5}, DOUDIZHU),
        ({}, AUCTION),
    ],
)
def test_a_grown_network_answers_as_before(
    small: PolicyValueNet, larger: dict[str, int], spec: GameSpec
) -> None:
    grown = PolicyValueNet(spec, replace(SMALL, **larger))
    grow(grown, module_arrays(small, "network.0"), "network.0")
    seen = torch.from_numpy(observations(16))
    planes = torch.from_numpy(observations(16, spec))
    planes[:, : seen.shape[1]] = seen
    before, after = small.eval()(seen), grown.eval()(planes)
    after = after._replace(policy=after.policy[:, : before.policy.shape[1]])
    for old, new in zip(before, after, strict=True):
        torch.testing.assert_close(new, old, rtol=1e-5, atol=1e-5)


def test_a_dense_network_gets_blocks_but_no_channels() -> None:
    spec, config = CONFIGS["dense"]
    before = trained(config, spec)
    longer = PolicyValueNet(spec, replace(config, blocks=2)).eval()
    grow(longer, module_arrays(before, "n"), "n")
    seen = torch.from_numpy(observations(16, spec))
    torch.testing.assert_close(longer(seen).policy, before(seen).policy)
    wider = PolicyValueNet(spec, replace(config, channels=8))
    with pytest.raises(CheckpointError, match=r"stem.norm.weight are \(4,\), .* not more channels"):
        grow(wider, module_arrays(before, "n"), "n")


def test_everything_that_is_new_is_learned(small: PolicyValueNet) -> None:
    grown = net(2, channels=24, blocks=3)
    grow(grown, module_arrays(small, "network.0"), "network.0")
    grown.eval()
    optimizer = torch.optim.SGD(grown.parameters(), lr=0.05)
    before = {name: tensor.clone() for name, tensor in grown.state_dict().items()}
    seen, generator = torch.from_numpy(observations(16)), torch.Generator().manual_seed(3)
    for _ in range(3):  # the new block moves the second step, what stands before its gain the third
        raw = grown(seen)
        loss = sum((part * torch.randn(part.shape, generator=generator)).sum() for part in raw)
        optimizer.zero_grad()
        assert isinstance(loss, torch.Tensor)
        loss.backward()
        optimizer.step()
    for name, tensor in grown.named_parameters():
        assert (tensor != before[name]).float().mean() > 0.5, name


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"channels": 4}, r"\(16, .* those of this run \(4, .*only grow"),
        ({"blocks": 1}, "blocks.1.* no place"),
    ],
)
def test_networks_do_not_shrink(small: PolicyValueNet, other: dict[str, int], message: str) -> None:
    target = net(2, **other)
    arrays = {name.removeprefix("n."): array for name, array in module_arrays(small, "n").items()}
    with pytest.raises(CheckpointError, match=message):
        grown_arrays(target, arrays)


def test_weights_of_another_form_are_refused(small: PolicyValueNet) -> None:
    arrays = {name.removeprefix("n."): array for name, array in module_arrays(small, "n").items()}
    del arrays["stem.conv.weight"]
    with pytest.raises(CheckpointError, match=r"lacks stem.conv.weight"):
        grown_arrays(net(2), arrays)


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
    """After n steps with share s the weight of step k is s (1 - s)^(n - k), that of the start (1 -
    s)^n; statistics too.
    """
    start = PolicyValueNet(DOUDIZHU, NetworkConfig(channels=4, blocks=1))
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
