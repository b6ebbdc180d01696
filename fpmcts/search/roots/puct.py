"""``puct``: the paper's rule. p-UCT selects; the visit shares are the policy.

Source: DeltaDou, 4.1.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.search import roots
from fpmcts.search.search import SearchSettings
from fpmcts.search.tree import Tree, select_puct
from games.dispatch import register
from games.kernels import kernel

UNUSED = {"considered", "strength", "signal", "prior_floor"}
"""Settings that p-UCT does not read, except ``gumbel_noise``: evaluation in training always sets
it.
"""


class PUCT(NamedTuple):
    """The rule p-UCT.

    Attributes:
        c: The exploration constant.
    """

    c: float


def make(settings: SearchSettings, playouts: int) -> PUCT:
    """Returns the rule."""
    return PUCT(settings.c * settings.unit)


@kernel
def select(
    rule: PUCT, tree: Tree, t: int, started: int, noise: np.ndarray, scratch: np.ndarray
) -> int:
    """Returns the edge that p-UCT chooses."""
    return select_puct(tree, t, 0, rule.c)


@kernel
def visit_shares(rule: PUCT, tree: Tree, t: int, out: np.ndarray) -> float:
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
def preference(rule: PUCT, returned: int, prior: float, noise: float, target: float) -> float:
    """Returns the visits, with ties broken by the larger prior."""
    return returned + 0.5 * prior


register(roots.select, PUCT, select)
register(roots.improved_policy, PUCT, visit_shares)
register(roots.preference, PUCT, preference)
