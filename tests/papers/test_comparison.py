"""Runs and matches side by side: what is drawn, stopped and resumed, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fpmcts.papers.comparison import Comparison
from fpmcts.progress import silent
from games.base.settings import ConfigError

SMALL = {"Kuhn": {"CFR+": "game=kuhn algorithm=cfr_plus budget.episodes=20"}}
MATCH = {"Callers": "game=kuhn a=always_call b=always_call decks=10"}


def test_points_and_matches_of_a_stopped_and_resumed_comparison(tmp_path: Path) -> None:
    study = Comparison(run_dir=str(tmp_path), seconds=60.0, runs=SMALL, matches=MATCH)
    assert study.play(silent, lambda: True) is None
    lines = study.play(silent, lambda: False)
    assert lines is not None and lines[-1] == "Callers: +0.0 ± 0.0 mbb/h (20 games)"
    path = tmp_path / "kuhn-cfr+" / "points.json"
    spent, points = json.loads(path.read_text())
    seconds, episodes, values = zip(*points, strict=True)
    assert list(episodes) == sorted(set(episodes)) and episodes[-1] == 20
    assert (
        list(seconds) == sorted(seconds) and seconds[-1] <= spent and 0 < values[-1] < values[0] < 1
    )
    curves = json.loads((tmp_path / "figure.json").read_text())["curves"]
    assert curves["Kuhn: CFR+, CPU seconds"]["mean"] == list(values)
    assert curves["Kuhn: CFR+, Episodes"]["episodes"] == list(episodes)
    before = path.read_text()
    assert study.play(silent, lambda: False) == lines and path.read_text() == before


def test_shipped_and_refused() -> None:
    study = Comparison.read("comparison", [])
    with pytest.raises(ConfigError, match="playout"):
        replace(study, runs={"Kuhn": {"A": "game=kuhn search.playout=3"}}).check()
    with pytest.raises(ConfigError, match="always_cal"):
        replace(study, matches={"A": "game=kuhn a=always_cal b=random"}).check()
