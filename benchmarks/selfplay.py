"""Self-play and learning: whole iterations of a run by its own reports, medians.

The networks first learn from a few heuristic games: untrained policies are close to
uniform, so their trees are wide and their games long, which no run sees after its first minutes.
"""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from fpmcts.progress import silent
from fpmcts.training.algorithms import read_run
from fpmcts.training.config import TrainConfig
from fpmcts.training.fpmcts import BATCH_SIZE, FPMCTS

from .measure import Row

ITERATIONS = 3
"""Iterations; the first is not counted, because it compiles kernels."""
GAMES = ("gradient.start=null", "episode.games=256", "episode.games_per_step=256")
SETTINGS: dict[str, tuple[str, ...]] = {
    "default": GAMES,
    "paper": ("experiment=paper", "episode.games=16", "episode.games_per_step=16"),
    "default, two threads": (*GAMES, "threads=2"),
    "default, two Ray actors": (*GAMES, "threads=2", "cluster=ray", "cluster.actors=2"),
    "policy gradient": ("gradient.start=0", "gradient.games=8192"),
}


def composed(*overrides: str) -> TrainConfig:
    """Returns the configuration of a command line of ``train.py``."""
    config: TrainConfig = read_run(("game=doudizhu", "run_dir=unused", *overrides))
    return config


def taught(config: TrainConfig, games: int = 2_000) -> FPMCTS:
    """Returns a run whose networks have learned from a few heuristic games."""
    bootstrap = replace(config.bootstrap, kind="heuristic", games=games, games_per_step=games)
    quiet = replace(config.evaluation, decks=0, search_decks=0)
    run = FPMCTS(replace(config, bootstrap=bootstrap, evaluation=quiet))
    run.step(silent)
    return run


def scalars_of(run: FPMCTS) -> dict[str, float]:
    """Returns the medians of the next reports, with the rows learned from a second."""
    reports = []
    for _ in range(ITERATIONS):
        scalars, config = run.step(silent).scalars, run.config
        size = config.train.batch_size if config.gradient.start is None else BATCH_SIZE
        steps = sum(
            value for key, value in scalars.items() if key.startswith("data/learning_steps_")
        )
        scalars["rows"] = steps * size / scalars["time/learning_seconds"]
        reports.append(scalars)
    return {key: median(one[key] for one in reports[1:] if key in one) for key in reports[-1]}


def rows_of(name: str, scalars: dict[str, float], target: float | None = None) -> Iterator[Row]:
    """Yields the rates of a run."""
    yield Row(f"{name}, games", scalars["throughput/games_per_second"], "games/s", target)
    yield Row(f"{name}, learning", scalars["rows"], "rows/s")
    if "throughput/network_share" in scalars:
        share, evaluations = (
            scalars["throughput/network_share"],
            scalars["throughput/evaluations_per_second"],
        )
        yield Row(f"{name}, share of the time in the networks", 100 * share, "%", 60.0)
        yield Row(f"{name}, evaluations", evaluations, "evaluations/s")


def run() -> Iterator[Row]:
    """Yields the rates of each setting."""
    for name, overrides in SETTINGS.items():
        trained = taught(composed(*overrides))
        yield from rows_of(name, scalars_of(trained), 20.0 if name == "default" else None)
        trained.close()
