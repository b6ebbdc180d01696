"""Stochastic universal sampling of bet sizes."""

import numpy as np
import pytest

from fpmcts.no_limit_holdem.expected_reward.sizes import (
    ALL_IN,
    LEAST,
    TABLE_EDGES,
    size_at,
    table,
    universal_sample,
)


def test_size_at_inverts_the_distribution() -> None:
    probabilities, edges = np.array([0.2, 0.3, 0.4, 0.1]), np.array([0.0, 0.5, 1.0])
    found = [
        size_at(probabilities, edges, share)
        for share in (0.0, 0.199, 0.2, 0.35, 0.5, 0.7, 0.9, 0.999)
    ]
    assert found == pytest.approx([0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0])


def test_each_start_takes_every_size_as_often_as_it_should() -> None:
    """Over all starts an amount's weight is its probability, and with one start it differs by less
    than one size of five.
    """
    assert table().sum() == pytest.approx(1.0) and (np.diff(TABLE_EDGES) >= 0).all()
    starts = np.linspace(0, 1, 2000, endpoint=False)
    amounts, weights = np.zeros(5, np.int64), np.zeros(5)
    least = most = 0.0
    for start in starts:
        count = universal_sample(table(), TABLE_EDGES, 200, 20_000, 5, start, amounts, weights)
        assert (np.diff(amounts[:count]) > 0).all()
        assert weights[:count].sum() == pytest.approx(1.0)
        assert amounts[0] >= 200
        assert amounts[count - 1] <= 20_000
        least += weights[0] if amounts[0] == 200 else 0.0
        most += weights[count - 1] if amounts[count - 1] == 20_000 else 0.0
    assert least / len(starts) == pytest.approx(LEAST, abs=0.01)
    assert most / len(starts) == pytest.approx(ALL_IN, abs=0.002)


def test_equal_bounds_are_one_size() -> None:
    amounts, weights = np.zeros(5, np.int64), np.zeros(5)
    assert universal_sample(table(), TABLE_EDGES, 700, 700, 5, 0.3, amounts, weights) == 1
    assert (amounts[0], weights[0]) == (700, pytest.approx(1.0))
