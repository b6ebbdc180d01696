"""Single-observer IS-MCTS: one tree of the searcher's information sets, over many deals of the
hidden cards.

Each iteration takes another deal and walks down from the root. At a node only the moves that are
legal in this deal are there; moves of the others, too, are chosen in this tree, by the upper
confidence bound of *their* team's results. How often a move was there to be chosen (its
*availability*) takes the place of the visits of the parent. The first move that was never tried
ends the
walk: it joins the tree, and the rest is played at random.

Statistics belong to edges: a move at an information set of the searcher. They stand in a hash table
by both keys.

Source: Cowling, Powley & Whitehouse, "Information set Monte Carlo tree search", 2012, III.C and
algorithm 1.
"""

from typing import NamedTuple

import numpy as np

from agents.decision import RETURN, WINS
from agents.general.tree_search import Clock, Place, Root, TreeAgent
from games.batches import Rules, States
from games.generic import copy_row, current_seat, infoset_key, legal, step, team_return
from games.interface import Game
from games.kernels import kernel, mix64, random_below, random_float
from inference.prior import prior_worlds

CHUNK = 256
"""Iterations between two looks at the clock; each has a deal of its own."""
PLACES = 1024
"""Of the hash table of a new tree."""


class Edges(NamedTuple):
    """The edges of one tree, T places.

    Attributes:
        keys: uint64 ``[T]``, T a power of two; 0 = empty.
        visits: uint32 ``[T]``, how often a move was chosen.
        available: uint32 ``[T]``, how often it was there to be chosen, since it joined the tree.
        totals: float64 ``[T]``, sums of the returns of the mover's team.
        squares: float64 ``[T]``, sums of their squares.
        used: int64 ``[1]``, how many edges there are.
        span: float64 ``[2]``, the least and the largest return of an iteration.
    """

    keys: np.ndarray
    visits: np.ndarray
    available: np.ndarray
    totals: np.ndarray
    squares: np.ndarray
    used: np.ndarray
    span: np.ndarray


def empty_edges(places: int) -> Edges:
    """Returns an empty tree with room for half as many edges as places (a power of two)."""
    return Edges(
        np.zeros(places, np.uint64),
        np.zeros(places, np.uint32),
        np.zeros(places, np.uint32),
        np.zeros(places),
        np.zeros(places),
        np.zeros(1, np.int64),
        np.array([np.inf, -np.inf]),
    )


@kernel
def edge_key(infoset: np.uint64, action: int) -> np.uint64:
    """Returns the key of a move at an information set, never 0."""
    return mix64(infoset ^ mix64(np.uint64(action + 1))) | np.uint64(1)


@kernel
def find(edges: Edges, key: np.uint64) -> int:
    """Returns the place of an edge, or ``-1 - place`` of where it would stand."""
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
            larger.visits[there] = edges.visits[place]
            larger.available[there] = edges.available[place]
            larger.totals[there] = edges.totals[place]
            larger.squares[there] = edges.squares[place]
    larger.used[0] = edges.used[0]
    larger.span[:] = edges.span


@kernel
def iterate(
    rules: Rules,
    worlds: States,
    first: int,
    count: int,
    searcher: int,
    wins_only: bool,
    exploration: float,
    asked: np.ndarray,
    edges: Edges,
    state: States,
    rng: np.ndarray,
    lane: int,
    path: np.ndarray,
    movers: np.ndarray,
    actions: np.ndarray,
    places: np.ndarray,
) -> None:
    """Runs an iteration in each of some worlds.

    Args:
        worlds: The deals are rows ``first`` to ``first + count - 1``. searcher: Whose information
            sets these are.
        wins_only: Whether the result of an iteration is its sign, a win, a draw or a loss.
            exploration: c; bounds are in units of the span of all results so far.
        asked: int16 ``[m]``, the moves that are considered at the root.
        state: One row of scratch. rng: uint64 streams; that of ``lane`` is drawn from.
        path, movers: int64 ``[max_moves]``, scratch. actions, places: int16, int64 ``[max_legal]``,
            scratch.
    """
    for world in range(first, first + count):
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
                untried = 0
                chosen = 0
                for k in range(n):
                    places[k] = find(edges, edge_key(key, actions[k]))
                    if places[k] < 0:
                        untried += 1
                        if random_below(rng, lane, untried) == 0:
                            chosen = k
                if untried > 0:
                    in_tree = False
                    place = -1 - places[chosen]
                    edges.keys[place] = edge_key(key, actions[chosen])
                    edges.used[0] += 1
                else:
                    chosen = _best(
                        edges,
                        places,
                        n,
                        exploration * max(edges.span[1] - edges.span[0], 1e-9),
                        rng,
                        lane,
                    )
                    place = places[chosen]
                for k in range(n):
                    if places[k] >= 0:
                        edges.available[places[k]] += np.uint32(1)
                if untried > 0:
                    edges.available[place] += np.uint32(1)
                path[depth], movers[depth] = place, seat
                depth += 1
            else:
                chosen = random_below(rng, lane, n)
            step(rules, state, 0, actions[chosen])
            seat = current_seat(rules, state, 0)
        for k in range(depth):
            result = team_return(rules, state, 0, movers[k])
            if wins_only:
                result = np.sign(result)
            edges.span[0], edges.span[1] = (
                min(edges.span[0], result, -result),
                max(edges.span[1], result, -result),
            )
            edges.visits[path[k]] += np.uint32(1)
            edges.totals[path[k]] += result
            edges.squares[path[k]] += result * result


