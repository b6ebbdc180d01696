"""Sums of decision trees as flat arrays, and the kernel that evaluates one.

Every tree is complete, of the same depth D, its nodes in the slots 1 to 2**D - 1: node n has the
children 2n and 2n + 1. So a walk is D steps without a branch, and the walks of four trees overlap
in the processor. A shallower tree is filled up with nodes that always go left (threshold infinity).
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel


class Booster(NamedTuple):
    """B boosters, T trees in all, of depth D.

    Attributes:
        first: int32 ``[B + 1]``, where the trees of each booster begin.
        bias: float32 ``[B]``, the score without trees.
        column: uint8 ``[T * 2**D]``, the column that a node tests; the first of each tree's 2**D
            slots is unused.
        threshold: float32 ``[T * 2**D]``: a value above it goes to the right.
        leaf: float32 ``[T * 2**D]``.
        depth: int32 ``[1]``, D.
    """

    first: np.ndarray
    bias: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    leaf: np.ndarray
    depth: np.ndarray


@kernel
def evaluate(trees: Booster, which: int, row: np.ndarray) -> float:
    """Returns the score (log-odds) of a booster for a row of columns, float32 ``[columns]``."""
    column, threshold, leaf = trees.column, trees.threshold, trees.leaf
    # Unsigned, so that no index is tested for being negative.
    depth, one, four = trees.depth[0], np.uint64(1), np.uint64(4)
    size = one << np.uint64(depth)
    tree, end = np.uint64(trees.first[which]), np.uint64(trees.first[which + 1])
    score = np.float64(trees.bias[which])
    while tree + four <= end:
        a = tree * size
        b, c, d = a + size, a + size + size, a + size + size + size
        i = j = k = n = one
        for _ in range(depth):
            i = i + i + np.uint64(row[np.uint64(column[a + i])] > threshold[a + i])
            j = j + j + np.uint64(row[np.uint64(column[b + j])] > threshold[b + j])
            k = k + k + np.uint64(row[np.uint64(column[c + k])] > threshold[c + k])
            n = n + n + np.uint64(row[np.uint64(column[d + n])] > threshold[d + n])
        score += (leaf[a + i - size] + leaf[b + j - size]) + (
            leaf[c + k - size] + leaf[d + n - size]
        )
        tree += four
    while tree < end:
        a, i = tree * size, one
        for _ in range(depth):
            i = i + i + np.uint64(row[np.uint64(column[a + i])] > threshold[a + i])
        score += leaf[a + i - size]
        tree += one
    return score


def no_booster(count: int, depth: int = 1) -> Booster:
    """Returns boosters without trees."""
    none = np.zeros(0, np.float32)
    return Booster(
        np.zeros(count + 1, np.int32),
        np.zeros(count, np.float32),
        np.zeros(0, np.uint8),
        none,
        none,
        np.array([depth], np.int32),
    )
