"""FPMCTS beside the baselines: NashConv of runs against processor seconds and against episodes, and
matches where NashConv cannot be computed.

A figure is a list of runs (keys of ``train.py``), a table a list of matches (keys of
``evaluate.py``). Seconds are those of all threads in the steps, measurements of NashConv included,
checkpoints, and a first step that is thrown away and compiles, not. A run that is resumed goes on
from its last checkpoint.
"""

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from fpmcts.cluster.pools import Stopping
from fpmcts.configuration import overrides_of
from fpmcts.evaluation.config import parse_command_line
from fpmcts.papers.matches import play_match
from fpmcts.papers.study import Study
from fpmcts.plots import Panel, PlotLine, draw
from fpmcts.progress import Progress, silent
from fpmcts.training.algorithms import read_run
from fpmcts.training.interface import Report
from fpmcts.training.run import Run
from games.base.files import write
from games.base.settings import setting

Point = tuple[float, float, float]
"""Processor seconds, episodes and NashConv."""
ACROSS = ("CPU seconds", "Episodes")
MEASURE = "nash_conv/average_policy"
SAVE_SECONDS = 5.0
"""Least age of a checkpoint before the next."""


@dataclass(frozen=True)
class Comparison(Study):
    """Runs and matches side by side.

    Attributes:
        seconds: Processor seconds of a run.
        runs: By title of a panel and label: keys of train.py.
        matches: By label: keys of evaluate.py.
    """

    seconds: float = setting(600.0, least=0)
    runs: dict[str, dict[str, str]] = field(default_factory=dict)
    matches: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """See ``Study``."""
        for game, label in self.plan():
            self.config(game, label)
        for words in self.matches.values():
            parse_command_line(shlex.split(words))

    def plan(self) -> list[tuple[str, str]]:
        """Returns title and label of every run."""
        return [(game, label) for game, labels in self.runs.items() for label in labels]

    def config(self, game: str, label: str) -> Any:
        """Returns the configuration of a run. Raises ConfigError."""
        folder = self.folder() / "-".join(f"{game} {label}".lower().split())
        return read_run([*shlex.split(self.runs[game][label]), *overrides_of({"run_dir": folder})])

    def about(self) -> str:
        """See ``Study``."""
        return (
            f"{len(self.plan())} runs of {self.seconds:g} processor seconds, "
            f"{len(self.matches)} matches"
        )

    def play(self, progress: Progress, stopping: Stopping) -> list[str] | None:
        """See ``Study``.

        Raises:
            CheckpointError, RunFolderError: A run's folder cannot be used.
            ResultFileError: Games cannot be kept.
        """
        lines, titles = {}, list(self.runs)
        panels = [
            Panel("NashConv", title=title, across=name) for title in titles for name in ACROSS
        ]
        for title, label in self.plan():
            points = self.curve(title, label, progress, stopping)
            if points is None:
                return None
            *places, values = np.array(points).T
            for k, at in enumerate(places):
                panel, error = len(ACROSS) * titles.index(title) + k, np.full(len(at), np.nan)
                lines[f"{title}: {label}, {ACROSS[k]}"] = PlotLine(at, values, error, panel, label)
        found = {}
        for label, words in self.matches.items():
            result = play_match(
                [*shlex.split(words), f"processes={self.threads}"],
                self.folder() / "matches",
                lambda _, *at, label=label: progress(label, *at),
                stopping,
            )
            if result is None:
                return None
            score = result.sides[0].luck_free or result.adp  # with aivat=true, or without
            found[label] = f"{score.text(1)} {result.spec.score.name} ({result.num_games:,} games)"
        facts = self.origin() | {"config": asdict(self), "matches": found}
        summary = draw(self.folder(), self.title, panels, lines, facts)
        return summary + [f"{label}: {text}" for label, text in found.items()]

    def curve(
        self, title: str, label: str, progress: Progress, stopping: Stopping
    ) -> list[Point] | None:
        """Returns the points of a run, which it begins or resumes; None if it was stopped."""
        config = self.config(title, label)
        config.start(is_new=True).step(silent)  # compiles
        run = Run.of(config)
        path, seconds = run.folder.path / "points.json", 0.0
        points: list[Point] = []
        if path.exists() and run.last is not None:
            seconds, points = json.loads(path.read_text())
            points = [point for point in points if point[1] <= _episodes(run)]
        with run.folder:
            while (seconds < self.seconds or not points) and not run.is_finished():
                if stopping():
                    return None
                began = time.process_time()
                scalars = run.step().scalars
                seconds += time.process_time() - began
                if MEASURE in scalars:
                    points.append((seconds, _episodes(run), scalars[MEASURE]))
                progress(f"{title}, {label}", int(seconds), int(self.seconds), "seconds")
                if run.folder.is_save_due(SAVE_SECONDS):
                    _save(run, path, seconds, points)
            _save(run, path, seconds, points)
        return points


def _save(run: Run, path: Path, seconds: float, points: Sequence[Point]) -> None:
    """Saves a run, and before it its time and points: those that it has lost are found by their
    episodes.
    """
    write(path, json.dumps([seconds, points]))
    run.save()


def _episodes(run: Run) -> float:
    """Returns the games of a run so far."""
    report = cast(Report, run.last)
    return report.scalars.get("data/games", float(report.step))
