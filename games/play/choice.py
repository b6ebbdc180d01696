"""A game with its options, as named by a configuration, a command line, a checkpoint and a lobby.

A game class declares ``Options``, a frozen dataclass of ``games.base.settings.setting``. All else
is derived from it.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import yaml

from games.base.help import keys_text
from games.base.settings import ConfigError, build, did_you_mean, typed
from games.kernels.generic import missing_kernels
from games.play.interface import Game
from games.play.observer import observed

GAMES = {
    "doudizhu": "doudizhu",
    "goofspiel": "goofspiel",
    "kuhn": "poker",
    "leduc": "poker",
    "limit_holdem": "poker",
    "no_limit_holdem": "no_limit_holdem",
    "phantom_tictactoe": "phantom_tictactoe",
}
"""The family of each built-in game: players made for a family play its games. A game of your own is
named by its module (``game_class``).
"""


def is_outside(name: str) -> bool:
    """Returns whether a name is that of a module, with a game outside this package."""
    return "." in name


def is_known(name: str) -> bool:
    """Returns whether ``make`` can find a game by its name."""
    try:
        return name in GAMES or (is_outside(name) and module_file(name, "game").exists())
    except ConfigError:
        return False


def family(name: str) -> str:
    """Returns the family of a game; an unlisted game is its own family."""
    return GAMES.get(name, name)


def game_class(name: str) -> Any:
    """Returns the class of a game.

    Args:
        name: A key of ``GAMES``, in the module ``games.NAME.game``; or a module with a dot in its
            name, such as ``examples.sealed_bids``. ``GAME`` of the module is the class, whose
            ``spec`` has the same name.

    Raises:
        ConfigError: No game has that name.
    """
    if name in GAMES:
        return import_module(f"games.{name}.game").GAME
    if not is_outside(name):
        known = f"expected one of {', '.join(GAMES)}, or a module, such as examples.sealed_bids"
        raise ConfigError(f"game={name}: {known}{did_you_mean(name, GAMES)}")
    module_file(name, "game")
    module = import_module(name)
    if not hasattr(module, "GAME"):
        raise ConfigError(f"game={name}: {module.__file__} has no GAME, the class of the game")
    return module.GAME


def module_file(name: str, key: str) -> Path:
    """Returns the file of a module that a key names. Raises ConfigError where there is none."""
    try:
        found = find_spec(name) if all(map(str.isidentifier, name.split("."))) else None
    except (ModuleNotFoundError, ValueError):
        found = None
    if found is None or found.origin is None:
        where = "install its package, or put the folder that contains it on PYTHONPATH"
        raise ConfigError(f"{key}={name}: there is no such module; {where}")
    return Path(found.origin)


def make(game: str | type[Game] | Game, *, observe: Any = None, **options: Any) -> Game:
    """Returns a game, by its name or its class; a game, without options, is returned as it is.

    Args:
        game: The game.
        observe: A ``games.play.observer.Observer``, which replaces its observations.
        options: Its options.

    Raises:
        ConfigError: Unknown name or option, or an option out of range; the message says what is
            expected.
        ValueError: The game is not complete.
    """
    if observe is not None:
        return observed(make(game, **options), observe)
    if isinstance(game, Game):
        if options:
            raise ConfigError(f"{', '.join(options)}: options are for a game given by its name")
        return game
    maker: Any = game_class(game) if isinstance(game, str) else game
    made: Game = maker(_checked(maker, options))
    if missing := missing_kernels(type(made.rules)):
        raise ValueError(
            f"game {game!r}: kernels are missing: {', '.join(missing)}; see docs/adding-a-game.md"
        )
    if isinstance(game, str) and (name := made.spec.name) != game:
        raise ValueError(f"game {game!r}: its spec says name={name!r}; expected {game!r}")
    return made


@dataclass(frozen=True)
class Choice:
    """A game and its options, checked when it is made.

    Attributes:
        name: As ``game_class`` takes it.
        options: All options, in plain types as JSON has them; those that are None are left out, and
            defaults filled in.

    Raises:
        ConfigError: There is no such game or option, or its value is not allowed.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks and completes the options."""
        object.__setattr__(self, "options", _plain(_checked(game_class(self.name), self.options)))

    @classmethod
    def parse(cls, fields: Mapping[str, Any]) -> Self:
        """Returns the choice in fields such as ``{"name": "goofspiel", "cards": 4}``. Raises
        ConfigError.
        """
        if "name" not in fields:
            raise ConfigError("game.name: is missing; expected the name of a game")
        return cls(
            str(fields["name"]), {key: value for key, value in fields.items() if key != "name"}
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns the choice in a text such as ``goofspiel:cards=4,prizes=random``, as ``str``
        gives it. Raises ConfigError.
        """
        name, _, rest = text.partition(":")
        try:
            fields = re.sub(r'("[^"]*")|=', lambda found: found[1] or ": ", rest)
            options = yaml.safe_load("{" + fields + "}")
        except yaml.YAMLError:
            options = None
        if options is None or None in options.values():  # an option without a value
            raise ConfigError(f"game={text}: expected NAME:OPTION=VALUE,OPTION=VALUE")
        return cls(name, options)

    def __str__(self) -> str:
        """Returns the name and the options that differ from the defaults, in alphabetical order."""
        usual = _plain(game_class(self.name).Options())
        given = [
            f"{key}={_quoted(typed(value))}"
            for key, value in sorted(self.options.items())
            if usual.get(key) != value
        ]
        return f"{self.name}:{','.join(given)}" if given else self.name

    def as_dict(self) -> dict[str, Any]:
        """Returns ``{"name": name, **options}``, as checkpoints and runs keep it."""
        return {"name": self.name, **self.options}

    def make(self) -> Game:
        """Returns the game."""
        return make(self.name, **self.options)


