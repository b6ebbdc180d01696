"""The paper's figures, ``python -m reproduce leduc_figure2``: the runs of several tabular algorithms.

Runs go side by side, one per thread, since the kernels hold no lock. Each has a folder of its own, so a figure that was
interrupted goes on where it was. What a figure shows is either measured in each run, and averaged over those of an algorithm, or
the result of matches between runs: then each run keeps its greedy policy at some of its marks (``figure_matches``).

Source: Heinrich & Silver, "Smooth UCT Search in Computer Poker", IJCAI 2015, figures 1 to 3.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from reproduce.drawing import Line, Style, draw
from reproduce.figure_matches import keep_snapshot, play_matches, table_facts, table_lines
from reproduce.job import Job
from runtime.configuration import load, pairs
from runtime.settings import ConfigError, build, did_you_mean, setting
from tabular.learner import TabularLearner
from training.reports import Event
from training.run_folder import RunFolder
from training.tabular import TabularBudget, TabularConfig, TabularTrainer, make_learner, parse_tabular

MEASURES = {
    "nash_conv": ("nash_conv/average_policy", "NashConv: sum of both players' gains (chips per hand)"),
    "squared_error": ("{game}/squared_error_to_closest_equilibrium", "Mean squared error to the closest equilibrium"),
}
"""Measures of a run: its curve, ``{game}`` being the name of the game, and the label of the axis."""
MATCHES = "symmetric_play"
"""The measure between runs."""
SAVE_SECONDS = 5.0
"""Least age of a checkpoint before the next."""
POLL_SECONDS = 0.2


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
        measure: A key of MEASURES, or MATCHES.
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
    measure: str = setting("nash_conv", choices=(*MEASURES, MATCHES))
    deals: int = setting(1_000_000, least=2, most=10**9)
    final_deals: int = setting(5_000_000, least=2, most=10**9)
    game: dict[str, Any] = field(default_factory=dict)
    algorithms: dict[str, Any] = field(default_factory=dict)

    def folder(self) -> Path:
        """Returns the folder of the figure."""
        return Path(self.run_dir or f"runs/{self.name}")


def read_figure(name: str, overrides: Sequence[str]) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    """Returns what ``parse_figure`` makes of ``conf/reproduce/NAME.yaml`` and a command line. Raises ConfigError."""
    given = dict(pairs(overrides))
    for key, text in given.items():
        if (top := key.partition(".")[0]) not in (names := [f.name for f in fields(FigureConfig)]):
            raise ConfigError(f"{key}={text}: unknown key{did_you_mean(top, names) or '; expected one of ' + ', '.join(names)}")
    return parse_figure(load(f"reproduce/{name}", given, ("run_dir", "title")))


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``read_figure``. Raises ConfigError."""
    config, runs = read_figure(name, overrides)
    about = f"{config.title}: {len(runs)} runs of {config.episodes:,} episodes in {config.folder()}"
    return Job(config, about, config.folder() / "figure.png", lambda stopping: play_figure(config, runs, stopping))


def parse_figure(values: Mapping[str, Any]) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    """Returns the checked configuration, and the label and configuration of every run. Raises ConfigError."""
    config: FigureConfig = build(FigureConfig, values)
    if config.measure == MATCHES and config.runs != 1:
        raise ConfigError(
            f"runs={config.runs}: expected 1, since measure={MATCHES} plays one run of each algorithm against another"
        )
    folder = config.folder()
    runs = []
    for label, algorithm in config.algorithms.items():
        for seed in range(config.runs):
            run_dir = str(folder / f"{'_'.join(label.lower().split())}-{seed}")
            budget = TabularBudget(episodes=config.episodes)
            run = TabularConfig(run_dir=run_dir, seed=seed, game=config.game, algorithm=algorithm, budget=budget)
            runs.append((label, parse_tabular(asdict(run))))
    if runs and config.measure == "squared_error":
        tables = make_learner(runs[0][1]).game
        if _curve(config).partition("/")[2] not in tables.policy_measures(tables.uniform_policy()):
            raise ConfigError(f"measure=squared_error: game.name={tables.name} has no known equilibria to compare with")
    return config, runs


def _curve(config: FigureConfig) -> str:
    """Returns the name of the curve that a figure shows."""
    return MEASURES[config.measure][0].format(game=config.game["name"])


