"""Selection rules against their formulas."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from fpmcts.no_limit_holdem.expected_reward.selection import crazystone, predefined, uct, uct_plus
from fpmcts.no_limit_holdem.expected_reward.tree import BettingTree, empty_tree
from games.kernels import streams

MEAN = np.array([10.0, 12.0, 4.0])
VARIANCE = np.array([4.0, 1.0, 64.0])
VISITS = np.array([30, 60, 10])


def node(**columns: object) -> tuple[BettingTree, int]:
    """Returns a node with three children."""
    tree = empty_tree(4)
    tree.first[0], tree.count[0] = 1, 3
    for name, column in columns.items():
        getattr(tree, name)[1:] = column
    return tree, 0


@pytest.mark.parametrize("c", [0.0, 0.5, 1.0, 2.0, 5.0, 30.0, 200.0])
def test_uct_is_equation_1_and_uct_plus_equation_5(c: float) -> None:
    place = node(mean=MEAN, variance=VARIANCE, visits=VISITS)
    assert uct(*place, c) == 1 + np.argmax(MEAN + c * np.sqrt(math.log(100) / VISITS))
    assert uct_plus(*place, c) == 1 + np.argmax(MEAN + c * np.sqrt(VARIANCE))


def drawn(select: Callable[[], int], num: int) -> np.ndarray:
    return np.bincount([select() for _ in range(num)], minlength=4)[1:] / num


def test_crazystone_draws_by_equation_2() -> None:
    weights = np.exp(-2.4 * (12.0 - MEAN) / np.sqrt(2 * (VARIANCE[1] + VARIANCE)))
    rng, num = streams(1, 1), 60_000
    place = node(mean=MEAN, variance=VARIANCE)
    shares = drawn(lambda: crazystone(*place, rng), num)
    assert shares == pytest.approx(weights / weights.sum(), abs=5 * 0.5 / math.sqrt(num))
    assert drawn(lambda: crazystone(*node(mean=MEAN), rng), 100)[1] == 1.0


def test_predefined_probabilities_hold_below_the_threshold() -> None:
    rng, weight = streams(2, 1), [0.25, 0.5, 0.75]
    place = node(weight=weight, visits=[3, 10, 0])
    shares = drawn(lambda: predefined(*place, 5, rng), 20_000)
    assert shares == pytest.approx([0.25, 0.0, 0.75], abs=0.02)
    assert predefined(*node(weight=weight, visits=5), 5, rng) == -1
