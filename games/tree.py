"""Games in plain Python. A class defines the deals, the seat to move, the moves and what each seat
sees; the game is enumerated into arrays once, so that every algorithm, match and NashConv runs at
full speed. ``examples/liars_dice.py`` is one.

A state is a node of the tree, a world another node of the same information set. So the game must be
small (``MOST_NODES``), with chance only before the first move (draw later cards there, too, and let
``seen`` hide them), and each seat must know whose turn it is.
"""

import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel, mix64, random_index
from games.kernels.generic import HIDDEN_MOVE, register_all
from games.kernels.rows import States as AnyStates
from games.play.interface import Game, GameSpec, Json

MOST_NODES = 1_000_000
NONE = -1


class Rules(NamedTuple):
    """A tree of N nodes without its chance nodes; I information sets, of all seats together.

    Attributes:
        seat: int8 ``[N]``, the seat to move; NONE at the end.
        info: int32 ``[N, seats]``, each seat's information set; NONE at the end.
        child: int32 ``[N, K]``, by the number of the legal action.
        parent, action, root: int32 ``[N]``, the node before, the action that led here, and the
            first node.
        chance: float64 ``[N]``, probability of the first node.
        returns: float64 ``[N, seats]``.
        mover: int8 ``[I]``, the seat to move.
        legal: int16 ``[I, K]``, its legal actions if it is the seat's own turn, then NONE.
        after: int32 ``[I, K]``, the set of the same seat after them; NONE where there are several.
        shown: bool ``[I]``, whether the seat sees which move is made.
        first, members: int32 ``[I + 1]`` and ``[any]``, where the nodes of a set begin; the nodes.
        seen: int8 ``[I, C]``, the input of networks.
    """

    seat: np.ndarray
    info: np.ndarray
    child: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    root: np.ndarray
    chance: np.ndarray
    returns: np.ndarray
    mover: np.ndarray
    legal: np.ndarray
    after: np.ndarray
    shown: np.ndarray
    first: np.ndarray
    members: np.ndarray
    seen: np.ndarray


class States(NamedTuple):
    """B states.

    Attributes:
        node: int32 ``[B]``; NONE in a view, unless the game is over.
        info: int32 ``[B, seats]``, as in ``Rules``; NONE for the other seats in a view.
    """

    node: np.ndarray
    info: np.ndarray


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    if states.node[i] >= 0:
        return int(rules.seat[states.node[i]])
    for known in states.info[i]:
        if known >= 0:
            return int(rules.mover[known])
    return NONE


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    count, known = 0, states.info[i, current_seat(rules, states, i)]
    while known >= 0 and count < rules.legal.shape[1] and rules.legal[known, count] >= 0:
        actions[count] = rules.legal[known, count]
        count += 1
    return count


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    seat, node = current_seat(rules, states, i), states.node[i]
    known, k = states.info[i, seat], 0
    while known >= 0 and rules.legal[known, k] != action:
        k += 1
    if node >= 0:
        states.node[i] = rules.child[node, k]
        states.info[i] = rules.info[states.node[i]]
    else:
        states.info[i] = NONE
        if known >= 0:
            states.info[i, seat] = rules.after[known, k]


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    return rules.returns[states.node[i], seat]


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    return int(action if rules.shown[states.info[i, seat]] else HIDDEN_MOVE)


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    out[:] = 0
    if states.info[i, seat] >= 0:
        out[:, 0] = rules.seen[states.info[i, seat]]


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    known = np.int64(states.info[i, seat])
    return mix64(np.uint64(2 * known + 2 if known >= 0 else 2 * np.int64(states.node[i]) + 1))


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    if states.info[i, seat] >= 0:
        states.node[i] = NONE
        for other in range(states.info.shape[1]):
            if other != seat:
                states.info[i, other] = NONE


# A world is the number of its node; at the start of the game, that of any node after it.


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    hidden[0] = states.node[i]


@kernel
def _members(rules: Rules, views: States, i: int, seat: int) -> np.ndarray:
    known = np.int64(views.info[i, seat])
    if known < 0:
        return views.node[i : i + 1]
    return rules.members[rules.first[known] : rules.first[known + 1]]


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    members = _members(rules, views, i, seat)
    if members.size > hidden.shape[0]:
        return -1
    for k in range(members.size):
        hidden[k, 0] = members[k]
    return members.size