def _quoted(text: str) -> str:
    """Returns the text of a value as ``Choice.from_text`` reads it."""
    return f'"{text}"' if "=" in text or "(" in text else text


def _checked(maker: Any, options: Mapping[str, Any]) -> Any:
    """Returns ``Options`` of a game; those that are None have their defaults. Raises
    ConfigError.
    """
    schema = maker.Options
    given = {key: value for key, value in options.items() if value is not None}
    for key, value in given.items():
        if key not in {f.name for f in fields(schema)} and (able := games_with(key)):
            raise ConfigError(
                f"game.{key}={value}: is an option of {', '.join(able)}, not of {maker.__name__}"
            )
    return build(schema, given, "game.")


def _plain(options: Any) -> dict[str, Any]:
    """Returns options as JSON has them, without those that are None."""
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(options).items()
        if value is not None
    }


def with_defaults(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Returns metadata of a checkpoint with the options of its ``game`` completed. Raises
    ConfigError if there is no such game.
    """
    return {**meta, "game": Choice.parse(meta["game"]).as_dict()} if "game" in meta else dict(meta)


def games_with(option: str) -> list[str]:
    """Returns the games of this package that have an option."""
    return [name for name in GAMES if option in option_names(name)]


def option_names(name: str) -> list[str]:
    """Returns the names of the options of a game. Raises ConfigError where there is no such
    game.
    """
    return [f.name for f in fields(game_class(name).Options)]


def help_text(topic: str = "") -> str:
    """Returns the ``--help`` text about the options of games: all, or one by its name (``cards``,
    ``game.cards``).

    Args:
        topic: An option, or a game (``goofspiel``, ``game=examples.sealed_bids``); "" = all. The
            text is "" if there is no such option or game.
    """
    name = topic.removeprefix("game=")
    names, key = (
        ([name], "")
        if name in GAMES or name != topic
        else (list(GAMES), topic.removeprefix("game."))
    )
    texts = {
        name: keys_text(game_class(name).Options, "game.", f"game.{key}" if key else "")
        for name in names
    }
    if key == "":
        texts = {name: text or "  no options" for name, text in texts.items()}
    return "\n".join(f"game={name}\n{text}" for name, text in texts.items() if text)
