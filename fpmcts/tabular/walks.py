# mypy: disable-error-code="empty-body"
"""How the kernels of the tabular algorithms walk through a game and find the rows of a table.

One algorithm serves two kinds of games and tables; the kernels below are chosen by the type of the
*walk*, as a game's are by its rules:

- ``DenseWalk``: a betting tree and deals, with a dense table: a row is found by arithmetic.
- ``AnyWalk``: the generic kernels of any game, with a hashed table that grows.

A position is a number, ``node``: a node of the public tree, or the lane that holds the state. A
state with one legal move is not a decision: nothing is stored or drawn for it.
"""

from typing import Any, NamedTuple

import numpy as np

from fpmcts.tabular import hash_table
from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, append, count_visit, find, seat_key
from games.kernels import kernel, mix64, prefetch
from games.kernels.dispatch import GenericKernel, register
from games.kernels.generic import copy_row, current_seat, legal, step, team_return
from games.kernels.rows import Rules, States
from games.play.deals import bucket, deal, outcome
from games.play.interface import Game
from games.play.tables import PublicTree

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The step of SplitMix64, as in ``games.kernels.random_u64``, for kernels that keep the stream in a
register.
"""


@kernel(inline="always")
def fraction(bits: np.uint64) -> float:
    """Returns a number in [0, 1) from the high 53 of 64 random bits."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel(inline="always")
def below(bits: np.uint64, count: int) -> np.int64:
    """Returns a number of 0 to ``count - 1`` from the low half of 64 random bits."""
    return np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(count)) >> np.uint64(32))


class DenseRows(NamedTuple):
    """Rows of one length, one after the other.

    Attributes:
        words: float64.
        counts: uint32, a view of the same memory.
    """

    words: np.ndarray
    counts: np.ndarray


class DenseWalk(NamedTuple):
    """A poker game with a dense table.

    Attributes:
        betting: The public tree.
        deals: The deals, for the kernels of ``games.play.deals``.
        dealt: int64, scratch of those kernels.
        first_row: int32 ``[D]``, first row of each node; -1: none yet; it gets them on its first
            visit, all buckets at once.
        num_rows: int64 ``[1]``, rows in use.
        pitch: Words of a row.
        ahead: Whether to prefetch the rows that may come next while an action is chosen.
        rows: The table.
    """

    betting: PublicTree
    deals: Any
    dealt: np.ndarray
    first_row: np.ndarray
    num_rows: np.ndarray
    pitch: int
    ahead: bool
    rows: DenseRows


class AnyWalk(NamedTuple):
    """Any game with a hashed table.

    Attributes:
        rules: The rules.
        starts: States to start from.
        cumulative: float64, cumulative probabilities of ``starts``; empty: episode i of a call
            starts from row i.
        lane: States, scratch: one, or one for each decision on the way (``branch``).
        actions: int16 ``[lanes, max_legal]``, scratch.
        returns: float64 ``[num_seats]``, scratch.
        width: Words for each action.
        most_words: Words of the longest row.
        rows: The table.
    """

    rules: Rules
    starts: States
    cumulative: np.ndarray
    lane: States
    actions: np.ndarray
    returns: np.ndarray
    width: int
    most_words: int
    rows: Rows


Walk = DenseWalk | AnyWalk


def walk_of(
    game: Game, starts: States, cumulative: np.ndarray, table: HashTable, lanes: int = 1
) -> AnyWalk:
    """Returns a walk through any game; arguments as the attributes of ``AnyWalk``."""
    spec = game.spec
    actions, returns = np.empty((lanes, spec.max_legal), np.int16), np.empty(spec.num_seats)
    most_words = HEADER + table.width * spec.max_legal
    scratch = (game.empty(lanes), actions, returns)
    return AnyWalk(game.rules, starts, cumulative, *scratch, table.width, most_words, table.rows)


@GenericKernel
def has_room(walk: Walk, count: int) -> bool:
    """Returns whether the table has room for ``count`` more rows."""


