"""OpenSpiel's games in this project: learned, measured and played like our own::

    python train.py game=fpmcts.adapters.open_spiel_tree 'game.load="blotto(coins=4)"'

A game is traversed once and stored as arrays: a state is a node of its tree, a world another node
of the same information set. So it must be small (``MOST_NODES``), zero-sum, with chance only before
the first move, and each seat must know whose turn it is. Simultaneous moves are made in turn.
Networks read OpenSpiel's information state tensor, or else its observation tensor with those of the
seat's earlier decisions and their actions, or else the number of the information set.
"""

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from games.generic import HIDDEN_MOVE, register_all
from games.interface import Game, GameSpec, Json
from games.kernels import kernel, mix64, random_index
from games.rows import States as AnyStates
from games.settings import ConfigError, setting

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


@dataclass(frozen=True)
class _Walked:
    """A game as arrays, the names of its actions, and the texts of its information sets."""

    rules: Rules
    names: tuple[str, ...]
    texts: list[str]


class _Walk:
    """The traversal of a game's tree; ``rules`` returns its result."""

    def __init__(self, game: pyspiel.Game) -> None:
        self.seats = game.num_players()
        kind = game.get_type()
        self._tensor: Callable[[Any, int], Any] | None = None
        if kind.provides_information_state_tensor:
            self._tensor = pyspiel.State.information_state_tensor
        elif kind.provides_observation_tensor:
            self._tensor = pyspiel.State.observation_tensor
        self._forgets = self._tensor is pyspiel.State.observation_tensor
        self._one_hot = np.eye(game.num_distinct_actions()).tolist()
        self.names = dict[int, str]()
        self.texts = list[str]()
        self._sets = dict[tuple[int, str], int]()
        self._seen, self._movers = list[list[float]](), list[int]()
        self._legal = dict[int, list[int]]()
        # By node: seat, sets, children, parent, action, root, chance, returns.
        self._nodes = list[list[Any]]()
        state, roots = game.new_initial_state(), list[tuple[Any, float]]()
        self._deal(state, 1.0, roots)
        for root, chance in roots:
            self._add(root, NONE, NONE, len(self._nodes), chance, [[]] * self.seats)

    def _deal(self, state: pyspiel.State, chance: float, roots: list[tuple[Any, float]]) -> None:
        if not state.is_chance_node():
            roots.append((state, chance))
            return
        for action, share in state.chance_outcomes():
            if share > 0:
                self._deal(state.child(action), chance * share, roots)

    def _set(self, state: pyspiel.State, seat: int, past: list[float]) -> int:
        """Returns the number of a seat's information set, a new one if it is new.

        Args:
            past: What the tensor lacks of the seat's earlier decisions, the latest first.
        """
        text, mover = state.information_state_string(seat), state.current_player()
        known = self._sets.setdefault((seat, text), len(self._sets))
        if known == len(self.texts):
            self.texts.append(text)
            self._movers.append(mover)
            self._seen.append([*self._tensor(state, seat), *past] if self._tensor else [])
        elif self._movers[known] != mover:
            raise ValueError(f"seat {seat} cannot tell whose turn it is: {text!r}")
        return known

    def _add(
        self,
        state: pyspiel.State,
        parent: int,
        action: int,
        root: int,
        chance: float,
        past: list[list[float]],
    ) -> int:
        if state.is_chance_node():
            raise ValueError("chance moves after a player")
        if len(self._nodes) == MOST_NODES:
            raise ValueError(f"over {MOST_NODES:,} histories")
        node, seat = len(self._nodes), state.current_player()
        if state.is_terminal():
            info = [NONE] * self.seats
            self._nodes.append([NONE, info, [], parent, action, root, chance, state.returns()])
            return node
        info = [self._set(state, k, past[k]) for k in range(self.seats)]
        row = [seat, info, [], parent, action, root, chance, [0.0] * self.seats]
        self._nodes.append(row)
        actions = sorted(state.legal_actions())
        self._legal.setdefault(info[seat], actions)
        for a in actions:
            self.names.setdefault(a, state.action_to_string(seat, a))
            if self._forgets:
                past = past.copy()
                past[seat] = [*self._one_hot[a], *self._seen[info[seat]]]
            row[2].append(self._add(state.child(a), node, a, root, chance, past))
        return node

    def rules(self) -> Rules:
        """Returns the arrays."""
        seat, sets, children, parent, action, root, chance, returns = zip(*self._nodes, strict=True)
        width = max(map(len, self._legal.values()))
        child, info = np.full((len(seat), width), NONE, np.int32), np.array(sets, np.int32)
        legal = np.full((len(self.texts), width), NONE, np.int16)
        after = np.full(legal.shape, NONE, np.int32)
        shown, members = np.ones(len(self.texts), np.bool_), [list[int]() for _ in self.texts]
        leads: Any = [defaultdict(set) for _ in self.texts]  # by set and action: the sets after it
        for known, actions in self._legal.items():
            legal[known, : len(actions)] = actions
        for node, here in enumerate(children):
            child[node, : len(here)] = here
            for k, own in enumerate(sets[node] if here else ()):
                members[own].append(node)
                for to in here:
                    after_it = sets[to][k] if sets[to][k] >= 0 else -2 - to
                    leads[own][action[to]].add(after_it)
        for known, by_action in enumerate(leads):
            found = [one for sets_after in by_action.values() for one in sets_after]
            shown[known] = len(set(found)) == len(found)
            for k, a in enumerate(self._legal.get(known, ())):
                if len(by_action[a]) == 1 and min(by_action[a]) >= 0:
                    after[known, k] = min(by_action[a])
        if self._tensor:
            seen = np.array([*zip_longest(*self._seen, fillvalue=0.0)]).T
            if (seen != np.round(seen)).any() or np.abs(seen).max() > 127:
                seen = np.round(seen * 127 / np.maximum(np.abs(seen).max(axis=0), 1e-9))
        else:
            seen = np.eye(len(self.texts), dtype=np.int8)
        return Rules(
            np.array(seat, np.int8),
            info,
            child,
            np.array(parent, np.int32),
            np.array(action, np.int32),
            np.array(root, np.int32),
            np.array(chance, np.float64),
            np.array(returns, np.float64),
            np.array(self._movers, np.int8),
            legal,
            after,
            shown,
            np.cumsum([0, *map(len, members)]).astype(np.int32),
            np.array([node for own in members for node in own], np.int32),
            seen.astype(np.int8),
        )


