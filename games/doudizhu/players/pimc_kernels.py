"""PIMC's kernels: candidates, rollouts and the choice. The method is in
``games/doudizhu/players/pimc.py``.

W worlds, K candidates. All values are the searching team's, in units of the stake at the decision.
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import Seat, size
from games.doudizhu.moves import MAX_LEGAL, PASS, Rules
from games.doudizhu.players.rhcp_kernels import Memo, choose, new_memo, rest_score
from games.doudizhu.players.teamplay import choose_for_team
from games.doudizhu.solver.double_dummy import Solver, forget, new_solver, solve
from games.doudizhu.solver.sure_win import sure_win
from games.doudizhu.state import States, empty, legal, step
from games.doudizhu.worlds import draw_hidden, fill_world, list_hidden, log_prior_hidden
from games.kernels import kernel
from games.kernels.generic import copy_row

_FIRST, _SECOND = 1 << 30, 1 << 29
_EPSILON = 1e-9
"""Below this, means differ by rounding."""


class Settings(NamedTuple):
    """What ``PIMC`` describes, for the kernels.

    Attributes:
        worlds: Most worlds per decision.
        candidates: Most moves that are compared.
        solver_cards: Positions with at most this many cards in all hands are handed to the solver.
        max_nodes: Nodes per position of the solver.
        points: Whether points count, or wins alone.
        margin: How much better than the policy's choice another move must be, in standard errors of
            the difference.
        team_play: Whether the policy is ``games.doudizhu.players.teamplay``, or RHCP.
    """

    worlds: int
    candidates: int
    solver_cards: int
    max_nodes: int
    points: bool
    margin: float
    team_play: bool


class Workspace(NamedTuple):
    """Memory of a player. For one thread at a time.

    Attributes:
        memo: RHCP's.
        solver: The endgame solver's; its table holds what one decision has met.
        worlds: States ``[W]``.
        hands: uint64 ``[W, 1]``, the hand of the next seat in every world.
        weights: float64 ``[W]``, the probability of each world.
        row: States ``[1]`` of a rollout.
        moves: int16 ``[520]``, the legal moves.
        scores: int64 ``[520]``, RHCP's score of what each leaves.
        values: float64 ``[K, W]``.
        order: int64 ``[K]``, the candidates still compared.
        means: float64 ``[K]``, of those.
    """

    memo: Memo
    solver: Solver
    worlds: States
    hands: np.ndarray
    weights: np.ndarray
    row: States
    moves: np.ndarray
    scores: np.ndarray
    values: np.ndarray
    order: np.ndarray
    means: np.ndarray


def new_workspace(settings: Settings) -> Workspace:
    """Returns the memory for decisions with these settings."""
    return Workspace(
        memo=new_memo(),
        solver=new_solver(),
        worlds=empty(settings.worlds),
        hands=np.zeros((settings.worlds, 1), np.uint64),
        weights=np.zeros(settings.worlds),
        row=empty(1),
        moves=np.zeros(MAX_LEGAL, np.int16),
        scores=np.zeros(MAX_LEGAL, np.int64),
        values=np.zeros((settings.candidates, settings.worlds)),
        order=np.zeros(settings.candidates, np.int64),
        means=np.zeros(settings.candidates),
    )


@kernel
def policy_move(rules: Rules, settings: Settings, work: Workspace, states: States, i: int) -> int:
    """Returns the policy's move for the seat to move in lane ``i``, of which it sees what that seat
    does.
    """
    if settings.team_play:
        return choose_for_team(rules, work.memo, states, i)
    return np.int64(choose(rules, work.memo, states, i))


@kernel
def _best_to_front(scores: np.ndarray, items: np.ndarray, begin: int, end: int, count: int) -> None:
    """Puts the best of ``items[begin:count]`` at ``begin`` up to ``end``, best first, their scores
    with them. Swaps change the order of the others, so of equals any may come first.
    """
    for k in range(begin, end):
        best = k
        for j in range(k + 1, count):
            if scores[j] > scores[best]:
                best = j
        items[k], items[best] = items[best], items[k]
        scores[k], scores[best] = scores[best], scores[k]


@kernel
def pick_candidates(
    rules: Rules, work: Workspace, hand: np.uint64, num_moves: int, own: int, most: int
) -> int:
    """Moves at most ``most`` candidates to the front of ``work.moves``, the policy's choice ``own``
    first; returns their number.

    The others are pass, where it is legal, and the moves that leave the best hands by RHCP's score.
    """
    moves, scores = work.moves, work.scores
    for k in range(num_moves):
        move = moves[k]
        if move == own:
            scores[k] = _FIRST
        elif move == PASS:
            scores[k] = _SECOND
        else:
            scores[k] = rest_score(work.memo, hand, rules.cards[move], np.int64(0))[0]
    count = min(num_moves, most)
    _best_to_front(scores, moves, 0, count, num_moves)
    return count


@kernel
def _draw_worlds(
    rules: Rules, work: Workspace, views: States, i: int, rng: np.ndarray, lane: int
) -> tuple[int, bool]:
    """Fills ``work.worlds`` from the prior; returns their number, and whether they are all that
    there are.

    In that case each has its probability as its weight; otherwise they weigh the same.
    """
    seat, hands = np.int64(views.seat[i]), work.hands
    total = list_hidden(rules, views, i, seat, hands)
    listed = total > 0
    if not listed:
        total = len(hands)
        draw_hidden(rules, views, i, seat, rng, lane, hands)
    for w in range(total):
        fill_world(rules, views, i, seat, hands[w], work.worlds, w)
        if listed:
            work.weights[w] = np.exp(log_prior_hidden(rules, views, i, seat, hands[w]))
        else:
            work.weights[w] = 1.0 / total
    return total, listed


@kernel
def play_out(rules: Rules, settings: Settings, work: Workspace, world: int, move: int) -> float:
    """Returns the value of a move in a world for the team that makes it, in units of the stake, or
    +-1.

    After the move the policy moves for all seats until the solver knows the value or the game is
    over. Where the nodes do not suffice, the solver is asked again two cards later.
    """
    # A literal lane would make numba compile each kernel that takes it once more.
    row, lane = work.row, np.int64(0)
    copy_row(rules, work.worlds, world, row, lane)
    seat, bombs = row.seat[lane], row.bombs[lane]
    step(rules, row, lane, move)
    value = 0.0
    limit = settings.solver_cards
    while value == 0.0:
        left = size(row.hands[lane, 0] + row.hands[lane, 1] + row.hands[lane, 2])
        if row.winner[lane] >= 0:
            value = 1.0 if row.winner[lane] == Seat.LANDLORD else -1.0
        elif left <= limit:
            value = solve(rules, work.solver, row, lane, settings.points, settings.max_nodes)
            limit = left - 2
        if value == 0.0:
            step(rules, row, lane, policy_move(rules, settings, work, row, lane))
    if settings.points:
        value *= np.float64(np.int64(1) << np.int64(row.bombs[lane] - bombs))
    return value if seat == Seat.LANDLORD else -value


@kernel
def _drop_worst(work: Workspace, num_left: int, num_worlds: int) -> int:
    """Returns how many candidates stay of ``num_left``: the better half by their means so far, and
    the policy's choice always.
    """
    order, means = work.order, work.means
    for j in range(num_left):
        means[j] = work.values[order[j], :num_worlds].mean()
    keep = max((num_left + 1) // 2, 2)
    _best_to_front(means, order, 1, keep, num_left)
    return keep


@kernel
def _compare(
    rules: Rules,
    settings: Settings,
    work: Workspace,
    num_candidates: int,
    num_worlds: int,
    listed: bool,
) -> int:
    """Returns the candidate with the best mean; ``work.values`` of all candidates that are compared
    to the end are complete.

    Sequential halving over worlds that all candidates share: after an eighth, a quarter and a half
    of the worlds the worse half goes. Where the worlds are listed, none goes, as they do not weigh
    the same.
    """
    order = work.order
    for j in range(num_candidates):
        order[j] = j
    left, begin = num_candidates, np.int64(0)
    for part in range(3, -1, -1):
        end = num_worlds >> part
        if listed and part > 0:
            continue
        for j in range(left):
            for w in range(begin, end):
                work.values[order[j], w] = play_out(
                    rules, settings, work, w, np.int64(work.moves[order[j]])
                )
        begin = end
        if part > 0 and end > 0 and left > 2:
            left = _drop_worst(work, left, end)
    return _best(settings, work, left, num_worlds)


@kernel
def _best(settings: Settings, work: Workspace, left: int, num_worlds: int) -> int:
    """Returns the candidate with the best mean of ``order[:left]``, the policy's choice unless
    another is better by the margin.
    """
    order, values, weights = work.order, work.values, work.weights
    best, best_mean = 0, -np.inf
    for j in range(left):
        mean = 0.0
        for w in range(num_worlds):
            mean += weights[w] * values[order[j], w]
        if mean > best_mean + _EPSILON:
            best, best_mean = j, mean
    gain, square = 0.0, 0.0
    for w in range(num_worlds):
        difference = values[order[best], w] - values[order[0], w]
        gain += weights[w] * difference
        square += weights[w] * difference * difference
    error = np.sqrt(max(square - gain * gain, 0.0) / num_worlds)
    return (
        np.int64(order[best]) if gain > settings.margin * error + _EPSILON else np.int64(order[0])
    )


@kernel
def act(
    rules: Rules,
    settings: Settings,
    work: Workspace,
    games: np.ndarray,
    views: States,
    rng: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Writes the move in every view to ``moves`` (int16 ``[n]``); for worlds, view i draws from
    ``rng[games[i]]``.
    """
    for i in range(len(moves)):
        num_moves = legal(rules, views, i, work.moves)
        own = np.int64(work.moves[0])
        if num_moves > 1:
            own = sure_win(rules, views, i)
        if own >= 0:
            moves[i] = own
            continue
        own = policy_move(rules, settings, work, views, i)
        hand = views.hands[i, views.seat[i]]
        num_candidates = pick_candidates(rules, work, hand, num_moves, own, settings.candidates)
        forget(work.solver)
        num_worlds, listed = _draw_worlds(rules, work, views, i, rng, games[i])
        moves[i] = work.moves[_compare(rules, settings, work, num_candidates, num_worlds, listed)]
