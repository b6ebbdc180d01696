"""Estimates over decks: exact values."""

import math

import numpy as np
import pytest

from fpmcts.evaluation.statistics import estimate_by_deck, estimate_fields, interval, wins
from games.base.estimate import Estimate, estimate


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(2, 4.30265), (1000, 1.96234)],
)
def test_intervals_are_students(freedom: int, quantile: float) -> None:
    """Source: the usual tables of the t distribution, two-sided 5 %."""
    assert interval(Estimate(1.0, 2.0, freedom + 1)) == pytest.approx(
        (1 - 2 * quantile, 1 + 2 * quantile), abs=2e-5
    )


def test_estimate_by_hand() -> None:
    """1, 2, 3, 6: mean 3, sum of squares 14, variance 14 / 3, error sqrt(14 / 12)."""
    result = estimate(np.array([1.0, 2.0, 3.0, 6.0]))
    assert (result.mean, result.count) == (3.0, 4)
    assert result.error == pytest.approx(math.sqrt(14 / 12))
    low, high = interval(result)
    assert (low + high) / 2 == pytest.approx(3.0)
    assert str(result) == "3.0 ± 1.1"


def test_games_of_a_deck_are_not_independent() -> None:
    """Played three times, a deck says as much as once; twice 1 and four times 2 are 5 / 3."""
    values, decks = np.array([1.0, 2.0, 3.0, 6.0]), np.arange(4)
    once = estimate(values)
    assert estimate_by_deck(values, decks) == once
    again = estimate_by_deck(np.repeat(values, 3), np.repeat(decks, 3))
    assert (again.mean, again.count) == (once.mean, 4) and again.error == pytest.approx(once.error)
    uneven = estimate_by_deck(np.repeat([1.0, 2.0], [2, 4]), np.repeat([7, 5], [2, 4]))
    assert uneven.mean == pytest.approx(5 / 3) and uneven.error == pytest.approx(4 / 9)


def test_one_deck_has_no_error() -> None:
    result = estimate(np.array([-2.0]))
    assert result.mean == -2.0 and math.isnan(result.error)
    assert estimate_fields(result) == {"mean": -2.0, "error": None, "interval": None, "decks": 1}


def test_draws_are_half_wins() -> None:
    assert wins(np.array([[4.0, -1.0], [0.0, 0.5]])).tolist() == [[1.0, 0.0], [0.5, 1.0]]
