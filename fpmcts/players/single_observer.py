"""Single-observer IS-MCTS: one tree of the searcher's information sets, over many deals of the
hidden cards.

Each iteration takes another deal and descends from the root. At a node only the moves that are
legal in this deal are available; moves of the others are chosen in this tree, too, by the upper
confidence bound of *their* team's results. The number of times a move was available (its
*availability*) replaces the visits of the parent. The first untried move ends the descent: it joins
the tree, and the rest is played at random.

Statistics belong to edges: a move at an information set of the searcher. A hash table stores them
by both keys.

Source: Cowling, Powley & Whitehouse, "Information set Monte Carlo tree search", 2012, III.C and
algorithm 1.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.players.tree_search import Place, Root, SearchClock, TreeAgent
from games.kernels import kernel, mix64, random_below, random_float
from games.kernels.generic import copy_row, current_seat, infoset_key, legal, step, team_return
from games.kernels.rows import Rules, States
from games.play.decision import RETURN, WINS
from games.play.interface import Game
from inference.prior import prior_worlds

CHUNK = 256
"""Iterations between two checks of the clock; each has its own deal."""
PLACES = 1024
"""Size of the hash table of a new tree."""
VISITS, AVAILABLE, TOTAL, SQUARES = range(4)
"""Statistics of an edge: visits of its move, its availability since it joined the tree, the sum of
the returns of the mover's team, and the sum of their squares.
"""


class Edges(NamedTuple):
    """The edges of one tree, T places.

    Attributes:
        keys: uint64 ``[T]``, T a power of two; 0 = empty.
        sums: float64 ``[T, 4]``, the statistics.
        used: int64 ``[1]``, number of edges.
        span: float64 ``[2]``, the smallest and the largest return of an iteration.
    """

    keys: np.ndarray
    sums: np.ndarray
    used: np.ndarray
    span: np.ndarray


def empty_edges(places: int) -> Edges:
    """Returns an empty tree with room for half as many edges as places (a power of two)."""
    sums, span = np.zeros((places, 4)), np.array([np.inf, -np.inf])
    return Edges(np.zeros(places, np.uint64), sums, np.zeros(1, np.int64), span)


@kernel
def edge_key(infoset: np.uint64, action: int) -> np.uint64:
    """Returns the key of a move at an information set, never 0."""
    return mix64(infoset ^ mix64(np.uint64(action + 1))) | np.uint64(1)


@kernel
def find(edges: Edges, key: np.uint64) -> int:
    """Returns the place of an edge, or ``-1 - place`` for the place it would get."""
    mask = np.uint64(edges.keys.size - 1)
    place = (key >> np.uint64(1)) & mask
    while edges.keys[place] != 0:
        if edges.keys[place] == key:
            return np.int64(place)
        place = (place + np.uint64(1)) & mask
    return -1 - np.int64(place)


@kernel
def grow(edges: Edges, larger: Edges) -> None:
    """Moves all edges to an empty tree with more places."""
    for place in range(edges.keys.size):
        if edges.keys[place] != 0:
            there = -1 - find(larger, edges.keys[place])
            larger.keys[there] = edges.keys[place]
            larger.sums[there] = edges.sums[place]
    larger.used[0] = edges.used[0]
    larger.span[:] = edges.span


@kernel
def iterate(
    rules: Rules,
    worlds: States,
    count: int,
    searcher: int,
    wins_only: bool,
    exploration: float,
    asked: np.ndarray,
    edges: Edges,
    state: States,
    rng: np.ndarray,
    max_moves: int,
    max_legal: int,
) -> None:
    """Runs an iteration in each of the first ``count`` worlds.

    Args:
        searcher: The seat of these information sets.
        wins_only: Whether only the sign of a return counts: a win, a draw or a loss.
        exploration: c; bounds are in units of the span of all results so far.
        asked: int16 ``[m]``, the moves that are considered at the root.
        state: One row, scratch.
        rng: uint64 ``[1]``.
    """
    path, movers = np.empty(max_moves, np.int64), np.empty(max_moves, np.int64)
    actions, places = np.empty(max_legal, np.int16), np.empty(max_legal, np.int64)
    for world in range(count):
        copy_row(rules, worlds, world, state, 0)
        depth, in_tree = 0, True
        seat = current_seat(rules, state, 0)
        while seat >= 0:
            if depth == 0:
                n = asked.size
                actions[:n] = asked
            else:
                n = legal(rules, state, 0, actions)
            if in_tree:
                key = infoset_key(rules, state, 0, searcher)
                untried, chosen = 0, 0
                for k in range(n):
                    places[k] = find(edges, edge_key(key, actions[k]))
                    if places[k] < 0:
                        untried += 1
                        if random_below(rng, 0, untried) == 0:
                            chosen = k
                if untried > 0:
                    in_tree = False
                    places[chosen] = -1 - places[chosen]
                    edges.keys[places[chosen]] = edge_key(key, actions[chosen])
                    edges.used[0] += 1
                else:
                    width = exploration * max(edges.span[1] - edges.span[0], 1e-9)
                    chosen = _best(edges, places, n, width, rng)
                for k in range(n):
                    if places[k] >= 0:
                        edges.sums[places[k], AVAILABLE] += 1.0
                path[depth], movers[depth] = places[chosen], seat
                depth += 1
            else:
                chosen = random_below(rng, 0, n)
            step(rules, state, 0, actions[chosen])
            seat = current_seat(rules, state, 0)
        for k in range(depth):
            result = team_return(rules, state, 0, movers[k])
            if wins_only:
                result = np.sign(result)
            edges.span[0] = min(edges.span[0], result, -result)
            edges.span[1] = max(edges.span[1], result, -result)
            edges.sums[path[k], VISITS] += 1.0
            edges.sums[path[k], TOTAL] += result
            edges.sums[path[k], SQUARES] += result * result


@kernel
def _best(edges: Edges, places: np.ndarray, n: int, exploration: float, rng: np.ndarray) -> int:
    """Returns a move with the largest upper confidence bound, ties broken at random."""
    best, chosen, ties = -np.inf, 0, 0
    for k in range(n):
        sums = edges.sums[places[k]]
        bound = sums[TOTAL] / sums[VISITS] + exploration * np.sqrt(
            np.log(sums[AVAILABLE]) / sums[VISITS]
        )
        if bound > best:
            best, chosen, ties = bound, k, 1
        elif bound == best:
            ties += 1
            if random_float(rng, 0) * ties < 1.0:
                chosen = k
    return chosen


@kernel
def root_sums(
    rules: Rules, view: States, seat: int, edges: Edges, actions: np.ndarray, out: np.ndarray
) -> None:
    """Writes the statistics of ``actions`` at a view of one row (``[m, 4]``), 0 where untried."""
    key = infoset_key(rules, view, 0, seat)
    for k in range(actions.size):
        place = find(edges, edge_key(key, actions[k]))
        out[k] = edges.sums[place] if place >= 0 else np.zeros(4)


class SingleObserverAgent(TreeAgent[Edges]):
    """Single-observer IS-MCTS, with a new tree for every decision.

    Args:
        game: The game.
        wins_only: Whether results are wins or returns.
        c: Exploration constant, in units of the span of results.
    """

    def __init__(self, game: Game, wins_only: bool, c: float) -> None:
        super().__init__(game, WINS if wins_only else RETURN)
        self.wins_only, self.c = wins_only, c
        self._worlds, self._state = game.empty(CHUNK), game.empty(1)

    def new_tree(self) -> Edges:
        """Returns an empty tree."""
        return empty_edges(PLACES)

    def iterate(self, place: Place[Edges], done: int, clock: SearchClock) -> int:
        """Runs an iteration in each deal of a chunk."""
        rules, spec, count = self.game.rules, self.game.spec, min(CHUNK, clock.most - done)
        if 2 * (int(place.tree.used[0]) + count) > len(place.tree.keys):
            larger = empty_edges(4 * len(place.tree.keys))
            grow(place.tree, larger)
            place.tree = larger
        prior_worlds(rules, place.positions, place.rng, count, spec.hidden_words, self._worlds)
        iterate(
            rules,
            self._worlds,
            count,
            place.question.seat,
            self.wins_only,
            self.c,
            place.question.asked,
            place.tree,
            self._state,
            place.rng,
            spec.max_moves,
            spec.max_legal,
        )
        return count

    def root(self, place: Place[Edges]) -> Root:
        """Returns visits, means and standard errors of the moves."""
        q, sums = place.question, np.empty((len(place.question.asked), 4))
        root_sums(self.game.rules, q.view, q.seat, place.tree, q.asked, sums)
        visits, _, totals, squares = sums.T
        means = np.divide(totals, visits, out=np.full(len(sums), np.nan), where=visits > 0)
        variances = np.divide(squares, visits, out=np.full(len(sums), np.nan), where=visits > 1)
        errors = np.sqrt(np.maximum(variances - means**2, 0.0) / np.maximum(visits - 1.0, 1.0))
        shift, scale = (0.5, 0.5) if self.wins_only else (0.0, 1.0)
        value = shift + scale * float(np.nansum(visits * means) / visits.sum())
        return Root(self.policy_of(visits), visits, shift + scale * means, scale * errors, value)
