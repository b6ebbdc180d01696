"""Observations of Goofspiel."""

import numpy as np

from games.goofspiel.state import DRAW, Rules, States, nibble
from games.kernels import kernel

NUM_PLANES = 10
"""Number of planes without those of the seat's own bids, one per card."""


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes a seat's observation, see the table in the folder's README."""
    out[:] = 0
    turn = np.int64(states.turn[i])
    number, over = turn >> 1, turn == 2 * rules.cards - 2
    bids, prizes = states.bids[i, seat], states.prizes[i]
    hand, to_come = np.int64(states.hands[i, seat]), (np.int64(1) << rules.cards) - 1
    for card in range(rules.cards):
        out[0, card] = hand >> card & 1
    if turn & 1 == 1 and seat == 0:
        out[1, nibble(bids, number)] = 1
    for earlier in range(number + 1):
        prize = nibble(prizes, earlier)
        to_come ^= np.int64(1) << prize
        out[7, prize] = earlier + 1
        if earlier == number and not over:
            out[2, prize] = 1
            if turn & 1 == 1 and seat == 0:
                out[NUM_PLANES + nibble(bids, number), prize] = 1
            continue
        result = nibble(states.results[i], earlier)
        out[6 if result == DRAW else 4 if result == seat + 1 else 5, prize] = 1
        if earlier < rules.cards - 1:
            out[NUM_PLANES + nibble(bids, earlier), prize] = 1
    points = states.points[i] * (1 - 2 * seat)
    for card in range(rules.cards):
        out[3, card] = to_come >> card & 1
        out[8, card] = points
        out[9, card] = seat
