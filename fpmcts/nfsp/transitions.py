"""What Q-learning learns from: a decision of a seat, and its next one in the same game."""

from typing import NamedTuple

import numpy as np

from games.batches import Rules, States
from games.generic import team_return
from games.interface import Game
from games.kernels import kernel


class Transitions(NamedTuple):
    """N decisions and what came of them; the seat to move in ``states`` made them. There are no
    rewards before the end.
    """

    states: (
        States  # [N] rows, all cards included; the seat's own view is rebuilt when they are used
    )
    actions: np.ndarray  # int16 [N]
    following: States  # [N]: the seat's next decision; that of ``states`` where there is none
    is_last: np.ndarray  # bool [N]
    result: (
        np.ndarray
    )  # float32 [N]: return of the game for the seat's team, in units of ``spec.max_return``
    iteration: np.ndarray  # int32 [N]: when it was made


def empty_transitions(game: Game, count: int) -> Transitions:
    """Returns ``count`` rows of zeros."""
    return Transitions(
        game.empty(count),
        np.zeros(count, np.int16),
        game.empty(count),
        np.zeros(count, np.bool_),
        np.zeros(count, np.float32),
        np.zeros(count, np.int32),
    )


def next_decisions(owner: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Returns the place of each decision's successor by the same seat in the same game, -1 for the
    last: int64 ``[N]``.

    Args:
        owner: int64 ``[N]``, the game of each decision; those of a game are in order.
        seats: ``[N]``, who decided.
    """
    order = np.lexsort((seats, owner))  # stable: those of a seat stay in order
    same = (owner[order][1:] == owner[order][:-1]) & (seats[order][1:] == seats[order][:-1])
    found = np.full(len(owner), -1, np.int64)
    found[order[:-1][same]] = order[1:][same]
    return found


@kernel
def final_returns(
    rules: Rules, finals: States, games: np.ndarray, seats: np.ndarray, unit: float, out: np.ndarray
) -> None:
    """Writes the return of ``seats[k]`` in game ``games[k]``, divided by ``unit``, to ``out``
    (float32 ``[N]``).
    """
    for k in range(games.size):
        out[k] = team_return(rules, finals, games[k], seats[k]) / unit
