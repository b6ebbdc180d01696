"""The interface between a run and its algorithm: configuration, steps with reports, states."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from fpmcts.progress import Progress
from games import Choice
from games.base.settings import build, setting
from games.play.notebook import html_table


@dataclass
class Report:
    """The report of a finished step.

    Attributes:
        step: Position of its points in the curves: steps from 0 on, or games of an algorithm on
            tables.
        line: A line for the terminal.
        scalars: Points of the TensorBoard curves, by name.
        is_last: Whether nothing is left to do.
    """

    step: int
    line: str
    scalars: dict[str, float] = field(default_factory=dict, repr=False)
    is_last: bool = False

    def __str__(self) -> str:
        return self.line

    def _repr_html_(self) -> str:
        rows = [{"curve": name, "value": f"{value:.4g}"} for name, value in self.scalars.items()]
        return html_table(self.line, rows)


@dataclass
class Saved:
    """A checkpoint: named arrays and metadata."""

    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]


class Algorithm(Protocol):
    """An algorithm that a run advances step by step.

    A step depends only on the state before it: its random streams are derived from the seed and the
    position of the step, so a run that was killed and resumed equals one that was not.

    Attributes:
        saves_each_step: Whether a checkpoint is written after every step; if not, checkpoints take
            at most a tenth of the time.
    """

    saves_each_step: bool

    @property
    def about(self) -> str:
        """Description of what is trained."""

    @property
    def spent(self) -> dict[str, int]:
        """The work done so far, by the bounds of the budget: ``{"iterations": 3}``."""

    def step(self, progress: Progress) -> Report:
        """Runs the next step."""

    def state(self) -> Saved:
        """Returns the complete state for the next step, as named arrays and metadata."""

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``. Raises CheckpointError if it is of another game, network
        or algorithm.
        """


@runtime_checkable
class Closes(Protocol):
    """An algorithm that plays in the background, also after a step that raised an error."""

    def close(self) -> None:
        """Stops what plays in the background, until the next step."""


@dataclass(frozen=True)
class MinutesBudget:
    """The bounds of a run.

    Attributes:
        minutes: Wall-clock minutes over all sessions of the run; None = no limit.
    """

    minutes: float | None = setting(None, least=0)


@dataclass(frozen=True)
class EpisodeBudget(MinutesBudget):
    """The bounds of a run.

    Attributes:
        episodes: Episodes (games) in total; None = no limit.
    """

    episodes: int | None = setting(None, least=0, most=10**15)


@dataclass(frozen=True)
class RunConfig:
    """The configuration of a run. Each algorithm has a subclass with its own keys.

    Attributes:
        learned_by: MODULE:CLASS of the algorithm, which is constructed as ``start`` is called.
        ignored: Keys in the files of games that these runs do not have.
        may_change: Keys that may differ when a run is resumed, beside those of every run.
        players: The players that play what it has learned, the usual one first.
        run_dir: Folder of the run; None makes ``runs/<game>-<algorithm>-<seed>``, of FPMCTS
            ``runs/<game>-<seed>``.
        seed: Seed of all random numbers, >= 0.
        resume: Whether to continue an existing run; if not, an existing run is an error.
        game: ``name``, a key of ``games.GAMES`` or the module of a game of your own, and its
            options: ``--help game``.
        budget: When to stop. Every bound but ``minutes`` is a count of the algorithm
            (``Algorithm.spent``).
    """

    learned_by: ClassVar[str]
    ignored: ClassVar[tuple[str, ...]] = ()
    may_change: ClassVar[tuple[str, ...]] = ()
    players: ClassVar[tuple[str, ...]] = ("policy", "fpmcts")
    run_dir: str | None = None
    seed: int = setting(0, least=0, most=2**31)
    resume: bool = True
    game: Choice = field(default_factory=lambda: Choice("doudizhu"))
    budget: MinutesBudget = field(default_factory=MinutesBudget)

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Returns the checked configuration.

        Raises:
            ConfigError: A key is unknown, a type is wrong, a value is not allowed, or values
                contradict each other; one line that names the key and what is allowed.
        """
        config: Self = build(cls, values)
        config.check()
        return config

    def check(self) -> None:
        """Raises ConfigError if values contradict each other."""

    def run_name(self) -> str:
        """Returns the default name of the run's folder."""
        algorithm = asdict(self).get("algorithm", {}).get("name")
        return "-".join(filter(None, [self.game.name, algorithm, str(self.seed)]))

    def start(self, is_new: bool = True) -> Algorithm:
        """Returns the algorithm before its first step.

        Args:
            is_new: Whether the run begins; if not, a checkpoint is loaded next, and what only the
                beginning needs is not read.

        Raises:
            ConfigError, CheckpointError: The run cannot start.
        """
        return resolve_name(self.learned_by)(self, is_new)

    def prepare(self, say: Callable[[str], None]) -> None:
        """Compiles the kernels of the run in advance; ``say`` shows a line."""

    def as_dict(self) -> dict[str, object]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self) | {"game": self.game.as_dict()}
