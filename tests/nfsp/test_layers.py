"""Steps in numpy against those of torch."""

import copy

import numpy as np
import pytest
import torch
from torch.nn import functional

from fpmcts.nfsp.layers import Layers
from fpmcts.training.learner import LossNotFiniteError
from games.play.interface import GameSpec
from networks.resnet import NetworkConfig, PolicyValueNet

CONFIG = NetworkConfig(channels=7, blocks=0, value_head="scalar", hidden_head=False, dense=True)
SPEC = GameSpec.of(
    "steps", 3, 10, 1.0, (5, 4), observation_scale=np.linspace(0.5, 2, 5, dtype=np.float32)
)


def observations(count: int) -> np.ndarray:
    """Returns random ones, the last two planes of one value each."""
    drawn = np.random.default_rng(0).integers(-2, 3, (count, 5, 4), dtype=np.int8)
    drawn[:, 3:] = drawn[:, 3:, :1]
    return drawn


@pytest.mark.parametrize("scalars", [0, 2])
def test_outputs_and_steps_are_those_of_torch(scalars: int) -> None:
    torch.manual_seed(0)
    net = PolicyValueNet(SPEC._replace(scalar_planes=scalars), CONFIG)
    for parameter in (net.planes.weight, net.stem.norm.weight, net.stem.norm.bias):
        torch.nn.init.normal_(parameter)
    seen = observations(6)
    planes = torch.from_numpy(seen)
    expected = net(planes).policy.detach()
    stepped = copy.deepcopy(net)
    layers = Layers(net)
    outputs, _ = layers.forward(layers.inputs(seen))
    np.testing.assert_allclose(outputs[:, :3], expected, atol=1e-5)
    target = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)
    optimizer = torch.optim.Adam(stepped.parameters(), lr=0.01)
    for _ in range(5):
        outputs, hidden = layers.forward(layers.inputs(seen))
        layers.step(hidden, 2 * (outputs - target) / (6 * 3), 0.01)
        optimizer.zero_grad()
        functional.mse_loss(stepped(planes).policy, torch.from_numpy(target[:, :3])).backward()
        optimizer.step()
    expected = stepped(planes).policy.detach()
    layers.publish(net)
    found = net(planes).policy.detach()
    outputs, _ = layers.forward(layers.inputs(seen))
    np.testing.assert_allclose(found, outputs[:, :3], atol=1e-5)
    if not scalars:  # Adam moves each copy of a repeated weight by itself
        np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_gradient_that_is_not_finite_changes_nothing() -> None:
    layers = Layers(PolicyValueNet(SPEC, CONFIG))
    weights = layers.weights.clone()
    outputs, hidden = layers.forward(layers.inputs(observations(2)))
    outputs[0, 0] = np.nan
    with pytest.raises(LossNotFiniteError):
        layers.step(hidden, outputs, 0.01)
    assert layers.weights.equal(weights)
