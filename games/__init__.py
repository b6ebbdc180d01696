"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from typing import Any, NamedTuple

from games.interface import Game


class Entry(NamedTuple):
    """Where a game is.

    Attributes:
        module: Imported when the game is made.
        maker: The class in it.
        has_tables: Whether tabular algorithms can learn it (``Game.tables``).
    """

    module: str
    maker: str
    has_tables: bool = False


GAMES = {
    "doudizhu": Entry("games.doudizhu.game", "Doudizhu"),
    "kuhn": Entry("games.kuhn.game", "Kuhn", has_tables=True),
    "leduc": Entry("games.leduc.game", "Leduc", has_tables=True),
    "limit_holdem": Entry("games.limit_holdem.game", "LimitHoldem", has_tables=True),
}
"""A line for each game."""


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
    module, maker, _ = GAMES[name]
    try:
        return getattr(import_module(module), maker)(**options)
    except TypeError as error:
        raise ValueError(f"options of {name}: {error}") from error
