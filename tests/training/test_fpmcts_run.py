"""Runs of FPMCTS: resuming, threads, lag, averages, what searches and seats teach, and what is
refused; on Kuhn and Leduc where cards do not matter.
"""

import re
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fpmcts.training.fpmcts
from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.progress import silent
from fpmcts.search.result import heated
from fpmcts.training.ahead import Ahead
from fpmcts.training.fpmcts import FPMCTS, learn, learning_steps
from fpmcts.training.interface import Report
from fpmcts.training.run import Run
from fpmcts.training.run_folder import RunFolder
from fpmcts.training.samples import Samples
from fpmcts.training.weights import PlayingNetworks
from fpmcts.training.workers import SEARCHES, TEACHER, Batch, Workers
from games.base.settings import ConfigError
from games.kernels.rows import named, num_rows
from networks.checkpoint import CheckpointError, load
from tests.training.tiny_run import STEPS, config, same

DOUDIZHU = """
threads=1 network.channels=8 network.blocks=1 search.playouts=6 search.worlds=4
inference.particles=8 selfplay.lanes=4 episode.games=6 episode.games_per_step=6
bootstrap.games=40 bootstrap.games_per_step=40 bootstrap.kept=100 train.batch_size=32
train.reservoir=500 evaluation.decks=2 evaluation.search_decks=1 evaluation.search_every=1
evaluation.search_playouts=6 episode.value_games=8 train.value_window=500
""".split()
GAMES = Batch(0, 0, 200, SEARCHES)


def steps(one: FPMCTS, count: int) -> Report:
    """Returns the last report."""
    reports = [one.step(silent) for _ in range(count)]
    return reports[-1]


def arrays(one: FPMCTS, count: int) -> dict[str, np.ndarray]:
    """Returns the arrays after some steps, and what the last match said."""
    report = steps(one, count)
    found = {name: array.copy() for name, array in one.state().arrays.items()}
    one.close()
    return found | {
        name: np.array(value) for name, value in report.scalars.items() if "_against_" in name
    }


@pytest.fixture(
    scope="module",
    params=[["cluster.lag=0"], ["cluster.lag=1", "network.shared=true"]],
    ids=["no lag", "lag, shared"],
)
def straight(request: pytest.FixtureRequest) -> tuple[list[str], dict[str, np.ndarray]]:
    """Returns some overrides, and the arrays of a run with them."""
    return request.param, arrays(FPMCTS(config(*request.param)), STEPS)


def test_threads_and_lanes_change_nothing(
    straight: tuple[list[str], dict[str, np.ndarray]],
) -> None:
    given, expected = straight
    other = config(*given, "threads=2", "selfplay.lanes=3")
    same(arrays(FPMCTS(other), STEPS), expected)


@pytest.mark.skipif(not torch.cpu._is_avx2_supported(), reason="the processor has no AVX2")
def test_games_of_training_may_be_played_in_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "fpmcts.training.fpmcts.settled",
        lambda precision, net, device, int8=False: "int8" if int8 else "float32",
    )
    monkeypatch.setattr("fpmcts.training.fpmcts.is_fast_in_bfloat16", lambda device: False)
    one = FPMCTS(config("threads=1", "network.dense=false", "gradient.start=1", "gradient.games=4"))
    for batch in [*one.batches(0), *one.batches(1)]:
        one.play(batch, silent)
        assert one.workers.local[0].evaluator.precision == "int8"


@pytest.mark.parametrize("keys", [["threads=2"], ["threads=3"], ["selfplay.lanes=5"]])
def test_games_that_explore_do_not_depend_on_those_beside_them(keys: list[str]) -> None:
    """Of a batch of Leduc, in which some lanes may explore and others no longer do."""
    small = ["game=leduc", "threads=1", "search.playouts=4", "selfplay.exploration=0.1"]
    games = [
        FPMCTS(config(*given, base=small)).play(Batch(0, 0, 64, SEARCHES), silent)
        for given in ([], keys)
    ]
    one, other = (dict(named(played.decisions)) for played in games)
    same(one, other)


