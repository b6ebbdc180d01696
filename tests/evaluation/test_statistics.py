"""Estimates over decks: exact values, and the share of intervals that hold the truth."""

import math

import numpy as np
import pytest

from fpmcts.evaluation.statistics import Estimate, estimate, wins


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(2, 4.30265), (1000, 1.96234)],
)
def test_intervals_are_students(freedom: int, quantile: float) -> None:
    """Source: the usual tables of the t distribution, two-sided 5 %."""
    assert Estimate(1.0, 2.0, freedom + 1).interval() == pytest.approx(
        (1 - 2 * quantile, 1 + 2 * quantile), abs=2e-5
    )


def test_estimate_by_hand() -> None:
    """1, 2, 3, 6: mean 3, sum of squares 14, variance 14 / 3, error sqrt(14 / 12)."""
    result = estimate(np.array([1.0, 2.0, 3.0, 6.0]))
    assert (result.mean, result.count) == (3.0, 4)
    assert result.error == pytest.approx(math.sqrt(14 / 12))
    low, high = result.interval()
    assert (low + high) / 2 == pytest.approx(3.0)


def test_one_deck_has_no_error() -> None:
    result = estimate(np.array([-2.0]))
    assert result.mean == -2.0 and math.isnan(result.error)
    assert result.as_dict() == {"mean": -2.0, "error": None, "interval": None, "decks": 1}


def test_draws_are_half_wins() -> None:
    assert wins(np.array([[4.0, -1.0], [0.0, 0.5]])).tolist() == [[1.0, 0.0], [0.5, 1.0]]


def simulated_match(rng: np.random.Generator, num_decks: int) -> np.ndarray:
    """Returns A's returns ``[D, 2]`` in a match with luck of the cards, an edge for A, and bombs;
    the truth is below."""
    cards = rng.normal(size=num_decks)  # how much the deck favours the landlord
    bombs = np.minimum(rng.geometric(0.7, size=(num_decks, 2)) - 1, 5)
    play = rng.normal(size=(num_decks, 2))
    margin = np.stack([cards + 0.3 + play[:, 0], -cards + 0.3 + play[:, 1]], axis=1)
    return np.sign(margin) * 2.0**bombs


def test_interval_covers_the_truth() -> None:
    """95 % of the intervals of 2,000 simulated matches of 100 decks hold the truth.

    A margin is normal with mean 0.3 and variance 2, so WP = Phi(0.3 / sqrt 2), and bombs do not
    depend on it. If each interval covers with probability 0.95, the count over 2,000 lies within 4
    standard deviations (39) of 1,900 but for 1 seed in 16,000, for each of the two measures.
    """
    rng = np.random.default_rng(1)
    share = 0.5 * (1 + math.erf(0.3 / math.sqrt(2) / math.sqrt(2)))
    stakes = sum(2.0**b * 0.7 * 0.3**b for b in range(5)) + 2.0**5 * 0.3**5
    truth = {"wp": share, "adp": (2 * share - 1) * stakes}
    covered = {"wp": 0, "adp": 0}
    for _ in range(2000):
        returns = simulated_match(rng, 100)
        for name, values in (("wp", wins(returns).mean(axis=1)), ("adp", returns.mean(axis=1))):
            low, high = estimate(values).interval()
            covered[name] += low <= truth[name] <= high
    assert abs(covered["wp"] - 1900) <= 39, covered
    assert abs(covered["adp"] - 1900) <= 39, covered
