"""What a node's value becomes when one of its children has changed.

Source: Van den Broeck, Driessens & Ramon 2009, 3.3, 3.4 and 4.
"""

from enum import IntEnum

from expected_reward.moments import max_distribution, maximum, weighted
from expected_reward.tree import Tree
from games.kernels import kernel


class Backpropagation(IntEnum):
    """Rules of decision nodes, by the names of their settings."""

    SAMPLE_WEIGHTED = 0
    MAXIMUM = 1
    MAX_DISTRIBUTION = 2


@kernel(forceinline=True)
def update_decision(tree: Tree, node: int, rule: int, threshold: int) -> None:
    """Sets V and its variance of a decision node; below ``threshold`` samples it is weighted by samples (equation 3, 5.3)."""
    first = tree.first[node]
    last = first + tree.count[node]
    if rule == 0 or tree.visits[node] < threshold:
        found = weighted(tree.mean, tree.variance, tree.visits, first, last, True)
    elif rule == 1:
        found = maximum(tree.mean, tree.variance, tree.visits, first, last)
    else:
        found = max_distribution(tree.mean, tree.variance, tree.visits, first, last)
    tree.mean[node], tree.variance[node] = found


@kernel(forceinline=True)
def update_mixed(tree: Tree, node: int) -> None:
    """Sets V of a chance or opponent node to the mean of its samples, equation 3, and the variance to that of this sum."""
    first = tree.first[node]
    found = weighted(tree.mean, tree.variance, tree.visits, first, first + tree.count[node], True)
    tree.mean[node], tree.variance[node] = found


@kernel(forceinline=True)
def update_opponent(tree: Tree, node: int, independent: bool) -> None:
    """Sets V of an opponent's node to Σ p V, and its variance to Σ p² σ² (``independent``) or Σ p σ², as the text has it.

    A child without samples counts with the mean of the others and the pot as its standard error, so that what a model expects
    but no iteration has tried makes the node uncertain. Source: §4.2.
    """
    first = tree.first[node]
    seen = value = spread = missing = 0.0
    for k in range(first, first + tree.count[node]):
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
