"""All information sets of a game that can be listed, a state of each: for whoever wants a policy as a table.

Every history is visited once, depth first; of each information set the first state that is met is kept.
"""

import numpy as np

from games.batches import Rules, States, put, take
from games.generic import copy_row, current_seat, legal, step
from games.kernels import borrowed, kernel
from tabular.hash_table import HashTable, Rows, append, find, has_room, seat_key
from tabular.listed_game import Listing

MEMORY = 4000
"""Megabytes of keys."""
_FIRST_ROOM = 2**12


@kernel
def _collect(
    rules: Rules, work: States, count: int, actions: np.ndarray, rows: Rows, max_legal: int, found: States, room: int
) -> int:
    """Visits the histories that rows ``0 .. count - 1`` of ``work`` lead to; returns how many rows are left.

    Returns before the end, without losing a history, where ``rows`` or ``found`` have no room for another set.

    Args:
        work: A stack of states; it has room for the longest path.
        actions: int16 ``[max_legal]``, scratch.
        rows: The sets met so far; those of a state with one legal move are left out.
        max_legal: Most actions of a set.
        found: Receives a state of each set, in the order of ``rows``. room: How many fit.
    """
    rules, work, rows, found, actions = borrowed(rules), borrowed(work), borrowed(rows), borrowed(found), borrowed(actions)
    while count > 0:
        row = count - 1
        seat = current_seat(rules, work, row)
        if seat < 0:
            count -= 1
            continue
        num_actions = legal(rules, work, row, actions)
        if num_actions > 1:
            key = seat_key(rules, work, row, seat)
            if find(rows, key) < 0:
                if rows.used[1] >= room or not has_room(rows, 1, 3 + max_legal):
                    return count
                copy_row(rules, work, row, found, rows.used[1])
                append(rows, key, seat, num_actions, 1)
        for k in range(num_actions - 1):
            copy_row(rules, work, row, work, count + k)
            step(rules, work, count + k, actions[k])
        step(rules, work, row, actions[num_actions - 1])
        count += num_actions - 1
    return 0


def information_sets(listed: Listing) -> tuple[HashTable, States]:
    """Returns the information sets of a game at which a seat has a choice.

    Args:
        listed: The game; its histories must be few enough (``listed.fits``).

    Returns:
        A table of width 1 with a row for each set, zeros, in the order in which they were met; and a state of each, hidden cards
        included: N rows in the order of ``table.places()``.

    Raises:
        ValueError: The game is too large.
    """
    spec, game = listed.game.spec, listed.game
    if not listed.fits:
        raise ValueError(f"{spec.name}: its information sets cannot be listed: about {listed.histories:.1e} decisions")
    table, room, found = HashTable(1, MEMORY), _FIRST_ROOM, game.empty(_FIRST_ROOM)
    depth, actions = spec.max_moves * spec.max_legal + 2, np.empty(spec.max_legal, np.int16)
    for k in range(len(listed.chances)):
        work = take(listed.starts, np.concatenate([[k], np.zeros(depth, np.int64)]))
        count = 1
        while (count := _collect(game.rules, work, count, actions, table.rows, spec.max_legal, found, room)) > 0:
            if table.num_rows >= room:
                larger = game.empty(2 * room)
                put(larger, slice(0, room), found)
                room, found = 2 * room, larger
            table.grow(1, 3 + spec.max_legal)
    return table, take(found, slice(0, table.num_rows))
