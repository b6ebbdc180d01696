"""The paper's figures, ``python train.py experiment=leduc_figure2``: runs of several tabular algorithms, averaged and drawn.

Runs go side by side, one per thread, since the kernels hold no lock. Each has a folder of its own, so a figure that was
interrupted goes on where it was.

Source: Heinrich & Silver, "Smooth UCT Search in Computer Poker", IJCAI 2015, figures 1 and 2.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf

from evaluation.settings import ConfigError, build, check
from training.reports import Event
from training.run_folder import RunFolder
from training.tabular import TabularBudget, TabularConfig, TabularTrainer, parse_tabular

MEASURES = {
    "nash_conv": ("nash_conv/average_policy", "NashConv: sum of both players' gains (chips per hand)"),
    "squared_error": ("kuhn/squared_error_to_closest_equilibrium", "Mean squared error to the closest equilibrium"),
}
"""Curve of a run and label of the axis."""
SAVE_SECONDS = 5.0
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
        measure: A key of MEASURES.
        game: ``name``, and the options of the game.
        algorithms: For each label, ``name`` of the algorithm and its options.
    """

    name: str = "figure"
    title: str = ""
    run_dir: str | None = None
    threads: int = 2
    runs: int = 5
    episodes: int = 1_000_000
    measure: str = "nash_conv"
    game: dict[str, Any] = field(default_factory=dict)
    algorithms: dict[str, Any] = field(default_factory=dict)

    def folder(self) -> Path:
        """Returns the folder of the figure."""
        return Path(self.run_dir or f"runs/{self.name}")


def parse_figure(raw: DictConfig | Mapping[str, Any]) -> tuple[FigureConfig, list[tuple[str, TabularConfig]]]:
    """Returns the checked configuration, and the label and configuration of every run. Raises ConfigError."""
    values = OmegaConf.to_container(raw, resolve=True) if isinstance(raw, DictConfig) else dict(raw)
    assert isinstance(values, dict)
    config: FigureConfig = build(FigureConfig, {str(key): value for key, value in values.items()})
    check(config, {"measure": tuple(MEASURES)}, {"threads": (1, 4096), "runs": (1, 10_000), "episodes": (1, 1e12)})
    if config.measure == "squared_error" and config.game.get("name") != "kuhn":
        raise ConfigError("measure=squared_error: is known for game.name=kuhn alone")
    folder = config.folder()
    runs = []
    for label, algorithm in config.algorithms.items():
        for seed in range(config.runs):
            run_dir = str(folder / f"{'_'.join(label.lower().split())}-{seed}")
            budget = TabularBudget(episodes=config.episodes)
            run = TabularConfig(run_dir=run_dir, seed=seed, game=config.game, algorithm=algorithm, budget=budget)
            runs.append((label, parse_tabular(asdict(run))))
    return config, runs


def play_runs(
    config: FigureConfig, runs: list[tuple[str, TabularConfig]], stopping: Callable[[], bool]
) -> Iterator[Event | dict[str, list[list[tuple[int, float]]]]]:
    """Yields how far the runs are, and at the end the curves of each label; no curves if it was stopped before.

    Raises:
        CheckpointError, RunFolderError: A run's folder cannot be used.
    """
    curve = MEASURES[config.measure][0]
    episodes = np.zeros(len(runs), np.int64)
    failed = threading.Event()

    def work(k: int) -> list[tuple[int, float]]:
        with RunFolder.open(runs[k][1], parse_tabular) as folder:
            trainer = TabularTrainer(folder.config)
            saved = folder.load()
            if saved is not None:
                trainer.set_state(saved)
            last = time.monotonic()
            while not trainer.is_finished(folder.config.budget) and not stopping() and not failed.is_set():
                for _ in trainer.run_step():
                    pass
                episodes[k] = trainer.learner.episodes
                if time.monotonic() - last > SAVE_SECONDS:
                    folder.save(trainer.get_state())
                    last = time.monotonic()
            folder.save(trainer.get_state())
            episodes[k] = trainer.learner.episodes
            return [(at, scalars[curve]) for at, scalars in trainer.curve]

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


def averaged(curves: list[list[tuple[int, float]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns episodes, means and standard errors over runs (NaN for a single one) at the marks that all runs have."""
    marks = sorted(set.intersection(*(set(at for at, _ in curve) for curve in curves)))
    values = np.array([[dict(curve)[mark] for mark in marks] for curve in curves])
    error = values.std(axis=0, ddof=1) / np.sqrt(len(curves)) if len(curves) > 1 else np.full(len(marks), np.nan)
    return np.array(marks), values.mean(axis=0), error


def draw(config: FigureConfig, curves: dict[str, list[list[tuple[int, float]]]]) -> list[str]:
    """Writes ``figure.png`` and ``figure.json`` to the folder of the figure; returns lines that say the last values."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    folder = config.folder()
    drawn = Figure(figsize=(7, 5), layout="constrained")
    FigureCanvasAgg(drawn)
    axis = drawn.subplots()
    lines, facts = [], {}
    for label, several in curves.items():
        marks, mean, error = averaged(several)
        axis.plot(marks, mean, label=label)
        axis.fill_between(marks, mean - error, mean + error, alpha=0.3)
        facts[label] = {"episodes": marks.tolist(), "mean": mean.tolist(), "standard_error": np.nan_to_num(error).tolist()}
        lines.append(f"{label}: {mean[-1]:.3g} ± {error[-1]:.1g} after {marks[-1]:,} episodes, {len(several)} runs")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("Episodes")
    axis.set_ylabel(MEASURES[config.measure][1])
    axis.set_title(f"{config.title} (mean of {config.runs} runs ± standard error)")
    axis.legend()
    drawn.savefig(folder / "figure.png", dpi=120)
    (folder / "figure.json").write_text(json.dumps({"config": asdict(config), "curves": facts}, indent=1) + "\n")
    return lines