def test_the_temperature_may_shape_targets() -> None:
    """And draws the same moves. T is 1/2 after the first iteration."""
    cools = ["selfplay.temperature_end=0.5", "selfplay.temperature_iterations=1"]
    small = ["game=leduc", "threads=1", "search.playouts=4", *cools]
    cold, hot = (
        FPMCTS(config(f"selfplay.heat_targets={heats}", base=small))
        .play(Batch(1, 0, 8, SEARCHES), silent)
        .decisions
        for heats in (False, True)
    )
    searched = cold.policy_weight > 0
    same({"actions": cold.actions}, {"actions": hot.actions})
    np.testing.assert_allclose(
        hot.target[searched], heated(cold.target[searched], 0.5), rtol=1e-5, atol=1e-7
    )
    assert not np.allclose(hot.target, cold.target)


@pytest.mark.parametrize("count", [1, 4])
def test_resumed_equals_uninterrupted(
    straight: tuple[list[str], dict[str, np.ndarray]], count: int
) -> None:
    """Between the two steps of an iteration, and between searches and policy gradient."""
    given, expected = straight
    first, second = FPMCTS(config(*given)), FPMCTS(config(*given))
    steps(first, count)
    second.load(first.state())
    first.close()
    same(arrays(second, STEPS - count), expected)


def test_which_weights_play() -> None:
    """Iteration t is played by the weights that learned from those before t - lag."""
    for lag in (0, 1):
        one, before, played = FPMCTS(config("train.lead=0", f"cluster.lag={lag}")), [], []
        for _ in range(4):
            if len(before) == one.iteration:
                before.append(
                    [p.detach().numpy().copy() for p in one.weights.averages.parameters()]
                )
                played.append(
                    [p.detach().numpy().copy() for p in one.generators().networks.parameters()]
                )
            one.step(silent)
        one.close()
        for own, expected in zip(played[1], before[1 - lag], strict=True):
            np.testing.assert_array_equal(own, expected)
        assert any((a != b).any() for a, b in zip(before[0], before[1], strict=True))


def test_leading_weights_play_and_resume() -> None:
    keys = ["train.lead=0.5", "train.averaging=8"]
    first, second = FPMCTS(config(*keys)), FPMCTS(config(*keys))
    steps(first, 2)
    second.load(first.state())
    places = second.generators().networks, first.weights.averages, first.weights.latest
    moved = False
    for ahead, average, latest in zip(*(net.parameters() for net in places), strict=True):
        moved |= bool((average != latest).any())
        np.testing.assert_allclose(
            ahead.detach(), (1.5 * latest - 0.5 * average).detach(), atol=1e-6
        )
    assert moved
    same(arrays(second, 1), arrays(first, 1))


def test_what_playing_raises_is_raised_where_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = FPMCTS(config("cluster.lag=1"))
    steps(one, 1)

    def failing(self: Workers, *rest: Any) -> None:
        raise FloatingPointError("not finite")

    monkeypatch.setattr(Workers, "play", failing)
    one.play_ahead()
    with pytest.raises(FloatingPointError, match="not finite"):
        one.play(one.batches(1)[0], silent)