def play_runs(
    config: FigureConfig, runs: list[tuple[str, TabularConfig]], stopping: Callable[[], bool]
) -> Iterator[Event | dict[str, list[list[tuple[int, float]]]]]:
    """Yields how far the runs are, and at the end the curves of each label; no curves if it was stopped before.

    Where the measure is between runs, the curves are empty.

    Raises:
        CheckpointError, RunFolderError: A run's folder cannot be used.
    """
    episodes = np.zeros(len(runs), np.int64)
    failed = threading.Event()
    saving = threading.Lock()  # one at a time: a checkpoint may take as much memory again as the tables

    def work(k: int) -> list[tuple[int, float]]:
        with RunFolder.open(runs[k][1], parse_tabular) as folder:
            trainer = TabularTrainer(folder.config)
            saved = folder.load()
            if saved is not None:
                trainer.set_state(saved)
            episodes[k] = trainer.learner.episodes
            while not trainer.is_finished(folder.config.budget) and not stopping() and not failed.is_set():
                for _ in trainer.run_step():
                    episodes[k] = trainer.learner.episodes
                if config.measure == MATCHES:
                    keep_snapshot(folder.path, cast(TabularLearner, trainer.learner), config.episodes)
                if folder.is_save_due(SAVE_SECONDS):
                    with saving:
                        folder.save(trainer.get_state(copy=False))
            with saving:
                folder.save(trainer.get_state(copy=False))
            if config.measure == MATCHES:
                return []
            return [(at, scalars[_curve(config)]) for at, scalars in trainer.curve]

    pool = ThreadPoolExecutor(config.threads)
    futures = [pool.submit(work, k) for k in range(len(runs))]
    try:
        while not all(future.done() for future in futures):
            if any(future.done() and future.exception() for future in futures):
                break
            yield Event("episodes", int(episodes.sum()), config.episodes * len(runs), "episodes")
            time.sleep(POLL_SECONDS)
        failed.set()
        curves: dict[str, list[list[tuple[int, float]]]] = {}
        for (label, _), future in zip(runs, futures, strict=True):
            curves.setdefault(label, []).append(future.result())
    finally:
        failed.set()
        pool.shutdown(cancel_futures=True)
    if (episodes >= config.episodes).all():
        yield curves


def averaged(curves: list[list[tuple[int, float]]]) -> Line:
    """Returns means and standard errors over runs (NaN for a single one) at the marks that all runs have."""
    marks = sorted(set.intersection(*(set(at for at, _ in curve) for curve in curves)))
    values = np.array([[dict(curve)[mark] for mark in marks] for curve in curves])
    error = values.std(axis=0, ddof=1) / np.sqrt(len(curves)) if len(curves) > 1 else np.full(len(marks), np.nan)
    return Line(np.array(marks), values.mean(axis=0), error)


def play_figure(
    config: FigureConfig, runs: list[tuple[str, TabularConfig]], stopping: Callable[[], bool]
) -> Iterator[Event | list[str]]:
    """Plays the runs, and the matches between them, and draws the figure.

    Yields how far it is, and at the end what there is to say; nothing of that if it was stopped before. Errors as ``play_runs``.
    """
    curves = None
    for event in play_runs(config, runs, stopping):
        if isinstance(event, Event):
            yield event
        else:
            curves = event
    if curves is None:
        return
    folder, facts = config.folder(), {"config": asdict(config)}
    if config.measure != MATCHES:
        style = Style(f"{config.title} (mean of {config.runs} runs ± standard error)", (MEASURES[config.measure][1],), True)
        yield draw(folder, style, {label: averaged(several) for label, several in curves.items()}, facts)
        return
    game = make_learner(runs[0][1]).game
    folders = {label: Path(str(run.run_dir)) for label, run in runs}
    for step in play_matches(game, folders, config.deals, config.final_deals, config.threads, stopping):
        if isinstance(step, Event):
            yield step
        else:
            lines, table = step
            style = Style(f"{config.title}: greedy policies in symmetric play (± standard error)", ("mbb/h", "mbb/h"), False)
            said = draw(folder, style, lines, facts | {"table": table_facts(table)})
            yield said + table_lines(table, game.num_players)
