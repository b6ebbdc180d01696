"""``gumbel``: the rule for small budgets.

Moves are sampled without replacement and compared by sequential halving; the policy is the prior
shifted by the advantages (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR
2022). Differences between moves are small beside the noise of a few returns (design: median 0.05,
deviation 0.8 per world), so advantages are shrunk towards 0 by their noise before they move a
logit, instead of being rescaled to [0, 1] as that paper does.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fpmcts.search import roots
from fpmcts.search.search import SearchSettings
from fpmcts.search.tree import Tree
from games.dispatch import register
from games.kernels import kernel


class Gumbel(NamedTuple):
    """The rule.

    Attributes:
        strength: Logits per 1 of shrunk advantage.
        signal: Spread of true advantages.
        floor: Constant added to the priors of the moves.
        noise: Scale of the Gumbel noise of the moves.
        schedule: int32 ``[considered + 1, playouts]``, see ``halving_schedule``.
        unit: Unit of returns (``search.unit``).
    """

    strength: float
    signal: float
    floor: float
    noise: float
    schedule: np.ndarray
    unit: float = 1.0


def make(settings: SearchSettings, playouts: int) -> Gumbel:
    """Returns the rule for a number of playouts."""
    schedule = halving_schedule(settings.considered, playouts)
    strength, signal = settings.strength / settings.unit, settings.signal * settings.unit
    floor, noise = settings.prior_floor, settings.gumbel_noise
    return Gumbel(strength, signal, floor, noise, schedule, settings.unit)


@lru_cache(maxsize=64)
def halving_schedule(max_considered: int, num_simulations: int) -> np.ndarray:
    """Returns, for m considered moves (row) and each simulation (column), the visit count of the
    move to try.

    Sequential halving: log2(m) phases of equal length; in each, the remaining moves get the same
    number of visits, and the better half is kept.

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
def shrunk_advantages(rule: Gumbel, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the baseline V of the root and writes (Q − V) · τ² / (τ² + σ²/n) of every edge to
    ``out`` (float64).

    τ = ``rule.signal`` is the spread of true advantages. σ² is the variance of a return within a
    move, pooled over the moves of the root. V is the mean of the visited moves, weighted by their
    priors. Unvisited moves get 0. The estimate, which is ours, is the posterior mean of a normal
    advantage under normal noise.
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
    # One pseudo-observation of deviation 1/2.
    noise, variance = (within + 0.25 * rule.unit**2) / (freedom + 1), rule.signal**2
    for k in range(degree):
        n = tree.returns[t, first + k]
        out[k] = 0.0
        if n > 0:
            q = tree.total[t, first + k] / n
            out[k] = (q - baseline) * variance / (variance + noise / n)
    return baseline


@kernel
def _second_most(tree: Tree, t: int) -> int:
    """Returns the visits of the root move with the second most, so that the two finalists of a
    search that goes on after its schedule stay level.
    """
    first, most, second = tree.first_edge[t, 0], 0, 0
    for edge in range(first, first + tree.degree[t, 0]):
        visits = np.int64(tree.visits[t, edge])
        second = max(second, min(most, visits))
        most = max(most, visits)
    return second


@kernel
def select(
    rule: Gumbel, tree: Tree, t: int, started: int, noise: np.ndarray, scratch: np.ndarray
) -> int:
    """Returns the root edge with the best score among those with the visit count that the schedule
    asks for; after its end, one of the two with the most visits.

    The score is noise + log(prior + floor) + strength · shrunk advantage.
    """
    considered = min(tree.degree[t, 0], rule.schedule.shape[0] - 1)
    if started < rule.schedule.shape[1]:
        wanted_visits = rule.schedule[considered, started]
    else:
        wanted_visits = _second_most(tree, t)
    shrunk_advantages(rule, tree, t, scratch)
    first = tree.first_edge[t, 0]
    best, best_score = -1, -np.inf
    for k in range(tree.degree[t, 0]):
        if tree.visits[t, first + k] == wanted_visits:
            score = (
                noise[k]
                + np.log(np.float64(tree.prior[t, first + k]) + rule.floor)
                + rule.strength * scratch[k]
            )
            if score > best_score:
                best, best_score = first + k, score
    if best < 0:  # only with several simulations in flight: no move has exactly this many visits
        best = first
        for edge in range(first, first + tree.degree[t, 0]):
            if tree.visits[t, edge] > tree.visits[t, best]:
                best = edge
    return best


@kernel
def improved_policy(rule: Gumbel, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the baseline of the root and writes softmax(log p + strength · shrunk advantage) to
    ``out`` (float64).

    p is prior + floor where the move was visited, the prior elsewhere, at least 1e-9.
    """
    baseline = shrunk_advantages(rule, tree, t, out)
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    top, total = -np.inf, 0.0
    for k in range(degree):
        p = np.float64(tree.prior[t, first + k])
        out[k] = (
            np.log(p + rule.floor if tree.returns[t, first + k] > 0 else max(p, 1e-9))
            + rule.strength * out[k]
        )
        top = max(top, out[k])
    for k in range(degree):
        out[k] = np.exp(out[k] - top)
        total += out[k]
    for k in range(degree):
        out[k] /= total
    return baseline


@kernel
def preference(rule: Gumbel, returned: int, prior: float, noise: float, target: float) -> float:
    """Returns the visits; noise + improved logit breaks ties (between the halving's winners)."""
    return 1e6 * returned + noise + np.log(max(target, 1e-12))


register(roots.select, Gumbel, select)
register(roots.improved_policy, Gumbel, improved_policy)
register(roots.preference, Gumbel, preference)
