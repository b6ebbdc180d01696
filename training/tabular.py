"""Runs of the tabular algorithms: ``python train.py game=leduc algorithm=smooth_uct``.

The configuration of such a run, and its stages: a step plays episodes up to the next mark of a geometric grid, ten marks for each
power of ten, and measures the policies exactly. The curves have the number of episodes as their step.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from games import Choice, with_defaults
from games.kernels import sources_digest
from networks.checkpoint import check_compatible
from runtime.settings import ConfigError, build, setting
from tabular import algorithms
from tabular.learner import Learner
from training.budget import EpisodeBudget
from training.reports import Event, Report
from training.run_folder import Saved

MARKS_PER_DECADE = 10
FIRST_MARK, LONGEST_STEP, CHUNK = 1_000, 50_000_000, 1_000_000
"""Episodes to the first mark, between two marks at most (some seconds), and between two signs of life."""
ITERATION = 1_000
"""CFR+ walks the whole tree in an "episode": its numbers of episodes are this many times smaller."""


@dataclass(frozen=True)
class TabularConfig:
    """A run of a tabular algorithm.

    Attributes:
        run_dir: Folder of the run; None makes ``runs/<game>-<algorithm>-<seed>``.
        seed: Of all random numbers, >= 0.
        resume: Whether an existing run is continued; if not, it is an error to meet one.
        game: ``name``, and the options of the game (``--help game``).
        algorithm: ``name``, and its options (``tabular.algorithms``).
        budget: When to stop.
    """

    run_dir: str | None = None
    seed: int = setting(0, least=0, most=2**31)
    resume: bool = True
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    algorithm: dict[str, Any] = field(default_factory=lambda: {"name": "smooth_uct"})
    budget: EpisodeBudget = field(default_factory=EpisodeBudget)

    def run_name(self) -> str:
        """Returns the name of the folder of a run that was given none."""
        return f"{self.game.name}-{self.algorithm['name']}-{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self) | {"game": self.game.as_dict()}


def parse_tabular(values: Mapping[str, Any]) -> TabularConfig:
    """Returns the checked configuration.

    Raises:
        ConfigError: An unknown key, a wrong type, a value out of its range, or an algorithm that does not know the game.
    """
    config: TabularConfig = build(TabularConfig, values)
    name = str(config.algorithm.get("name"))
    if name not in algorithms.ALGORITHMS:
        raise ConfigError(f"algorithm={name}: expected one of fpmcts, {', '.join(algorithms.ALGORITHMS)}")
    try:
        build(algorithms.ALGORITHMS[name].options, _options(config.algorithm), "algorithm.")  # types and names
        make_learner(config)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(f"game={config.game.name} algorithm={name}: {error}") from error
    return config


def _options(group: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options in a group of keys."""
    return {key: value for key, value in group.items() if key != "name"}


def make_learner(config: TabularConfig) -> Any:
    """Returns the algorithm (a ``Learner``) before its first episode. Raises ValueError where an option is out of range."""
    return algorithms.make(config.algorithm["name"], config.game.make(), config.seed, **_options(config.algorithm))


