"""The value estimate of a node: a mean and the variance of that mean, recomputed from its
children's when one of them changes.

V is an estimate of the value of a node, in chips, and ``variance`` the square of its standard
error, in chips². Children without visits are always left out.

Source: Van den Broeck, Driessens & Ramon 2009, 3.3, 3.4 and 4.
"""

import math
from enum import IntEnum

from fpmcts.no_limit_holdem.expected_reward.tree import BettingTree, children
from games.kernels import kernel

_SQRT_HALF = math.sqrt(0.5)
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_FAR = 8.0
"""Standard deviations beyond which the lower of two values no longer counts: it is the larger one
in 6e-16 of all cases.
"""


@kernel
def add_sample(mean: float, squares: float, count: int, sample: float) -> tuple[float, float]:
    """Returns mean and sum of squared differences from it, after one more sample.

    Args:
        mean: Mean of the samples so far.
        squares: Σ (mean − x)² of the samples so far.
        count: Number of samples, including the new one.
        sample: The new sample.
    """
    change = sample - mean
    mean += change / count
    return mean, squares + change * (sample - mean)


@kernel
def variance_of_mean(squares: float, count: int, single: float) -> float:
    """Returns σ² = Σ (V − x)² / (J (J − 1)) of the mean of J samples; ``single`` if J = 1.

    Source: §4.
    """
    return squares / (count * (count - 1.0)) if count > 1 else single


@kernel
def weighted(tree: BettingTree, node: int) -> tuple[float, float]:
    """Returns mean and variance of Σ w V over the children, w their share of the visits; the
    variance is that of independent errors, Σ w² σ².

    Source: equation 3.
    """
    total = value = spread = 0.0
    for k in children(tree, node):
        w = tree.visits[k]
        if w > 0.0:
            total += w
            value += w * tree.mean[k]
            spread += w * w * tree.variance[k]
    return value / total, spread / (total * total)


@kernel
def maximum(tree: BettingTree, node: int) -> tuple[float, float]:
    """Returns V and variance of the child with the largest V among those with visits.

    Source: equation 4.
    """
    best = -1
    for k in children(tree, node):
        if tree.visits[k] > 0 and (best < 0 or tree.mean[k] > tree.mean[best]):
            best = k
    return tree.mean[best], tree.variance[best]


@kernel
def larger_of_two(
    mean_a: float, variance_a: float, mean_b: float, variance_b: float
) -> tuple[float, float]:
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
    # Both moments are taken about the mean of b, since values may be large where their differences
    # are small.
    gain = above * share + density
    square = (above * above + variance_a) * share + variance_b * (1.0 - share) + above * density
    return mean_b + gain, max(square - gain * gain, 0.0)


@kernel
def max_distribution(tree: BettingTree, node: int) -> tuple[float, float]:
    """Returns mean and variance of max (V − e) over the children with visits, the errors e
    independent and normal.

    Exact for two values. From the third on, the largest of those before is treated as normal, which
    it is not: three N(0, 1) give 0.84766, where the true mean of their maximum is 0.84628. Source:
    §4.1.
    """
    found = False
    value = spread = 0.0
    for k in children(tree, node):
        if tree.visits[k] > 0:
            if found:
                value, spread = larger_of_two(value, spread, tree.mean[k], tree.variance[k])
            else:
                value, spread, found = tree.mean[k], tree.variance[k], True
    return value, spread


class Backpropagation(IntEnum):
    """Backpropagation rules of decision nodes, by the names of their settings."""

    SAMPLE_WEIGHTED = 0
    MAXIMUM = 1
    MAX_DISTRIBUTION = 2


@kernel(forceinline=True)
def update_decision(tree: BettingTree, node: int, rule: int, threshold: int) -> None:
    """Sets V and its variance of a decision node; below ``threshold`` samples it is weighted by
    samples (equation 3, 5.3).
    """
    if rule == 0 or tree.visits[node] < threshold:
        found = weighted(tree, node)
    elif rule == 1:
        found = maximum(tree, node)
    else:
        found = max_distribution(tree, node)
    tree.mean[node], tree.variance[node] = found


@kernel(forceinline=True)
def update_mixed(tree: BettingTree, node: int) -> None:
    """Sets V of a chance or opponent node to the mean of its samples, equation 3, and the variance
    to that of this sum.
    """
    tree.mean[node], tree.variance[node] = weighted(tree, node)


@kernel(forceinline=True)
def update_opponent(tree: BettingTree, node: int, independent: bool) -> None:
    """Sets V of an opponent's node to Σ p V, and its variance to Σ p² σ² (``independent``) or
    Σ p σ², as in the text.

    A child without samples gets the mean of the others, with the pot as its standard error, so that
    an action which the model expects but no iteration has tried makes the node uncertain. Source:
    §4.2.
    """
    seen = value = spread = missing = 0.0
    for k in children(tree, node):
        p = tree.weight[k]
        if tree.visits[k] == 0:
            missing += p * p if independent else p
        else:
            seen += p
            value += p * tree.mean[k]
            spread += (p * p if independent else p) * tree.variance[k]
    tree.mean[node] = value / seen
    scale = seen * seen if independent else seen
    tree.variance[node] = spread / scale + missing * tree.pot[node] ** 2
