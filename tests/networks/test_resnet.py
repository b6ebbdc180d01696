"""Shapes, initial outputs and values of the network."""

import numpy as np
import pytest
import torch

from networks.engine import NetworkEngine
from networks.resnet import NetworkConfig, PolicyValueNet, build_networks, expected_value
from tests.networks.specs import CONFIGS, DOUDIZHU, SMALL, as_if_trained, observations, trained

FACTORS = torch.tensor(DOUDIZHU.stake_factors)


def test_initial_outputs_are_neutral() -> None:
    net = PolicyValueNet(DOUDIZHU, NetworkConfig())
    outputs = net.outputs(net(torch.from_numpy(observations(64))))
    assert outputs.policy.abs().max() < 0.5
    assert outputs.value.abs().max() < 0.3
    assert not outputs.hidden.any()


def test_an_observation_counts_by_its_scale() -> None:
    doubled = DOUDIZHU._replace(observation_scale=2 * DOUDIZHU.observation_scale)
    one, two = (
        as_if_trained(build_networks(spec, SMALL, seed=1).role(0)) for spec in (DOUDIZHU, doubled)
    )
    planes = observations(3)
    assert torch.allclose(
        one(torch.from_numpy(2 * planes)).policy, two(torch.from_numpy(planes)).policy, atol=1e-5
    )


def test_a_dense_output_sees_every_position() -> None:
    spec = DOUDIZHU._replace(stake_factors=(), hidden_counts=0)
    planes = torch.zeros((1, *spec.observation_shape), dtype=torch.int8)
    far = planes.clone()
    far[0, :, -1] = 1
    for dense in (False, True):
        config = NetworkConfig(channels=16, blocks=1, value_head="scalar", dense=dense)
        net = trained(config, spec)
        first, other = (net(rows).policy[0, 0].item() for rows in (planes, far))
        assert (first != other) == dense


def test_reading_a_scalar_plane_once_changes_nothing() -> None:
    spec, config = CONFIGS["dense"]
    planes = torch.from_numpy(observations(20, spec))
    planes[:, -spec.scalar_planes :] = planes[:, -spec.scalar_planes :, :1]
    found = []
    for scalars in (0, spec.scalar_planes):
        net = trained(config, spec._replace(scalar_planes=scalars))
        policy = net(planes).policy
        (gradient,) = torch.autograd.grad(policy.square().sum(), net.stem.conv.weight)
        found.append((policy, NetworkEngine(net)(planes).policy, gradient))
    for all_read, read_once in zip(*found, strict=True):
        assert torch.allclose(all_read, read_once, atol=1e-5)


def test_a_dense_network_has_no_head_per_position() -> None:
    with pytest.raises(ValueError, match="hidden_head is True in a dense network"):
        PolicyValueNet(DOUDIZHU, NetworkConfig(channels=4, blocks=0, dense=True))


def test_the_value_by_hand() -> None:
    """P(win) 3/4; given a win 0 or 1 further bombs with equal chance, given a loss always 2: 3/4 *
    3/2 - 1/4 * 4 = 1/8.
    """
    never = -50.0
    raw = torch.tensor(
        [[np.log(3.0), 0, 0, never, never, never, never, 0, never]], dtype=torch.float32
    )
    assert expected_value(raw, "adp", 1.0, FACTORS).item() == pytest.approx(0.125, abs=1e-6)
    assert expected_value(raw, "wp", 1.0, FACTORS).item() == pytest.approx(0.5, abs=1e-6)
    scalar = torch.tensor([[0.5493061]])  # tanh = 1/2
    assert expected_value(scalar, "adp", 8.0, FACTORS).item() == pytest.approx(4.0, abs=1e-5)


@pytest.mark.parametrize(
    ("objective", "value_scale", "scale"),
    [("adp", 0.0, 8192.0), ("adp", 8.0, 8.0), ("wp", 0.0, 1.0), ("wp", 8.0, 1.0)],
)
def test_the_unit_of_the_scalar_head(objective: str, value_scale: float, scale: float) -> None:
    config = NetworkConfig(
        channels=2, blocks=0, value_head="scalar", objective=objective, value_scale=value_scale
    )
    assert PolicyValueNet(DOUDIZHU, config).value_scale == scale


def test_networks_of_a_seed() -> None:
    before = torch.get_rng_state()
    one, same, other = (build_networks(DOUDIZHU, SMALL, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    weights = [networks.role(0).stem.conv.weight for networks in (one, same, other)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    assert not torch.equal(one.role(0).stem.conv.weight, one.role(1).stem.conv.weight)
