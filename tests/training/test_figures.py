"""Figures: averages by hand, interrupted and resumed equals uninterrupted, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from evaluation.settings import ConfigError
from training.figures import FigureConfig, averaged, parse_figure, play_figure, play_runs
from training.reports import Event
from training.tabular import TabularConfig

ROOT = Path(__file__).resolve().parents[2]


def composed(name: str, *overrides: str) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        return parse_figure(compose(f"figures/{name}", list(overrides)))


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


@pytest.mark.parametrize("path", sorted((ROOT / "conf" / "figures").glob("*.yaml")), ids=lambda path: path.stem)
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
        (["measure=squared_error"], ["squared_error", "kuhn"]),
        (["measure=elo"], ["measure=elo", "nash_conv"]),
        (["game.name=chess"], ["chess", "kuhn, leduc"]),
    ],
)
def test_refused(overrides: list[str], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        composed("leduc_figure2", *overrides)
    assert all(word in str(caught.value) for word in words), caught.value
