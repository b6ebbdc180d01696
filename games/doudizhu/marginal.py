"""Worlds drawn exactly from the network's distribution of the hidden cards: phase 1 of inference,
marginal form.

One forward pass gives corrections l[c, r], the log-odds against the prior that the next seat holds
c cards of rank r. Worlds have the density

    q(c) = prod_r C(free_r, c_r - fixed_r) exp(l[c_r, r]) / Z

over all c whose sum is the size of the hand. Z and exact draws come from a dynamic programme over
ranks: ``table[r, s]`` is the total weight of the ways to take s free cards from the ranks r and
above. Corrections of zero give the prior. This is the quick variant of the filter of DeltaDou, 4.3:
one evaluation per position instead of one per candidate.
"""

import math

import numpy as np

from games.doudizhu.cards import NUM_RANKS, count, size
from games.doudizhu.moves import Rules
from games.doudizhu.state import States
from games.doudizhu.worlds import draw_talon, hidden_cards, log_talon
from games.kernels import kernel, random_float

NUM_COUNTS = 5
"""A hand holds 0 to 4 cards of a rank."""
LARGEST_LOGIT = 20.0
"""Corrections are cut to this many nats, so that no world is impossible and no product of weights
leaves the range of float64.
"""

_CHOOSE = np.array(
    [[math.comb(n, k) for k in range(NUM_COUNTS)] for n in range(NUM_COUNTS)], dtype=np.float64
)


@kernel
def fill_table(
    free: np.uint64, fixed: np.uint64, need: int, logits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Runs the dynamic programme.

    Args:
        free: Cards of which the next seat holds ``need``.
        fixed: Further cards that it holds.
        logits: float32 ``[5, 15]``, the network's corrections (nats).

    Returns:
        weights: float64 ``[15, 5]``, C(free_r, k) exp(l[fixed_r + k, r]) up to a factor per rank; 0
            for k > free_r.
        table: float64 ``[16, need + 1]``, the total weights.
    """
    weights, table = np.zeros((NUM_RANKS, NUM_COUNTS)), np.zeros((NUM_RANKS + 1, need + 1))
    table[NUM_RANKS, 0] = 1.0
    for rank in range(NUM_RANKS - 1, -1, -1):
        copies = count(free, rank)
        held = count(fixed, rank)
        top = -LARGEST_LOGIT
        for k in range(copies + 1):
            top = max(top, min(logits[held + k, rank], LARGEST_LOGIT))
        for k in range(copies + 1):
            logit = min(max(logits[held + k, rank], -LARGEST_LOGIT), LARGEST_LOGIT)
            weights[rank, k] = _CHOOSE[copies, k] * np.exp(logit - top)
        for s in range(need + 1):
            total = 0.0
            for k in range(min(copies, s) + 1):
                total += weights[rank, k] * table[rank + 1, s - k]
            table[rank, s] = total
    return weights, table


@kernel
def log_marginal(weights: np.ndarray, table: np.ndarray, taken: np.uint64) -> float:
    """Returns log q (nats) of a choice of free cards."""
    total = -np.log(table[0, size(taken)])
    for rank in range(NUM_RANKS):
        total += np.log(weights[rank, count(taken, rank)])
    return total


@kernel
def draw_marginal(
    weights: np.ndarray, table: np.ndarray, need: int, rng: np.ndarray, lane: int
) -> np.uint64:
    """Returns a choice of ``need`` free cards drawn from q."""
    taken = np.uint64(0)
    for rank in range(NUM_RANKS):
        if need == 0:
            break
        u = random_float(rng, lane) * table[rank, need]
        chosen = -1
        for k in range(min(need, NUM_COUNTS - 1) + 1):
            weight = weights[rank, k] * table[rank + 1, need - k]
            if weight > 0.0:
                chosen = k
                u -= weight
                if u < 0.0:
                    break
        taken += np.uint64(chosen) << np.uint64(4 * rank)
        need -= chosen
    return taken


# The generic kernels of games/kernels/generic.py.


@kernel
def draw_corrected(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    logits: np.ndarray,
    rng: np.ndarray,
    lane: int,
    hidden: np.ndarray,
) -> None:
    """Draws worlds (uint64 ``[n, W]``): hands of the next seat from q, with the network's
    corrections (float32 ``[5, 15]``), hidden bottom cards from the prior.
    """
    free, fixed, need = hidden_cards(views, i, seat)
    weights, table = fill_table(free, fixed, need, logits)
    for k in range(hidden.shape[0]):
        hidden[k, -1] = 0
        hidden[k, 0] = fixed + draw_marginal(weights, table, need, rng, lane)
        draw_talon(views, i, free, rng, lane, hidden[k])


@kernel
def log_corrected(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    logits: np.ndarray,
    hidden: np.ndarray,
    exists: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the log-probability (nats, float64 ``[n]``) with which ``draw_corrected`` draws the
    worlds (uint64 ``[n, W]``) in the rows that exist.
    """
    free, fixed, need = hidden_cards(views, i, seat)
    weights, table = fill_table(free, fixed, need, logits)
    for k in range(hidden.shape[0]):
        if exists[k]:
            out[k] = log_marginal(weights, table, hidden[k, 0] - fixed)
            out[k] += log_talon(views, i, free, hidden[k])