def next_mark(episodes: int, size: int = 1) -> int:
    """Returns the number of episodes, each as long as ``size`` common ones, at which a run is measured and saved next."""
    k = 0
    while (mark := round(FIRST_MARK // size * 10 ** (k / MARKS_PER_DECADE))) <= episodes:
        k += 1
    return min(mark, episodes + LONGEST_STEP // size)


class TabularTrainer:
    """Moves a run of a tabular algorithm on, one step at a time, from a checkpoint or from its beginning.

    Args:
        config: Of the run.
        saved: A checkpoint to go on from.
        marks: Returns the mark after a number of episodes, in place of ``next_mark``.

    Attributes:
        step: Steps finished.
        seconds: Wall clock spent in steps, over all sessions.
        last_report: What the last step said.
        curve: Episodes and curves of every step so far.
        saves_each_step: Tables of several GB are not written after every step.
    """

    saves_each_step = False

    def __init__(self, config: TabularConfig, saved: Saved | None = None, marks: Callable[[int], int] | None = None) -> None:
        self.config, self._marks = config, marks
        self.learner: Learner = make_learner(config)
        self.step = 0
        self.seconds = 0.0
        self.last_report: Report | None = None
        self.curve: list[tuple[int, dict[str, float]]] = []
        if saved is not None:
            self.set_state(saved)

    def description(self) -> str:
        """Returns what is trained, and on what."""
        options = ", ".join(f"{key}={value}" for key, value in _options(self.config.algorithm).items())
        name = self.config.algorithm["name"]
        return f"{self.learner.game_name}: {name} ({options or 'no options'}), {self.learner.size_text()}"

    def where(self) -> str:
        """Returns how far the run is."""
        return f"{self.learner.episodes:,} episodes, {self.seconds / 60:.1f} min"

    def is_finished(self, budget: EpisodeBudget) -> bool:
        """Returns whether the budget is used up."""
        return budget.is_used_up(self.seconds, self.learner.episodes)

    def run_step(self) -> Iterator[Event]:
        """Plays to the next mark; yields how far it is. Afterwards ``last_report`` is its report."""
        begin = self.learner.episodes
        size = ITERATION if self.config.algorithm["name"] == "cfr_plus" else 1
        end = next_mark(begin, size) if self._marks is None else self._marks(begin)
        if self.config.budget.episodes is not None:
            end = min(end, max(self.config.budget.episodes, begin + 1))
        started = time.perf_counter()
        while self.learner.episodes < end:
            self.learner.run(min(CHUNK // size, end - self.learner.episodes))
            yield Event("episodes", self.learner.episodes - begin, end - begin, "episodes")
        rate = (end - begin) / (time.perf_counter() - started)
        self.step += 1
        self.last_report = self._measured(rate)
        self.curve.append((self.learner.episodes, self.last_report.scalars))

    def _measured(self, rate: float) -> Report:
        """Returns the report of the present policies."""
        scalars = {"throughput/episodes_per_second": rate}
        scalars |= (measures := self.learner.measures())
        line = f"{self.learner.episodes:,} episodes at {rate:,.0f}/s"
        if "nash_conv/average_policy" in measures:
            line += f": NashConv (both players' gains together) {measures['nash_conv/average_policy']:.4g}"
        for name, value in measures.items():
            if not name.startswith("nash_conv/"):
                line += f", {name.rpartition('/')[2].replace('_', ' ')} {value:.3g}"
        return Report(self.learner.episodes, line, scalars)

    def get_state(self, copy: bool = True) -> Saved:
        """Returns all that the next step depends on: named arrays, without ``copy`` those that it changes, and metadata."""
        report = None if self.last_report is None else self.last_report.__dict__
        code = sources_digest()
        meta = self._identity() | {"code": code, "report": report, "step": self.step, "seconds": self.seconds}
        meta["curve"] = self.curve
        return Saved({f"learner.{name}": array for name, array in self.learner.get_state(copy).items()}, meta)

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave. Raises CheckpointError where it is of another game or algorithm."""
        check_compatible(with_defaults(saved.meta), **self._identity())
        self.learner.set_state({name.removeprefix("learner."): array for name, array in saved.arrays.items()})
        self.step, self.seconds = saved.meta["step"], saved.meta["seconds"]
        self.curve = [(episodes, scalars) for episodes, scalars in saved.meta["curve"]]
        report = saved.meta["report"]
        self.last_report = None if report is None else Report(**report)

    def _identity(self) -> dict[str, Any]:
        """Returns what a checkpoint must agree with."""
        options = {key: value for key, value in self.config.algorithm.items() if key != "memory"}
        return {"game": self.config.game.as_dict(), "algorithm": options}
