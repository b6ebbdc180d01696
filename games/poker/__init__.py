"""Limit poker for tabular algorithms: a public betting tree, deals that put each hand into a bucket, and the full game tree."""

from importlib import import_module
from typing import Any

from games.poker.tables import PokerGame

GAMES = {
    "kuhn": ("games.kuhn.game", "kuhn"),
    "leduc": ("games.leduc.game", "leduc"),
    "limit_holdem": ("games.limit_holdem.game", "limit_holdem"),
}
"""Module and maker of each game; a module is imported when its game is made."""


def make(name: str, **options: Any) -> PokerGame:
    """Returns a poker game.

    Args:
        name: A key of ``GAMES``.
        options: Arguments of its maker (``leduc``: ``suits``; ``limit_holdem``: ``players``, ``abstraction``).

    Raises:
        ValueError: Unknown name or option.
    """
    if name not in GAMES:
        raise ValueError(f"poker game {name!r}: expected one of {', '.join(GAMES)}")
    module, maker = GAMES[name]
    try:
        return getattr(import_module(module), maker)(**options)
    except TypeError as error:
        raise ValueError(f"options of {name}: {error}") from error
