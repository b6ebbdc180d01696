"""The paper's figures, ``python -m fpmcts.papers leduc_figure2``: the runs of several tabular
algorithms.

Runs go side by side, one per thread, since the kernels hold no lock. Each has a folder of its own,
so a figure that was interrupted goes on where it was. What a figure shows is either measured in
each run, and averaged over those of an algorithm, or the result of matches between runs: then each
run keeps its greedy policy at some of its marks (``figure_matches``).

Source: Heinrich & Silver, "Smooth UCT Search in Computer Poker", IJCAI 2015, figures 1 to 3.
"""

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from fpmcts.cluster.pools import ThreadPool, Tick
from fpmcts.evaluation.units import Store
from fpmcts.papers.drawing import Line, Panel, draw
from fpmcts.papers.figure_matches import keep_snapshot, play_matches, table_facts, table_lines
from fpmcts.papers.job import Job, Stopping, read_config
from fpmcts.progress import Progress
from fpmcts.tabular.learner import DenseLearner
from fpmcts.training.interface import EpisodeBudget
from fpmcts.training.run import Run
from fpmcts.training.tabular import Tabular, TabularConfig, make_learner
from games import Choice
from games.kernels import sources_digest
from games.settings import ConfigError, setting

MEASURES = {
    "nash_conv": ("nash_conv/average_policy", "NashConv: sum of both players' gains ({unit})"),
    "squared_error": (
        "{game}/squared_error_to_closest_equilibrium",
        "Mean squared error to the closest equilibrium",
    ),
}
"""Measures of a run: its curve, ``{game}`` being the name of the game, and the label of the
axis."""
MATCHES = "symmetric_play"
"""The measure between runs."""
SAVE_SECONDS = 5.0
"""Least age of a checkpoint before the next."""


@dataclass(frozen=True)
class FigureConfig:
    """A figure.

    Attributes:
        name: Of the figure.
        title: Above it.
        run_dir: Folder of the figure; None makes ``runs/<name>``.
        threads: Runs side by side, >= 1.
        runs: Runs of each algorithm, with the seeds 0, 1, …
        episodes: Episodes of a run.
        runs_of: Of single labels, in place of ``runs``.
        episodes_of: Of single labels, in place of ``episodes``.
        rates: Episodes per second of the text's programs, by label. Then a run has ``seconds``
            times that many episodes.
        seconds: The text's, see above.
        first_mark: Episodes, or with ``rates`` seconds, after which policies are measured first.
        marks_per_decade: How often from there on.
        measure: A key of MEASURES, or MATCHES.
        panels: ``title``, ``label`` of the vertical axis, ``measure`` (the name of a curve),
            ``labels``, ``most`` episodes, ``logarithmic`` (``both``, ``episodes``, ``none``); none:
            one panel with ``measure`` and all labels.
        printed: By label (with panels: by name of the curve) what the text prints: pairs of seconds
            (episodes without ``rates``) and a value.
        unit: Of NashConv.
        deals: Of a match at each mark, >= 2.
        final_deals: Of a match between the last policies, >= 2.
        game: ``name``, and the options of the game.
        algorithms: For each label, ``name`` of the algorithm and its options.
    """

    name: str = "figure"
    title: str = ""
    run_dir: str | None = None
    threads: int = setting(2, least=1, most=4096)
    runs: int = setting(5, least=1, most=10_000)
    episodes: int = setting(1_000_000, least=1, most=10**12)
    runs_of: dict[str, Any] = field(default_factory=dict)
    episodes_of: dict[str, Any] = field(default_factory=dict)
    rates: dict[str, Any] = field(default_factory=dict)
    seconds: float = setting(1800.0, least=0.001, most=10**7)
    first_mark: float = setting(1000.0, least=0.001, most=10**9)
    marks_per_decade: int = setting(10, least=1, most=100)
    measure: str = setting("nash_conv", choices=(*MEASURES, MATCHES))
    deals: int = setting(1_000_000, least=2, most=10**9)
    final_deals: int = setting(5_000_000, least=2, most=10**9)
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    algorithms: dict[str, Any] = field(default_factory=dict)
    panels: list[Any] = field(default_factory=list)
    printed: dict[str, Any] = field(default_factory=dict)
    unit: str = "chips per hand"

    def runs_with(self, label: str) -> int:
        """Returns the number of runs of a label."""
        return int(self.runs_of.get(label, self.runs))

    def episodes_with(self, label: str) -> int:
        """Returns the number of episodes of a run of a label."""
        if label in self.rates:
            return max(1, round(self.seconds * float(self.rates[label])))
        return int(self.episodes_of.get(label, self.episodes))

    def next_mark(self, label: str, episodes: int) -> int:
        """Returns the number of episodes after which a run of a label is measured next."""
        first = self.first_mark * float(self.rates.get(label, 1.0))
        k = max(0, math.floor(self.marks_per_decade * math.log10(max(episodes, 1) / first)) - 1)
        while (mark := round(first * 10 ** (k / self.marks_per_decade))) <= episodes:
            k += 1
        return mark

    def folder(self) -> Path:
        """Returns the folder of the figure."""
        return Path(self.run_dir or f"runs/{self.name}")


