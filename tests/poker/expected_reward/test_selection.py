"""Selection rules against their formulas."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from fpmcts.poker.expected_reward.selection import crazystone, predefined, uct, uct_plus
from games.kernels import streams

MEAN = np.array([10.0, 12.0, 4.0])
VARIANCE = np.array([4.0, 1.0, 64.0])
VISITS = np.array([30, 60, 10])


@pytest.mark.parametrize("c", [0.0, 0.5, 1.0, 2.0, 5.0, 30.0, 200.0])
def test_uct_is_equation_1_and_uct_plus_equation_5(c: float) -> None:
    assert uct(MEAN, VISITS, 0, 3, c) == np.argmax(MEAN + c * np.sqrt(math.log(100) / VISITS))
    assert uct_plus(MEAN, VARIANCE, 0, 3, c) == np.argmax(MEAN + c * np.sqrt(VARIANCE))


def drawn(select: Callable[[], int], num: int) -> np.ndarray:
    return np.bincount([select() for _ in range(num)], minlength=3) / num


def test_crazystone_draws_by_equation_2() -> None:
    weights = np.exp(-2.4 * (12.0 - MEAN) / np.sqrt(2 * (VARIANCE[1] + VARIANCE)))
    rng, num = streams(1, 1), 60_000
    shares = drawn(lambda: crazystone(MEAN, VARIANCE, 0, 3, rng, 0), num)
    assert shares == pytest.approx(weights / weights.sum(), abs=5 * 0.5 / math.sqrt(num))
    assert drawn(lambda: crazystone(MEAN, np.zeros(3), 0, 3, rng, 0), 100)[1] == 1.0


def test_predefined_probabilities_hold_below_the_threshold() -> None:
    rng, weight, visits = streams(2, 1), np.array([0.25, 0.5, 0.75]), np.array([3, 10, 0])
    shares = drawn(lambda: predefined(weight, visits, 0, 3, 5, rng, 0), 20_000)
    assert shares == pytest.approx([0.25, 0.0, 0.75], abs=0.02)
    assert predefined(weight, np.array([5, 5, 5]), 0, 3, 5, rng, 0) == -1
