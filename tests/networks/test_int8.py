"""The int8 engine by hand and where there is none, and the sample that its ranges come from; see
``test_engine.py``.
"""

import numpy as np
import pytest
import torch

from fpmcts.players.trained import checkpoint_of, load_trained
from games import make
from games.base.settings import ConfigError
from networks.engine import NetworkEngine
from networks.evaluator import Evaluator
from networks.int8 import Int8Engine, QuantizedConv, Sample, random_sample
from networks.precision import check_int8
from networks.resnet import NetworkConfig, build_networks
from tests.networks.specs import CONFIGS, DOUDIZHU, SMALL, as_if_trained, needs_avx2, observations


def sample(count: int = 200) -> torch.Tensor:
    return torch.from_numpy(observations(count, seed=1))


@needs_avx2
def test_a_convolution_by_hand() -> None:
    """Weights 1, 10, 63 on the left neighbour, the position and the right neighbour; bias -2; the
    inputs are 0, 2, 0 steps.
    """
    conv = QuantizedConv(
        torch.tensor([1.0, 10.0, 63.0]).view(1, 1, 1, 3), torch.tensor([-2.0]), 3, 0.5, 1.0
    )
    x = torch.tensor([0, 2, 0], dtype=torch.uint8).view(1, 1, 1, 3)
    assert conv(x).flatten().tolist() == [61, 8, 0]
    residual = torch.tensor([100, 3, 0], dtype=torch.uint8).view(1, 1, 1, 3)
    assert conv.add_to(residual, 2.0, x).flatten().tolist() == [255, 14, 0]  # 261 saturates


@needs_avx2
def test_the_largest_products_are_exact() -> None:
    """Without VNNI two of them are added in 16 bits."""
    conv = QuantizedConv(torch.ones(1, 64, 1, 3), torch.zeros(1), 3, 1.0, 192.0)
    x = torch.full((1, 64, 1, 3), 255, dtype=torch.uint8)
    x = x.contiguous(memory_format=torch.channels_last)
    assert conv(x).flatten().tolist() == [170, 255, 170]


@needs_avx2
def test_a_network_before_training_and_damaged_weights() -> None:
    net = build_networks(DOUDIZHU, SMALL, seed=0).role(0).eval()
    planes = torch.from_numpy(observations(20))
    difference = (
        Int8Engine(net, sample())(planes).policy - NetworkEngine(net, "float32")(planes).policy
    )
    assert difference.abs().max() < 0.01
    with torch.no_grad():
        net.stem.conv.weight[0] = torch.nan
    with pytest.raises(FloatingPointError, match="weights are damaged"):
        Int8Engine(net, sample())


def test_where_there_is_no_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="precision=int8: the networks are on cuda"):
        check_int8(torch.device("cuda"))
    monkeypatch.setattr(torch.cpu, "_is_avx2_supported", lambda: False)
    with pytest.raises(ConfigError, match="precision=int8: this processor has no AVX2"):
        Evaluator(build_networks(DOUDIZHU, SMALL, seed=0), "int8")


@needs_avx2
def test_evaluator() -> None:
    """Each network has the ranges of its own seats, at a refresh as at first."""
    game = make("kuhn")
    networks = build_networks(
        game.spec,
        NetworkConfig(channels=8, blocks=1, value_head="scalar", hidden_head=False),
        seed=0,
    )
    with pytest.raises(ConfigError, match="precision=int8: needs a game"):
        Evaluator(networks, "int8")
    dense = build_networks(*CONFIGS["dense"], seed=0)
    with pytest.raises(ConfigError, match="precision=int8: these networks are dense"):
        Evaluator(dense, "int8", game=game)
    evaluator, positions = Evaluator(networks, "int8", game=game), random_sample(game)
    for net in networks.distinct():
        as_if_trained(net)
    evaluator.refresh(networks)
    found = evaluator.evaluate(positions.observations, positions.roles)
    for seat, net in enumerate(networks.distinct()):
        rows = positions.of_roles([seat])
        assert np.array_equal(
            found.policy[positions.roles == seat], Int8Engine(net, rows)(rows).policy.numpy()
        )


def test_sample() -> None:
    """Kuhn poker: two bits of the card and the history tell at most 3 x 2 information sets of
    each seat; all are met.
    """
    game = make("kuhn")
    first, again = random_sample(game), random_sample(game)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    for seat in range(2):
        assert len(np.unique(first.observations[first.roles == seat], axis=0)) == 6
    assert len(first.of_roles([0, 1])) == len(first.roles)
    only = Sample(first.observations[first.roles == 0], first.roles[first.roles == 0])
    assert len(only.of_roles([1])) == len(only.roles)


@pytest.mark.slow
@needs_avx2
def test_shipped_weights() -> None:
    """Root mean squares of the errors, of the weights that come with the project, at decisions of
    random games.

    *Measured* at decisions of its own games: policy 0.08 (standard deviation of the outputs 5.4),
    value 0.010 (of 0.51).
    """
    trained = load_trained(checkpoint_of(make("doudizhu"), None), "doudizhu", "int8")
    positions = random_sample(trained.game)
    found = trained.evaluator.evaluate(*positions)
    expected = Evaluator(trained.networks, "float32").evaluate(*positions)
    for values, reference, error in zip(found, expected, (0.025, 0.03), strict=False):
        assert np.sqrt(((values - reference) ** 2).mean()) < error * reference.std()
