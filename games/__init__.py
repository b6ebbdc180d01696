"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest
layer.
"""

import sys
from typing import TYPE_CHECKING, Any

if sys.platform == "win32":
    raise SystemExit("fpmcts runs on Linux and macOS; on Windows, install and start it within WSL")

if TYPE_CHECKING:
    from games.play.choice import (
        GAMES,
        Choice,
        family,
        game_class,
        is_known,
        is_outside,
        make,
        with_defaults,
    )

__all__ = [
    "GAMES",
    "Choice",
    "family",
    "game_class",
    "is_known",
    "is_outside",
    "make",
    "with_defaults",
]


def __getattr__(name: str) -> Any:
    """Imports the games on first use: settings do not need numba."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from games.play import choice

    return getattr(choice, name)
