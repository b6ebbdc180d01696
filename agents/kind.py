"""Kinds of players, and the workshop that makes them for one game.

Each room (``agents/general``, ``agents/doudizhu``, ``agents/poker``, ``agents/foreign``) declares its kinds in its ``kinds.py``;
``agents/players.py`` joins them.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from agents.agent import Agent
from games import GAMES, family
from games.interface import Game

Made = TypeVar("Made")


@dataclass
class NoOptions:
    """This player has no options."""


@dataclass(frozen=True)
class Player:
    """A player that is asked for, with its options.

    Attributes:
        label: As on the command line.
        kind: Name of its kind.
        options: Of the kind's dataclass.
        name: For reports.
    """

    label: str
    kind: str
    options: Any
    name: str


class PlayerError(ValueError):
    """A player that cannot be made; the message names it and says why."""


class Workshop:
    """Makes players of one game; what several of them need is made once.

    Args:
        game: The game.
        rules: Name of its rule set, which networks must have learned; "" where it has none.
        players: By label.
        kinds: By name.
        device: Of the networks.
        lanes: Positions that a search holds at once.
        networks: Those of players without a checkpoint (``agents.trained.Trained``), as in the matches of a run that is
            training; None: the weights that come with the project.
    """

    def __init__(
        self,
        game: Game,
        rules: str,
        players: Mapping[str, Player],
        kinds: Mapping[str, "Kind"],
        device: str = "cpu",
        lanes: int = 128,
        networks: Any = None,
    ) -> None:
        self.game, self.rules, self.players, self.device, self.lanes = game, rules, players, device, lanes
        self.networks = networks
        self._kinds, self._made = kinds, dict[Hashable, Any]()

    def make(self, label: str) -> Agent:
        """Returns a new player. Raises PlayerError where it cannot be made."""
        player = self.players[label]
        try:
            return self._kinds[player.kind].make(self, player)
        except PlayerError:
            raise
        except ValueError as error:
            raise PlayerError(f"{label}={player.kind}: {error}") from error

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Returns what ``make`` returns, the same object for the same key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


class Kind(NamedTuple):
    """A kind of player.

    Attributes:
        options: The dataclass of its options, their ranges beside the fields. Where it reads a file it has a method
            ``file(game) -> Path``, which raises CheckpointError if there is none.
        make: Makes one.
        slow: Whether it searches: it then plays fewer decks at a time, and in a ladder fewer decks.
        family: The games that it can play (``games.family``), one or several families; None: all.
        compiles: Whether its kernels take long to compile, so that they are compiled ahead (``agents.rehearsal``).
        states_policy: Whether it can say with which probabilities it moves (``agents.agent.OpenPolicy``).
    """

    options: type
    make: Callable[[Workshop, Player], Agent]
    slow: bool = False
    family: str | tuple[str, ...] | None = None
    states_policy: bool = False
    compiles: bool = False

    def plays(self, game: str) -> bool:
        """Returns whether it can play a game."""
        own = (self.family,) if isinstance(self.family, str) else self.family
        return own is None or family(game) in own

    @property
    def games(self) -> tuple[str, ...]:
        """Returns the names of the games that it can play; empty: all."""
        return () if self.family is None else tuple(name for name in GAMES if self.plays(name))
