"""Players by name: ``@player`` registers the dataclass of a player's options; there is no central
list::

    @player("cautious", games=["doudizhu"])
    @dataclass
    class Cautious(Player):
        "Plays the lowest move that is legal."

        margin: float = setting(0.5, least=0, most=1)

        def act(self, games, views, records): ...

``discover`` imports the modules of a package; ``evaluate.py`` and ``load_player`` then find its
players.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from games.base.files import ROOT
from games.base.help import paragraphs
from games.base.settings import ConfigError, InputError, build, check_used, did_you_mean
from games.kernels.rows import States
from games.play.agent import Agent
from games.play.choice import GAMES, family
from games.play.interface import Game

Made = TypeVar("Made")
Values = Callable[[States], np.ndarray]
"""Returns the value of the seat to move at each of n views (float32 ``[n]``)."""


class PlayerError(InputError):
    """A player cannot be made; the message names it and the reason."""


@dataclass
class PlayerOptions:
    """The options of a player: the fields of a dataclass, whose docstring describes the player in
    its first line.
    """

    kind: ClassVar[str]
    """Its name."""
    slow: ClassVar[bool] = False
    """Whether it searches; it then plays fewer decks per task, and fewer decks in a ladder."""
    states_policy: ClassVar[bool] = False
    """Whether it states its move probabilities (``games.play.agent.OpenPolicy``)."""
    teaches: ClassVar[bool] = False
    """Whether the supervised start may learn from its games (``bootstrap.teacher``)."""
    families: ClassVar[tuple[str, ...]] = ()
    """The families of games that it can play (``games.family``); empty: all."""
    borrowed: ClassVar[dict[str, type]] = {}
    """Further dataclasses whose fields are also options, by the field (a dict) that holds the given
    values. The first match counts.
    """

    def make(self, host: "Host") -> Agent:
        """Returns a new player. Raises ValueError if it cannot be made."""
        raise NotImplementedError

    def values(self, host: "Host", objective: str = "adp") -> Values:
        """Returns the values of the player's networks: expected returns ("adp") or 2 P(win) - 1
        ("wp"). Raises ValueError if it has none.
        """
        raise ValueError(f"{self.kind} has no value network; expected policy or fpmcts")

    def file(self, game: Game) -> Path | None:
        """Returns the file that it reads, or None. Raises CheckpointError if it is missing."""
        return None

    def searches(self, game: Game) -> tuple[Game, str] | None:
        """Returns the game that it searches when it plays ``game``, and the rule at the root, whose
        kernels are compiled ahead (``fpmcts.players.warmup``); None: it does not search. Raises
        CheckpointError.
        """
        return None

    def sources(self) -> list[Path]:
        """Returns the files from outside the project that the player runs: a program, a bot."""
        return []

    def needs(self) -> list[str]:
        """Returns the labels of the players that it needs to be made."""
        return []

    @classmethod
    def plays(cls, game: str) -> bool:
        """Returns whether it can play a game."""
        return not cls.families or family(game) in cls.families

    @classmethod
    def games(cls) -> tuple[str, ...]:
        """Returns the names of the games that it can play; empty: all."""
        return tuple(name for name in GAMES if cls.plays(name)) if cls.families else ()

    @classmethod
    def help(cls, prefix: str) -> str:
        """Returns a paragraph for each option; options of further dataclasses have no default.

        Args:
            prefix: Prefix of the keys.
        """
        texts = {f"{prefix}{name}": "" for name in cls.borrowed}
        for key, text in paragraphs(cls, prefix).items():
            texts.setdefault(key, text)
        for schema in cls.borrowed.values():
            for key, text in paragraphs(schema, prefix).items():
                texts.setdefault(key, re.sub(r"=\S+?(?=:? )", "", text, count=1))
        return "\n".join(filter(None, texts.values()))

    @classmethod
    def parse(cls, given: Mapping[str, object], prefix: str = "") -> Self:
        """Returns the options with the given values, checked; None: not given.

        Args:
            given: Values by option.
            prefix: Prefix of the keys in messages.

        Raises:
            ConfigError: An unknown option, or a value that is not allowed.
        """
        schemas: dict[str, type] = {"": cls, **cls.borrowed}
        owner: dict[str, str] = {}
        for part, schema in schemas.items():
            for f in fields(schema):
                if f.name not in cls.borrowed:
                    owner.setdefault(f.name, part)
        chosen: dict[str, dict[str, object]] = {part: {} for part in schemas}
        for key, value in given.items():
            if value is None:
                continue
            if key not in owner:
                near = did_you_mean(key, owner, prefix) or (
                    f"; expected one of {', '.join(owner)}" if owner else "; there are none"
                )
                raise ConfigError(f"{prefix}{key}={value}: unknown key{near}")
            chosen[owner[key]][key] = value
        made = {part: build(schema, chosen[part], prefix) for part, schema in schemas.items()}
        check_used(made[""], {f"{prefix}{key}": value for key, value in given.items()}, prefix)
        taken = {
            part: {key: getattr(made[part], key) for key in chosen[part]} for part in cls.borrowed
        }
        return replace(made[""], **taken)

    def as_dict(self) -> dict[str, Any]:
        """Returns the given options."""
        values: dict[str, Any] = asdict(self)
        for name in self.borrowed:
            values |= values.pop(name)
        return values


class Player(PlayerOptions, Agent):
    """A player that needs only the game; its own fields are its options.

    A subclass defines ``act``, and ``answer`` too if it reports more than a move at a table.
    ``match`` takes an object of it; with ``@player`` and ``@dataclass`` above, the commands find it
    by name.
    """

    game: Game
    name: str = ""

    def make(self, host: "Host") -> Self:
        """Returns a copy that plays the game."""
        return self.at(host.game)

    def at(self, game: Game) -> Self:
        """Returns a copy that plays a game."""
        made = copy(self)
        made.game, made.name = game, getattr(self, "kind", type(self).__name__)
        made.prepare()
        return made

    def prepare(self) -> None:
        """Prepares the player, once, before the first move; does nothing by default."""


@dataclass(frozen=True)
class Entrant:
    """A requested player.

    Attributes:
        options: Its options, whose class is the kind of player.
        name: For reports.
    """

    options: PlayerOptions
    name: str

    @property
    def kind(self) -> str:
        """The name of the player in ``PLAYERS``."""
        return self.options.kind


MAKERS: dict[str, Callable[[PlayerOptions, "Host"], Agent]] = {}
"""Makes the players of one family for games that need more than those players provide; registered
by a module of ``games/GAME/players``.
"""


class Host:
    """Makes the players of one game, and provides what they share.

    Args:
        game: The game.
        entrants: The players by label.
        device: Device of networks.
        lanes: Maximum positions in a search.
        networks: ``fpmcts.players.trained.Trained``, for players without a checkpoint, as in the
            matches of a run that is training; None: the weights that come with the project.
    """

    def __init__(
        self,
        game: Game,
        entrants: Mapping[str, Entrant],
        device: str = "cpu",
        lanes: int = 128,
        networks: object = None,
    ) -> None:
        self.game, self.entrants, self.networks = game, entrants, networks
        self.device, self.lanes = device, lanes
        self._made = dict[Hashable, Any]()

    def make(self, label: str) -> Agent:
        """Returns a new player. Raises PlayerError if it cannot be made."""
        entrant = self.entrants[label]
        try:
            own = MAKERS.get(entrant.options.families[0]) if entrant.options.families else None
            made = own(entrant.options, self) if own else entrant.options.make(self)
        except PlayerError:
            raise
        except ValueError as error:
            raise PlayerError(f"{label}={entrant.kind}: {error}") from error
        made.name = entrant.name
        return made

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Returns the result of ``make``, made once per key, for objects that several players
        share.
        """
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


