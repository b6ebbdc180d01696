"""An observation of your own for a game that exists::

    @kernel
    def planes(rules, states, i, seat, out):
        out[0, :] = 0  # int8 [C, L]: write all of it, and read only what the seat sees

    game = make("doudizhu", observe=Observer(planes, (1, 15)))

The game is the same but for its observations: it is played and searched as before, by kernels that
are compiled once more, and ``pettingzoo_env.env`` takes the same ``observe=``. Commands and runs
know games by their names; to train on your observations, make a game of your own
(``docs/adding-a-game.md``).
"""

from collections.abc import Hashable
from copy import copy
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from games.kernels.dispatch import register
from games.kernels.generic import GENERIC
from games.play.interface import Game


class Observer(NamedTuple):
    """What a seat observes.

    Attributes:
        kernel: ``(rules, states, i, seat, out)``; writes what a seat sees in lane ``i``, see
            ``games.kernels.generic.observe``.
        shape: Planes and positions of ``out``.
        scale: A factor for each plane, for networks; (): 1.
    """

    kernel: Any
    shape: tuple[int, int]
    scale: tuple[float, ...] = ()


def observed(game: Game, observer: Observer) -> Game:
    """Returns a game with other observations."""
    made, kind = copy(game), cast(Hashable, type(game.rules))
    made.rules = _rules_type(kind, observer.kernel)(*game.rules)
    scale = np.array(observer.scale or np.ones(observer.shape[0]), np.float32)
    made.spec = game.spec._replace(observation_shape=observer.shape, observation_scale=scale)
    return made


@cache
def _rules_type(kind: Any, kernel: Any) -> Any:
    """Returns a type of rules that selects the kernels of another but for the observation."""
    own = type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__})
    for name, generic in GENERIC.items():
        known = kernel if name == "observe" else generic.implementations.get(kind)
        if known is not None:
            register(generic, own, known)
    return own