@GenericKernel
def start(walk: Walk, state: np.uint64, episode: int) -> np.uint64:
    """Deals; returns the next state of the stream of random numbers. ``episode`` is of this
    call.
    """


@GenericKernel
def deal_at(walk: Walk, number: int) -> int:
    """Deals a listed deal; returns the first position."""


@GenericKernel
def mover(walk: Walk, node: int) -> int:
    """Returns the seat to move, -1 when the game is over."""


@GenericKernel
def choices(walk: Walk, node: int) -> int:
    """Returns the number of legal actions; called once at each position, before the two below."""


@GenericKernel
def row_of(walk: Walk, node: int, seat: int, num_actions: int) -> int:
    """Returns the place of the mover's row, a row of zeros if it is new."""


@GenericKernel
def visited_words(walk: Walk, node: int, seat: int, num_actions: int) -> int:
    """Counts a visit of the mover's row; returns the start of the words of its actions."""


@GenericKernel
def follow(walk: Walk, node: int, slot: int) -> int:
    """Plays an action; returns the next position, in the same lane."""


@GenericKernel
def branch(walk: Walk, node: int, slot: int) -> int:
    """Plays an action in the next lane, leaving ``node`` unchanged; returns the position."""


@GenericKernel
def showdown(walk: Walk, node: int) -> int:
    """Returns the cards at the end of a game, in the form that ``result`` takes."""


@GenericKernel
def result(walk: Walk, node: int, cards: int, seat: int) -> float:
    """Returns the return of the seat's team at the end of a game, after ``showdown``."""


@kernel(forceinline=True)
def to_decision(walk: Walk, node: int) -> tuple[int, int, int]:
    """Plays the only move as long as there is one; returns the position of the next decision, its
    seat and its number of actions, 0 at the end.
    """
    while True:
        seat = mover(walk, node)
        if seat < 0:
            return node, seat, 0
        count = choices(walk, node)
        if count > 1:
            return node, seat, count
        node = follow(walk, node, 0)


@kernel(forceinline=True)
def _no_limit(walk: DenseWalk, count: int) -> bool:
    return True


@kernel(forceinline=True)
def _deal(walk: DenseWalk, state: np.uint64, episode: int) -> np.uint64:
    state += GOLDEN
    deal(walk.deals, mix64(state), walk.dealt)
    return state


@kernel(forceinline=True)
def _listed(walk: DenseWalk, number: int) -> np.int64:
    walk.dealt[0] = number  # as ``games.play.deals.EnumeratedDeals`` keeps it
    return np.int64(0)


@kernel(forceinline=True)
def _player(walk: DenseWalk, node: int) -> np.int64:
    if node < 0:
        return np.int64(-1)
    return np.int64(np.uint8(walk.betting.player[np.uint64(node)]))  # seen to be no -1


@kernel(forceinline=True)
def _actions(walk: DenseWalk, node: int) -> np.int64:
    count = np.int64(walk.betting.num_actions[np.uint64(node)])
    if walk.ahead:
        for slot in range(count):
            after = walk.betting.child[np.uint64(node), slot]
            if after >= 0:
                row = walk.first_row[after] + bucket(
                    walk.deals, walk.dealt, walk.betting.hand[after]
                )
                prefetch(walk.rows.words, max(0, row) * walk.pitch)
                prefetch(walk.rows.words, max(0, row) * walk.pitch + walk.pitch - 1)
    return count


@kernel(forceinline=True)
def _dense_row(walk: DenseWalk, node: int, seat: int, num_actions: int) -> np.int64:
    betting, at = walk.betting, np.uint64(node)
    first = np.int64(walk.first_row[at])
    if first < 0:
        first = walk.num_rows[0]
        walk.first_row[at] = first
        walk.num_rows[0] += betting.num_buckets[at]
    row = first + np.int64(bucket(walk.deals, walk.dealt, betting.hand[at]))
    return row * walk.pitch


@kernel(forceinline=True)
def _child(walk: DenseWalk, node: int, slot: int) -> np.int64:
    return np.int64(walk.betting.child[np.uint64(node), np.uint64(slot)])


