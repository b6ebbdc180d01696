"""Bet sizes of a tree: a few representative amounts, by stochastic universal sampling.

A size is x = (amount − least) / (most − least), from the least raise to all-in. The frequencies of
sizes are K + 2 probabilities: of the least, of K bins between ``edges``, and of all-in; within a
bin all sizes are equally likely.

Source: Van den Broeck, Driessens & Ramon 2009, section 2: the least bet and all-in on their own,
other sizes discretised.
"""

import numpy as np

from games.kernels import kernel

LEAST, ALL_IN = 0.185, 0.037
"""Frequencies of the minimum raise and of all-in, from the authors' program."""
TABLE_EDGES = np.array(
    [
        0.0004,
        0.001,
        0.0026,
        0.0026,
        0.0026,
        0.0026,
        0.0026,
        0.0051,
        0.0051,
        0.0051,
        0.0089,
        0.0102,
        0.0153,
        0.0181,
        0.0237,
        0.0306,
        0.0363,
        0.0415,
        0.0495,
        0.0625,
        0.0739,
        0.0888,
        0.1108,
        0.1768,
        0.9199,
    ]
)
"""Edges of bins of equal probability between the two: the 24-quantiles of the 13,079 other raises
in 8,147 hands of six players with 100 big blinds (Pluribus against professionals).
"""


def table() -> np.ndarray:
    """Returns the probabilities (float64 ``[K + 2]``) of the sizes between ``TABLE_EDGES``."""
    bins = len(TABLE_EDGES) - 1
    return np.array([LEAST, *[(1.0 - LEAST - ALL_IN) / bins] * bins, ALL_IN])


@kernel
def size_at(probabilities: np.ndarray, edges: np.ndarray, share: float) -> float:
    """Returns the quantile of sizes at ``share`` in [0, 1): the inverse of their distribution
    function.

    Args:
        probabilities: float64 ``[K + 2]``, sum 1.
        edges: float64 ``[K + 1]``, in [0, 1], non-decreasing.
    """
    left = share - probabilities[0]
    if left < 0.0:
        return 0.0
    for k in range(len(edges) - 1):
        if left < probabilities[k + 1]:
            return edges[k] + (edges[k + 1] - edges[k]) * left / probabilities[k + 1]
        left -= probabilities[k + 1]
    return 1.0


@kernel
def universal_sample(
    probabilities: np.ndarray,
    edges: np.ndarray,
    least: int,
    most: int,
    count: int,
    start: float,
    amounts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Draws ``count`` sizes at equally spaced quantiles; returns the number of distinct amounts.

    Args:
        probabilities: float64 ``[K + 2]``, see ``size_at``.
        edges: float64 ``[K + 1]``.
        least: The least amount.
        most: The largest amount.
        count: Number of sizes.
        start: Random number in [0, 1) that shifts all quantiles.
        amounts: int ``[count]``, written: ascending, each once.
        weights: float64 ``[count]``, written: the share of the sizes that each amount represents.
    """
    num = 0
    for k in range(count):
        x = size_at(probabilities, edges, (start + k) / count)
        amount = least + int(round(x * (most - least)))
        if num > 0 and amounts[num - 1] == amount:
            weights[num - 1] += 1.0 / count
        else:
            amounts[num] = amount
            weights[num] = 1.0 / count
            num += 1
    return num
