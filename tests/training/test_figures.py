"""Figures: averages by hand, interrupted and resumed equals uninterrupted, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduce import figure_matches
from reproduce.figures import FigureConfig, averaged, play_figure, play_runs, read_figure
from runtime.settings import ConfigError
from training.reports import Event
from training.tabular import TabularConfig

ROOT = Path(__file__).resolve().parents[2]


def composed(name: str, *overrides: str) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    return read_figure(name, overrides)


def played(config: FigureConfig, runs: list[tuple[str, TabularConfig]], stop_after: int | None = None) -> Any:
    """Returns the curves; None if it was stopped, after so many events."""
    seen = 0
    curves = None
    for event in play_runs(config, runs, lambda: stop_after is not None and seen >= stop_after):
        seen += 1
        if not isinstance(event, Event):
            curves = event
    return curves


def test_average_by_hand() -> None:
    """Marks that all runs have: 1 and 3. Means 2 and 5, errors 1 and 1 (two runs: half of the difference)."""
    marks, mean, error, _ = averaged([[(1, 1.0), (2, 9.0), (3, 4.0)], [(1, 3.0), (3, 6.0)]])
    assert marks.tolist() == [1, 3] and mean.tolist() == [2.0, 5.0]
    assert error == pytest.approx([1.0, 1.0])
    assert np.isnan(averaged([[(1, 1.0)]]).error).all()


FIGURES = [path for path in sorted((ROOT / "conf" / "reproduce").glob("*.yaml")) if "\nkind: " not in path.read_text()]


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_every_figure_composes(path: Path) -> None:
    # No tables of Hold'em are needed to compose.
    config, runs = composed(path.stem, *(["game.abstraction=made_hands"] if "holdem" in path.stem else []))
    assert config.name == path.stem and len(runs) == config.runs * len(config.algorithms)
    assert len({run.run_dir for _, run in runs}) == len(runs)


def test_stopped_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    arguments = ("runs=2", "episodes=200000")
    whole = played(*composed("kuhn_figure1", *arguments, f"run_dir={tmp_path / 'a'}"))
    assert played(*composed("kuhn_figure1", *arguments, f"run_dir={tmp_path / 'b'}"), stop_after=1) is None
    config, runs = composed("kuhn_figure1", *arguments, f"run_dir={tmp_path / 'b'}")
    resumed = played(config, runs)
    assert whole == resumed
    assert set(resumed) == {"Smooth UCT", "UCT"} and all(curve[-1][0] == 200_000 for curve in resumed["UCT"])
    lines = list(play_figure(config, runs, lambda: False))[-1]
    assert (tmp_path / "b" / "figure.png").stat().st_size > 0 and len(lines) == 2
    facts = json.loads((tmp_path / "b" / "figure.json").read_text())
    last = np.mean([curve[-1][1] for curve in resumed["UCT"]])
    assert facts["curves"]["UCT"]["mean"][-1] == pytest.approx(last)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["runs=0"], ["runs=0"]),
        (["measure=squared_error"], ["squared_error", "leduc"]),
        (["measure=elo"], ["measure=elo", "nash_conv"]),
        (["game.name=chess"], ["chess", "kuhn, leduc"]),
    ],
)
def test_refused(overrides: list[str], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        composed("leduc_figure2", *overrides)
    assert all(word in str(caught.value) for word in words), caught.value


def test_matches_between_runs_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit Hold'em with coarse buckets: snapshots, curves and table are the same whether a figure was stopped or not."""
    monkeypatch.setattr(figure_matches, "FIRST_SNAPSHOT", 1000)
    arguments = ("game.abstraction=made_hands", "episodes=30000", "deals=500", "final_deals=700")
    facts, said = [], []
    for folder, stops in (("a", []), ("b", [1, 2])):
        config, runs = composed("limit_holdem_two_player", *arguments, f"run_dir={tmp_path / folder}")
        for stop_after in stops:
            assert played(config, runs, stop_after) is None or stop_after > 1
        said.append(list(play_figure(config, runs, lambda: False))[-1])
        facts.append(json.loads((tmp_path / folder / "figure.json").read_text()))
    assert said[0] == said[1]
    assert facts[0]["curves"] == facts[1]["curves"] and facts[0]["table"] == facts[1]["table"]
    marks = facts[0]["curves"]["Smooth UCT against UCT"]["episodes"]
    assert marks[0] == 1000 and marks[-1] == 30_000 and len(marks) == 9  # 5 for each power of ten, and the last
    assert facts[0]["table"]["random"]["UCT"]["deals"] == 700
    assert facts[0]["table"]["UCT"]["Smooth UCT"]["mean"] == -facts[0]["table"]["Smooth UCT"]["UCT"]["mean"]
    for label in ("smooth_uct-0", "uct-0"):
        first, second = (tmp_path / folder / label for folder in "ab")
        assert [path.name for path in sorted(first.glob("greedy-*"))] == [path.name for path in sorted(second.glob("greedy-*"))]
        assert all(path.read_bytes() == (second / path.name).read_bytes() for path in first.glob("greedy-*"))


def test_names_of_matches() -> None:
    match = figure_matches.Match("UCT", "random", 0)
    assert figure_matches.name(match, 2) == "UCT against random"
    assert figure_matches.name(match, 3) == "1 UCT against 2 random"


def test_missing_tables_are_one_error_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(ConfigError, match="python -m games.limit_holdem.abstraction 2"):
        composed("limit_holdem_two_player", f"run_dir={tmp_path / 'run'}")
    assert not (tmp_path / "run").exists()


def test_matches_need_one_run_of_each() -> None:
    with pytest.raises(ConfigError, match="runs=2: expected 1"):
        composed("limit_holdem_two_player", "runs=2", "game.abstraction=made_hands")
