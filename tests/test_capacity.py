"""The benchmark of network sizes: names, networks that begin as the smaller one does, games told apart, errors over games."""

import numpy as np
import pytest
import torch

from benchmarks.capacity import clustered, games_of, held_out_losses, network, parsed
from fpmcts.policy_games import PolicyGames
from games import make
from games.interface import Game
from games.kernels import Stream, deal_seeds, streams
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks

GAME: Game = make("doudizhu")
SMALL = NetworkConfig(channels=8, blocks=1, objective="wp")


def test_names() -> None:
    assert parsed("96x12", SMALL)[1].blocks == 12
    form, size = parsed("new64x8h32", SMALL)
    assert (form, size.channels, size.head_channels, size.head_units) == ("new", 64, 32, 256)
    with pytest.raises(ValueError, match="64by8"):
        parsed("64by8", SMALL)


def test_grown_networks_lose_what_the_small_one_loses_at_first() -> None:
    small = build_networks(GAME.spec, SMALL, seed=3)
    games = PolicyGames(GAME, Evaluator(small, precision="float32").evaluate, lanes=4, win_only=True)
    *_, (_, played) = games.play(deal_seeds(1, 4, Stream.TRAINING), streams(1, 4), 0)
    assert played is not None
    samples = played.decisions.samples
    lost = held_out_losses(GAME, small.seat(0), samples)
    assert lost.shape == (len(samples.result), 3) and np.isfinite(lost).all()
    for name in ("8x3", "16x1", "8x1h16"):
        np.testing.assert_allclose(held_out_losses(GAME, network(name, GAME, small.seat(0)), samples), lost, atol=1e-4)
    assert np.abs(held_out_losses(GAME, network("new8x1", GAME, small.seat(0)), samples) - lost).max() > 0.01
    owner = games_of(samples)
    assert owner[0] == 0 and owner[-1] == 3 and set(np.diff(owner).tolist()) == {0, 1}


def test_attention_begins_as_the_identity() -> None:
    net = network("attention8x2", GAME, build_networks(GAME.spec, SMALL, seed=3).seat(0))
    x = torch.randn(2, 8, 1, net.length)
    for block in net.blocks:
        torch.testing.assert_close(block(x), x)


def test_errors_over_games() -> None:
    generator = np.random.default_rng(0)
    luck = generator.normal(size=4000)
    mean, error = clustered(np.repeat(luck, 5), np.repeat(np.arange(4000), 5))
    assert mean == pytest.approx(luck.mean()) and error == pytest.approx(luck.std() / np.sqrt(4000), rel=1e-6)
