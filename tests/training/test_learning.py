"""The learner, on samples of heuristic games."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from fpmcts.progress import silent
from fpmcts.training.algorithms import read_run
from fpmcts.training.fpmcts import FPMCTS
from fpmcts.training.heuristic_games import generate_games
from fpmcts.training.learner import Learner, LossNotFiniteError, encode
from fpmcts.training.learner_settings import LearnerSettings
from fpmcts.training.learning import FilterLearner, learn_side_by_side
from fpmcts.training.samples import Samples
from games import make
from games.kernels import Stream, deal_seeds
from games.kernels.rows import num_rows, take
from games.play.interface import Game, seats_to_move
from inference.filter import FilterNet
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks
from networks.weights import module_arrays
from tests.games.driver import legal_actions

GAME: Game = make("doudizhu")
SHAPE = NetworkConfig(channels=8, blocks=1, objective="wp")


@pytest.fixture(scope="module")
def samples() -> Samples:
    return generate_games(GAME, deal_seeds(0, 100, Stream.BOOTSTRAP), epsilon=0.1).decisions


def new_learner(threads: int = 1, replicas: int = 1, **settings: Any) -> Learner:
    """Returns the learner of a network that is the same each time."""
    net = build_networks(GAME.spec, SHAPE, seed=0).role(0)
    given = LearnerSettings(**settings)
    return Learner(GAME, net, given, torch.device("cpu"), threads, replicas)


def test_learner_learns_a_batch_by_heart(samples: Samples) -> None:
    learner = new_learner()
    batch = take(samples, np.arange(64))
    losses = [learner.step(batch, batch, 1e-2) for _ in range(80)]
    assert losses[-1]["policy"] < 0.3 * losses[0]["policy"]
    assert losses[-1]["value"] < 0.7 * losses[0]["value"]
    assert losses[0]["hidden_gain"] == pytest.approx(0.0, abs=1e-5)  # the head starts as the prior
    assert losses[-1]["hidden_gain"] > 0.1


def test_two_threads_share_three_networks_evenly() -> None:
    both = threading.Barrier(2, timeout=10)  # breaks if a step runs while no other does

    def network(k: int) -> Iterator[dict[str, float]]:
        for taken in range(2):
            both.wait()
            yield {"value": 10.0 * k + taken}

    curves = learn_side_by_side(2, [network(k) for k in range(3)], [2, 2, 2], silent)
    assert curves == {"loss/value_0": 0.5, "loss/value_1": 10.5, "loss/value_2": 20.5}


def test_value_and_policy_may_come_from_different_rows(samples: Samples) -> None:
    """The targets of the value rows and the results of the policy rows do not matter, the others
    do.
    """
    policy_rows, value_rows = take(samples, np.arange(32)), take(samples, np.arange(32, 96))

    def losses(policy_rows: Samples, value_rows: Samples) -> tuple[float, float]:
        parts = new_learner().step(policy_rows, value_rows, 1e-3)
        return parts["policy"], parts["value"]

    def other_choice(rows: Samples) -> Samples:
        actions = rows.actions.copy()
        for i in range(num_rows(rows)):
            actions[i, 0] = next(
                a for a in legal_actions(GAME, rows.states, i) if a != actions[i, 0]
            )
        return rows._replace(actions=actions)

    def other_result(rows: Samples) -> Samples:
        return rows._replace(result=-rows.result)

    policy, value = losses(policy_rows, value_rows)
    assert losses(other_result(policy_rows), other_choice(value_rows)) == (policy, value)
    changed = losses(other_choice(policy_rows), other_result(value_rows))
    assert changed[0] != policy and changed[1] != value


@pytest.mark.parametrize("replicas", [1, 3])
def test_threads_change_no_weight(samples: Samples, replicas: int) -> None:
    """The parts of a minibatch are a setting; threads only share them out."""
    weights = []
    for threads in (1, 4):
        learner = new_learner(threads, replicas)
        for k in range(3):
            rows = take(samples, np.arange(64 * k, 64 * (k + 1)))
            learner.step(rows, rows, 1e-2)
        weights.append(module_arrays(learner.net, ""))
    for other in weights[1:]:
        for name, array in weights[0].items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_reverse_divergence_is_for_searched_rows(samples: Samples) -> None:
    """Heuristic moves are certain: towards them the policy follows by cross entropy whatever the
    setting says.
    """
    rows = take(samples, np.arange(64))
    searched = rows._replace(root_value=np.zeros(64, np.float32))

    def policy_part(rows: Samples, divergence: str) -> float:
        return new_learner(divergence=divergence).step(rows, rows, 1e-3)["policy"]

    assert (
        policy_part(rows, "reverse")
        == policy_part(rows, "forward")
        == policy_part(searched, "forward")
    )
    assert policy_part(searched, "reverse") > policy_part(
        searched, "forward"
    )  # a move of probability 0 costs log 10,000


def test_loss_that_is_not_finite_changes_nothing(samples: Samples) -> None:
    learner = new_learner()
    batch = take(samples, np.arange(16))
    batch.target[0] = np.inf
    before = {name: value.clone() for name, value in learner.net.named_parameters()}
    with pytest.raises(LossNotFiniteError):
        learner.step(batch, batch, 1e-3)
    for name, value in learner.net.named_parameters():
        assert torch.equal(value, before[name]), name


def test_filter_learns_to_tell_the_true_world(samples: Samples) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        learner = FilterLearner(GAME, FilterNet(GAME.spec), LearnerSettings(), torch.device("cpu"))
    generator = np.random.default_rng(0)
    gains = [
        learner.step(take(samples, generator.integers(0, num_rows(samples), 64)), 0, (b,))[
            "filter_gain"
        ]
        for b in range(60)
    ]
    assert np.mean(gains[-10:]) > np.mean(gains[:10]) + 0.1


@pytest.mark.slow
def test_values_of_the_papers_preset_are_of_the_size_of_results() -> None:
    """Values neither drown in results nor drown them, and a value of x predicts results that
    average about x. In units of the largest score, 8,192 points, values spread over 50 to 100
    points after 2,000 games, where results spread over 1.4.
    """
    games = ("bootstrap.games=2000", "bootstrap.games_per_step=1000", "evaluation.decks=0")
    run = FPMCTS(read_run(["game=doudizhu", "experiment=paper", "network.blocks=2", *games]))
    for _ in range(2):
        run.step(silent)
    fresh = generate_games(run.game, deal_seeds(1, 200, Stream.BOOTSTRAP)).decisions
    seats, (observations, *_) = (
        seats_to_move(run.game, fresh.states),
        encode(run.game, fresh.states),
    )
    values = Evaluator(run.weights.averages, game=run.game).evaluate(observations, seats).value
    known = np.isfinite(fresh.result)
    slope, _ = np.polyfit(values[known], fresh.result[known], 1)
    assert 0.15 < values.std() / np.nanstd(fresh.result) < 1
    assert 0.5 < slope < 2