PLAYERS: dict[str, type[PlayerOptions]] = {}
"""All discovered players, by name."""
Registered = TypeVar("Registered", bound=type[PlayerOptions])


def player(
    name: str,
    *,
    games: Iterable[str] = (),
    slow: bool = False,
    states_policy: bool = False,
    teaches: bool = False,
) -> Callable[[Registered], Registered]:
    """Registers the dataclass below it as a player.

    Args:
        name: The kind of player, as used on the command line.
        games: Families of games that it can play; () = all.
        slow, states_policy, teaches: See ``PlayerOptions``.
    """

    def register(options: Registered) -> Registered:
        options.kind, options.families = name, tuple(games)
        options.slow, options.states_policy, options.teaches = slow, states_policy, teaches
        if (known := PLAYERS.get(name, options)).__qualname__ != options.__qualname__:
            raise ValueError(
                f"two players are called {name}: {known.__qualname__} and {options.__qualname__}"
            )
        PLAYERS[name] = options  # also the edited player of a notebook's cell
        return options

    return register


def discover(package: str) -> None:
    """Imports the modules of a package, in which players register themselves."""
    for module in iter_modules(import_module(package).__path__, f"{package}."):
        import_module(module.name)


def discover_of_games() -> None:
    """Imports the players for the rules of one game: ``games/GAME/players``."""
    for module in iter_modules([str(ROOT / "games")], "games."):
        if module.ispkg and find_spec(f"{module.name}.players"):
            discover(f"{module.name}.players")
