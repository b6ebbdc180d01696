"""Figures: averages by hand, interrupted and resumed equals uninterrupted, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.configuration import load
from fpmcts.papers import figure_matches
from fpmcts.papers.figures import RunFigure, averaged
from fpmcts.papers.ismcts_tables import MatchTables
from fpmcts.plots import Panel, draw
from games.base.files import ROOT
from games.base.settings import ConfigError, build


def composed(name: str, *overrides: str) -> RunFigure:
    return RunFigure.read(name, overrides)


def done(play: Callable[..., Any], stop_after: int | None = None) -> Any:
    """Returns what is played; None if it was stopped, after so many signs of progress."""
    seen: list[int] = []
    return play(
        lambda *at: seen.append(at[1]),
        lambda: stop_after is not None and len(seen) >= stop_after,
    )


def test_average_by_hand() -> None:
    """Marks that all runs have: 1 and 3. Means 2 and 5, errors 1 and 1 (two runs: half of the
    difference)."""
    marks, mean, error = averaged([[(1, 1.0), (2, 9.0), (3, 4.0)], [(1, 3.0), (3, 6.0)]])[:3]
    assert marks.tolist() == [1, 3] and mean.tolist() == [2.0, 5.0]
    assert error == pytest.approx([1.0, 1.0])
    assert np.isnan(averaged([[(1, 1.0)]]).error).all()


def test_a_single_run_is_written_without_a_standard_error(tmp_path: Path) -> None:
    draw(tmp_path, "", [Panel("")], {"x": averaged([[(1, 1.0), (2, 3.0)]])}, {})
    written = json.loads((tmp_path / "figure.json").read_text())
    assert written["curves"]["x"]["standard_error"] == [None, None]


FIGURES = [
    path
    for path in sorted((ROOT / "conf" / "papers").glob("*.yaml"))
    if "\nkind: " not in path.read_text()
]


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_every_figure_composes(path: Path) -> None:
    # No tables of Hold'em are needed to compose.
    figure = composed(
        path.stem,
        *(["game.abstraction=made_hands", "game.players=2"] if "holdem" in path.stem else []),
    )
    assert figure.name == path.stem
    assert len({run.run_dir for _, run in figure.plan}) == len(figure.plan)
    if figure.panels:
        assert {own.label for own in figure.shown()} == set(figure.variants)


def test_one_setting_of_each_selection_in_figures_and_tables() -> None:
    """But UCT's: the tables are by the text, the figures by a rule for ties of ours."""
    tables = MatchTables.read("lisy_tables", []).options
    for name in ("lisy_figure2", "lisy_figure3"):
        for own in composed(name).algorithms.values():
            options = {key: own[key] for key in own if key not in ("name", "selection")}
            assert (options == tables[own["selection"]]) == (own["selection"] != "uct")


def test_values_that_vary_are_algorithms() -> None:
    vary = "vary={UCT: {exploration: [1, 2]}}"
    figure = composed("kuhn_figure1", vary, "runs=1", "episodes=1000")
    assert list(figure.variants) == ["Smooth UCT", "UCT, exploration=1", "UCT, exploration=2"]
    assert [run.algorithm.get("exploration") for _, run in figure.plan] == [None, 1, 2]
    assert figure.notes()[0] == (
        "Size, ours of the paper's: runs 1 of 50, episodes 1,000 of 20,000,000."
    )


def test_a_label_may_have_options_of_the_game() -> None:
    figure = composed("leduc_figure2", "runs=1", "episodes=1000")
    suits = {label: config.game.options["suits"] for label, config in figure.plan}
    assert {label for label, apart in suits.items() if apart} == set(figure.game_of)
    assert len(suits) == len(figure.game_of) + 5


def test_stopped_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    arguments = ("runs=2", "episodes=20000")
    whole = done(composed("kuhn_figure1", *arguments, f"run_dir={tmp_path / 'a'}").play_runs)
    figure = composed("kuhn_figure1", *arguments, f"run_dir={tmp_path / 'b'}")
    assert done(figure.play_runs, stop_after=1) is None
    resumed = done(figure.play_runs)
    assert whole == resumed
    assert set(resumed) == {"Smooth UCT", "UCT"} and all(
        curve[-1][0] == 20_000 for curve in resumed["UCT"]
    )
    lines = done(figure.play)
    assert (tmp_path / "b" / "figure.png").stat().st_size > 0 and len(lines) == 2
    facts = json.loads((tmp_path / "b" / "figure.json").read_text())
    last = np.mean([curve[-1][1] for curve in resumed["UCT"]])
    assert facts["curves"]["UCT"]["mean"][-1] == pytest.approx(last)


