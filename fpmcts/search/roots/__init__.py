# mypy: disable-error-code="empty-body"
"""Rules at the root: which move a simulation tries, and what the search says in the end. Each is a
file of this folder.

The name of the file is that of the rule (``search.root``). It has a NamedTuple of what its kernels
need, for which it registers the generic kernels below, and ``make(settings, playouts)``, which
returns one. If that has a field ``noise``, Gumbel noise of that scale is drawn for every move of
the root; else none is.
"""

from pkgutil import iter_modules
from typing import Any

import numpy as np

from fpmcts.search.tree import Tree
from games.dispatch import GenericKernel

RULES = tuple(module.name for module in iter_modules(__path__))
"""Their names."""


@GenericKernel
def select(
    rule: Any, tree: Tree, t: int, started: int, noise: np.ndarray, scratch: np.ndarray
) -> int:
    """Returns the edge of the root that the next simulation takes.

    Args:
        started: Simulations of the tree before it.
        noise: float32 ``[>= degree]``, of every move.
        scratch: float64 ``[>= degree]``.
    """


@GenericKernel
def improved_policy(rule: Any, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns what an unvisited move of the root is worth; writes the policy that the search
    arrives at to ``out`` (float64).
    """


@GenericKernel
def preference(rule: Any, returned: int, prior: float, noise: float, target: float) -> float:
    """Returns how much a move of the root is to be played at temperature 0; the first of the
    largest is.

    Args:
        returned: Returns of the move.
        prior, noise: Of the move.
        target: Its probability in ``improved_policy``.
    """
