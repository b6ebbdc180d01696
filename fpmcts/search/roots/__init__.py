# mypy: disable-error-code="empty-body"
"""Root rules: which root move a simulation tries, and the policy that the search returns. Each is a
file in this folder, or a module of your own (``examples/own_root.py``).

The name of the file or module is the name of the rule (``search.root``). It defines a NamedTuple
with the data of its kernels, registers the generic kernels below for it, and has
``make(settings)``, which returns one.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np

from fpmcts.search.tree import Tree
from games import is_outside
from games.base.settings import ConfigError, did_you_mean
from games.kernels.dispatch import GenericKernel
from games.play.choice import module_file

RULES = tuple(module.name for module in iter_modules(__path__))
"""Names of the root rules in this folder."""


def rule_module(name: str) -> Any:
    """Returns the module of a root rule. Raises ConfigError if there is none, or it has no
    ``make``.
    """
    if is_outside(name):
        module_file(name, "root")
    elif name not in RULES:
        expected = f"expected one of {', '.join(RULES)}, or a module, such as examples.own_root"
        raise ConfigError(f"root={name}: {expected}{did_you_mean(name, RULES)}")
    module = import_module(name if is_outside(name) else f"{__name__}.{name}")
    if not hasattr(module, "make"):
        raise ConfigError(f"root={name}: has no make(settings), which returns the rule")
    return module


@GenericKernel
def select(rule: Any, tree: Tree, t: int, started: int) -> int:
    """Returns the edge of the root that the next simulation takes.

    Args:
        started: Simulations of the tree started before this one.
    """


@GenericKernel
def improved_policy(rule: Any, tree: Tree, t: int, out: np.ndarray) -> float:
    """Returns the value of an unvisited root move; writes the policy of the search to ``out``
    (float64).
    """


@GenericKernel
def preference(rule: Any, returned: int, prior: float, target: float) -> float:
    """Returns the preference for a root move; at temperature 0 the first move with the largest one
    is played.

    Args:
        returned: Returns of the move.
        prior: Prior of the move.
        target: Its probability in ``improved_policy``.
    """