def test_marks_are_seconds_of_the_text() -> None:
    config = composed("lisy_figure2", "runs=2", "seconds=10", "first_mark=1", "marks_per_decade=2")
    assert [run.budget.episodes for _, run in config.plan] == [390_000] * 2 + [340_000] * 2 + [
        590_000
    ] * 2
    marks = [config.next_mark("Exp3", 0)]
    while marks[-1] < 3_400_000:
        marks.append(config.next_mark("Exp3", marks[-1]))
    assert marks == [34_000, 107_517, 340_000, 1_075_174, 3_400_000]
    assert config.next_mark("Exp3", 34_001) == 107_517 and config.next_mark("UCT", 0) == 39_000


def test_panels_and_what_is_printed(tmp_path: Path) -> None:
    """Two panels show two curves of one run, one of them cut; a point of the text stands beside the
    nearest mark."""
    name = "Figure 4.4: UCT, nash_conv/average_policy"
    values = load("papers/leduc_thesis", {})
    values |= {
        "runs": 2,
        "runs_of": {},
        "episodes": 2000,
        "episodes_of": {},
        "run_dir": str(tmp_path),
        "printed": {name: [[1000, 3.5]]},
    }
    values["panels"][0]["most"] = 400
    figure: RunFigure = build(RunFigure, values)
    lines = done(figure.play)
    facts = json.loads((tmp_path / "figure.json").read_text())
    assert set(facts["curves"]) == {own.name for own in figure.shown()}
    first, second = (
        next(curve for key, curve in facts["curves"].items() if f"Figure {k}:" in key)
        for k in ("4.1", "4.2")
    )
    assert (
        first["episodes"] == [mark for mark in second["episodes"] if mark <= 400]
        and second["episodes"][-1] == 2000
    )
    means = np.array(second["mean"][: len(first["mean"])]) * first["episodes"]
    assert first["mean"] == pytest.approx(means)
    assert any(
        line.startswith(f"{name}: the text prints 3.5 after 1,000 episodes; here") for line in lines
    )


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["panels=[]"], ["5 runs of", "expected 1"]),
        (["panels=[{label: x}]"], ["panels.0={'label': 'x'}: expected label and measure"]),
        (["rates.UCB=5"], ["rates: 'UCB'", "Smooth UCT"]),
        (["paper.games=5"], ["paper.games: expected a key of the study"]),
    ],
)
def test_refused(overrides: list[str], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        composed("leduc_figure2", *overrides)
    assert all(word in str(caught.value) for word in words), caught.value


def test_matches_between_runs_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit Hold'em with coarse buckets: snapshots, curves and table are the same whether a figure
    was stopped or not."""
    monkeypatch.setattr(figure_matches, "FIRST_SNAPSHOT", 1000)
    arguments = ("game.abstraction=made_hands", "episodes=30000", "deals=500", "final_deals=700")
    facts, said = [], []
    for folder, stops in (("a", []), ("b", [1, 40])):
        figure = composed("limit_holdem_two_player", *arguments, f"run_dir={tmp_path / folder}")
        for stop_after in stops:
            assert done(figure.play, stop_after) is None
        said.append(done(figure.play))
        facts.append(json.loads((tmp_path / folder / "figure.json").read_text()))
    assert said[0] == said[1]
    assert facts[0]["curves"] == facts[1]["curves"] and facts[0]["table"] == facts[1]["table"]
    marks = facts[0]["curves"]["Smooth UCT against UCT"]["episodes"]
    # Five for each power of ten, and the last.
    assert marks == [1000, 1585, 2512, 3981, 6310, 10_000, 15_849, 25_119, 30_000]
    assert facts[0]["table"]["random"]["UCT"]["count"] == 700
    assert (
        facts[0]["table"]["UCT"]["Smooth UCT"]["mean"]
        == -facts[0]["table"]["Smooth UCT"]["UCT"]["mean"]
    )
