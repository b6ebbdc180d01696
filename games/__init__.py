"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from typing import Any

from games.interface import Game

GAMES = {"doudizhu": ("games.doudizhu.game", "Doudizhu")}
"""Module and class of each game; a module is imported when its game is made."""


def make(name: str, **options: Any) -> Game:
    """Returns a game.

    Args:
        name: A key of ``GAMES``.
        options: Arguments of its class.

    Raises:
        ValueError: Unknown name.
    """
    if name not in GAMES:
        raise ValueError(f"game {name!r}: expected one of {', '.join(GAMES)}")
    module, game_class = GAMES[name]
    return getattr(import_module(module), game_class)(**options)
