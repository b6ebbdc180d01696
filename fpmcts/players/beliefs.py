"""Beliefs from a tree's own policies: worlds are weighted by the probability of the other seats'
moves.

A world is replayed from the start of the game. At each decision of another seat, the probability
of its move comes from the mean policy of its information set in the tree; a set without a row plays
uniformly. Worlds are drawn at the current view, so each counts p(deal) / q, the probabilities of
its deal and of its draw.
"""

import numpy as np

from fpmcts.tabular.hash_table import Rows, find, seat_key
from fpmcts.tabular.selection import weights
from games.generic import (
    HIDDEN_MOVE,
    UNSEEN_MOVE,
    current_seat,
    deal_rest,
    fill_world,
    legal,
    log_prior_hidden,
    nearest_listed,
    played_move,
    seen_move,
    start_hidden,
    start_view,
    step,
)
from games.kernels import kernel, random_float
from games.rows import Rules, States


@kernel
def log_weights(
    rules: Rules,
    view: States,
    seat: int,
    moves: np.ndarray,
    hidden: np.ndarray,
    selection: object,
    rows: Rows,
    scratch: States,
    max_legal: int,
    out: np.ndarray,
) -> None:
    """Writes the log-weight of each world: the likelihood of the other seats' moves, times p / q.

    Args:
        rules: The rules.
        view: One row, the view of ``seat``.
        seat: The seat.
        moves: int16, all moves so far as the seat saw them.
        hidden: uint64 ``[n, W]``, the worlds, drawn by ``draw_hidden``.
        selection: The selection of the rows, see ``fpmcts.tabular.selection``.
        rows: The tree.
        scratch: Two rows.
        max_legal: As in the game's spec.
        out: float64 ``[n]``, nats; -inf for impossible worlds.
    """
    actions, shares = np.empty(max_legal, np.int16), np.empty(max_legal)
    word, last = np.empty(hidden.shape[1], np.uint64), current_seat(rules, view, 0)
    start_view(rules, view, 0, seat, scratch, 0)
    for k in range(hidden.shape[0]):
        word[:] = hidden[k]
        start_hidden(rules, view, 0, seat, word)
        out[k] = -np.inf
        if fill_world(rules, scratch, 0, seat, word, scratch, 1):
            out[k] = log_prior_hidden(rules, scratch, 0, seat, word)
            out[k] -= log_prior_hidden(rules, view, 0, seat, hidden[k])
        j = 0
        while out[k] > -np.inf and (j < moves.size or current_seat(rules, scratch, 1) != last):
            mover = current_seat(rules, scratch, 1)
            move = moves[j] if j < moves.size else HIDDEN_MOVE
            action = played_move(rules, scratch, 1, seat, move, word) if mover >= 0 else -1
            if action < 0:
                out[k] = -np.inf
                break
            is_seen = seen_move(rules, scratch, 1, action, seat) != UNSEEN_MOVE
            if mover != seat:
                out[k] += _log_share(
                    rules, scratch, mover, action, selection, rows, actions, shares
                )
            step(rules, scratch, 1, action)
            j += is_seen


@kernel
def _log_share(
    rules: Rules,
    states: States,
    mover: int,
    action: int,
    selection: object,
    rows: Rows,
    actions: np.ndarray,
    shares: np.ndarray,
) -> float:
    """Returns the log-probability of an action in lane 1 under the mean policy of its information
    set.
    """
    num_actions = legal(rules, states, 1, actions)
    stands_for = nearest_listed(rules, states, 1, action)
    slot = np.searchsorted(actions[:num_actions], stands_for)
    if slot == num_actions or actions[slot] != stands_for:
        return -np.inf
    place = find(rows, seat_key(rules, states, 1, mover), mover)
    if num_actions == 1 or place < 0:
        return -np.log(np.float64(num_actions))
    weights(selection, rows, place, num_actions, shares)
    total = shares[:num_actions].sum()
    share = shares[slot] / total if total > 0.0 else 1.0 / num_actions
    return np.log(share) if share > 0.0 else -np.inf


@kernel
def drawn_worlds(
    rules: Rules,
    view: States,
    seat: int,
    hidden: np.ndarray,
    cumulative: np.ndarray,
    rng: np.ndarray,
    count: int,
    worlds: States,
) -> None:
    """Writes ``count`` worlds of a view, each drawn by the probabilities of its hidden words.

    Args:
        hidden: uint64 ``[n, W]``, the words of the n possible worlds.
        cumulative: float64 ``[n]``, their cumulative probabilities.
        rng: uint64 ``[1]``, changed.
        worlds: Rows 0 to ``count - 1`` are written.
    """
    for j in range(count):
        drawn = np.searchsorted(cumulative, random_float(rng, 0), side="right")
        fill_world(rules, view, 0, seat, hidden[min(drawn, cumulative.size - 1)], worlds, j)
    deal_rest(rules, worlds, 0, count, rng, 0)


def cumulative_of(log_weights: np.ndarray) -> np.ndarray:
    """Returns the cumulative probabilities (float64 ``[n]``) of log-weights; uniform if all are
    impossible.
    """
    highest = log_weights.max()
    shares = np.exp(log_weights - highest) if highest > -np.inf else np.ones(len(log_weights))
    summed: np.ndarray = np.cumsum(shares)
    return summed / summed[-1]
