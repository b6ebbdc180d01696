"""The choice among moves near the end of a game, by solving worlds with all hands open.

Policies, and searches in which everybody plays on by them, may miss wins and defences. Near the end
few worlds fit what was played, and each can be solved (``double_dummy``). Another move than
the preferred one is chosen if it is worth clearly more over all of them.
"""

import numpy as np

from games.doudizhu.cards import HAND_SIZES, size, unpack
from games.doudizhu.moves import Rules
from games.doudizhu.solver.double_dummy import (
    UNSOLVED,
    Solver,
    forget,
    most_doubled,
    new_solver,
    solve,
)
from games.doudizhu.state import bomb_factor, step
from games.kernels import kernel
from games.kernels.generic import copy_row
from games.kernels.rows import States

MOST_CARDS = 32
"""Cards left in all hands, above which a policy's choices are not corrected."""
MOST_CARDS_SEARCHED = 26
"""The same for choices of a search."""
MARGIN = 0.05
"""The other move must be worth more than the preferred one by more than this, in units of the
stake: a win in place of a loss in one of 40 worlds.
"""
MOST_NODES = 50_000
"""Nodes of the solver for a decision."""
SHARE = 4
"""Each value may use 1 / ``SHARE`` of the nodes that are left."""
TABLE_BITS = 16
"""Size of the solver's table, which is cleared for every decision."""


@kernel
def _value(
    rules: Rules,
    solver: Solver,
    worlds: States,
    w: int,
    move: int,
    points: bool,
    unsolved: float,
    left: np.ndarray,
    after: States,
) -> float:
    """Returns what world ``w`` is worth to the mover's team after a move, or after its best move if
    ``move`` is -1: +-1, with ``points`` +-2^(bombs and rockets played from here on).

    Args:
        unsolved: The value if it takes too many nodes.
        left: int64 ``[1]``, the nodes that are left.
    """
    copy_row(rules, worlds, w, after, 0)
    if move >= 0:
        step(rules, after, 0, move)
    value = 1.0 if after.winner[0] == 0 else -1.0
    if after.winner[0] < 0:
        nodes = left[0] // SHARE
        value = solve(rules, solver, after, 0, points, nodes)
        left[0] -= nodes - solver.nodes[0]
        if value == UNSOLVED:
            return unsolved
    if points:
        value *= bomb_factor(after, 0) / bomb_factor(worlds, w)
    return value if worlds.seat[w] == 0 else -value


@kernel
def _preferred(
    rules: Rules,
    solver: Solver,
    worlds: States,
    first: int,
    count: int,
    moves: np.ndarray,
    points: bool,
    most_nodes: int,
    after: States,
) -> int:
    """Returns the index of the move to play, 0 unless another one is clearly worth more.

    A value that takes too many nodes counts as the highest possible one of the preferred move, and
    as the lowest possible one of another.

    Args:
        solver: Its memory.
        worlds: ``count`` worlds of the position, from the row ``first`` on.
        moves: int16 ``[m]``, legal moves, the preferred one first.
        points: Whether points count, or the win alone.
        most_nodes: Nodes of the solver that may be used.
        after: One row, scratch.
    """
    hands = worlds.hands[first : first + count]
    forget(solver)
    left = np.full(1, most_nodes)
    rows, weights, num = np.zeros(count, np.int64), np.zeros(count), 0
    for w in range(count):
        k = 0
        while k < num and (hands[rows[k]] != hands[w]).any():
            k += 1
        if k == num:
            rows[k] = w
            num += 1
        weights[k] += 1.0
    # Worlds that are lost alike whatever is played do not count.
    best, most, missed, kept = np.empty(num), np.empty(num), 0.0, 0
    for k in range(num):
        w, weight = first + rows[k], weights[k]
        high = np.float64(1 << (most_doubled(worlds.hands[w]) - 1)) if points else 1.0
        value = _value(rules, solver, worlds, w, moves[0], points, high, left, after)
        highest = value
        if value < high:
            highest = _value(rules, solver, worlds, w, -1, points, high, left, after)
        if highest > -high:
            rows[kept], weights[kept], best[kept], most[kept] = w, weight, highest, high
            missed += weight * (highest - value)
            kept += 1
    chosen, least = 0, MARGIN * count
    for m in range(1, len(moves)):
        gain = missed
        for k in range(kept):
            if gain <= least:
                break
            value = _value(rules, solver, worlds, rows[k], moves[m], points, -most[k], left, after)
            gain -= weights[k] * (best[k] - value)
        if gain > least:
            chosen, least = m, gain
    return chosen


@kernel
def _choose(
    rules: Rules,
    solver: Solver,
    worlds: States,
    actions: np.ndarray,
    policy: np.ndarray,
    num_legal: np.ndarray,
    points: bool,
    most_cards: int,
    most_nodes: int,
    after: States,
    choice: np.ndarray,
) -> None:
    count = len(worlds.seat) // len(choice)
    for t in range(len(choice)):
        hands = worlds.hands[t * count]
        if size(hands[0]) + size(hands[1]) + size(hands[2]) > most_cards:
            continue
        order = np.argsort(-policy[t, : num_legal[t]], kind="mergesort")
        moves = np.empty(num_legal[t], np.int16)
        moves[0], num = choice[t], 1
        for k in order:
            if actions[t, k] != choice[t]:
                moves[num] = actions[t, k]
                num += 1
        chosen = _preferred(
            rules, solver, worlds, t * count, count, moves, points, most_nodes, after
        )
        choice[t] = moves[chosen]


class Endgame:
    """See ``games.play.interface.EndgameSolver``.

    Args:
        rules: The rules.
        after: One row of states.
        points: Whether points count, or the win alone. Springs are not counted.
        most_cards: Cards left in all hands, above which nothing is solved.
        most_nodes: Nodes of the solver for a decision.
    """

    def __init__(
        self,
        rules: Rules,
        after: States,
        points: bool,
        most_cards: int,
        most_nodes: int = MOST_NODES,
    ) -> None:
        self._rules, self._after, self._points = rules, after, points
        self._most_cards, self._most_nodes = most_cards, most_nodes
        self._solver = new_solver(TABLE_BITS)

    def is_near(self, views: States) -> np.ndarray:
        """Returns whether few enough cards are left (bool ``[n]``)."""
        played = unpack(views.played).sum(axis=(1, 2), dtype=np.int64)
        return played >= sum(HAND_SIZES) - self._most_cards

    def choose(
        self,
        worlds: States,
        actions: np.ndarray,
        policy: np.ndarray,
        num_legal: np.ndarray,
        choice: np.ndarray,
    ) -> np.ndarray:
        """Returns the moves to play (int16 ``[n]``)."""
        chosen = choice.copy()
        _choose(
            self._rules,
            self._solver,
            worlds,
            actions,
            policy,
            num_legal,
            self._points,
            self._most_cards,
            self._most_nodes,
            self._after,
            chosen,
        )
        return chosen
