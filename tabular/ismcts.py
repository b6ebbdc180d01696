"""Information Set Monte Carlo tree search on any game (Lisy 2014, algorithm 1), as kernels.

Statistics are kept for each information set and shared by its histories. An iteration starts at one of the given states and
descends: each mover selects at its information set (``tabular.selection``). The first information set that is new is added to the
table, and selects once; from there moves are drawn evenly to the end. Every set that selected learns from the return of its team.

With ``shared`` the first new set ends the selections of all players, as in algorithm 1. Without, each player leaves its own tree
at its own first new set (Heinrich & Silver 2015, algorithm 1).

A state with one legal move is no decision: nothing is stored and nothing drawn.

A match player gives the states of its information set as ``starts`` and keeps the table from move to move.
"""

from typing import Any

import numpy as np

from games.batches import Rules, States
from games.generic import copy_row, current_seat, legal, step, team_return
from games.kernels import borrowed, kernel, mix64
from tabular.hash_table import HEADER, Rows, append, find, has_room, seat_key
from tabular.learner import GOLDEN
from tabular.selection import begin, credit, select

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel(inline="always")
def draw(cumulative: np.ndarray, bits: np.uint64) -> int:
    """Returns the first index whose cumulative probability is above a random number."""
    mark = np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    return min(np.searchsorted(cumulative, mark, side="right"), cumulative.size - 1)


@kernel
def search(
    rules: Rules,
    starts: States,
    cumulative: np.ndarray,
    lane: States,
    selection: Any,
    rows: Rows,
    shared: bool,
    num_seats: int,
    max_legal: int,
    max_moves: int,
    width: int,
    rng: np.ndarray,
    counter: np.ndarray,
    iterations: int,
) -> int:
    """Runs iterations; returns how many, fewer than asked where the table has no room for another.

    Args:
        rules: The rules.
        starts: States to start from.
        cumulative: float64, cumulative probabilities of ``starts``; empty: iteration i of this call starts from row i.
        lane: One row, scratch.
        selection: Of ``tabular.selection``.
        rows: The table, changed in place.
        shared: See above.
        num_seats: As in the game's spec.
        max_legal: As in the game's spec.
        max_moves: As in the game's spec.
        width: Words for each action.
        rng: uint64 ``[1]``, changed in place.
        counter: int64 ``[1]``, changed in place: iterations so far.
        iterations: How many.
    """
    rules, starts, lane = borrowed(rules), borrowed(starts), borrowed(lane)
    selection, rows = borrowed(selection), borrowed(rows)
    actions = np.empty(max_legal, np.int16)
    places = np.empty(max_moves, np.int64)
    slots = np.empty(max_moves, np.int64)
    sizes = np.empty(max_moves, np.int64)
    seats = np.empty(max_moves, np.int64)
    chances = np.empty(max_moves)
    returns = np.empty(num_seats)
    state = rng[0]
    everybody = (1 << num_seats) - 1
    done = 0
    while done < iterations:
        if not has_room(rows, num_seats, HEADER + width * max_legal):
            break
        if cumulative.size > 1:
            state += GOLDEN
            copy_row(rules, starts, draw(cumulative, mix64(state)), lane, 0)
        else:
            copy_row(rules, starts, 0 if cumulative.size == 1 else done, lane, 0)
        depth, outside = 0, 0
        while True:
            seat = current_seat(rules, lane, 0)
            if seat < 0:
                break
            num_actions = legal(rules, lane, 0, actions)
            slot = 0
            if num_actions > 1:
                state += GOLDEN
                bits = mix64(state)
                if (outside >> seat) & 1:
                    slot = np.int64(((bits & _LOW) * np.uint64(num_actions)) >> _HALF)
                else:
                    key = seat_key(rules, lane, 0, seat)
                    place = find(rows, key)
                    if place < 0:
                        place = append(rows, key, seat, num_actions, width)
                        begin(selection, rows, place, num_actions)
                        outside |= everybody if shared else 1 << seat
                    slot = select(selection, rows, place, num_actions, bits, chances, depth)
                    places[depth] = place
                    slots[depth] = slot
                    sizes[depth] = num_actions
                    seats[depth] = seat
                    depth += 1
            step(rules, lane, 0, actions[slot])
        for seat in range(num_seats):
            returns[seat] = team_return(rules, lane, 0, seat)
        for k in range(depth):
            credit(selection, rows, places[k], sizes[k], slots[k], chances[k], returns[seats[k]])
        done += 1
    rng[0] = state
    counter[0] += done
    return done