def test_nothing_is_played_any_more_once_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second thread would enter the same workers."""
    monkeypatch.setattr("fpmcts.training.ahead.STOP_SECONDS", 0.0)
    began, may_end = threading.Event(), threading.Event()

    def play(*_: object) -> Any:
        began.set()
        may_end.wait()

    ahead = Ahead([GAMES], play)
    began.wait()
    threading.Timer(0.05, may_end.set).start()
    ahead.stop()
    assert not ahead._thread.is_alive()


def test_games_may_finish_at_the_moment_a_wait_for_them_ends() -> None:
    class JustNow(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            if not self.done():
                self.set_result("games")
                raise TimeoutError
            return super().result(timeout)

    ahead = Ahead([], lambda *_: None)
    ahead._games[GAMES] = JustNow()
    assert ahead.take(GAMES, silent) == "games"


def test_the_filter_learns_from_all_games_of_an_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[int] = []

    def learn(filter: None, path: list[int], samples: Samples, steps: int) -> dict[str, float]:
        learned.append(num_rows(samples))
        return {}

    monkeypatch.setattr(fpmcts.training.fpmcts, "learn_filter", learn)
    one = FPMCTS(config())
    played = [one.play(batch, silent).decisions for batch in one.batches(0)[:2]]
    steps(one, 2)
    assert learned == [num_rows(samples) for samples in played]


def test_nothing_to_learn_from_is_no_curve() -> None:
    """One that is not finite could not be written, nor could the run be resumed."""
    curves = learn(FPMCTS(config()), silent)
    assert curves["data/learning_steps_1"] == 0.0
    assert all(np.isfinite(value) for value in curves.values())


@pytest.mark.parametrize("window", [0, 40])
def test_without_results_the_policy_alone_learns(window: int) -> None:
    """As where every game that a value could learn from was explored."""
    one = FPMCTS(config(f"train.value_window={window}", "episode.value_games=0"))
    samples = one.play(GAMES, silent).decisions
    one.keep(samples._replace(result=np.full(num_rows(samples), np.nan, np.float32)))
    curves = learn(one, silent)
    assert curves["loss/policy_0"] > 0.0 and curves["data/learning_steps_0"] > 0
    assert all(np.isfinite(value) for value in curves.values())


def test_games_for_the_value_are_those_of_the_policies() -> None:
    """The seats that do not search explore, but an error is not what a position is worth."""
    never, always = (FPMCTS(config(f"selfplay.exploration={share}")) for share in (0.0, 0.5))
    same(
        *(
            dict(named(one.play(one.batches(0)[-1], silent).decisions.samples))
            for one in (never, always)
        )
    )


def test_policy_gradient_is_measured_like_searches() -> None:
    keys = ["exact_every=1", "search_every=1", "search_decks=2", "search_playouts=4"]
    one = FPMCTS(config("gradient.start=0", *(f"evaluation.{key}" for key in keys)))
    found = steps(one, 1).scalars
    assert "nash_conv/average_policy" in found
    assert any(name.startswith("search_against_random/") for name in found)


def test_random_streams_of_policy_gradient_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = list[float](), np.random.default_rng

    def noted(seed: Any) -> np.random.Generator:
        made.append(make(seed).random())
        return make(seed)

    one = FPMCTS(config("gradient.start=0", "threads=1"))
    monkeypatch.setattr(np.random, "default_rng", noted)
    steps(one, 1)
    assert len(set(made)) == len(made) >= 3


def test_steps_of_an_iteration_count_every_chunk_of_games() -> None:
    one = FPMCTS(config("train.reuse=4", "train.least_steps=0"))
    one.offered = [64, 36]
    assert learning_steps(one, 1) == [256, 144]
    assert learning_steps(one, 32) == [8, 5]  # 4.5


def exact(one: FPMCTS) -> float:
    one.evaluation.evaluator.refresh(one.weights.averages)
    value = ExactMeasure(one.game).nash_conv(one.evaluation.evaluator.evaluate)
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("game", "uniform", "reached"),
    [
        ("kuhn", 11 / 12, 0.6),
        pytest.param("goofspiel game.cards=4", 1.75, 0.7, marks=pytest.mark.slow),
    ],
)
def test_a_short_run_comes_closer_to_an_equilibrium(
    game: str, uniform: float, reached: float
) -> None:
    small = ["threads=1", "selfplay.lanes=256", "search.playouts=128"]
    one = FPMCTS(config(base=[*f"game={game}".split(), *small]))
    assert exact(one) == pytest.approx(uniform, rel=0.1)  # networks are almost uniform at first
    after = steps(one, 10).scalars["nash_conv/average_policy"]
    assert after == pytest.approx(exact(one))
    assert after < reached


@pytest.mark.parametrize("averaging", [0, 600])
def test_policy_gradient_leaves_the_uniform_policy_for_a_better_one(averaging: int) -> None:
    """30 steps: their average does not hold the weights of the start."""
    base = [
        "game=kuhn",
        "threads=1",
        "gradient.start=0",
        "gradient.games=8192",
        "gradient.lr=2e-3",
        f"gradient.averaging={averaging}",
    ]
    one = FPMCTS(config(base=base))
    before = exact(one)
    assert "loss/surrogate_0" in steps(one, 5).scalars
    assert one.games_seen == 5 * 8192
    assert exact(one) < 0.9 * before


def test_an_exploiter_learns_alone_until_the_others_thaw() -> None:
    one = FPMCTS(config("gradient.start=0", "gradient.frozen=[1]", "gradient.thaw=2"))
    before = [{name: p.clone() for name, p in net.state_dict().items()} for net in one.weights.nets]
    for more, learned in ((2, [True, False]), (1, [True, True])):
        steps(one, more)
        assert learned == [
            any(not torch.equal(p, was[name]) for name, p in net.state_dict().items())
            for net, was in zip(one.weights.nets, before, strict=True)
        ]


def test_one_seat_searches_in_each_game() -> None:
    """Its decisions teach policy and value; those of the other seat, which answers nobody, teach
    neither.
    """
    leduc = ["game=leduc"]
    one = FPMCTS(config(*leduc))
    games = one.play(GAMES, silent)
    samples, work = games.decisions, games.work
    assert 0 < work["searches"] < work["decisions"]
    assert (samples.policy_weight > 0).sum() == work["searches"]
    everyone = FPMCTS(config(*leduc, "selfplay.searching=all"))
    work = everyone.play(GAMES, silent).work
    assert work["searches"] == work["decisions"]


def test_values_learn_what_the_searching_seat_reaches_when_nobody_explores_after_it() -> None:
    never, always = (
        FPMCTS(config("game=leduc", f"selfplay.exploration={share}")).play(GAMES, silent).decisions
        for share in (0.0, 0.5)
    )
    searched = never.policy_weight > 0
    assert not np.isfinite(never.result[~searched]).any()  # the others do not answer the policies
    assert np.isfinite(never.result[searched]).all()
    searched = always.policy_weight > 0
    assert not np.isfinite(always.result[~searched]).any()
    first = searched & (
        always.states.node == never.states.node.min()
    )  # nobody has explored yet: every other game does
    assert 0.25 < np.isfinite(always.result[first]).mean() < 0.75
    assert (
        np.isfinite(always.result[searched & ~first]).mean()
        > np.isfinite(always.result[first]).mean()
    )


@pytest.mark.parametrize(
    "override",
    [
        "experiment=paper",
        *(
            pytest.param(override, marks=pytest.mark.slow)
            for override in (
                "network.shared=true",
                "search.rollout=0.9",
                "objective=adp",
                "bootstrap=none",
                "inference=none",
                "search.target=visits",
                "train.divergence=forward",
                "search.prior_floor=2e-3",
                "train.averaging=5",
            )
        ),
    ],
)
def test_variants_run_and_resume(override: str) -> None:
    """A bootstrap and an iteration of Doudizhu; the state survives a checkpoint."""
    others = [
        key
        for key in DOUDIZHU
        if not (override.endswith("=none") and key.startswith(override.replace("=none", ".")))
    ]
    chosen = config(
        override,
        *(
            ["episode.value_games=0", "inference.candidates=16"]
            if override == "experiment=paper"
            else []
        ),
        base=others,
    )
    one, again = FPMCTS(chosen), FPMCTS(chosen)
    while one.iteration < 1:
        report = one.step(silent)
    assert all(np.isfinite(value) for value in report.scalars.values())
    assert {
        "loss/policy_0",
        "loss/value_0",
        "policy_against_rhcp/wp_all",
        "search_against_rhcp/wp_all",
    } <= report.scalars.keys()
    if override == "experiment=paper":
        assert {"loss/filter_0"} <= report.scalars.keys() and "loss/hidden_0" not in report.scalars
    again.load(one.state())
    same(again.state().arrays, one.state().arrays)


def test_a_match_is_played_with_present_weights() -> None:
    """Among them those that changed after the workers were made."""
    one = FPMCTS(config())
    decks = evaluation_decks(one.game, 0, 150)
    for parameter in one.weights.averages.parameters():
        parameter.data.mul_(1.5)
    players = PlayingNetworks(one.weights.averages, None)
    fresh = Workers(one.config, one.game, players, one.device, 2)
    moves = [
        workers.match(players, decks, False, silent).records.moves
        for workers in (one.workers, fresh)
    ]
    np.testing.assert_array_equal(*moves)


def test_workers_change_no_lesson() -> None:
    one, three = (
        FPMCTS(config(f"threads={threads}", base=DOUDIZHU))
        .play(Batch(0, 0, 20, TEACHER), silent)
        .decisions
        for threads in (1, 3)
    )
    for (name, field), (_, other) in zip(named(one), named(three), strict=True):
        np.testing.assert_array_equal(field, other, err_msg=name)


def trained(path: Path) -> Path:
    """Returns the folder of a run whose weights are not those that a new run starts with."""
    one = FPMCTS(config("seed=9", f"run_dir={path}", base=DOUDIZHU))
    with RunFolder.open(one.config) as folder:
        folder.save(one.state())
    return path


def test_a_run_may_begin_from_a_run_and_has_no_bootstrap_then(tmp_path: Path) -> None:
    path = trained(tmp_path / "run")
    plain = config(base=DOUDIZHU)
    for start in (path, path / "networks.safetensors"):
        begun = FPMCTS(replace(plain, init_from=str(start)))
        expected = load(path / "networks.safetensors")[0]
        for name, array in begun.state().arrays.items():
            if name.startswith("network."):
                np.testing.assert_array_equal(array, expected[name], err_msg=name)
    said: list[str] = []
    Run.of(replace(plain, init_from=str(path), run_dir=str(tmp_path / "new")), say=said.append)
    assert f"the networks of {path} from a reservoir that is empty" in said[1]
    resumed = FPMCTS(plain)
    assert resumed.bootstrap_games() > 0
    resumed.load(begun.state())
    assert begun.bootstrap_games() == resumed.bootstrap_games() == 0
    shallow = replace(plain, init_from=str(path), network=replace(plain.network, blocks=0))
    with pytest.raises(CheckpointError, match=r"networks only grow; set network\.blocks=1$"):
        FPMCTS(shallow)
    nowhere = replace(plain, init_from=str(tmp_path))
    with pytest.raises(CheckpointError, match=f"init_from={tmp_path} cannot be used: there is no"):
        nowhere.start()
    again = nowhere.start(is_new=False)  # its checkpoint has everything
    again.load(begun.state())
    same(again.state().arrays, begun.state().arrays)


def test_checkpoint_of_another_shape_is_refused() -> None:
    one, wider = FPMCTS(config()), FPMCTS(config("network.channels=16"))
    with pytest.raises(CheckpointError, match="channels"):  # of a run that is resumed
        wider.load(one.state())
    damaged = one.state()
    name = next(name for name in damaged.arrays if name.startswith("network.0."))
    damaged.arrays[name] = np.full(damaged.arrays[name].shape, np.nan, np.float32)
    with pytest.raises(CheckpointError, match="holds numbers that are not finite"):
        one.load(damaged)


REFUSED = """
bootstrap=heuristic | bootstrap.kind=heuristic: is for game=doudizhu
network=default | network.value_head=win_stakes: game=leduc has no classes of stakes
inference=filter | inference.phase1=filter: game=leduc has no hidden cards
inference=marginal | inference.phase1=marginal: game=leduc has no hidden cards
train.averaging=0 | train.lead=1.0: needs
game.suits=true | game=leduc: suits=true: is for tables
gradient.start=0 gradient.frozen=[0,1] | gradient.frozen=.*: expected some but not all of the roles
gradient.frozen=[1] | gradient.frozen=.*: has no effect with gradient.start=null
evaluation.baseline=rhcp | evaluation.baseline=rhcp: player 'rhcp': expected one of
evaluation.baseline=policy | evaluation.baseline=policy: would be the networks of
evaluation.baseline=external | evaluation.baseline=external: command '': expected a
game=doudizhu network.hidden_head=false | inference.phase1=marginal: needs network.hidden_head=true
game=doudizhu inference=filter inference.candidates=8 | \
inference.candidates=8: expected at least inference.particles=64
game=doudizhu network.dense=true | network.dense=true: .* network.hidden_head=false
game=doudizhu game.bidding=call | bootstrap.shared=true: .* networks of several shapes
game=doudizhu game.bidding=call bootstrap=none network.shared=true | \
network.shared=true: .* other stakes
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_configurations_that_do_not_fit(line: str) -> None:
    overrides, message = line.split(" | ")
    with pytest.raises(ConfigError, match=re.compile(message)):
        config(*overrides.split(), base=["game=leduc"])


def test_any_player_of_the_game_may_be_the_baseline() -> None:
    assert config("evaluation.baseline=ismcts").evaluation.baseline == "ismcts"
