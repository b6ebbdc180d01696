"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest
layer.
"""

from games import listed_worlds  # noqa: F401 (registers defaults)
from games.choice import (
    GAMES,
    Choice,
    Entry,
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
    "Entry",
    "family",
    "game_class",
    "is_known",
    "is_outside",
    "make",
    "with_defaults",
]
