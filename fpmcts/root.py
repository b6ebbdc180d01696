"""Rules at the root: which move a simulation tries, and what the search says in the end.

``puct`` is the paper's rule: p-UCT chooses, the visit shares are the target. ``gumbel`` is for small budgets: a sample of
moves without replacement, sequential halving among them, and the prior moved by the advantages as the target (Danihelka et
al., "Policy improvement by planning with Gumbel", ICLR 2022). Differences between moves are small beside the noise of a few
returns (design: median 0.05, deviation 0.8 per world), so advantages are shrunk towards 0 by their noise before they move a
logit, instead of being rescaled to [0, 1] as that paper does.
"""

from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from fpmcts.tree import Tree
from games.kernels import kernel


class RootRule(IntEnum):
    """The rule at the root."""

    PUCT = 0
    GUMBEL = 1


class Gumbel(NamedTuple):
    """Scalars of the gumbel rule."""

    strength: float  # logits per unit of shrunk advantage
    signal: float  # spread of true advantages
    floor: float  # added to the priors of the moves


@cache
def halving_schedule(max_considered: int, num_simulations: int) -> np.ndarray:
    """Returns for m considered moves (row) and each simulation (column) how many visits the move to try has had.

    Sequential halving: log2(m) phases of equal length; in each, all moves left get the same number of visits; the better half
    goes on.

    Returns:
        int32 ``[max_considered + 1, num_simulations]``; row 0 is unused.
    """
    table = np.zeros((max_considered + 1, num_simulations), np.int32)
    for m in range(1, max_considered + 1):
        phases = max(1, int(np.ceil(np.log2(m))))
        visits, left = np.zeros(m, np.int32), m
        sequence: list[int] = []
        while len(sequence) < num_simulations:
            for _ in range(max(1, num_simulations // (phases * left))):
                sequence.extend(visits[:left].tolist())
                visits[:left] += 1
            left = max(min(2, m), left // 2)
        table[m] = sequence[:num_simulations]
    return table


@kernel
def shrunk_advantages(tree: Tree, t: int, signal: float, out: np.ndarray) -> float:
    """Returns the baseline V of the root and writes (Q − V) · τ² / (τ² + σ²/n) of every edge to ``out`` (float64).

    τ = ``signal`` is the spread of true advantages. σ² is the variance of a return within a move, pooled over the moves of
    the root. V is the mean of the visited moves, weighted by their priors. Unvisited moves get 0.
    Source: ours (design, FPMCTS); the estimate is the posterior mean of a normal advantage under normal noise.
    """
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    within, freedom, weight, baseline = 0.0, 0, 0.0, 0.0
    for edge in range(first, first + degree):
        n = tree.returns[t, edge]
        if n > 0:
            q = tree.total[t, edge] / n
            within += max(0.0, tree.squares[t, edge] - n * q * q)
            freedom += n - 1
            p = max(np.float64(tree.prior[t, edge]), 1e-6)
            weight += p
            baseline += p * q
    baseline = baseline / weight if weight > 0.0 else np.float64(tree.node_value[t, 0])
    noise = (within + 0.25) / (freedom + 1)  # one pseudo-observation of deviation 1/2
    for k in range(degree):
        n = tree.returns[t, first + k]
        out[k] = 0.0
        if n > 0:
            q = tree.total[t, first + k] / n
            out[k] = (q - baseline) * signal * signal / (signal * signal + noise / n)
    return baseline


@kernel
def select_gumbel(tree: Tree, t: int, gumbel: Gumbel, noise: np.ndarray, wanted_visits: int, scratch: np.ndarray) -> int:
    """Returns the edge of the root with the wanted number of visits that has the best score.

    The score is noise + log(prior + floor) + strength · shrunk advantage.

    Args:
        noise: float32 ``[>= degree]``, Gumbel noise of every move.
        scratch: float64 ``[>= degree]``.
    """
    shrunk_advantages(tree, t, gumbel.signal, scratch)
    first = tree.first_edge[t, 0]
    best, best_score = -1, -np.inf
    for k in range(tree.degree[t, 0]):
        if tree.visits[t, first + k] == wanted_visits:
            score = noise[k] + np.log(np.float64(tree.prior[t, first + k]) + gumbel.floor) + gumbel.strength * scratch[k]
            if score > best_score:
                best, best_score = first + k, score
    if best < 0:  # only with several simulations in flight: no move has exactly this many visits
        best = first
        for edge in range(first, first + tree.degree[t, 0]):
            if tree.visits[t, edge] > tree.visits[t, best]:
                best = edge
    return best


@kernel
def improved_policy(tree: Tree, t: int, gumbel: Gumbel, out: np.ndarray) -> float:
    """Returns the baseline of the root and writes softmax(log p + strength · shrunk advantage) to ``out`` (float64).

    p is prior + floor where the move was visited, the prior elsewhere.
    """
    baseline = shrunk_advantages(tree, t, gumbel.signal, out)
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    top, total = -np.inf, 0.0
    for k in range(degree):
        p = np.float64(tree.prior[t, first + k])
        out[k] = np.log(p + gumbel.floor if tree.returns[t, first + k] > 0 else max(p, 1e-9)) + gumbel.strength * out[k]
        top = max(top, out[k])
    for k in range(degree):
        out[k] = np.exp(out[k] - top)
        total += out[k]
    for k in range(degree):
        out[k] /= total
    return baseline


@kernel
def visit_shares(tree: Tree, t: int, out: np.ndarray) -> None:
    """Writes N(u, a) / Σ N(u, b) of the root to ``out`` (float64), the prior if nothing was visited."""
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    total = 0
    for edge in range(first, first + degree):
        total += tree.returns[t, edge]
    for k in range(degree):
        out[k] = tree.returns[t, first + k] / total if total > 0 else np.float64(tree.prior[t, first + k])
