# mypy: disable-error-code="empty-body"
"""Root rules: which root move a simulation tries, and the policy that the search returns. Each is a
file in this folder.

The file name is the name of the rule (``search.root``). The file defines a NamedTuple with the data
of its kernels, registers the generic kernels below for it, and has ``make(settings, playouts)``,
which returns one. If the NamedTuple has a field ``noise``, Gumbel noise of that scale is drawn for
every root move.
"""

from pkgutil import iter_modules
from typing import Any

import numpy as np

from fpmcts.search.tree import Tree
from games.dispatch import GenericKernel

RULES = tuple(module.name for module in iter_modules(__path__))
"""Names of the root rules."""


@GenericKernel
def select(
    rule: Any, tree: Tree, t: int, started: int, noise: np.ndarray, scratch: np.ndarray
) -> int:
    """Returns the edge of the root that the next simulation takes.

    Args:
        started: Simulations of the tree started before this one.
        noise: float32 ``[>= degree]``, noise of every move.
        scratch: float64 ``[>= degree]``.
    """


@GenericKernel
def improved_policy(rule: Any, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the value of an unvisited root move; writes the policy of the search to ``out``
    (float64).
    """


@GenericKernel
def preference(rule: Any, returned: int, prior: float, noise: float, target: float) -> float:
    """Returns the preference for a root move; at temperature 0 the first move with the largest one
    is played.

    Args:
        returned: Returns of the move.
        prior, noise: Prior and noise of the move.
        target: Its probability in ``improved_policy``.
    """