@kernel
def draw_hidden(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    rng: np.ndarray,
    lane: int,
    hidden: np.ndarray,
) -> None:
    members = _members(rules, views, i, seat)
    weights = rules.chance[members]
    total = weights.sum()
    for k in range(hidden.shape[0]):
        hidden[k, 0] = members[random_index(rng, lane, weights, weights.size, total)]


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    total = rules.chance[_members(rules, views, i, seat)].sum()
    return np.log(rules.chance[np.int64(hidden[0])] / total)


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    node = np.int64(hidden[0])
    if rules.info[node, seat] != views.info[i, seat]:
        node = np.int64(rules.root[node])
    worlds.node[j] = node
    worlds.info[j] = rules.info[node]
    return rules.info[node, seat] == views.info[i, seat]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    root = rules.root[_members(rules, views, i, seat)[0]]
    starts.node[j] = NONE
    starts.info[j] = NONE
    starts.info[j, seat] = rules.info[root, seat]


@kernel
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    node = np.int64(hidden[0])
    while node >= 0 and rules.parent[node] != worlds.node[i]:
        node = np.int64(rules.parent[node])
    return int(rules.action[node] if node >= 0 else NONE)


register_all(Rules, sys.modules[__name__])


class _TreeNode(NamedTuple):
    """A node while the tree is traversed; the names are those of ``Rules``."""

    seat: int
    info: list[int]
    child: list[int]
    parent: int
    action: int
    root: int
    chance: float
    returns: Sequence[float]


