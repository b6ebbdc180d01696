"""Which child of a decision node an iteration goes to.

V, ``variance`` and ``visits`` are those of the children, rows ``first`` to ``last - 1``. Ties go to
the first.

Source: Van den Broeck, Driessens & Ramon 2009, 3.1, 3.2 and 4.
"""

import math
from enum import IntEnum

import numpy as np

from games.kernels import kernel, random_float


class Selection(IntEnum):
    """Rules, by the names of their settings."""

    UCT = 0
    CRAZYSTONE = 1
    UCT_PLUS = 2


@kernel
def uct(mean: np.ndarray, visits: np.ndarray, first: int, last: int, c: float) -> int:
    """Returns the child with the largest V + c sqrt(ln T(P) / T(c)); c in the unit of V. Source:
    equation 1.
    """
    total = 0
    for k in range(first, last):
        total += visits[k]
    log = math.log(total)
    best, highest = first, -np.inf
    for k in range(first, last):
        bound = mean[k] + c * math.sqrt(log / visits[k])
        if bound > highest:
            best, highest = k, bound
    return best


@kernel
def uct_plus(mean: np.ndarray, variance: np.ndarray, first: int, last: int, c: float) -> int:
    """Returns the child with the largest V + c σ; c is a number of standard errors. Source:
    equation 5.
    """
    best, highest = first, -np.inf
    for k in range(first, last):
        bound = mean[k] + c * math.sqrt(variance[k])
        if bound > highest:
            best, highest = k, bound
    return best


@kernel
def crazystone(
    mean: np.ndarray, variance: np.ndarray, first: int, last: int, rng: np.ndarray, lane: int
) -> int:
    """Returns a child drawn in proportion to exp(−2.4 (V_best − V) / sqrt(2 (σ_best² + σ²))).

    Where both variances are 0 only the best itself has a weight. Source: equation 2; the text calls
    it unsuitable where nodes are not deterministic.

    Args:
        rng: uint64 streams; ``rng[lane]`` is changed in place.
    """
    best = first
    for k in range(first + 1, last):
        if mean[k] > mean[best]:
            best = k
    total = 0.0
    for k in range(first, last):
        total += _chance(mean, variance, best, k)
    left = random_float(rng, lane) * total
    for k in range(first, last):
        left -= _chance(mean, variance, best, k)
        if left < 0.0:
            return k
    return best


@kernel
def _chance(mean: np.ndarray, variance: np.ndarray, best: int, k: int) -> float:
    below, spread = mean[best] - mean[k], 2.0 * (variance[best] + variance[k])
    if below <= 0.0:
        return 1.0
    return math.exp(-2.4 * below / math.sqrt(spread)) if spread > 0.0 else 0.0


@kernel
def predefined(
    weight: np.ndarray,
    visits: np.ndarray,
    first: int,
    last: int,
    trials: int,
    rng: np.ndarray,
    lane: int,
) -> int:
    """Returns a child with fewer than ``trials`` samples, drawn in proportion to its weight; -1 if
    there is none. Source: 3.1.
    """
    total, found = 0.0, -1
    for k in range(first, last):
        if visits[k] < trials:
            total += weight[k]
            found = k
    if found < 0:
        return -1
    left = random_float(rng, lane) * total
    for k in range(first, last):
        if visits[k] < trials:
            left -= weight[k]
            if left < 0.0:
                return k
    return found
