"""FPMCTS on poker through the whole loop: what it learns, resuming, and configurations that do not fit."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from evaluation.policy_table import ExactMeasure
from fpmcts.drawn_moves import explore
from games import make
from games.kernels import streams
from games.poker.betting import Action
from runtime.settings import ConfigError
from training.algorithms import read_run
from training.batches import Batch
from training.config import TrainConfig
from training.reports import drain
from training.trainer import Trainer

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["threads=1", "selfplay.lanes=256", "search.playouts=128"]
STEEP = ["gradient.lr=1e-3", "gradient.batch_size=128", "gradient.averaging=0"]
TINY = [
    "threads=1", "episode.games=16", "episode.games_per_step=8", "search.playouts=8", "train.batch_size=16", "train.reservoir=40",
]  # fmt: skip
GAMES = Batch(0, 0, 200, searches=True)


def configuration(*overrides: str) -> TrainConfig:
    return read_run(overrides if any(o.startswith("game=") for o in overrides) else ("game=leduc", *overrides))[0]


def run(trainer: Trainer, steps: int) -> Trainer:
    for _ in range(steps):
        for _ in trainer.run_step():
            pass
    return trainer


def exact(trainer: Trainer) -> float:
    trainer.evaluation.evaluator.refresh(trainer.state.playing)
    value = ExactMeasure(trainer.state.game).nash_conv(trainer.evaluation.evaluator.evaluate)
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("game", "uniform", "reached"), [("kuhn", 11 / 12, 0.6), ("leduc", 4.747222, 4.0), ("goofspiel game.cards=4", 1.75, 0.7)]
)
def test_a_short_run_comes_closer_to_an_equilibrium(game: str, uniform: float, reached: float) -> None:
    trainer = Trainer(configuration(*f"game={game}".split(), *SMALL))
    assert exact(trainer) == pytest.approx(uniform, rel=0.1)  # networks are almost uniform at first
    run(trainer, 10)
    assert trainer.last_report is not None
    after = trainer.last_report.scalars["nash_conv/average_policy"]
    assert after == pytest.approx(exact(trainer))
    assert after < reached


def test_policy_gradient_runs_on_poker() -> None:
    """It promises no equilibrium there, but leaves the uniform policy for a better one."""
    trainer = Trainer(configuration("game=kuhn", "threads=1", "gradient.start=0", "gradient.games=2048", *STEEP))
    before = exact(trainer)
    run(trainer, 4)
    assert trainer.last_report is not None and "loss/surrogate_0" in trainer.last_report.scalars
    assert trainer.state.games_seen == 4 * 2048
    assert exact(trainer) < 0.9 * before


def test_an_exploiter_learns_alone() -> None:
    trainer = Trainer(configuration("game=kuhn", "threads=1", "gradient.start=0", "gradient.games=1024", "gradient.frozen=[1]"))
    before = [{name: p.clone() for name, p in net.state_dict().items()} for net in trainer.state.nets]
    run(trainer, 2)
    same = [
        all(torch.equal(p, was[name]) for name, p in net.state_dict().items())
        for net, was in zip(trainer.state.nets, before, strict=True)
    ]
    assert same == [False, True]
    with pytest.raises(ConfigError, match="gradient.frozen=.*: expected some but not all of the seats 0 to 1"):
        configuration("game=kuhn", "gradient.frozen=[0,1]")


def test_resumed_equals_uninterrupted() -> None:
    config = configuration("game=leduc", *TINY)
    straight = run(Trainer(config), 5)
    halfway = run(Trainer(config), 3)  # between the two steps of an iteration
    resumed = Trainer(config)
    resumed.set_state(halfway.get_state())
    run(resumed, 2)
    first, second = straight.get_state(), resumed.get_state()
    assert first.arrays.keys() == second.arrays.keys()
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, second.arrays[name], err_msg=name)


def test_one_seat_searches_in_each_game() -> None:
    """Its decisions teach policy and value; those of the other seat, which answers nobody, teach neither."""
    trainer = Trainer(configuration("game=leduc", *TINY))
    samples, _, statistics = drain(trainer.workers.self_play(GAMES))
    assert 0 < statistics.searches < statistics.decisions
    assert (samples.policy_weight > 0).sum() == statistics.searches
    everyone = Trainer(configuration("game=leduc", "selfplay.searching=all", *TINY))
    _, _, statistics = drain(everyone.workers.self_play(GAMES))
    assert statistics.searches == statistics.decisions


def test_exploration_draws_legal_moves_alike() -> None:
    game = make("leduc")
    states = game.deal(streams(1, 3000))
    actions, scratch = np.full(3000, Action.RAISE, np.int16), np.zeros(3, np.int16)
    for share, expected in ((0.0, 0), (0.5, 750), (1.0, 1500)):
        mixed, explored = actions.copy(), np.zeros(3000, np.bool_)
        explore(game.rules, states, np.arange(3000), np.full(3000, share), streams(2, 3000), mixed, explored, scratch)
        assert abs(int(explored.sum()) - 3000 * share) < 5 * np.sqrt(750)
        assert not (mixed != actions)[~explored].any()
        assert set(mixed.tolist()) <= {Action.CALL, Action.RAISE}  # nothing to fold to
        assert abs(int((mixed == Action.CALL).sum()) - expected) < 5 * np.sqrt(750)
        assert share > 0 or (mixed == actions).all()


def test_values_learn_what_the_searching_seat_reaches_when_nobody_explores_after_it() -> None:
    never, always = (
        drain(Trainer(configuration("game=leduc", f"selfplay.exploration={share}", *TINY)).workers.self_play(GAMES))[0]
        for share in (0.0, 0.5)
    )
    searched = never.policy_weight > 0
    assert not np.isfinite(never.result[~searched]).any()  # the others do not answer the policies
    assert np.isfinite(never.result[searched]).all()
    searched = always.policy_weight > 0
    assert not np.isfinite(always.result[~searched]).any()
    first = searched & (always.states.node == never.states.node.min())  # nobody has explored yet: every other game does
    assert 0.25 < np.isfinite(always.result[first]).mean() < 0.75
    later = searched & ~first
    assert np.isfinite(always.result[later]).mean() > np.isfinite(always.result[first]).mean()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("bootstrap=heuristic", "bootstrap.kind=heuristic: is for game=doudizhu"),
        ("network=default", "network.value_head=win_stakes: game=leduc has no classes of stakes"),
        ("evaluation.baseline=rhcp", "evaluation.baseline=rhcp: is for game=doudizhu"),
        ("inference=filter", "inference.phase1=filter: game=leduc has no hidden cards"),
        ("game.suits=true", "game=leduc: suits=true: is for tables"),
        ("+game.rules=standard", "game=leduc: options of leduc: .*rules"),
        ("selfplay.searching=two", "selfplay.searching=two: expected one of all, one"),
    ],
)
def test_configurations_that_do_not_fit(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.compile(message)):
        configuration("game=leduc", override)
