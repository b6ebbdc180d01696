"""The rules at the root: limits worked out by hand, and a rule from outside."""

import numpy as np
import pytest

from examples import own_root
from fpmcts.search.roots import rule_module
from fpmcts.search.roots.puct import improved_policy
from fpmcts.search.search import SearchSettings
from fpmcts.search.tree import Tree, add_node, make_tree
from games.base.settings import ConfigError


def root(priors: list[float], returns: list[list[float]], value: float = 0.0, t: int = 1) -> Tree:
    """Returns trees whose tree ``t`` has a root with the given returns of each move."""
    n = len(priors)
    tree = make_tree(2, 1, n)
    add_node(
        tree, t, np.uint64(1), value, np.arange(n, dtype=np.int16), np.array(priors, np.float32), n
    )
    for k, values in enumerate(returns):
        tree.visits[t, k] = tree.returns[t, k] = len(values)
        tree.total[t, k] = sum(values)
        tree.squares[t, k] = sum(v * v for v in values)
    return tree


# ------------------------------------------------------------ policies


def test_improved_policy_bears_extremes() -> None:
    """Priors of 0 and returns of a thousand points: finite, sums to 1."""
    out = np.empty(3)
    rule = rule_module("puct").make(SearchSettings(strength=8.0))
    improved_policy(rule, root([0.0, 1.0, 0.0], [[1000.0] * 9, [-1000.0], []]), 1, out)
    assert np.isfinite(out).all()
    assert out.sum() == pytest.approx(1.0)
    assert out.argmax() == 0


# ------------------------------------------------------------ a rule from outside the project


def test_a_rule_of_your_own() -> None:
    """The search finds it by its module, and tries every move before it trusts a mean."""
    settings = SearchSettings(root="examples.own_root", unit=0.5)
    ucb1 = rule_module(settings.root).make(settings)
    tree, scratch = root([0.5, 0.3, 0.2], [[0.9] * 4, [0.1], []]), np.empty(3)
    assert own_root.select(ucb1, tree, 1, 5) == 2
    tree = root([0.5, 0.3, 0.2], [[0.9] * 4, [0.1], [-0.3]])
    assert own_root.select(ucb1, tree, 1, 6) == 0
    own_root.improved_policy(ucb1, tree, 1, scratch)
    assert scratch == pytest.approx([4 / 6, 1 / 6, 1 / 6])
    for name, problem in (
        ("pcut", "did you mean puct"),
        ("examples.nothing", "no such module"),
        ("examples.sealed_bids", "has no make"),
    ):
        with pytest.raises(ConfigError, match=f"root={name}: .*{problem}"):
            SearchSettings(root=name)
