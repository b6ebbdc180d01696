"""The generic kernels, which Python may call for any game, and three questions that tests ask."""

import numpy as np

from games.kernels.generic import *  # noqa: F403 (tests call them by the name of this module)
from games.kernels.generic import legal, observe
from games.kernels.rows import States
from games.play.interface import Game


def legal_actions(game: Game, states: States, i: int) -> np.ndarray:
    """Returns the legal actions of lane ``i`` (int16 ``[n]``)."""
    actions = np.full(game.spec.max_legal, -1, dtype=np.int16)
    return actions[: legal(game.rules, states, i, actions)]


def observation(game: Game, states: States, i: int, seat: int, fill: int = 0) -> np.ndarray:
    """Returns the observation of a seat, written over planes full of ``fill``."""
    out = np.full(game.spec.observation_shape, fill, dtype=np.int8)
    observe(game.rules, states, i, seat, out)
    return out


def equal(first: States, second: States) -> bool:
    """Returns whether two batches of states, or other tuples of arrays, are the same."""
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
