"""All information sets of a game that can be listed, with a row and a state for each.

Every history is visited once, depth first; of each information set the first state that is met is
kept.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, append, find, has_room, seat_key
from fpmcts.tabular.listed_game import Listing
from games.batches import Rules, States, num_rows, put, take
from games.generic import copy_row, current_seat, legal, step
from games.interface import Game
from games.kernels import borrowed, kernel

MEMORY = 4000
"""Megabytes of keys."""
_FIRST_ROOM = 2**12


class Path(NamedTuple):
    """The decisions on the way to the present history, by depth; M the most moves, A the most
    actions.

    Attributes:
        actions: int16 ``[M, A]``.
        values: float64 ``[M, A]``, of the actions so far, weighted by chance and the other seat.
        place: int64 ``[M]``, like the three below: the row.
        size: The number of actions.
        next: The next action to try.
        seat: Who decides.
        own: float64 ``[M]``, the player's share of the probability of the history.
        others: float64 ``[M]``, that of all else.
    """

    actions: np.ndarray
    values: np.ndarray
    place: np.ndarray
    size: np.ndarray
    next: np.ndarray
    seat: np.ndarray
    own: np.ndarray
    others: np.ndarray


def new_path(game: Game) -> tuple[Path, States]:
    """Returns scratch for walks through a game: a path, and a state for each depth of it."""
    most, widest = game.spec.max_moves + 1, game.spec.max_legal
    path = Path(
        np.zeros((most, widest), np.int16),
        np.zeros((most, widest)),
        *np.zeros((4, most), np.int64),
        *np.zeros((2, most)),
    )
    return path, game.empty(most + 1)


@kernel(forceinline=True)
def to_decision(rules: Rules, work: States, row: int, actions: np.ndarray) -> int:
    """Plays the only move as long as there is one; returns the number of actions of the next
    decision, 0 at the end.
    """
    while current_seat(rules, work, row) >= 0:
        count = legal(rules, work, row, actions)
        if count > 1:
            return count
        step(rules, work, row, actions[0])
    return 0


@kernel
def collect(
    rules: Rules,
    starts: States,
    work: States,
    path: Path,
    rows: Rows,
    width: int,
    found: States,
    room: int,
) -> bool:
    """Gives every information set a row of zeros and writes its first state to ``found``; returns
    False where the table, or ``found``, has no room for another.

    Args:
        starts: All deals.
        work: As of ``new_path``.
        path: As of ``new_path``.
        rows: The table.
        width: Words for each action.
        found: States in the order of the rows; not written where ``room`` is 0.
        room: How many fit.
    """
    rules, starts, work = borrowed(rules), borrowed(starts), borrowed(work)
    rows, path, found = borrowed(rows), borrowed(path), borrowed(found)
    for deal in range(starts[0].shape[0]):
        copy_row(rules, starts, deal, work, 0)
        depth = 0
        path.size[0] = to_decision(rules, work, 0, path.actions[0])
        path.next[0] = -1
        while depth >= 0:
            if path.next[depth] < 0 and path.size[depth] > 0:
                seat, count = current_seat(rules, work, depth), path.size[depth]
                key = seat_key(rules, work, depth, seat)
                if find(rows, key) < 0:
                    full = 0 < room <= rows.used[1]
                    if full or not has_room(rows, 1, HEADER + width * count):
                        return False
                    if room > 0:
                        copy_row(rules, work, depth, found, rows.used[1])
                    append(rows, key, seat, count, width)
            path.next[depth] += 1
            if path.next[depth] >= path.size[depth]:
                depth -= 1
                continue
            copy_row(rules, work, depth, work, depth + 1)
            step(rules, work, depth + 1, path.actions[depth, path.next[depth]])
            depth += 1
            path.size[depth] = to_decision(rules, work, depth, path.actions[depth])
            path.next[depth] = -1
    return True


def information_sets(listed: Listing) -> tuple[HashTable, States]:
    """Returns the information sets of a game at which a seat has a choice.

    Args:
        listed: The game; its histories must be few enough (``listed.fits``).

    Returns:
        A table of width 1 with a row for each set, zeros, in the order in which they were met; and
        a state of each, hidden cards
        included: N rows in the order of ``table.places()``.

    Raises:
        ValueError: The game is too large.
    """
    spec, game = listed.game.spec, listed.game
    if not listed.fits:
        raise ValueError(
            f"{spec.name}: its information sets cannot be listed: about {listed.histories:.1e} "
            "decisions"
        )
    table, found = HashTable(1, MEMORY), game.empty(_FIRST_ROOM)
    path, work = new_path(game)
    while True:
        room = num_rows(found)
        if collect(game.rules, listed.starts, work, path, table.rows, 1, found, room):
            return table, take(found, slice(0, table.num_rows))
        if table.num_rows >= room:
            larger = game.empty(2 * room)
            put(larger, slice(0, room), found)
            found = larger
        table.grow(max(1, table.num_rows), HEADER + spec.max_legal)
