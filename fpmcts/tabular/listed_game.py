"""Exact best responses and NashConv on any game whose deals can be listed (``Game.starts``),
without a tree in memory.

A best response is found depth first over the responder's information sets. An information set is
the list of its states, each with its reach probability due to chance and the others. For each
action, every state advances through the moves of the others, by their policy, until the responder
decides again or the game ends. The states that arrive are grouped by information set, and each
group is the next set. So a history is visited once for each responder, only the lists on one path
are stored, and the histories of one information set may lie at any depth. A state that arrives
twice is kept twice.

The value of an action is the sum over its groups and finished games; the value of a set is that of
its best action. These are sums, not means: the weights carry the probabilities.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, find, seat_key
from games.kernels import borrowed, kernel, random_below, streams
from games.kernels.generic import copy_row, current_seat, legal, step, team_return
from games.kernels.rows import Rules, States, num_rows
from games.play.interface import Game

MOST_HISTORIES = 10**9
"""Maximum decisions that a best response may visit; takes some minutes."""
_PLAYOUTS = 4000
_FIRST_ROOM = 2**14
_FULL = -1.0e300
"""Returned by ``_respond`` if a list is full."""


class Lists(NamedTuple):
    """The information sets on one path, one list of arrivals after another in N places, and scratch
    memory for the search for a response.

    Attributes:
        states: N states.
        weights: float64 ``[N]``.
        keys: uint64 ``[N]``, of the information sets.
        member: int64 ``[N]``, the next place of the same set; -1: there is none.
        head: int64 ``[N]``, at the first place of a set: that of the next set of the list, or -1.
        last: int64 ``[N]``, scratch, the last place of a set.
        buckets: int64 ``[4 N]``, scratch.
        work: States in which the others still move.
        pending: float64, their weights.
        actions: int16 ``[2, max_legal]``, scratch.
        frames: int64 ``[max_moves + 2, 5]``, for each set on the path: its first place, the number
            of the action being tried, the start and end of the list of arrivals, and the first
            place of the next set in it.
        values: float64 ``[max_moves + 2, 2]``, the value of the action so far, and of the best one.
    """

    states: States
    weights: np.ndarray
    keys: np.ndarray
    member: np.ndarray
    head: np.ndarray
    last: np.ndarray
    buckets: np.ndarray
    work: States
    pending: np.ndarray
    actions: np.ndarray
    frames: np.ndarray
    values: np.ndarray


_SET, _ACTION, _BEGIN, _END, _NEXT = range(5)
_SUM, _BEST = 0, 1


def _lists(game: Game, room: int) -> Lists:
    """Returns lists with capacity for ``room`` arrivals."""
    spec = game.spec
    member, head, last = np.zeros((3, room), np.int64)
    lanes, depth = spec.max_moves * spec.max_legal + 2, spec.max_moves + 2
    return Lists(
        game.empty(room),
        np.zeros(room),
        np.zeros(room, np.uint64),
        member,
        head,
        last,
        np.zeros(4 * room, np.int64),
        game.empty(lanes),
        np.zeros(lanes),
        np.zeros((2, spec.max_legal), np.int16),
        np.zeros((depth, 5), np.int64),
        np.zeros((depth, 2)),
    )


@kernel(forceinline=True)
def _carry_on(
    rules: Rules, policy: Rows, responder: int, lists: Lists, depth: int, weight: float
) -> bool:
    """Advances row 0 of ``work`` to the responder's next decisions, which join the list of frame
    ``depth``; returns False if the lists are full. Finished games add to the frame's value.
    """
    work, pending, actions = lists.work, lists.pending, lists.actions[0]
    pending[0] = weight
    count = 1
    while count > 0:
        row = count - 1
        weight, seat = pending[row], current_seat(rules, work, row)
        if seat < 0:
            lists.values[depth, _SUM] += weight * team_return(rules, work, row, responder)
            count -= 1
            continue
        num_actions = legal(rules, work, row, actions)
        if num_actions == 1:
            step(rules, work, row, actions[0])
            continue
        key = seat_key(rules, work, row, seat)
        if seat == responder:
            top = lists.frames[depth, _END]
            if top >= lists.weights.size:
                return False
            copy_row(rules, work, row, lists.states, top)
            lists.weights[top], lists.keys[top] = weight, key
            lists.frames[depth, _END] += 1
            count -= 1
            continue
        place, last = find(policy, key, seat), num_actions - 1
        while place >= 0 and last > 0 and policy.words[place + HEADER + last] <= 0.0:
            last -= 1
        for k in range(last + 1):
            chance = 1.0 / num_actions if place < 0 else policy.words[place + HEADER + k]
            if chance > 0.0:
                to = row  # the last action takes the row itself
                if k < last:
                    to = count
                    copy_row(rules, work, row, work, to)
                    count += 1
                step(rules, work, to, actions[k])
                pending[to] = weight * chance
    return True


@kernel(forceinline=True)
def _group(lists: Lists, first: int, end: int) -> int:
    """Links the places ``first .. end - 1`` by information set, in the order of first arrival;
    returns the first, or -1 if there are none.
    """
    size = 1
    while size < 2 * (end - first):
        size *= 2
    mask, buckets, newest = np.uint64(size - 1), lists.buckets, -1
    buckets[:size] = -1
    for k in range(first, end):
        at = lists.keys[k] & mask
        while buckets[at] >= 0 and lists.keys[buckets[at]] != lists.keys[k]:
            at = (at + np.uint64(1)) & mask
        lists.member[k] = lists.head[k] = -1
        if buckets[at] >= 0:
            lists.member[lists.last[buckets[at]]] = k
        else:
            buckets[at] = k
            if newest >= 0:
                lists.head[newest] = k
            newest = k
        lists.last[buckets[at]] = k
    return first if end > first else -1


@kernel
def _respond(
    rules: Rules, starts: States, chances: np.ndarray, policy: Rows, responder: int, lists: Lists
) -> float:
    """Returns the value of a seat's best response, or ``_FULL`` if the lists are full.

    Args:
        rules: The rules.
        starts: All deals.
        chances: float64, their probabilities.
        policy: A table of probabilities; sets without a row play uniformly.
        responder: The seat.
        lists: Scratch.
    """
    rules, starts, policy, lists = (
        borrowed(rules),
        borrowed(starts),
        borrowed(policy),
        borrowed(lists),
    )
    frames, values = lists.frames, lists.values
    frames[0], values[0] = 0, 0.0  # the root: no decision, one list
    for k in range(chances.size):
        copy_row(rules, starts, k, lists.work, 0)
        if not _carry_on(rules, policy, responder, lists, 0, chances[k]):
            return _FULL
    frames[0, _NEXT] = _group(lists, 0, frames[0, _END])
    depth = 0
    while True:
        if frames[depth, _NEXT] >= 0:  # the next set of arrivals
            first, top = frames[depth, _NEXT], frames[depth, _END]
            frames[depth, _NEXT] = lists.head[first]
            depth += 1
            frames[depth, _SET], frames[depth, _ACTION], frames[depth, _BEGIN] = first, -1, top
            values[depth, _BEST] = -np.inf
        elif depth == 0:
            return values[0, _SUM]
        else:  # the action is done
            values[depth, _BEST] = max(values[depth, _BEST], values[depth, _SUM])
        frames[depth, _ACTION] += 1
        row = frames[depth, _SET]
        if frames[depth, _ACTION] == legal(rules, lists.states, row, lists.actions[1]):
            depth -= 1
            values[depth, _SUM] += values[depth + 1, _BEST]
            continue
        begin = frames[depth, _BEGIN]
        values[depth, _SUM], frames[depth, _END] = 0.0, begin
        while row >= 0:
            copy_row(rules, lists.states, row, lists.work, 0)
            step(rules, lists.work, 0, lists.actions[1, frames[depth, _ACTION]])
            if not _carry_on(rules, policy, responder, lists, depth, lists.weights[row]):
                return _FULL
            row = lists.member[row]
        frames[depth, _NEXT] = _group(lists, begin, frames[depth, _END])


@kernel
def _histories(
    rules: Rules,
    starts: States,
    lane: States,
    cumulative: np.ndarray,
    actions: np.ndarray,
    rng: np.ndarray,
) -> float:
    """Returns an estimate of the number of decisions in all histories: a mean over random games,
    weighted by inverse probability.
    """
    total = 0.0
    for _ in range(_PLAYOUTS):
        copy_row(rules, starts, random_below(rng, 0, cumulative.size), lane, 0)
        stands_for = np.float64(cumulative.size)
        while current_seat(rules, lane, 0) >= 0:
            num_actions = legal(rules, lane, 0, actions)
            if num_actions > 1:
                total += stands_for
                stands_for *= num_actions
            step(rules, lane, 0, actions[random_below(rng, 0, num_actions)])
    return total / _PLAYOUTS


@dataclass(frozen=True)
class Listing:
    """The deals of a game.

    Attributes:
        game: The game.
        starts: All deals.
        chances: float64, their probabilities.
        histories: Approximate number of decisions in all histories (Knuth, "Estimating the
            efficiency of backtrack programs", 1975).
        most: Largest number of decisions that a computation may visit.
    """

    game: Game
    starts: States
    chances: np.ndarray
    histories: float
    most: int = MOST_HISTORIES

    @property
    def fits(self) -> bool:
        """Returns whether exact best responses are computed."""
        return self.histories <= self.most

    def check(self, what: str) -> None:
        """Raises ValueError if the game is too large for the computation named by ``what``."""
        if not self.fits:
            raise ValueError(
                f"{self.game.spec.name}: {what} would visit about {self.histories:.1e} decisions; "
                f"expected at most {self.most:.0e}"
            )


def listing(game: Game, most: int = MOST_HISTORIES) -> Listing:
    """Returns the deals and the size of a game, of which computations may visit so many decisions.
    Raises ValueError if its deals cannot be listed.
    """
    starts, chances = game.starts()
    actions = np.empty(game.spec.max_legal, np.int16)
    count = _histories(game.rules, starts, game.empty(1), chances, actions, streams(0, 1))
    return Listing(game, starts, np.asarray(chances, np.float64), float(count), most)


def best_response_values(listed: Listing, policy: Rows) -> np.ndarray:
    """Returns the value of each seat's best response to the others' policy, in the game's unit:
    float64 ``[seats]``.

    Args:
        listed: The game.
        policy: Rows of ``HashTable(width=1)`` whose words are probabilities; sets without a row
            play uniformly.

    Raises:
        ValueError: The game is too large.
    """
    listed.check("an exact best response")
    game, room, result = listed.game, max(_FIRST_ROOM, num_rows(listed.starts)), list[float]()
    lists = _lists(game, room)
    while len(result) < game.spec.num_seats:
        deals = (listed.starts, listed.chances)
        value = _respond(game.rules, *deals, policy, len(result), lists)
        if value == _FULL:
            room *= 2
            lists = _lists(game, room)
        else:
            result.append(value)
    return np.array(result)


def nash_conv(listed: Listing, policy: Rows) -> float:
    """Returns NashConv of a policy, in the game's unit: the total gain of all seats by best
    responses, 0 in equilibrium.

    For two teams of one seat, whose returns sum to 0. Arguments and errors as
    ``best_response_values``.
    """
    return float(best_response_values(listed, policy).sum())


def uniform() -> Rows:
    """Returns the policy that plays every legal action with the same probability: a table without
    rows.
    """
    return HashTable(1, 1).rows
