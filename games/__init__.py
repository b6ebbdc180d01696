"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""

from importlib import import_module
from typing import Any

from games.interface import Game

GAMES = {
    "doudizhu": ("games.doudizhu.game", "Doudizhu"),
    "kuhn": ("games.kuhn.game", "game"),
    "leduc": ("games.leduc.game", "game"),
    "limit_holdem": ("games.limit_holdem.game", "game"),
}
"""Module and maker of each game; a module is imported when its game is made."""


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
    module, maker = GAMES[name]
    try:
        return getattr(import_module(module), maker)(**options)
    except TypeError as error:
        raise ValueError(f"options of {name}: {error}") from error
