"""Selection of the child of a decision node.

Ties go to the first.

Source: Van den Broeck, Driessens & Ramon 2009, 3.1, 3.2 and 4.
"""

import math
from enum import IntEnum

import numpy as np

from fpmcts.no_limit_holdem.expected_reward.tree import BettingTree, children
from games.kernels import kernel, random_float


class Selection(IntEnum):
    """Selection rules, by the names of their settings."""

    UCT = 0
    CRAZYSTONE = 1
    UCT_PLUS = 2


@kernel
def uct(tree: BettingTree, node: int, c: float) -> int:
    """Returns the child with the largest V + c sqrt(ln T(P) / T(c)); c in the unit of V.

    Source: equation 1.
    """
    total = 0
    for k in children(tree, node):
        total += tree.visits[k]
    log = math.log(total)
    best, highest = np.int64(tree.first[node]), -np.inf
    for k in children(tree, node):
        bound = tree.mean[k] + c * math.sqrt(log / tree.visits[k])
        if bound > highest:
            best, highest = k, bound
    return best


@kernel
def uct_plus(tree: BettingTree, node: int, c: float) -> int:
    """Returns the child with the largest V + c σ; c is a number of standard errors.

    Source: equation 5.
    """
    best, highest = np.int64(tree.first[node]), -np.inf
    for k in children(tree, node):
        bound = tree.mean[k] + c * math.sqrt(tree.variance[k])
        if bound > highest:
            best, highest = k, bound
    return best


@kernel
def crazystone(tree: BettingTree, node: int, rng: np.ndarray) -> int:
    """Returns a child drawn in proportion to exp(−2.4 (V_best − V) / sqrt(2 (σ_best² + σ²))).

    Where both variances are 0, only the best child has a weight. Source: equation 2; the text calls
    it unsuitable where nodes are not deterministic.
    """
    best = np.int64(tree.first[node])
    for k in children(tree, node):
        if tree.mean[k] > tree.mean[best]:
            best = k
    total = 0.0
    for k in children(tree, node):
        total += _chance(tree, best, k)
    left = random_float(rng, 0) * total
    for k in children(tree, node):
        left -= _chance(tree, best, k)
        if left < 0.0:
            return k
    return best


@kernel
def _chance(tree: BettingTree, best: int, k: int) -> float:
    below, spread = tree.mean[best] - tree.mean[k], 2.0 * (tree.variance[best] + tree.variance[k])
    if below <= 0.0:
        return 1.0
    return math.exp(-2.4 * below / math.sqrt(spread)) if spread > 0.0 else 0.0


@kernel
def predefined(tree: BettingTree, node: int, trials: int, rng: np.ndarray) -> int:
    """Returns a child with fewer than ``trials`` samples, drawn in proportion to its weight; -1 if
    there is none.

    Source: 3.1.
    """
    total, found = 0.0, -1
    for k in children(tree, node):
        if tree.visits[k] < trials:
            total += tree.weight[k]
            found = k
    if found < 0:
        return -1
    left = random_float(rng, 0) * total
    for k in children(tree, node):
        if tree.visits[k] < trials:
            left -= tree.weight[k]
            if left < 0.0:
                return k
    return found
