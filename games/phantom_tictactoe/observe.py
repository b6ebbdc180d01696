"""Observations of Phantom Tic-Tac-Toe."""

import numpy as np

from games.kernels import kernel
from games.phantom_tictactoe.state import SQUARES, Rules, States, attempt

NUM_PLANES = 5 + SQUARES


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes a seat's observation, see the table in the folder's README."""
    out[:] = 0
    tried = np.int64(states.tried[i, seat])
    own = np.int64(states.marks[i, seat]) if rules.reveal else tried
    for square in range(SQUARES):
        out[0, square] = own >> square & 1
        out[1, square] = (tried & ~own) >> square & 1
        out[2, square] = 1 - (tried >> square & 1)
        out[3, square] = seat
        out[4, square] = np.int64(states.turn[i]) == seat
    for number in range(np.int64(rules.counts[tried])):
        out[5 + number, attempt(states.attempts[i, seat], number)] = 1
