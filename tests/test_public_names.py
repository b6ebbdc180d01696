"""``import fpmcts``: the public names."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fpmcts
from fpmcts import Player, Run, Table, best_response, load_player, make, match, nash_conv
from fpmcts.players.given import FunctionPlayer
from fpmcts.training.algorithms import read_run
from fpmcts.training.run_folder import RunFolderError
from games.kernels.rows import States
from games.play.interface import Records


def test_names_are_there() -> None:
    for name in fpmcts.__all__:
        assert getattr(fpmcts, name).__name__ == name and name in dir(fpmcts)
    with pytest.raises(AttributeError, match="nothing"):
        fpmcts.nothing  # noqa: B018


def careful(view: dict[str, list[str]]) -> str:
    return "fold" if "fold" in view["legal"] else "call"


def test_a_function_plays() -> None:
    leduc = make("leduc")
    table = Table(leduc, seed=3)
    table.play("raise")
    assert FunctionPlayer(leduc, careful).decide(table).move == "fold"
    seen: list[dict[str, Any]] = []

    def see(view: dict[str, Any]) -> str:
        seen.append(view)
        return "fold"

    FunctionPlayer(leduc, see).decide(table)
    assert seen == [table.describe()]
    result = match(leduc, careful, "random", decks=20, seed=2)
    assert result.num_decks == 20 and result.names == ("careful", "random")
    for answer in ("bluff", "fold", 2, None):
        with pytest.raises(ValueError, match=f"answered {answer!r}; expected one of call, raise"):
            match(leduc, lambda view, answer=answer: answer, "random", decks=2)
    chips = Table(make("no_limit_holdem"), seed=1)
    assert FunctionPlayer(chips.game, lambda view: "raise to 345").decide(chips).move == "r345"
    with pytest.raises(ValueError, match="'tabulr'.*did you mean tabular"):
        match(leduc, careful, "tabulr")
    with pytest.raises(ValueError, match="device=gpu"):
        load_player("random", leduc, device="gpu")


class Last(Player):
    """Plays the last legal move."""

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        return np.array([self.game.legal_actions(views, k)[-1] for k in range(len(games))])


def test_classes_and_runs_play(tmp_path: Path) -> None:
    kuhn = make("kuhn")
    assert match(kuhn, Last, Last(), decks=20).adp.mean == 0
    for name in ("random", "tabular"):
        with pytest.raises(ValueError, match=f"{name} plays leduc.*; expected a player of kuhn"):
            match(kuhn, load_player(name, "leduc"), "random")
    for options in ({"bidding": "call"}, {"rules": "douzero"}):
        with pytest.raises(ValueError, match="plays doudizhu.*; expected a player of doudizhu"):
            load_player("rhcp", "doudizhu").decide(Table(make("doudizhu", **options), seed=1))
    with pytest.raises(ValueError, match="players=3"):
        match("limit_holdem", load_player("random", make("limit_holdem", players=3)), "random")
    assert match(kuhn, Last(), lambda view: view["legal"][-1], decks=20).adp.mean == 0
    table = Table(kuhn, seed=1)
    assert Last().at(kuhn).decide(table).move == table.legal()[-1].text
    run = Run(tmp_path, game=type(kuhn), algorithm="smooth_uct", budget={"episodes": 1000})
    assert list(run) and match("kuhn", run, Last(), decks=20).names == ("tabular", "Last")
    with pytest.raises(ValueError, match="player.'policy'.: this run is played by tabular"):
        run.player("policy")
    assert match("kuhn", run, run, decks=20).names == ("tabular (a)", "tabular (b)")
    assert nash_conv("kuhn", run) == nash_conv("kuhn", run.player())


def test_exact_measures() -> None:
    """Uniform play: OpenSpiel's values (open_spiel/python/algorithms/exploitability_test.py)."""
    assert nash_conv("kuhn", "random") == pytest.approx(11 / 12)
    assert nash_conv("leduc", "random") == pytest.approx(4.747222)
    assert best_response("kuhn", "random").tolist() == pytest.approx([0.5, 5 / 12])
    with pytest.raises(ValueError, match="careful states no move probabilities"):
        nash_conv("kuhn", careful)
    with pytest.raises(ValueError, match="doudizhu is too large"):
        nash_conv("doudizhu", "random")


def test_a_run_is_left_and_resumed(tmp_path: Path) -> None:
    keys = {"game": "kuhn", "algorithm": {"name": "smooth_uct", "eta": 0.5}}
    run = Run(tmp_path / "run", **keys, budget={"episodes": 2000})
    for report in run:
        assert report.step == 1000 and "nash_conv/average_policy" in report.scalars
        break
    other = Run(tmp_path / "run", budget={"episodes": 1500})  # its folder says which game
    assert [report.step for report in other][-1] == 1500
    steps = [step for step, _ in other.curve("nash_conv/average_policy")]
    assert steps[0] == 1000 and steps[-1] == 1500 and not other.curve("none")
    with pytest.raises(RunFolderError, match="has trained this run since"):
        next(iter(run))
    assert nash_conv(other.game, other.player()) < 11 / 12


@pytest.mark.parametrize("keys", [{"search": {"playouts": 8}}, {"algorithm": "smooth_uct"}])
def test_a_folder_gives_what_is_not_given(keys: dict[str, Any], tmp_path: Path) -> None:
    """All keys of a run that must not differ; what is given is compared as before."""
    kuhn = {"game": "kuhn", "seed": 3, "budget": {"minutes": 0}, **keys}
    config = Run(tmp_path, **kuhn, progress=False).config
    again = Run(tmp_path, progress=False).config
    assert again == replace(config, budget=again.budget) and again.budget.minutes is None
    assert read_run([f"run_dir={tmp_path}", "budget.minutes=0"]) == config
    assert Run(tmp_path, **kuhn, progress=False).config == config
    with pytest.raises(RunFolderError, match="was started with seed=3, not 4"):
        Run(tmp_path, seed=4)
    with pytest.raises(RunFolderError, match="was started with game=kuhn, not leduc"):
        Run(tmp_path, game="leduc")


def test_an_experiment_leaves_the_seed_to_the_folder(tmp_path: Path) -> None:
    Run(tmp_path, game="kuhn", seed=3, budget={"minutes": 0}, progress=False)
    stored = read_run([f"run_dir={tmp_path}", "experiment=smoke", "game=kuhn"])
    assert stored.seed == 3 and stored.episode.games == 128
