"""What the configuration of every run has, whatever its algorithm."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from games import Choice
from runtime.settings import build, setting

if TYPE_CHECKING:
    from training.run import Algorithm


@dataclass(frozen=True)
class MinutesBudget:
    """When to stop.

    Attributes:
        minutes: Wall clock over all sessions of the run; None = no bound.
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
        run_dir: Folder of the run; None makes ``runs/<game>-<algorithm>-<seed>``, of FPMCTS
            ``runs/<game>-<seed>``.
        seed: Of all random numbers, >= 0.
        resume: Whether an existing run is continued; if not, it is an error to meet one.
        game: ``name``, a key of ``games.GAMES`` or the module of a game of your own, and its options:
            ``--help game``.
        budget: When to stop. Every bound but ``minutes`` is one of what the algorithm counts
            (``Algorithm.spent``).
    """

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
        raise NotImplementedError

    def start(self) -> "Algorithm":
        """Returns the algorithm before its first step. Raises ConfigError or CheckpointError where
        it cannot begin.
        """
        raise NotImplementedError

    def prepare(self, say: Callable[[str], None]) -> None:
        """Compiles ahead what the run needs; ``say`` shows a line."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self) | {"game": self.game.as_dict()}
