"""Selection rules against their formulas."""

import math

import numpy as np
import pytest

from expected_reward.selection import crazystone, predefined, uct, uct_plus
from games.kernels import streams

MEAN = np.array([10.0, 12.0, 4.0])
VARIANCE = np.array([4.0, 1.0, 64.0])
VISITS = np.array([30, 60, 10])


@pytest.mark.parametrize("c", [0.0, 1.0, 10.0, 30.0, 200.0])
def test_uct_is_equation_1(c: float) -> None:
    bounds = [m + c * math.sqrt(math.log(100) / n) for m, n in zip(MEAN, VISITS, strict=True)]
    assert uct(MEAN, VISITS, 0, 3, c) == int(np.argmax(bounds))


@pytest.mark.parametrize("c", [0.0, 0.5, 1.0, 2.0, 5.0])
def test_uct_plus_is_equation_5(c: float) -> None:
    assert uct_plus(MEAN, VARIANCE, 0, 3, c) == int(np.argmax(MEAN + c * np.sqrt(VARIANCE)))


def test_crazystone_draws_by_equation_2() -> None:
    weights = np.exp(-2.4 * (12.0 - MEAN) / np.sqrt(2 * (VARIANCE[1] + VARIANCE)))
    rng, num = streams(1, 1), 60_000
    drawn = (
        np.bincount([crazystone(MEAN, VARIANCE, 0, 3, rng, 0) for _ in range(num)], minlength=3)
        / num
    )
    assert drawn == pytest.approx(weights / weights.sum(), abs=5 * 0.5 / math.sqrt(num))


def test_crazystone_without_errors_takes_the_best() -> None:
    rng = streams(1, 1)
    assert {crazystone(MEAN, np.zeros(3), 0, 3, rng, 0) for _ in range(100)} == {1}


def test_predefined_probabilities_hold_below_the_threshold() -> None:
    rng, weight = streams(2, 1), np.array([0.25, 0.5, 0.75])
    visits = np.array([3, 10, 0])
    num = 20_000
    drawn = (
        np.bincount([predefined(weight, visits, 0, 3, 5, rng, 0) for _ in range(num)], minlength=3)
        / num
    )
    assert drawn == pytest.approx([0.25, 0.0, 0.75], abs=0.02)
    assert predefined(weight, np.array([5, 5, 5]), 0, 3, 5, rng, 0) == -1
