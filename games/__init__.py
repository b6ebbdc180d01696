"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from typing import Any, NamedTuple

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
    "kuhn": Entry("games.kuhn.game", "Kuhn", "poker", has_tables=True),
    "leduc": Entry("games.leduc.game", "Leduc", "poker", has_tables=True),
    "limit_holdem": Entry("games.limit_holdem.game", "LimitHoldem", "poker", has_tables=True),
}
"""A line for each game."""


def family(name: str) -> str:
    """Returns the family of a game; a game that has no row is one of its own."""
    return GAMES[name].family if name in GAMES else name


def with_tables() -> tuple[str, ...]:
    """Returns the names of the games that tabular algorithms can learn."""
    return tuple(name for name, entry in GAMES.items() if entry.has_tables)


def make(name: str, **options: Any) -> Game:
    """Returns a game.

    Args:
        name: A key of ``GAMES``.
        options: Arguments of its class.

    Raises:
        ValueError: Unknown name or option.
    """
    if name not in GAMES:
        raise ValueError(f"game {name!r}: expected one of {', '.join(GAMES)}")
    entry = GAMES[name]
    try:
        return getattr(import_module(entry.module), entry.maker)(**options)
    except TypeError as error:
        raise ValueError(f"options of {name}: {error}") from error
