"""Sums of decision trees as flat arrays, and the kernel that evaluates one.

Every tree is complete, of the same depth D: node n has the children 2n + 1 and 2n + 2, so that a walk is D steps without a
branch, and walks of neighbouring trees overlap in the processor. A tree that ends earlier goes on with nodes that always send to
the left (threshold infinity).
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel


class Booster(NamedTuple):
    """B boosters, T trees in all, of depth D.

    Attributes:
        first: int32 ``[B + 1]``, where the trees of each booster begin.
        bias: float32 ``[B]``, what its trees are added to.
        column: int16 ``[T, 2**D - 1]``, what a node asks.
        threshold: float32 ``[T, 2**D - 1]``: a value above it goes to the right.
        leaf: float32 ``[T, 2**D]``.
    """

    first: np.ndarray
    bias: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    leaf: np.ndarray


@kernel
def evaluate(trees: Booster, which: int, row: np.ndarray) -> float:
    """Returns the score (log-odds) of a booster for a row of columns, float32 ``[columns]``."""
    nodes = trees.column.shape[1]
    score = np.float64(trees.bias[which])
    for tree in range(trees.first[which], trees.first[which + 1]):
        node = 0
        while node < nodes:
            node = 2 * node + 1 + (row[trees.column[tree, node]] > trees.threshold[tree, node])
        score += trees.leaf[tree, node - nodes]
    return score


def no_booster(count: int, depth: int = 1) -> Booster:
    """Returns boosters without trees."""
    return Booster(
        np.zeros(count + 1, np.int32), np.zeros(count, np.float32), np.zeros((0, 2**depth - 1), np.int16),
        np.zeros((0, 2**depth - 1), np.float32), np.zeros((0, 2**depth), np.float32),
    )  # fmt: skip