class GameTree:
    """A game as arrays.

    Attributes:
        rules: The arrays.
        seen: What the seat knows in each information set.
    """

    def __init__(self, game: "TreeGame") -> None:
        self.game, self.seen = game, list[Any]()
        self._sets = dict[tuple[int, Any], int]()
        self._movers, self._legal = list[int](), dict[int, list[int]]()
        self._inputs, self._nodes = list[Sequence[float]](), list[_TreeNode]()
        for state, chance in game.deals():
            self._add(state, NONE, NONE, len(self._nodes), chance)
        self.rules = self._rules()

    def _set(self, state: Any, seat: int, mover: int) -> int:
        """Returns the number of a seat's information set, a new one if it is new."""
        seen = self.game.seen(state, seat)
        known = self._sets.setdefault((seat, seen), len(self._sets))
        if known == len(self.seen):
            self.seen.append(seen)
            self._movers.append(mover)
            self._inputs.append(self.game.observation(state, seat))
        elif self._movers[known] != mover:
            raise ValueError(f"seat {seat} cannot tell whose turn it is: {seen!r}")
        return known

    def _add(self, state: Any, parent: int, action: int, root: int, chance: float) -> int:
        """Adds a state and all that follow it; returns its node."""
        node, game, mover = len(self._nodes), self.game, self.game.mover(state)
        if node == MOST_NODES:
            raise ValueError(f"over {MOST_NODES:,} histories")
        if mover < 0:
            returns, info = game.returns(state), [NONE] * game.num_seats
            if abs(sum(returns)) > 1e-6:
                raise ValueError(f"returns {[*returns]}: expected a sum of 0")
            self._nodes.append(_TreeNode(NONE, info, [], parent, action, root, chance, returns))
            return node
        info = [self._set(state, seat, mover) for seat in range(game.num_seats)]
        nothing = [0.0] * game.num_seats
        row = _TreeNode(mover, info, [], parent, action, root, chance, nothing)
        self._nodes.append(row)
        actions = [*game.legal(state)]
        if not actions or self._legal.setdefault(info[mover], actions) != actions:
            raise ValueError(
                f"seat {mover} sees {self.seen[info[mover]]!r} with the moves {actions}: expected "
                "some, and the same wherever it sees that"
            )
        for move in actions:
            row.child.append(self._add(game.step(state, move), node, move, root, chance))
        return node

    def _rules(self) -> Rules:
        seat, sets, children, parent, action, root, chance, returns = (
            [*column] for column in zip(*self._nodes, strict=True)
        )
        num_sets, width = len(self.seen), max(map(len, self._legal.values()))
        child = np.full((len(seat), width), NONE, np.int32)
        for node, here in enumerate(children):
            child[node, : len(here)] = here
        legal = np.full((num_sets, width), NONE, np.int16)
        for known, actions in self._legal.items():
            legal[known, : len(actions)] = actions
        info, before = np.array(sets, np.int32), np.array(parent)
        # Each move of each node, for each seat: its set, the move, and its set after it (below 0:
        # the end that the game came to).
        to = np.flatnonzero(before >= 0)
        ends = np.where(info[to] >= 0, info[to], -2 - to[:, None])
        lowest, moves = ends.min(), np.array(action)[to, None]
        span, size = int(ends.max() - lowest) + 1, max(action) + 1
        edges = np.unique((info[before[to]].astype(np.int64) * size + moves) * span + ends - lowest)
        cases, end = edges // span, edges % span + lowest
        leads, counts = np.unique(cases // size * span + end - lowest, return_counts=True)
        shown = np.ones(num_sets, np.bool_)
        shown[leads[counts > 1] // span] = False
        cases, first, counts = np.unique(cases, return_index=True, return_counts=True)
        sure = (counts == 1) & (end[first] >= 0)
        own, move = cases[sure] // size, cases[sure] % size
        after = np.full(legal.shape, NONE, np.int32)
        rows, slots = np.nonzero(legal[own] == move[:, None])
        after[own[rows], slots] = end[first][sure][rows]
        inner = np.flatnonzero(info[:, 0] >= 0)
        order = np.argsort(info[inner], axis=None, kind="stable")
        sizes = np.bincount(info[inner].reshape(-1), minlength=num_sets)
        return Rules(
            np.array(seat, np.int8),
            info,
            child,
            before.astype(np.int32),
            np.array(action, np.int32),
            np.array(root, np.int32),
            np.array(chance, np.float64),
            np.array(returns, np.float64),
            np.array(self._movers, np.int8),
            legal,
            after,
            shown,
            np.cumsum([0, *sizes]).astype(np.int32),
            inner[order // info.shape[1]].astype(np.int32),
            self._planes(),
        )

    def _planes(self) -> np.ndarray:
        """Returns the input of the networks for each information set."""
        if len(self._inputs[0]):
            planes = np.array([*zip_longest(*self._inputs, fillvalue=0.0)]).T
            if (planes != np.round(planes)).any() or np.abs(planes).max() > 127:
                planes = np.round(planes * 127 / np.maximum(np.abs(planes).max(axis=0), 1e-9))
            return planes.astype(np.int8)
        rows = [list(_parts(seen)) for seen in self.seen]
        columns = dict[Any, int]()  # by place and value
        found = [
            [columns.setdefault(part, len(columns)) for part in enumerate(row)] for row in rows
        ]
        planes = np.zeros((len(rows), len(columns)), np.int8)
        for row, known in zip(planes, found, strict=True):
            row[known] = 1
        return planes


def _parts(seen: Any) -> Iterator[Any]:
    """Yields the parts of a tuple, however nested, or the one value."""
    if isinstance(seen, tuple):
        for part in seen:
            yield from _parts(part)
    else:
        yield seen


_TREES = dict[Any, GameTree]()


class TreeGame(Game):
    """A small game, given by the six methods below; ``action_names`` are the texts of its moves,
    numbered from 0. A state is any Python object; ``step`` returns a new one.
    """

    num_seats: int = 2

    def deals(self) -> Iterable[tuple[Any, float]]:
        """Returns all states before the first move, with their probabilities."""
        raise NotImplementedError

    def mover(self, state: Any) -> int:
        """Returns the seat to move, -1 when the game is over."""
        raise NotImplementedError

    def legal(self, state: Any) -> Sequence[int]:
        """Returns the legal moves, ascending."""
        raise NotImplementedError

    def step(self, state: Any, action: int) -> Any:
        """Returns the state after a move."""
        raise NotImplementedError

    def returns(self, state: Any) -> Sequence[float]:
        """Returns what each seat wins at the end; the sum is 0."""
        raise NotImplementedError

    def seen(self, state: Any, seat: int) -> Hashable:
        """Returns what a seat knows, its own moves included: equal for two states exactly when it
        cannot tell them apart. A tuple is also the input of networks, each part by its place.
        """
        raise NotImplementedError

    def observation(self, state: Any, seat: int) -> Sequence[float]:
        """Returns the input of networks; nothing: ``seen`` is."""
        return ()

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        key = type(self), self.options
        if key not in _TREES:
            _TREES[key] = GameTree(self)
        self.rules, self._seen = _TREES[key].rules, _TREES[key].seen
        rules, depths = self.rules, np.zeros(len(self.rules.seat), int)
        for node, parent in enumerate(rules.parent):  # parents come first
            depths[node] = depths[parent] + 1 if parent >= 0 else 0
        largest = np.maximum(1, np.abs(rules.seen).max(axis=0))
        self.spec = GameSpec.of(
            type(self).__module__,
            num_actions=len(self.action_names),
            max_moves=int(depths.max()),
            max_return=float(np.abs(rules.returns).max()),
            observation_shape=(rules.seen.shape[1], 1),
            num_seats=self.num_seats,
            max_legal=rules.legal.shape[1],
            observation_scale=(1 / largest).astype(np.float32),
            has_private_moves=not rules.shown.all(),
        )

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, and their probabilities."""
        roots = np.unique(self.rules.root)
        return States(roots, self.rules.info[roots]), self.rules.chance[roots]

    def view_fields(
        self, views: AnyStates, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns what the seat knows."""
        known = views.info[row, seat]
        return {"knows": str(self._seen[known]) if known >= 0 else None}