@kernel(forceinline=True)
def _order(walk: DenseWalk, node: int) -> np.int64:
    if walk.betting.showdown[np.uint64(~node)]:
        return np.int64(outcome(walk.deals, walk.dealt))
    return np.int64(0)


@kernel(forceinline=True)
def _payoff(walk: DenseWalk, node: int, cards: int, seat: int) -> float:
    return walk.betting.payoffs[np.uint64(~node), np.uint64(cards), np.uint64(seat)]


@kernel(inline="always")
def draw(cumulative: np.ndarray, bits: np.uint64) -> int:
    """Returns the first index whose cumulative probability is above a random number."""
    found = np.searchsorted(cumulative, fraction(bits), side="right")
    return min(int(found), cumulative.size - 1)


@kernel(forceinline=True)
def _fits(walk: AnyWalk, count: int) -> bool:
    return hash_table.has_room(walk.rows, count, walk.most_words)


@kernel(forceinline=True)
def _begin(walk: AnyWalk, state: np.uint64, episode: int) -> np.uint64:
    if walk.cumulative.size > 1:
        state += GOLDEN
        copy_row(walk.rules, walk.starts, draw(walk.cumulative, mix64(state)), walk.lane, 0)
    else:
        first = 0 if walk.cumulative.size == 1 else episode
        copy_row(walk.rules, walk.starts, first, walk.lane, 0)
    return state


@kernel(forceinline=True)
def _start_at(walk: AnyWalk, number: int) -> int:
    copy_row(walk.rules, walk.starts, number, walk.lane, 0)
    return 0


@kernel(forceinline=True)
def _seat(walk: AnyWalk, node: int) -> int:
    return current_seat(walk.rules, walk.lane, node)


@kernel(forceinline=True)
def _legal(walk: AnyWalk, node: int) -> int:
    return legal(walk.rules, walk.lane, node, walk.actions[node])


@kernel(forceinline=True)
def _hashed_row(walk: AnyWalk, node: int, seat: int, num_actions: int) -> int:
    key = seat_key(walk.rules, walk.lane, node, seat)
    place = find(walk.rows, key, seat)
    if place < 0:
        place = append(walk.rows, key, seat, num_actions, walk.width)
    return place


@kernel(forceinline=True)
def _visit(walk: AnyWalk, node: int, seat: int, num_actions: int) -> int:
    place = row_of(walk, node, seat, num_actions)
    count_visit(walk.rows, place)
    return place + HEADER


@kernel(forceinline=True)
def _step(walk: AnyWalk, node: int, slot: int) -> int:
    step(walk.rules, walk.lane, node, walk.actions[node, slot])
    return node


@kernel(forceinline=True)
def _branch(walk: AnyWalk, node: int, slot: int) -> int:
    copy_row(walk.rules, walk.lane, node, walk.lane, node + 1)
    step(walk.rules, walk.lane, node + 1, walk.actions[node, slot])
    return node + 1


@kernel(forceinline=True)
def _returns(walk: AnyWalk, node: int) -> int:
    for seat in range(walk.returns.size):
        walk.returns[seat] = team_return(walk.rules, walk.lane, node, seat)
    return 0


@kernel(forceinline=True)
def _return(walk: AnyWalk, node: int, cards: int, seat: int) -> float:
    return walk.returns[np.uint64(seat)]


_GENERIC = (
    (has_room, _no_limit, _fits),
    (start, _deal, _begin),
    (deal_at, _listed, _start_at),
    (mover, _player, _seat),
    (choices, _actions, _legal),
    (row_of, _dense_row, _hashed_row),
    (visited_words, _dense_row, _visit),
    (follow, _child, _step),
    (branch, _child, _branch),
    (showdown, _order, _returns),
    (result, _payoff, _return),
)
for _generic, _poker, _any in _GENERIC:
    register(_generic, DenseWalk, _poker)
    register(_generic, AnyWalk, _any)
