"""The tree of one decision, as preallocated arrays.

The children of a node are rows ``first`` to ``first + count - 1``; the root is row 0. V is the
mean, in net chips of the hand. N is the capacity.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.rows import zeros


class Node(IntEnum):
    """Kinds of nodes. The first iteration to reach a NEW node determines its kind."""

    NEW = 0
    DECISION = 1
    """The player's own."""
    OPPONENT = 2
    CHANCE = 3
    """Public cards are dealt; the children are sampled boards."""
    SETTLED = 4
    """A leaf whose value needs no cards."""
    SHOWDOWN = 5
    """A leaf that keeps sampling."""


class BettingTree(NamedTuple):
    """The nodes of a tree.

    Attributes:
        kind: int8 ``[N]``, see Node.
        action: int32 ``[N]``, the action from the parent; below a chance node the drawn cards, six
            bits each.
        first: int32 ``[N]``, row of the first child.
        count: int32 ``[N]``, number of children, 0 at leaves.
        weight: float64 ``[N]``, the probability of this child, by the model or by the predefined
            selection.
        visits: int64 ``[N]``, T, the number of iterations.
        mean: float64 ``[N]``, V.
        variance: float64 ``[N]``, variance of V, chips².
        squares: float64 ``[N]``, at a showdown: Σ (V − x)² over its samples.
        samples: int64 ``[N]``, at a showdown: J; at an opponent's node: boards that its
            probabilities average over.
        pot: float64 ``[N]``, chips in the pot: the standard error of a node without samples.
        size: int64 ``[1]``, nodes in use.
    """

    kind: np.ndarray
    action: np.ndarray
    first: np.ndarray
    count: np.ndarray
    weight: np.ndarray
    visits: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    squares: np.ndarray
    samples: np.ndarray
    pot: np.ndarray
    size: np.ndarray


def empty_tree(room: int) -> BettingTree:
    """Returns a tree with capacity for ``room`` nodes; call ``clear`` before use."""
    kinds = ("i1", "i4", "i4", "i4", "f8", "i8", "f8", "f8", "f8", "i8", "f8")
    return BettingTree(*zeros(room, *kinds), *zeros(1, "i8"))


@kernel(inline="always")
def children(tree: BettingTree, node: int) -> range:
    """Returns the rows of the children of a node."""
    return range(tree.first[node], tree.first[node] + tree.count[node])


@kernel
def clear(tree: BettingTree) -> None:
    """Resets the tree to a NEW root."""
    tree.size[0] = 0
    add_child(tree, 0, 1.0, 0.0)


@kernel
def add_child(tree: BettingTree, action: int, weight: float, pot: float) -> None:
    """Appends a NEW node; there must be room. The children of a node are appended consecutively."""
    k = tree.size[0]
    tree.size[0] = k + 1
    tree.kind[k] = 0
    tree.action[k] = action
    tree.first[k] = tree.count[k] = 0
    tree.weight[k] = weight
    tree.visits[k] = tree.samples[k] = 0
    tree.mean[k] = tree.variance[k] = tree.squares[k] = 0.0
    tree.pot[k] = pot
