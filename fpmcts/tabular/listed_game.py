"""Exact best responses and NashConv on any game whose deals can be listed (``Game.starts``),
without a tree in memory.

A best response is found depth first over the responder's information sets. An information set is
the list of its states, each with the probability that chance and the others bring it about. For
each action every state is carried on through the moves of the others, by their policy, to where the
responder decides again or the game ends; what arrives is grouped by information set, and each group
is the next set. So a history is visited once for each responder, only the lists on one path are
held, and the histories of one information set may lie at any depth. What arrives twice in one list
stays two states.

The value of an action is the sum over its groups and its ends; of a set, the best of its actions.
Sums, not means: the weights carry the probabilities.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, find, seat_key
from games.batches import Rules, States, num_rows
from games.generic import copy_row, current_seat, legal, step, team_return
from games.interface import Game
from games.kernels import borrowed, kernel, random_below, streams

MOST_HISTORIES = 10**9
"""Decisions that a best response may visit: some minutes."""
_PLAYOUTS = 4000
_FIRST_ROOM = 2**14
_FULL = -1.0e300
"""What ``_respond`` returns where a list is full."""


class Lists(NamedTuple):
    """The lists on one path, one after the other; N places.

    Attributes:
        states: N states.
        weights: float64 ``[N]``.
        keys: uint64 ``[N]``, of the information sets.
        order: int64 ``[N]``, the places, group by group.
        ends: int64 ``[N]``, at the first place of ``order`` of each group: where the group ends.
        heads: int64 ``[N]``, scratch. next: int64 ``[N]``, scratch. buckets: int64 ``[4 N]``,
            scratch.
    """

    states: States
    weights: np.ndarray
    keys: np.ndarray
    order: np.ndarray
    ends: np.ndarray
    heads: np.ndarray
    next: np.ndarray
    buckets: np.ndarray


class Frames(NamedTuple):
    """The information sets on one path, by depth.

    Attributes:
        begin, end: int64, its places in ``order``. action: int64, the number of the action that is
            being tried.
        best: float64, the best value so far. value: float64, that of the action so far.
        first: int64, where the list of what arrived begins. last: int64, and where it ends.
        at: int64, the first place in ``order`` of the next of its groups.
    """

    begin: np.ndarray
    end: np.ndarray
    action: np.ndarray
    best: np.ndarray
    value: np.ndarray
    first: np.ndarray
    last: np.ndarray
    at: np.ndarray


@kernel(forceinline=True)
def _carry_on(
    rules: Rules,
    policy: Rows,
    responder: int,
    work: States,
    pending: np.ndarray,
    lists: Lists,
    top: int,
    actions: np.ndarray,
    value: np.ndarray,
) -> int:
    """Carries row 0 of ``work``, of weight ``pending[0]``, on to the responder's next decisions;
    returns the new end of the list.

    Args:
        work: States, scratch. pending: float64, their weights.
        top: Where arrivals are written from.
        value: float64 ``[2]``, changed in place: what the ends are worth; the number of decisions
            met.

    Returns:
        -1 where the list is full.
    """
    count = 1
    while count > 0:
        row = count - 1
        seat = current_seat(rules, work, row)
        if seat < 0:
            value[0] += pending[row] * team_return(rules, work, row, responder)
            count -= 1
            continue
        num_actions = legal(rules, work, row, actions)
        if num_actions == 1:
            step(rules, work, row, actions[0])
            continue
        value[1] += 1.0
        if seat == responder:
            if top >= lists.weights.size:
                return -1
            copy_row(rules, work, row, lists.states, top)
            lists.weights[top] = pending[row]
            lists.keys[top] = seat_key(rules, work, row, seat)
            top += 1
            count -= 1
            continue
        place = find(policy, seat_key(rules, work, row, seat))
        weight, even, last, added = pending[row], 1.0 / num_actions, -1, 0
        if place < 0:
            last = num_actions - 1
        else:
            for k in range(num_actions):
                if policy.words[place + HEADER + k] > 0.0:
                    last = k
        for k in range(last):
            chance = even if place < 0 else policy.words[place + HEADER + k]
            if chance > 0.0:
                copy_row(rules, work, row, work, count + added)
                step(rules, work, count + added, actions[k])
                pending[count + added] = weight * chance
                added += 1
        step(rules, work, row, actions[last])
        pending[row] = weight * (even if place < 0 else policy.words[place + HEADER + last])
        count += added
    return top


@kernel(forceinline=True)
def _group(lists: Lists, first: int, last: int) -> None:
    """Orders the places ``first .. last - 1`` by information set, in the order of first arrival."""
    size = 1
    while size < 2 * (last - first):
        size *= 2
    mask = np.uint64(size - 1)
    buckets = lists.buckets
    buckets[:size] = -1
    for k in range(
        first, last
    ):  # heads: the first place of each group; ``ends`` of it counts its members
        at = lists.keys[k] & mask
        while buckets[at] >= 0 and lists.keys[buckets[at]] != lists.keys[k]:
            at = (at + np.uint64(1)) & mask
        if buckets[at] < 0:
            buckets[at] = k
            lists.ends[k] = 0
        lists.heads[k] = buckets[at]
        lists.ends[buckets[at]] += 1
    start = first
    for k in range(first, last):
        if lists.heads[k] == k:
            lists.next[k] = start
            start += lists.ends[k]
    for k in range(first, last):
        head = lists.heads[k]
        lists.order[lists.next[head]] = k
        lists.next[head] += 1
    at = first
    while at < last:
        lists.ends[at] = lists.next[lists.heads[lists.order[at]]]
        at = lists.ends[at]


@kernel
def _respond(
    rules: Rules,
    starts: States,
    chances: np.ndarray,
    policy: Rows,
    responder: int,
    work: States,
    lists: Lists,
    frames: Frames,
    actions: np.ndarray,
    moves: np.ndarray,
    pending: np.ndarray,
    value: np.ndarray,
) -> float:
    """Returns what the best response of a seat wins; ``_FULL`` where a list is full.

    Args:
        rules: The rules.
        starts: All deals. chances: float64, their probabilities.
        policy: A table of probabilities (``policy_table``); sets without a row play evenly.
        responder: The seat.
        work, lists, frames: Scratch.
        actions, moves: int16 ``[max_legal]``, scratch.
        pending: float64, a number for each row of ``work``, scratch.
        value: float64 ``[2]``, scratch; ``value[1]`` becomes the number of decisions visited.
    """
    rules, starts, policy, work = (
        borrowed(rules),
        borrowed(starts),
        borrowed(policy),
        borrowed(work),
    )
    lists, frames = borrowed(lists), borrowed(frames)
    actions, moves, pending, value = (
        borrowed(actions),
        borrowed(moves),
        borrowed(pending),
        borrowed(value),
    )
    value[:] = 0.0
    top = 0
    for k in range(chances.size):
        copy_row(rules, starts, k, work, 0)
        pending[0] = chances[k]
        top = _carry_on(rules, policy, responder, work, pending, lists, top, actions, value)
        if top < 0:
            return _FULL
    _group(lists, 0, top)
    # Frame 0 is the beginning: no decision, one list.
    depth = 0
    frames.value[0], frames.first[0], frames.last[0], frames.at[0] = value[0], 0, top, 0
    while True:
        if frames.at[depth] < frames.last[depth]:  # the next group of what arrived
            begin = frames.at[depth]
            end = lists.ends[begin]
            frames.at[depth] = end
            top = frames.last[depth]
            depth += 1
            frames.begin[depth], frames.end[depth], frames.action[depth] = begin, end, -1
            frames.best[depth], frames.value[depth] = -np.inf, 0.0
            frames.first[depth], frames.last[depth], frames.at[depth] = top, top, top
            continue
        if depth == 0:
            return np.float64(frames.value[0])
        if frames.action[depth] >= 0:
            frames.best[depth] = max(frames.best[depth], frames.value[depth])
        frames.action[depth] += 1
        first = frames.first[depth]
        num_actions = legal(rules, lists.states, lists.order[frames.begin[depth]], moves)
        if frames.action[depth] == num_actions:
            depth -= 1
            frames.value[depth] += frames.best[depth + 1]
            continue
        value[0] = 0.0
        top = first
        for k in range(frames.begin[depth], frames.end[depth]):
            row = lists.order[k]
            copy_row(rules, lists.states, row, work, 0)
            pending[0] = lists.weights[row]
            step(rules, work, 0, moves[frames.action[depth]])
            top = _carry_on(rules, policy, responder, work, pending, lists, top, actions, value)
            if top < 0:
                return _FULL
        frames.value[depth], frames.last[depth], frames.at[depth] = value[0], top, first
        if top > first:
            _group(lists, first, top)


@kernel
def _histories(
    rules: Rules,
    starts: States,
    lane: States,
    cumulative: np.ndarray,
    actions: np.ndarray,
    rng: np.ndarray,
) -> float:
    """Returns an estimate of the number of decisions in all histories: the mean over random games
    of what they stand for.
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
        histories: About how many decisions all its histories have (Knuth, "Estimating the
            efficiency of backtrack programs", 1975).
    """

    game: Game
    starts: States
    chances: np.ndarray
    histories: float

    @property
    def fits(self) -> bool:
        """Returns whether exact best responses are a matter of minutes."""
        return self.histories <= MOST_HISTORIES


def listing(game: Game) -> Listing:
    """Returns the deals of a game and how large it is. Raises ValueError where its deals cannot be
    listed.
    """
    starts, chances = game.starts()
    actions = np.empty(game.spec.max_legal, np.int16)
    count = _histories(game.rules, starts, game.empty(1), chances, actions, streams(0, 1))
    return Listing(game, starts, np.asarray(chances, np.float64), float(count))


def best_response_values(listed: Listing, policy: Rows) -> np.ndarray:
    """Returns what a best response of each seat wins against the others' policy, in the game's
    unit: float64 ``[seats]``.

    Args:
        listed: The game.
        policy: Rows of ``HashTable(width=1)`` whose words are probabilities; sets without a row
            play evenly.

    Raises:
        ValueError: The game is too large.
    """
    spec = listed.game.spec
    if not listed.fits:
        raise ValueError(
            f"{spec.name}: an exact best response would visit about {listed.histories:.1e} "
            "decisions; "
            f"expected at most {MOST_HISTORIES:.0e}"
        )
    actions, moves = np.empty((2, spec.max_legal), np.int16)
    work = listed.game.empty(spec.max_moves * spec.max_legal + 2)
    frames = Frames(
        *(
            np.zeros(spec.max_moves + 2, np.float64 if name in ("best", "value") else np.int64)
            for name in Frames._fields
        )
    )
    result, room, responder = np.zeros(spec.num_seats), max(_FIRST_ROOM, num_rows(listed.starts)), 0
    while responder < spec.num_seats:
        order, ends, heads, following = np.zeros((4, room), np.int64)
        lists = Lists(
            listed.game.empty(room),
            np.zeros(room),
            np.zeros(room, np.uint64),
            order,
            ends,
            heads,
            following,
            np.zeros(4 * room, np.int64),
        )
        result[responder] = _respond(
            listed.game.rules,
            listed.starts,
            listed.chances,
            policy,
            responder,
            work,
            lists,
            frames,
            actions,
            moves,
            np.empty(num_rows(work)),
            np.empty(2),
        )
        if result[responder] == _FULL:
            room *= 2
        else:
            responder += 1
    return result


def nash_conv(listed: Listing, policy: Rows) -> float:
    """Returns NashConv of a policy, in the game's unit: what all seats together gain by best
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
