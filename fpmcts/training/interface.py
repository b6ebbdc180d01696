"""The interface between a run and its algorithm: configuration, steps with reports, states."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from fpmcts.progress import Progress
from games import Choice
from games.notebook import html_table
from games.settings import build, setting


@dataclass
class Report:
    """What a finished step says.

    Attributes:
        step: Where its curves are drawn.
        line: For the terminal.
        scalars: The curves of TensorBoard, by name.
        is_last: Whether nothing is left to do.
    """

    step: int
    line: str
    scalars: dict[str, float] = field(default_factory=dict)
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
    """What a run moves on, a step at a time.

    A step depends on the state before it and on nothing else: its random streams are derived from
    the seed and the position of the step, so a run that was killed and resumed equals one that was
    not.

    Attributes:
        saves_each_step: Whether a checkpoint is written after every step; if not, a tenth of the
            time is spent on them.
    """

    saves_each_step: bool

    @property
    def about(self) -> str:
        """What is trained, and on what."""

    @property
    def spent(self) -> dict[str, int]:
        """What was done so far, by the bounds of the budget: ``{"iterations": 3}``."""

    def step(self, progress: Progress) -> Report:
        """Runs the next step."""

    def state(self) -> Saved:
        """Returns all that the next step depends on, as named arrays and metadata."""

    def load(self, saved: Saved) -> None:
        """Takes what ``state`` gave. Raises CheckpointError where it is of another game, network or
        algorithm.
        """


@dataclass(frozen=True)
class MinutesBudget:
    """When to stop.

    Attributes:
        minutes: Wall-clock minutes over all sessions of the run; None = no limit.
    """

    minutes: float | None = setting(None, least=0)


@dataclass(frozen=True)
class EpisodeBudget(MinutesBudget):
    """When to stop.

    Attributes:
        episodes: Episodes (games) in all; None = no bound.
    """

    episodes: int | None = setting(None, least=0, most=10**15)


@dataclass(frozen=True)
class RunConfig:
    """A run. What an algorithm adds to it is said by its own class.

    Attributes:
        learned_by: MODULE:CLASS of the algorithm, which is made of the configuration.
        run_dir: Folder of the run; None makes ``runs/<game>-<algorithm>-<seed>``, of FPMCTS
            ``runs/<game>-<seed>``.
        seed: Seed of all random numbers, >= 0.
        resume: Whether an existing run is continued; if not, it is an error to meet one.
        game: ``name``, a key of ``games.GAMES`` or the module of a game of your own, and its
            options: ``--help game``.
        budget: When to stop. Every bound but ``minutes`` is one of what the algorithm counts
            (``Algorithm.spent``).
    """

    learned_by: ClassVar[str]
    run_dir: str | None = None
    seed: int = setting(0, least=0, most=2**31)
    resume: bool = True
    game: Choice = field(default_factory=lambda: Choice("doudizhu"))
    budget: MinutesBudget = field(default_factory=MinutesBudget)

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Returns the checked configuration.

        Raises:
            ConfigError: An unknown key, a wrong type, a value that is not allowed, or values that
                do not go together; one line naming the key and what is allowed.
        """
        config: Self = build(cls, values)
        config.check()
        return config

    def check(self) -> None:
        """Raises ConfigError where values do not go together."""

    def run_name(self) -> str:
        """Returns the name of the folder of a run that was given none."""
        algorithm = asdict(self).get("algorithm", {}).get("name")
        return "-".join(filter(None, [self.game.name, algorithm, str(self.seed)]))

    def start(self) -> Algorithm:
        """Returns the algorithm before its first step.

        Raises:
            ConfigError, CheckpointError: It cannot begin.
        """
        module, _, name = self.learned_by.partition(":")
        algorithm: Algorithm = getattr(import_module(module), name)(self)
        return algorithm

    def prepare(self, say: Callable[[str], None]) -> None:
        """Compiles ahead what the run needs; ``say`` shows a line."""

    def as_dict(self) -> dict[str, object]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self) | {"game": self.game.as_dict()}
