"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from typing import Any

from games.interface import Game

GAMES = {
    "doudizhu": ("games.doudizhu.game", "Doudizhu", "doudizhu"),
    "kuhn": ("games.kuhn.game", "game", "poker"),
    "leduc": ("games.leduc.game", "game", "poker"),
    "limit_holdem": ("games.limit_holdem.game", "game", "poker"),
}
"""Module, maker and family of each game; a module is imported when its game is made. Players made for a family play its games."""


def family(name: str) -> str:
    """Returns the family of a game; a game that has no row is one of its own."""
    return GAMES[name][2] if name in GAMES else name


def make(name: str, **options: Any) -> Game:
    """Returns a game.

    Args:
        name: A key of ``GAMES``.
        options: Arguments of its maker.

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
