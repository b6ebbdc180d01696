"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from games import listed_worlds  # noqa: F401 (registers defaults)
from games.generic import missing_kernels
from games.interface import Game


class Entry(NamedTuple):
    """Where a game is.

    Attributes:
        module: Imported when the game is made.
        maker: The class in it.
        family: Players made for a family play its games.
        has_tables: Whether tabular algorithms can learn it (``Game.tables``).
    """

    module: str
    maker: str
    family: str
    has_tables: bool = False


GAMES = {
    "doudizhu": Entry("games.doudizhu.game", "Doudizhu", "doudizhu"),
    "goofspiel": Entry("games.goofspiel.game", "Goofspiel", "goofspiel"),
    "kuhn": Entry("games.kuhn.game", "Kuhn", "poker", has_tables=True),
    "leduc": Entry("games.leduc.game", "Leduc", "poker", has_tables=True),
    "limit_holdem": Entry("games.limit_holdem.game", "LimitHoldem", "poker", has_tables=True),
    "no_limit_holdem": Entry("games.no_limit_holdem.game", "NoLimitHoldem", "no_limit_holdem"),
    "phantom_tictactoe": Entry("games.phantom_tictactoe.game", "PhantomTicTacToe", "phantom_tictactoe"),
}
"""A line for each game of this package. A game of somebody else is named by its module (``make``)."""


def is_outside(name: str) -> bool:
    """Returns whether a name is that of a module with a game outside this package."""
    return "." in name


def is_known(name: str) -> bool:
    """Returns whether ``make`` can find a game by its name."""
    return name in GAMES or (is_outside(name) and _is_module(name))


def family(name: str) -> str:
    """Returns the family of a game; a game that has no row is one of its own."""
    return GAMES[name].family if name in GAMES else name


def with_tables() -> tuple[str, ...]:
    """Returns the names of the games that tabular algorithms can learn."""
    return tuple(name for name, entry in GAMES.items() if entry.has_tables)


def make(name: str, **options: Any) -> Game:
    """Returns a game.

    Args:
        name: A key of ``GAMES``; or a module with a dot in its name, such as ``examples.sealed_bids``, whose ``GAME`` is the
            class of the game. The game's ``spec`` has the same name.
        options: Arguments of its class.

    Raises:
        ValueError: Unknown name or option, or a game that is not complete; the message says what is missing.
    """
    maker = _maker(name)
    try:
        game: Game = maker(**options)
    except TypeError as error:
        raise ValueError(f"options of {name}: {error}") from error
    if missing := missing_kernels(type(game.rules)):
        raise ValueError(f"game {name!r}: kernels are missing: {', '.join(missing)}; see docs/adding-a-game.md")
    if game.spec.name != name:
        raise ValueError(f"game {name!r}: its spec says name={game.spec.name!r}; expected {name!r}")
    return game


def _maker(name: str) -> Any:
    """Returns the class of a game. Raises ValueError."""
    if name in GAMES:
        return getattr(import_module(GAMES[name].module), GAMES[name].maker)
    if not is_outside(name):
        raise ValueError(f"game {name!r}: expected one of {', '.join(GAMES)}, or a module, such as examples.sealed_bids")
    if not _is_module(name):
        where = "install its package, or put the folder that contains it on PYTHONPATH"
        raise ValueError(f"game {name!r}: there is no such module; {where}")
    module = import_module(name)
    if not hasattr(module, "GAME"):
        raise ValueError(f"game {name!r}: {module.__file__} has no GAME, the class of the game")
    return module.GAME


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False
