"""What a node says of its value: a mean and the variance of that mean, from those of its children.

V is an estimate of the value of a node, in chips, and ``variance`` the square of its standard error, in chips². The children of a
node are the rows ``first`` to ``last - 1`` of arrays; those without samples are left out by their weight, 0.

Source: Van den Broeck, Driessens & Ramon 2009, 3.3, 3.4 and 4.
"""

import math

import numpy as np

from games.kernels import kernel

_SQRT_HALF = math.sqrt(0.5)
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_FAR = 8.0
"""Standard deviations from which on the lower of two values no longer counts: it is the larger one in 6e-16 of all cases."""


@kernel
def add_sample(mean: float, squares: float, count: int, sample: float) -> tuple[float, float]:
    """Returns mean and sum of squared differences from it, after one more sample.

    Args:
        mean: Of the samples so far.
        squares: Σ (mean − x)² of the samples so far.
        count: Of the samples, the new one included.
        sample: The new one.
    """
    change = sample - mean
    mean += change / count
    return mean, squares + change * (sample - mean)


@kernel
def variance_of_mean(squares: float, count: int, single: float) -> float:
    """Returns σ² = Σ (V − x)² / (J (J − 1)) of the mean of J samples; ``single`` where there is but one. Source: §4."""
    return squares / (count * (count - 1.0)) if count > 1 else single


@kernel
def weighted(
    mean: np.ndarray, variance: np.ndarray, weight: np.ndarray, first: int, last: int, independent: bool
) -> tuple[float, float]:
    """Returns mean and variance of Σ w V, the weights scaled to sum to 1.

    With the numbers of samples as weights this is equation 3, with the probabilities of a model the value of §4.2.

    Args:
        mean: float64, V of each child.
        variance: float64, of each child.
        weight: Of each child; not all are 0.
        first: The first child. last: One past the last.
        independent: Whether the variance is that of a sum of independent errors, Σ w² σ². Otherwise it is Σ w σ², the text's.
    """
    total = value = spread = 0.0
    for k in range(first, last):
        w = weight[k]
        if w > 0.0:
            total += w
            value += w * mean[k]
            spread += (w * w if independent else w) * variance[k]
    return value / total, spread / (total * total if independent else total)


@kernel
def maximum(mean: np.ndarray, variance: np.ndarray, weight: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Returns V and variance of the child with the largest V among those with a weight. Source: equation 4."""
    best = -1
    for k in range(first, last):
        if weight[k] > 0 and (best < 0 or mean[k] > mean[best]):
            best = k
    return mean[best], variance[best]


@kernel
def larger_of_two(mean_a: float, variance_a: float, mean_b: float, variance_b: float) -> tuple[float, float]:
    """Returns mean and variance of the larger of two independent normal values.

    Source: Clark, "The greatest of a finite set of random variables", 1961, with correlation 0.
    """
    spread = math.sqrt(variance_a + variance_b)
    above = mean_a - mean_b
    if above >= _FAR * spread:
        return mean_a, variance_a
    if above <= -_FAR * spread:
        return mean_b, variance_b
    ratio = above / spread
    share = 0.5 * math.erfc(-ratio * _SQRT_HALF)  # that a is the larger
    density = spread * _DENSITY * math.exp(-0.5 * ratio * ratio)
    # Both moments are taken about the mean of b, since values may be large where their differences are small.
    gain = above * share + density
    square = (above * above + variance_a) * share + variance_b * (1.0 - share) + above * density
    return mean_b + gain, max(square - gain * gain, 0.0)


@kernel
def max_distribution(mean: np.ndarray, variance: np.ndarray, weight: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Returns mean and variance of max (V − e) over the children with a weight, the errors e independent and normal.

    Two values are exact. From the third on the larger of those before counts as normal, too, which it is not: three N(0, 1) give
    0.84766, their largest has a mean of 0.84628. Source: §4.1.
    """
    found = False
    value = spread = 0.0
    for k in range(first, last):
        if weight[k] > 0:
            if found:
                value, spread = larger_of_two(value, spread, mean[k], variance[k])
            else:
                value, spread, found = mean[k], variance[k], True
    return value, spread
