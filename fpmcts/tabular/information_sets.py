"""All information sets of a game whose deals can be listed, with a row and a state for each.

Every history is visited once, depth first; the first state of each information set is kept.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.tabular.hash_table import HEADER, HashTable
from fpmcts.tabular.listed_game import Listing
from fpmcts.tabular.walks import (
    AnyWalk,
    branch,
    deal_at,
    has_room,
    row_of,
    to_decision,
    walk_of,
)
from games.kernels import borrowed, kernel
from games.kernels.generic import copy_row
from games.kernels.rows import States, num_rows, put, take

MEMORY = 4000
"""Megabytes of keys."""
_FIRST_ROOM = 2**12


class Path(NamedTuple):
    """The decisions on the path to the current history, by depth; at most M moves and A actions.

    Attributes:
        values: float64 ``[M, A]``, values of the player's actions so far, weighted by chance and
            the other seat.
        node: int64 ``[M]``, the position.
        seat: int64 ``[M]``, the seat that decides.
        place: uint64 ``[M]``, start of the words of its actions.
        size: uint64 ``[M]``, the number of actions.
        next: uint64 ``[M]``, the next action to try.
        own: float64 ``[M]``, the player's share of the probability of the history.
        others: float64 ``[M]``, the share of chance and the others.
        total: float64 ``[M]``, the value of the actions so far under the policy.
    """

    values: np.ndarray
    node: np.ndarray
    seat: np.ndarray
    place: np.ndarray
    size: np.ndarray
    next: np.ndarray
    own: np.ndarray
    others: np.ndarray
    total: np.ndarray


def new_path(max_moves: int, max_actions: int) -> Path:
    """Returns scratch memory for walks through all histories."""
    most = max_moves + 1
    counts = (*np.zeros((2, most), np.int64), *np.zeros((3, most), np.uint64))
    return Path(np.zeros((most, max_actions)), *counts, *np.zeros((3, most)))


@kernel
def collect(walk: AnyWalk, num_deals: int, path: Path, found: States, room: int) -> bool:
    """Gives every information set a row of zeros and writes its first state to ``found``; returns
    False if the table or ``found`` is full.

    Args:
        walk: With a lane for each decision.
        num_deals: Number of deals.
        path: Scratch.
        found: States in the order of the rows; not written where ``room`` is 0.
        room: Capacity of ``found``.
    """
    walk, path, found = borrowed(walk), borrowed(path), borrowed(found)
    used = walk.rows.used
    for deal in range(num_deals):
        depth, node = 0, deal_at(walk, deal)
        while depth >= 0:
            node, seat, count = to_decision(walk, node)
            if count > 0:
                before = used[1]
                if not has_room(walk, 1) or 0 < room <= before:
                    return False
                row_of(walk, node, seat, count)
                if room > 0 and used[1] > before:
                    copy_row(walk.rules, walk.lane, node, found, before)
            path.node[depth], path.size[depth], path.next[depth] = node, count, 0
            while depth >= 0 and path.next[depth] == path.size[depth]:
                depth -= 1
            if depth >= 0:
                node = branch(walk, path.node[depth], path.next[depth])
                path.next[depth] += 1
                depth += 1
    return True


def gather(listed: Listing, table: HashTable, keep: bool) -> States:
    """Gives each information set a row of zeros in an empty table; returns a state of each if
    ``keep``.

    Raises:
        ValueError: The table is full.
    """
    game, spec = listed.game, listed.game.spec
    found, path = game.empty(_FIRST_ROOM), new_path(spec.max_moves, spec.max_legal)
    while True:
        room = num_rows(found)
        walk = walk_of(game, listed.starts, np.empty(0), table, spec.max_moves + 2)
        if collect(walk, len(listed.chances), path, found, room * keep):
            return take(found, slice(0, table.num_rows * keep))
        if keep and table.num_rows >= room:
            larger = game.empty(2 * room)
            put(larger, slice(0, room), found)
            found = larger
        table.grow(max(1, table.num_rows), HEADER + table.width * spec.max_legal)


def information_sets(listed: Listing) -> tuple[HashTable, States]:
    """Returns the information sets of a game at which a seat has a choice.

    Args:
        listed: The game; its histories must be few enough (``listed.fits``).

    Returns:
        A table of width 1 with a row for each set, zeros, in the order of the first visit; and a
        state of each, hidden cards included: N rows in the order of ``table.places()``.

    Raises:
        ValueError: The game is too large.
    """
    listed.check("a list of the information sets")
    table = HashTable(1, MEMORY)
    return table, gather(listed, table, keep=True)
