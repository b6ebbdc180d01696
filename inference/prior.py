"""Worlds from the prior: distributed as the rules and the player's own cards imply, ignoring past
moves.
"""

import numpy as np

from games.kernels import kernel
from games.kernels.generic import deal_rest, draw_hidden, fill_world
from games.kernels.rows import Rules, States
from inference.positions import Positions


@kernel
def prior_worlds(
    rules: Rules,
    positions: Positions,
    rng: np.ndarray,
    num_worlds: int,
    hidden_words: int,
    worlds: States,
) -> None:
    """Draws worlds from the prior at every position.

    Args:
        rng: uint64 streams, one per lane, changed in place.
        hidden_words: W of the game.
        worlds: Receives ``num_worlds`` rows per position, from row ``places * num_worlds`` on.
    """
    hidden = np.empty((num_worlds, hidden_words), np.uint64)
    for i in range(positions.seats.size):
        seat, lane, first = positions.seats[i], positions.lanes[i], positions.places[i] * num_worlds
        draw_hidden(rules, positions.views, i, seat, rng, lane, hidden)
        for k in range(num_worlds):
            fill_world(rules, positions.views, i, seat, hidden[k], worlds, first + k)
        deal_rest(rules, worlds, first, num_worlds, rng, lane)
