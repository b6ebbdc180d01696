"""The choice among moves near the end of a game, by solving worlds with all hands open.

Policies, and searches in which everybody plays on by them, may miss wins and defences. Near the end
few worlds fit what was played, and a move's outcome in each can be solved
(``players.double_dummy``).
Another move than the preferred one is chosen if it wins in clearly more of them.
"""

import numpy as np

from games.doudizhu.cards import HAND_SIZES, size, unpack
from games.doudizhu.moves import Rules
from games.doudizhu.players.double_dummy import UNSOLVED, Solver, forget, new_solver, solve
from games.doudizhu.state import step
from games.generic import copy_row
from games.kernels import kernel
from games.rows import States

MOST_CARDS = 26
"""Cards left in all hands, above which nothing is solved."""
MARGIN = 0.1
"""The other move must win in more worlds, by more than this share of them."""
MOST_NODES = 20_000
"""Nodes of the solver for a decision; if they do not suffice, the preferred move stays."""
TABLE_BITS = 14
"""Size of the solver's table, which is cleared for every decision."""
_LOSES, _WINS, _UNKNOWN = 0, 1, 2


@kernel
def _outcome(rules: Rules, solver: Solver, worlds: States, w: int, move: int, after: States) -> int:
    """Returns whether the mover's team wins world ``w`` after a move, or with its best move if
    ``move`` is -1.
    """
    copy_row(rules, worlds, w, after, 0)
    if move >= 0:
        step(rules, after, 0, move)
    landlord_wins = after.winner[0] == 0
    if after.winner[0] < 0:
        value = solve(rules, solver, after, 0, False, solver.nodes[0])
        if value == UNSOLVED:
            return _UNKNOWN
        landlord_wins = value > 0
    return _WINS if landlord_wins == (worlds.seat[w] == 0) else _LOSES


@kernel
def _preferred(
    rules: Rules,
    solver: Solver,
    worlds: States,
    first: int,
    count: int,
    moves: np.ndarray,
    after: States,
) -> int:
    """Returns the index of the move to play, 0 unless another one wins in clearly more worlds.

    Args:
        solver: Its memory.
        worlds: ``count`` worlds of the position, from the row ``first`` on.
        moves: int16 ``[m]``, legal moves, the preferred one first.
        after: One row, scratch.
    """
    hands = worlds.hands[first : first + count]
    if size(hands[0, 0]) + size(hands[0, 1]) + size(hands[0, 2]) > MOST_CARDS:
        return 0
    forget(solver)
    solver.nodes[0] = MOST_NODES
    rows, weights, num = np.zeros(count, np.int64), np.zeros(count, np.int64), 0
    for w in range(count):
        k = 0
        while k < num and (hands[rows[k]] != hands[w]).any():
            k += 1
        if k == num:
            rows[k] = w
            num += 1
        weights[k] += 1
    # Worlds that are lost whatever is played do not count.
    won = missed = kept = 0
    for k in range(num):
        w, weight = first + rows[k], weights[k]
        outcome = _outcome(rules, solver, worlds, w, moves[0], after)
        best = outcome
        if outcome == _LOSES:
            best = _outcome(rules, solver, worlds, w, -1, after)
        if best == _UNKNOWN:
            return 0
        if best == _WINS:
            won += outcome * weight
            missed += (1 - outcome) * weight
            rows[kept], weights[kept] = rows[k], weight
            kept += 1
    chosen, most = 0, won + MARGIN * count
    for m in range(1, len(moves)):
        if won + missed <= most:
            break
        wins, possible = 0, won + missed
        for k in range(kept):
            outcome = _outcome(rules, solver, worlds, first + rows[k], moves[m], after)
            if outcome == _UNKNOWN:
                return 0
            wins += outcome * weights[k]
            possible -= (1 - outcome) * weights[k]
            if possible <= most:
                break
        if possible > most:
            chosen, most = m, np.float64(wins)
    return chosen


@kernel
def _choose(
    rules: Rules,
    solver: Solver,
    worlds: States,
    actions: np.ndarray,
    policy: np.ndarray,
    num_legal: np.ndarray,
    after: States,
    choice: np.ndarray,
) -> None:
    count = len(worlds.seat) // len(choice)
    for t in range(len(choice)):
        order = np.argsort(-policy[t, : num_legal[t]], kind="mergesort")
        moves = np.empty(num_legal[t], np.int16)
        moves[0], num = choice[t], 1
        for k in order:
            if actions[t, k] != choice[t]:
                moves[num] = actions[t, k]
                num += 1
        choice[t] = moves[_preferred(rules, solver, worlds, t * count, count, moves, after)]


class Endgame:
    """See ``games.interface.Endgame``.

    Args:
        rules: The rules.
        after: One row of states.
    """

    def __init__(self, rules: Rules, after: States) -> None:
        self._rules, self._after, self._solver = rules, after, new_solver(TABLE_BITS)

    def is_near(self, views: States) -> np.ndarray:
        """Returns whether few enough cards are left (bool ``[n]``)."""
        played = unpack(views.played).sum(axis=(1, 2), dtype=np.int64)
        return np.asarray(played >= sum(HAND_SIZES) - MOST_CARDS)

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
        _choose(self._rules, self._solver, worlds, actions, policy, num_legal, self._after, chosen)
        return chosen