@kernel
def _best(
    edges: Edges, places: np.ndarray, n: int, exploration: float, rng: np.ndarray, lane: int
) -> int:
    """Returns the move of the largest upper confidence bound, one of the best at random."""
    best, chosen, ties = -np.inf, 0, 0
    for k in range(n):
        place = places[k]
        visits = np.float64(edges.visits[place])
        bound = edges.totals[place] / visits + exploration * np.sqrt(
            np.log(np.float64(edges.available[place])) / visits
        )
        if bound > best:
            best, chosen, ties = bound, k, 1
        elif bound == best:
            ties += 1
            if random_float(rng, lane) * ties < 1.0:
                chosen = k
    return chosen


@kernel
def root_statistics(
    rules: Rules,
    views: States,
    i: int,
    edges: Edges,
    actions: np.ndarray,
    n: int,
    visits: np.ndarray,
    means: np.ndarray,
    errors: np.ndarray,
) -> None:
    """Writes visits (int64), mean results and their standard errors (NaN where too few) of
    ``actions[:n]`` at the root.
    """
    key = infoset_key(rules, views, i, current_seat(rules, views, i))
    for k in range(n):
        visits[k], means[k], errors[k] = 0, np.nan, np.nan
        place = find(edges, edge_key(key, actions[k]))
        if place >= 0 and edges.visits[place] > 0:
            count = np.float64(edges.visits[place])
            visits[k], means[k] = edges.visits[place], edges.totals[place] / count
            if count > 1:
                variance = max(edges.squares[place] / count - means[k] ** 2, 0.0)
                errors[k] = np.sqrt(variance / (count - 1))


class SingleObserverAgent(TreeAgent[Edges]):
    """Single-observer IS-MCTS, with a new tree for every decision.

    Args:
        game: The game.
        iterations, seconds, temperature: See ``TreeAgent``.
        wins_only: Whether results are wins or returns.
        c: Exploration constant, in units of the span of results.
    """

    def __init__(
        self,
        game: Game,
        iterations: int | None,
        seconds: float | None,
        temperature: float,
        wins_only: bool,
        c: float,
    ) -> None:
        super().__init__(game, iterations, seconds, temperature, WINS if wins_only else RETURN)
        spec = game.spec
        self.wins_only, self.c, self._worlds, self._state = (
            wins_only,
            c,
            game.empty(CHUNK),
            game.empty(1),
        )
        self._path, self._movers = (
            np.empty(spec.max_moves, np.int64),
            np.empty(spec.max_moves, np.int64),
        )
        self._actions, self._places = (
            np.empty(spec.max_legal, np.int16),
            np.empty(spec.max_legal, np.int64),
        )

    def new_tree(self) -> Edges:
        """Returns an empty tree."""
        return empty_edges(PLACES)

    def iterate(self, place: Place[Edges], done: int, clock: Clock) -> int:
        """Runs an iteration in each of some deals."""
        game, count = self.game, min(CHUNK, clock.most - done)
        if 2 * (int(place.tree.used[0]) + count) > len(place.tree.keys):
            larger = empty_edges(4 * len(place.tree.keys))
            grow(place.tree, larger)
            place.tree = larger
        prior_worlds(
            game.rules, place.positions, place.rng, count, game.spec.hidden_words, self._worlds
        )
        iterate(
            game.rules,
            self._worlds,
            0,
            count,
            place.seat,
            self.wins_only,
            self.c,
            place.asked,
            place.tree,
            self._state,
            place.rng,
            place.lane,
            self._path,
            self._movers,
            self._actions,
            self._places,
        )
        return count

    def root(self, place: Place[Edges]) -> Root:
        """Returns visits, means and standard errors of the moves."""
        n = len(place.asked)
        visits, means, errors = np.empty(n, np.int64), np.empty(n), np.empty(n)
        root_statistics(
            self.game.rules, place.view, 0, place.tree, place.asked, n, visits, means, errors
        )
        shift, scale = (0.5, 0.5) if self.wins_only else (0.0, 1.0)
        tried = visits > 0
        value = shift + scale * float((visits[tried] * means[tried]).sum() / visits.sum())
        return Root(self.policy_of(visits), visits, shift + scale * means, scale * errors, value)
