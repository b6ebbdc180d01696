"""``puct``: p-UCT selects the root move, as at every other node of the searching player (DeltaDou,
4.1).

The policy of the search is one of two (``search.target``):

- ``visits``: the shares of the visits (the paper). They approach λ · prior / (K − Q) with λ = c ·
  sqrt(N) / N, K a constant of the node (Grill et al., "Monte-Carlo tree search as regularized
  policy optimization", ICML 2020): after 16 playouts with c = 2 an advantage of 1 moves a logit by
  about 2, so short searches teach little.
- ``advantages``: the prior, each logit shifted by ``strength`` times the advantage of the move. The
  differences between moves are small beside the noise of a few returns (in Doudizhu: median 0.05,
  deviation 0.8 per world), so advantages are shrunk towards 0 by their noise first.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.search import roots
from fpmcts.search.search import SearchSettings
from fpmcts.search.tree import Tree, select_puct
from games.kernels import kernel
from games.kernels.dispatch import register


class PUCT(NamedTuple):
    """The rule p-UCT; see ``SearchSettings``.

    Attributes:
        c: The exploration constant, in units of returns.
        uniform: Share of the uniform distribution in the priors of the selection.
        by_visits: Whether the shares of the visits are the policy.
        strength: Logits per 1 of shrunk advantage.
        signal: Spread of true advantages.
        floor: Constant added to the priors of visited moves in the policy.
        unit: Unit of returns (``search.unit``).
    """

    c: float
    uniform: float
    by_visits: bool
    strength: float
    signal: float
    floor: float
    unit: float


def make(settings: SearchSettings) -> PUCT:
    """Returns the rule."""
    unit = settings.unit
    return PUCT(
        settings.c * unit,
        settings.uniform,
        settings.target == "visits",
        settings.strength / unit,
        settings.signal * unit,
        settings.prior_floor,
        unit,
    )


@kernel
def select(rule: PUCT, tree: Tree, t: int, started: int) -> int:
    """Returns the edge that p-UCT chooses."""
    return select_puct(tree, t, 0, rule.c, rule.uniform)


@kernel
def visit_shares(tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the value of the root; writes N(u, a) / Σ N(u, b) to ``out``, the prior if nothing
    was visited.
    """
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    total = 0
    for edge in range(first, first + degree):
        total += tree.returns[t, edge]
    for k in range(degree):
        out[k] = (
            tree.returns[t, first + k] / total
            if total > 0
            else np.float64(tree.prior[t, first + k])
        )
    return np.float64(tree.node_value[t, 0])


@kernel
def shrunk_advantages(rule: PUCT, tree: Tree, t: int, out: np.ndarray) -> float:
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
def improved_policy(rule: PUCT, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the value of an unvisited move; writes the shares of the visits, or softmax(log p +
    strength · shrunk advantage), to ``out`` (float64).

    p is prior + floor where the move was visited, the prior elsewhere, at least 1e-9.
    """
    if rule.by_visits:
        return visit_shares(tree, t, out)
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
def preference(rule: PUCT, returned: int, prior: float, target: float) -> float:
    """Returns the probability in the policy, or the visits with ties broken by the prior."""
    return returned + 0.5 * prior if rule.by_visits else target


register(roots.select, PUCT, select)
register(roots.improved_policy, PUCT, improved_policy)
register(roots.preference, PUCT, preference)
