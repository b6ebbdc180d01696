"""Tree search over information sets by self-play, one kernel for all selections and all games.

Statistics are kept for each information set and shared by its histories. An episode deals and
descends: each mover selects at its information set (``fpmcts.tabular.selection``). An information
set reached for the first time selects once; after it moves are uniformly random to the end of the
game. Every set that selected learns from its team's return.

With ``shared`` the first new set ends the selections of all players (Lisy 2014, algorithm 1).
Without it, each player leaves its own tree at its own first new set (Heinrich & Silver 2015,
algorithm 1).
"""

from typing import Any

import numpy as np

from fpmcts.tabular.selection import begin, credit, select
from fpmcts.tabular.walks import (
    GOLDEN,
    Walk,
    below,
    choices,
    follow,
    has_room,
    mover,
    result,
    row_of,
    showdown,
    start,
)
from games.kernels import borrowed, kernel, mix64


@kernel
def search(
    walk: Walk,
    selection: object,
    num_seats: int,
    max_moves: int,
    rng: np.ndarray,
    counter: np.ndarray,
    episodes: int,
    shared: bool,
    won: np.ndarray | None,
) -> int:
    """Runs episodes; returns how many, fewer than ``episodes`` if the table is full.

    Args:
        walk: See ``fpmcts.tabular.walks``; its table is changed in place.
        selection: See ``fpmcts.tabular.selection``.
        num_seats: As in the game's spec.
        max_moves: As in the game's spec.
        rng: uint64 ``[1]``, changed in place.
        counter: int64 ``[1]``, changed in place: episodes so far.
        episodes: Number of episodes.
        shared: See above.
        won: If None, all seats select and learn. Else float64 ``[1]``: in episode n only seat ``n %
            num_seats`` does, the others move uniformly at random, and its winnings are added.
    """
    walk, selection = borrowed(walk), borrowed(selection)
    places = np.empty(max_moves, np.int64)
    slots = np.empty(max_moves, np.int64)
    seats = np.empty(max_moves, np.uint64)
    chances = np.empty(max_moves)
    state = rng[0]
    everybody = (1 << num_seats) - 1
    done = 0
    while done < episodes and has_room(walk, num_seats):
        state = start(walk, state, done)
        learner, outside = 0, 0  # outside: a bit for each seat
        if won is not None:
            learner = (counter[0] + done) % num_seats
            outside = everybody & ~(1 << learner)
        node, depth = 0, np.uint64(0)  # unsigned: numba then tests no sign
        while True:
            seat = mover(walk, node)
            if seat < 0:
                break
            num_actions = choices(walk, node)
            slot: Any = np.int64(0)
            if num_actions > 1:
                state += GOLDEN
                bits = mix64(state)
                if (outside >> seat) & 1:
                    slot = below(bits, num_actions)
                else:
                    place = row_of(walk, node, seat, num_actions)
                    if begin(selection, walk.rows, place, num_actions):
                        outside |= everybody if shared else 1 << seat
                    slot = np.int64(
                        select(selection, walk.rows, place, node, num_actions, bits, chances, depth)
                    )
                    places[depth] = place
                    slots[depth] = slot
                    seats[depth] = seat
                    depth += np.uint64(1)
            node = follow(walk, node, slot)
        cards = showdown(walk, node)
        for k in range(depth):
            value = result(walk, node, cards, seats[k])
            credit(selection, walk.rows, places[k], slots[k], chances[k], value)
        if won is not None:
            won[0] += result(walk, node, cards, learner)
        done += 1
    rng[0] = state
    counter[0] += done
    return done
