"""Runs of the tabular algorithms: ``python train.py game=leduc algorithm=smooth_uct``.

The configuration of such a run, and its stages: a step plays episodes up to the next mark of a
geometric grid, ten marks for each power of ten, and measures the policies exactly, if the game is
small enough. The curves have the number of episodes as their step.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Self

from fpmcts.progress import Progress
from fpmcts.tabular import algorithms
from fpmcts.tabular.learner import TableLearner
from fpmcts.training.interface import EpisodeBudget, Report, RunConfig, Saved
from games import Choice, with_defaults
from games.base.settings import ConfigError, build
from games.kernels import sources_digest
from networks.checkpoint import check_compatible

MARKS_PER_DECADE = 10
FIRST_MARK, LONGEST_STEP, CHUNK = 1_000, 50_000_000, 1_000_000
"""Episodes to the first mark, maximum episodes between two marks (some seconds), and episodes
between two updates of the progress.
"""
MOST_POINTS = 4_096
"""Maximum points of the curve in a checkpoint; TensorBoard has all. A figure has far fewer
marks.
"""
LONGEST_SECONDS = 30.0
"""Time after which a step of CFR+ ends before its mark: an iteration may take a minute."""
ITERATION = 1_000
"""CFR+ traverses the whole tree in an "episode": its numbers of episodes are smaller by this
factor.
"""


@dataclass(frozen=True)
class TabularConfig(RunConfig):
    """A run of a tabular algorithm.

    Attributes:
        algorithm: ``name``, and its options (``fpmcts.tabular.algorithms``).
    """

    learned_by = "fpmcts.training.tabular:Tabular"
    may_change = ("algorithm.memory",)
    players = ("tabular",)
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    algorithm: dict[str, Any] = field(default_factory=lambda: {"name": "smooth_uct"})
    budget: EpisodeBudget = field(default_factory=EpisodeBudget)

    @property
    def name(self) -> str:
        """The algorithm."""
        return str(self.algorithm.get("name"))

    def options(self) -> dict[str, Any]:
        """Returns the options of the algorithm, with defaults filled in. Raises ConfigError."""
        given = {key: value for key, value in self.algorithm.items() if key != "name"}
        return asdict(build(algorithms.ALGORITHMS[self.name].options, given, "algorithm."))

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Returns the checked configuration, with defaults of the algorithm's options filled in.
        Raises ConfigError.
        """
        config = super().parse(values)
        return replace(config, algorithm={"name": config.name, **config.options()})

    def check(self) -> None:
        """Raises ConfigError if there is no such algorithm, or it cannot learn the game."""
        if self.name not in algorithms.ALGORITHMS:
            raise ConfigError(
                f"algorithm={self.name}: expected one of fpmcts, {', '.join(algorithms.ALGORITHMS)}"
            )
        try:
            make_learner(self)
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError(f"game={self.game.name} algorithm={self.name}: {error}") from error


def make_learner(config: TabularConfig) -> Any:
    """Returns the algorithm (a ``TableLearner``) before its first episode. Raises ValueError if an
    option is out of range.
    """
    game = config.game.make()
    return algorithms.make(config.name, game, config.seed, **config.options())


def mark_after(episodes: int, first: float, per_decade: int) -> int:
    """Returns the first mark beyond a number of episodes, on a geometric grid."""
    k = 0
    while (mark := round(first * 10 ** (k / per_decade))) <= episodes:
        k += 1
    return mark


