"""Self-play in workers, samples from heuristic games, and the learner."""

import math

import numpy as np
import pytest
import torch

from agents.doudizhu.heuristic_games import generate_games
from fpmcts.filter_learner import FilterLearner
from fpmcts.learner import Learner, LearnerSettings, LossNotFiniteError
from fpmcts.samples import Samples
from fpmcts.search import Search, SearchSettings
from fpmcts.selfplay import SelfPlay, SelfPlaySettings
from fpmcts.workers import Finished, join_finished, play_in_threads
from games import make
from games.interface import Game, num_rows, take
from games.kernels import Stream, deal_seeds
from inference.determinizer import Determinizer, InferenceSettings
from networks.evaluator import Evaluator
from networks.filter import FilterNet
from networks.resnet import NetworkConfig, Networks, build_networks
from training.heuristic_samples import heuristic_samples

GAME: Game = make("doudizhu")
SHAPE = NetworkConfig(channels=8, blocks=1, objective="wp")


@pytest.fixture(scope="module")
def networks() -> Networks:
    return build_networks(GAME.spec, SHAPE, seed=3)


@pytest.fixture(scope="module")
def samples() -> Samples:
    played = generate_games(GAME, deal_seeds(0, 100, Stream.BOOTSTRAP), epsilon=0.1)
    return heuristic_samples(GAME, played.deals, played.records, played.choices)


def self_play(networks: Networks, workers: int, share: float) -> Finished:
    """Returns ten games of self-play."""
    players = []
    for _ in range(workers):
        evaluator = Evaluator(networks, precision="float32")
        search = Search(GAME, evaluator.evaluate, SearchSettings(root="gumbel", playouts=8, worlds=4), 4, win_only=True)
        determinizer = Determinizer(GAME, evaluator, InferenceSettings(particles=8), 10)
        settings = SelfPlaySettings(lanes=4, full_share=share)
        players.append(SelfPlay(GAME, evaluator.evaluate, determinizer, search, settings).play)
    progress = list(play_in_threads(players, deal_seeds(1, 10, Stream.TRAINING), 5, (2,), iteration=3))
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    parts = progress[-1][1]
    assert parts is not None
    return join_finished(parts, GAME)


def test_number_of_workers_changes_no_game(networks: Networks) -> None:
    (_, one, statistics), (_, two, _) = self_play(networks, 1, 0.5), self_play(networks, 2, 0.5)
    np.testing.assert_array_equal(one.records.moves, two.records.moves)
    assert statistics.games == 10
    assert statistics.moves == one.records.lengths.sum()


def test_samples_of_self_play(networks: Networks) -> None:
    samples, games, statistics = self_play(networks, 2, 1.0)
    assert np.all(games.final.winner >= 0)
    assert num_rows(samples) == statistics.decisions == statistics.searches
    assert np.all(samples.policy_weight == 1.0)
    assert np.all(samples.iteration == 3)
    np.testing.assert_allclose(samples.target.sum(1), 1.0, rtol=1e-5)
    assert np.all(np.abs(np.log2(np.abs(samples.result))) % 1 == 0)  # doublings
    assert np.all(np.isfinite(samples.root_value)) and np.all(np.abs(samples.root_value) <= 1.0 + 1e-6)


def test_heuristic_samples_know_their_result(samples: Samples) -> None:
    """The landlord's and the peasants' results at one decision apart only differ in sign: over a game each seat has one sign."""
    assert num_rows(samples) > 1000
    assert np.all(samples.target[:, 0] == 1.0)
    landlord = samples.states.seat == 0
    assert 0.2 < np.mean(samples.result[landlord] > 0) < 0.8
    assert np.all(np.abs(samples.result) >= 1.0)


def test_learner_learns_a_batch_by_heart(samples: Samples) -> None:
    net = build_networks(GAME.spec, SHAPE, seed=0).seat(0)
    learner = Learner(GAME, net, LearnerSettings(), torch.device("cpu"))
    batch = take(samples, np.arange(64))
    losses = [learner.step(None, batch, 1e-2) for _ in range(80)]
    assert losses[-1]["policy"] < 0.3 * losses[0]["policy"]
    assert losses[-1]["value"] < 0.7 * losses[0]["value"]
    assert losses[0]["hidden_gain"] == pytest.approx(0.0, abs=1e-5)  # the head starts as the prior
    assert losses[-1]["hidden_gain"] > 0.1


def test_value_and_policy_may_come_from_different_rows(samples: Samples) -> None:
    net = build_networks(GAME.spec, SHAPE, seed=0).seat(0)
    learner = Learner(GAME, net, LearnerSettings(), torch.device("cpu"))
    parts = learner.step(take(samples, np.arange(32)), take(samples, np.arange(32, 96)), 1e-3)
    assert all(math.isfinite(value) for value in parts.values())


def test_reverse_divergence_is_for_searched_rows(samples: Samples) -> None:
    """Heuristic moves are certain: towards them the policy follows by cross entropy whatever the setting says."""
    rows = take(samples, np.arange(64))
    searched = rows._replace(root_value=np.zeros(64, np.float32))

    def policy_part(rows: Samples, divergence: str) -> float:
        net = build_networks(GAME.spec, SHAPE, seed=0).seat(0)
        return Learner(GAME, net, LearnerSettings(divergence=divergence), torch.device("cpu")).step(None, rows, 1e-3)["policy"]

    assert policy_part(rows, "reverse") == policy_part(rows, "forward") == policy_part(searched, "forward")
    assert policy_part(searched, "reverse") > policy_part(searched, "forward")  # a move of probability 0 costs log 10,000


def test_loss_that_is_not_finite_changes_nothing(samples: Samples) -> None:
    net = build_networks(GAME.spec, SHAPE, seed=0).seat(0)
    learner = Learner(GAME, net, LearnerSettings(), torch.device("cpu"))
    batch = take(samples, np.arange(16))
    batch.target[0, 0] = np.nan
    batch.target[0, 1] = 1.0
    batch.target[0] = np.inf
    before = {name: value.clone() for name, value in net.named_parameters()}
    with pytest.raises(LossNotFiniteError):
        learner.step(None, batch, 1e-3)
    for name, value in net.named_parameters():
        assert torch.equal(value, before[name]), name


def test_filter_learns_to_tell_the_true_world(samples: Samples) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        learner = FilterLearner(GAME, FilterNet(GAME.spec), LearnerSettings(), torch.device("cpu"))
    generator = np.random.default_rng(0)
    gains = [learner.step(take(samples, generator.integers(0, num_rows(samples), 64)), 0, (b,))["filter_gain"] for b in range(60)]
    assert np.mean(gains[-10:]) > np.mean(gains[:10]) + 0.1