@cache
def _walked(text: str) -> _Walked:
    """Returns a game of OpenSpiel. Raises ConfigError if it cannot be loaded or is not supported
    here.
    """
    try:
        game = pyspiel.load_game(text)
        about = game.get_type()
        if about.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        if about.utility != pyspiel.GameType.Utility.ZERO_SUM:
            raise ValueError("it is not zero-sum")
        walk = _Walk(game)
    except (pyspiel.SpielError, ValueError, IndexError, RecursionError) as error:
        raise ConfigError(
            f"game.load={text}: {' '.join(str(error).split())}; expected a small zero-sum game of "
            "OpenSpiel, with chance before the first move only"
        ) from error
    names = [walk.names.get(action, str(action)) for action in range(game.num_distinct_actions())]
    unique = tuple(
        name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names)
    )
    return _Walked(walk.rules(), unique, walk.texts)


class OpenSpielTree(Game):
    """A game of OpenSpiel as a tree."""

    @dataclass(frozen=True)
    class Options:
        """Which game."""

        load: str = setting("kuhn_poker", help="The text that pyspiel.load_game takes.")

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        super().__init__(options)
        self._walked = walked = _walked(options.load)
        self.rules, self.action_names = walked.rules, walked.names
        parents, depths = walked.rules.parent, np.zeros(len(walked.rules.seat), int)
        for node in range(len(depths)):  # parents come first
            depths[node] = depths[parents[node]] + 1 if parents[node] >= 0 else 0
        planes = walked.rules.seen.shape[1]
        self.spec = GameSpec.of(
            __name__,
            num_actions=len(walked.names),
            max_moves=int(depths.max()),
            max_return=float(np.abs(walked.rules.returns).max()),
            observation_shape=(planes, 1),
            num_seats=walked.rules.info.shape[1],
            max_legal=walked.rules.legal.shape[1],
            observation_scale=(1 / np.maximum(1, np.abs(walked.rules.seen).max(axis=0))).astype(
                np.float32
            ),
            has_private_moves=not walked.rules.shown.all(),
        )

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, and their probabilities."""
        roots = np.unique(self.rules.root)
        return States(roots, self.rules.info[roots]), self.rules.chance[roots]

    def view_fields(
        self, views: AnyStates, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns the text of what the seat knows."""
        known = views.info[row, seat]
        return {"knows": self._walked.texts[known] if known >= 0 else None}


GAME = OpenSpielTree