def next_mark(episodes: int, size: int = 1) -> int:
    """Returns the number of episodes, each as long as ``size`` ordinary ones, at which a run is
    next measured and saved.
    """
    mark = mark_after(episodes, FIRST_MARK // size, MARKS_PER_DECADE)
    return min(mark, episodes + LONGEST_STEP // size)


class Tabular:
    """A tabular algorithm; see ``fpmcts.training.interface.Algorithm``.

    Args:
        config: Configuration of the run.
        is_new: Ignored.

    Attributes:
        learner: The algorithm and its tables.
        next_mark: Function from a number of episodes to that of the next measurement.
        curve: Episodes and curves of the steps so far, thinned to every second one whenever they
            exceed ``MOST_POINTS``.
        saves_each_step: Tables of several GB are not written after every step.
    """

    saves_each_step = False

    def __init__(self, config: TabularConfig, is_new: bool = True) -> None:
        self.config = config
        self._size = ITERATION if config.name == "cfr_plus" else 1
        self.learner: TableLearner = make_learner(config)
        self.next_mark: Callable[[int], int] = partial(next_mark, size=self._size)
        self.curve: list[tuple[int, dict[str, float]]] = []

    @property
    def about(self) -> str:
        """Description of the game, the algorithm and its options."""
        options = ", ".join(f"{key}={value}" for key, value in self.config.options().items())
        return (
            f"{self.learner.game_name}: {self.config.name} ({options or 'no options'}), "
            f"{self.learner.size_text()}"
        )

    @property
    def spent(self) -> dict[str, int]:
        """Episodes played."""
        return {"episodes": self.learner.episodes}

    def step(self, progress: Progress) -> Report:
        """Plays to the next mark, and measures the policies there."""
        begin = self.learner.episodes
        end = min(self.next_mark(begin), begin + self.learner.left)
        if self.config.budget.episodes is not None:
            end = min(end, max(self.config.budget.episodes, begin + 1))
        started = now = time.perf_counter()
        chunk = CHUNK if self._size == 1 else 1
        while (done := self.learner.episodes) < end:
            self.learner.run(min(chunk, end - done))
            progress("episodes", self.learner.episodes - begin, end - begin, "episodes")
            if self._size > 1:
                last, now = now, time.perf_counter()
                if now - started > LONGEST_SECONDS and self.learner.episodes < end:
                    line = f"{self.learner.episodes:,} episodes, measured at {end:,}"
                    return Report(self.learner.episodes, line, {})
                chunk = min(2 * chunk, CHUNK // self._size) if now - last < 1.0 else chunk
        report = self._measured((end - begin) / (time.perf_counter() - started))
        if self.learner.left < CHUNK:
            report.is_last = True
            report.line += "; its counters are full, which ends the run"
        self.curve.append((report.step, report.scalars))
        if len(self.curve) > MOST_POINTS:
            del self.curve[1::2]
        return report

    def _measured(self, rate: float) -> Report:
        """Returns the report of the current policies."""
        scalars = {"throughput/episodes_per_second": rate}
        scalars |= (measures := self.learner.measures())
        line = f"{self.learner.episodes:,} episodes at {rate:,.0f}/s"
        if "nash_conv/average_policy" in measures:
            nash_conv = measures["nash_conv/average_policy"]
            line += f": NashConv {nash_conv:.4g}"
        for name, value in measures.items():
            if not name.startswith("nash_conv/"):
                line += f", {name.rpartition('/')[2].replace('_', ' ')} {value:.3g}"
        return Report(self.learner.episodes, line, scalars)

    def state(self) -> Saved:
        """Returns the complete state for the next step: named arrays, which the next step changes,
        and metadata.
        """
        arrays = self.learner.get_state(copy=False)
        meta = self._identity() | {"code": sources_digest(), "curve": self.curve}
        return Saved({f"learner.{name}": array for name, array in arrays.items()}, meta)

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``. Raises CheckpointError if it is of another game or
        algorithm.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        self.learner.set_state(
            {name.removeprefix("learner."): array for name, array in saved.arrays.items()}
        )
        self.curve = [(episodes, scalars) for episodes, scalars in saved.meta["curve"]]

    def _identity(self) -> dict[str, object]:
        """Returns the metadata that a checkpoint must match."""
        options = {key: value for key, value in self.config.algorithm.items() if key != "memory"}
        return {"game": self.config.game.as_dict(), "algorithm": options}