def read_figure(
    name: str, overrides: Sequence[str]
) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    """Returns what ``parse_figure`` makes of ``conf/papers/NAME.yaml`` and a command line.
    Raises ConfigError.
    """
    return parse_figure(read_config(FigureConfig, name, overrides))


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``read_figure``. Raises ConfigError."""
    config, runs = read_figure(name, overrides)
    total = sum(run.budget.episodes or 0 for _, run in runs)
    about = f"{config.title}: {len(runs)} runs, {total:,} episodes in all, in {config.folder()}"
    return Job(
        config, about, config.folder() / "figure.png", lambda *how: play_figure(config, runs, *how)
    )


def parse_figure(config: FigureConfig) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    """Returns the configuration, and the label and configuration of every run. Raises
    ConfigError.
    """
    if config.measure == MATCHES and config.runs != 1:
        raise ConfigError(
            f"runs={config.runs}: expected 1, since measure={MATCHES} plays one run of each "
            "algorithm against another"
        )
    named = {"runs_of": config.runs_of, "episodes_of": config.episodes_of, "rates": config.rates}
    named |= {f"panels.{k}.labels": panel["labels"] for k, panel in enumerate(config.panels)}
    for key, labels in named.items():
        for label in labels:
            if label not in config.algorithms:
                raise ConfigError(
                    f"{key}: {label!r}: expected one of {', '.join(config.algorithms)}"
                )
    folder = config.folder()
    runs = []
    for label, algorithm in config.algorithms.items():
        for seed in range(config.runs_with(label)):
            run_dir = str(folder / f"{'_'.join(label.lower().split())}-{seed}")
            budget = EpisodeBudget(episodes=config.episodes_with(label))
            run = TabularConfig(
                run_dir=run_dir, seed=seed, game=config.game, algorithm=algorithm, budget=budget
            )
            runs.append((label, TabularConfig.parse(run.as_dict())))
    if runs and config.measure == "squared_error":
        tables = make_learner(runs[0][1]).game
        if _curve(config).partition("/")[2] not in tables.policy_measures(tables.uniform_policy()):
            raise ConfigError(
                f"measure=squared_error: game.name={tables.name} has no known equilibria to "
                "compare with"
            )
    return config, runs


def _curve(config: FigureConfig) -> str:
    """Returns the name of the curve of ``measure``."""
    return MEASURES[config.measure][0].format(game=config.game.name)


class Shown(NamedTuple):
    """A curve of a figure: whose, which, in which panel, and up to how many episodes."""

    label: str
    measure: str
    panel: int
    most: float


def shown_curves(config: FigureConfig) -> dict[str, Shown]:
    """Returns the curves of a figure by the names that they have in ``figure.json``; none where the
    measure is between runs.
    """
    if config.measure == MATCHES:
        return {}
    if not config.panels:
        return {label: Shown(label, _curve(config), 0, math.inf) for label in config.algorithms}
    return {
        f"{panel['title']}: {label}, {panel['measure']}": Shown(
            label, panel["measure"], k, float(panel.get("most", math.inf))
        )
        for k, panel in enumerate(config.panels)
        for label in panel["labels"]
    }


Curve = list[tuple[int, dict[str, float]]]
"""Episodes and measures of every step of a run."""


def play_runs(
    config: FigureConfig,
    runs: list[tuple[str, TabularConfig]],
    progress: Progress,
    stopping: Stopping,
) -> dict[str, list[list[tuple[int, float]]]] | None:
    """Returns the ``shown_curves``, each run's; None if it was stopped. There are none where the
    measure is between runs.

    Raises:
        CheckpointError, RunFolderError: A run's folder cannot be used.
    """
    wanted = [run.budget.episodes or 0 for _, run in runs]
    saving = (
        threading.Lock()
    )  # one at a time: a checkpoint may take as much memory again as the tables

    def play(k: int, tick: Tick) -> Curve | None:
        run = Run(runs[k][1], lambda *at: tick(tabular.learner.episodes))
        tabular = cast(Tabular, run.algorithm)
        tabular.next_mark = partial(config.next_mark, runs[k][0])
        with run.folder:
            while not run.is_finished() and not stopping():
                run.step()
                if config.measure == MATCHES:
                    keep_snapshot(run.folder.path, cast(DenseLearner, tabular.learner), wanted[k])
                if run.folder.is_save_due(SAVE_SECONDS):
                    with saving:
                        run.save()
            with saving:
                run.save()
            return tabular.curve if run.is_finished() else None

    played = ThreadPool([play] * config.threads).map(
        range(len(runs)),
        wanted,
        lambda done: progress("episodes", done, sum(wanted), "episodes"),
    )
    curves = [curve for curve in played if curve is not None]
    if len(curves) < len(runs):
        return None
    return {
        name: [
            [(at, scalars[own.measure]) for at, scalars in curves[k] if at <= own.most]
            for k, (label, _) in enumerate(runs)
            if label == own.label
        ]
        for name, own in shown_curves(config).items()
    }


def averaged(curves: list[list[tuple[int, float]]]) -> Line:
    """Returns means and standard errors over runs (NaN for a single one) at the marks that all runs
    have.
    """
    marks = sorted(set.intersection(*(set(at for at, _ in curve) for curve in curves)))
    values = np.array([[dict(curve)[mark] for mark in marks] for curve in curves])
    error = (
        values.std(axis=0, ddof=1) / np.sqrt(len(curves))
        if len(curves) > 1
        else np.full(len(marks), np.nan)
    )
    return Line(np.array(marks), values.mean(axis=0), error)


def _averages(
    config: FigureConfig, curves: Mapping[str, list[list[tuple[int, float]]]]
) -> tuple[str, list[Panel], dict[str, Line]]:
    """Returns the title, the panels and the lines of a figure, with what the text prints as
    points.
    """
    panels = [
        Panel(panel["label"], panel.get("logarithmic", "both"), panel["title"])
        for panel in config.panels
    ]
    counts = sorted({config.runs_with(label) for label in config.algorithms})
    title = f"{config.title} (mean of {' to '.join(map(str, counts))} runs ± standard error)"
    lines = {}
    for name, own in shown_curves(config).items():
        points = [
            (float(at) * float(config.rates.get(own.label, 1.0)), float(value))
            for at, value in _printed(config, name, own)
        ]
        lines[name] = averaged(curves[name])._replace(
            panel=own.panel, label=own.label, printed=tuple(points)
        )
    return title, panels or [Panel(MEASURES[config.measure][1].format(unit=config.unit))], lines


def _printed(config: FigureConfig, name: str, own: Shown) -> list[Any]:
    """Returns what the text prints of a curve."""
    return list(config.printed.get(name if config.panels else own.label, []))


def play_figure(
    config: FigureConfig,
    runs: list[tuple[str, TabularConfig]],
    progress: Progress,
    stopping: Stopping,
) -> list[str] | None:
    """Plays the runs, and the matches between them, and draws the figure; see ``Job.play``. Errors
    as ``play_runs``.
    """
    curves = play_runs(config, runs, progress, stopping)
    if curves is None:
        return None
    folder, facts = config.folder(), {"config": asdict(config) | {"game": config.game.as_dict()}}
    if config.measure != MATCHES:
        return draw(folder, *_averages(config, curves), facts)
    game = make_learner(runs[0][1]).game
    folders = {label: Path(str(run.run_dir)) for label, run in runs}
    identity = {
        "game": config.game.as_dict(),
        "algorithms": config.algorithms,
        "code": sources_digest(),
    }
    store = Store(folder / "matches.jsonl", identity)
    played = play_matches(
        game, folders, store, config.deals, config.final_deals, config.threads, progress, stopping
    )
    if played is None:
        return None
    lines, table = played
    title = f"{config.title}: greedy policies in symmetric play (± standard error)"
    said = draw(
        folder,
        title,
        [Panel("mbb/h", "episodes")] * 2,
        lines,
        facts | {"table": table_facts(table)},
    )
    return said + table_lines(table, game.num_players)
