"""Winograd's convolutions against torch's."""

import pytest
import torch
from torch.nn import functional

from networks import resnet
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.winograd import CHUNK, convolution, swap
from tests.networks.specs import DOUDIZHU, observations


@pytest.mark.parametrize(
    ("rows", "length", "inputs", "outputs"),
    [(1, 15, 8, 8), (37, 5, 7, 3), (3, 1, 2, 5), (CHUNK + 9, 15, 3, 4), (CHUNK, 16, 2, 2)],
)
def test_outputs_and_gradients_are_those_of_a_direct_convolution(
    rows: int, length: int, inputs: int, outputs: int
) -> None:
    torch.manual_seed(0)
    x = torch.randn(rows, inputs, 1, length, requires_grad=True)
    weight = torch.randn(outputs, inputs, 1, 3, requires_grad=True)
    z = torch.randn(rows, outputs, 1, length)
    found = []
    for y in (
        functional.conv2d(x, weight, padding=(0, 1)),
        swap(convolution(swap(x), weight)),
    ):
        found.append((y, *torch.autograd.grad(y, (x, weight), z)))
    for expected, given in zip(*found, strict=True):
        assert torch.allclose(expected, given, rtol=0, atol=1e-5 * expected.abs().max().item())


@pytest.mark.parametrize("training", [False, True])
def test_a_network_learns_alike_with_either_convolution(
    training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = PolicyValueNet(DOUDIZHU, NetworkConfig(channels=64, blocks=1)).train(training)
    for norm in (net.blocks[0].first.norm, net.blocks[0].second.norm):
        torch.nn.init.ones_(norm.weight)
    calls, found = [], []

    def counted(*arguments: torch.Tensor) -> torch.Tensor:
        calls.append(arguments)
        return convolution(*arguments)

    monkeypatch.setattr(resnet, "convolution", counted)
    rows = torch.from_numpy(observations(128))
    with torch.autocast("cpu", torch.bfloat16):
        net(rows)
    with torch.no_grad():
        net(rows[:2])
    net(rows[:2])
    assert not calls
    for count in (2, 0):
        raw = net(rows)
        loss = raw.policy.square().mean() + raw.value.square().mean()
        found.append(torch.autograd.grad(loss, list(net.blocks.parameters())))
        assert len(calls) == count
        calls.clear()
        monkeypatch.setattr(resnet, "pays", lambda *_: False)
    for given, expected in zip(*found, strict=True):
        assert torch.allclose(expected, given, rtol=0, atol=1e-4 * expected.abs().max().item())
