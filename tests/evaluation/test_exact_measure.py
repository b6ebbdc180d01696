"""NashConv of networks in games that can be listed, against plain Python and against the trees of
poker."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fpmcts.evaluation.policy_table import ExactMeasure, policy_table
from fpmcts.players.policy import PolicyAgent
from fpmcts.tabular.best_response import nash_conv as tree_nash_conv
from games import make
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks


def networks(game: Any, seed: int = 0) -> Evaluator:
    """Returns networks whose policies are far from uniform."""
    built = build_networks(
        game.spec,
        NetworkConfig(8, 1, value_head="scalar", hidden_head=False, objective="adp"),
        seed,
    )
    for net in built.distinct():
        for head in (net.planes, net.globals):
            head.weight.data *= 60.0
    return Evaluator(built, "float32")


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_listed_and_tree_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = make(name)
    evaluate = networks(game).evaluate
    played = PolicyAgent(game, evaluate, temperature=1.0).probabilities
    tree = tree_nash_conv(game.tables, policy_table(game, played))
    starts = game.starts()
    monkeypatch.setattr(type(game), "starts", lambda self: starts)
    monkeypatch.setattr(type(game), "has_tree", False)
    assert ExactMeasure(game).nash_conv(evaluate) == pytest.approx(tree, abs=1e-5)


def test_what_does_not_fit_is_not_measured() -> None:
    for game in (make("goofspiel", cards=13), make("doudizhu")):
        measure = ExactMeasure(game)
        assert not measure.fits and measure.nash_conv(lambda *_: None) is None  # type: ignore[arg-type,return-value]


def test_nash_conv_of_partners_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their values do not sum to 0."""
    game: Any = make("kuhn")
    monkeypatch.setattr(game, "spec", game.spec._replace(teams=(0, 0)))
    measure = ExactMeasure(game)
    assert measure.fits and measure.nash_conv(lambda *_: None) is None  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="partners"):
        measure.nash_conv_of(lambda _: np.zeros(0))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda policy: policy / 2,
        lambda policy: policy * 0,
        lambda policy: policy * np.nan,
        lambda policy: np.full_like(policy, 1 / policy.shape[1]),
        lambda policy: policy[:, :1],
        lambda policy: np.where(policy > 0, policy, np.nan),
    ],
    ids=["halved", "zeros", "nan", "mask forgotten", "too narrow", "nan beyond"],
)
def test_what_is_no_policy_is_refused(spoil: Callable[[np.ndarray], np.ndarray]) -> None:
    """In a listed game: halved probabilities were measured, zeros and NaN never returned."""
    game: Any = make("goofspiel", cards=3)
    measure = ExactMeasure(game)
    agent = PolicyAgent(game, networks(game).evaluate, temperature=1.0)
    assert measure.nash_conv_of(agent.probabilities) > 0
    with pytest.raises(ValueError, match="the policy .*expected"):
        measure.nash_conv_of(lambda views: spoil(agent.probabilities(views)))
