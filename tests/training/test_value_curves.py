"""Brier score and AUC against numbers worked out by hand."""

import numpy as np
import pytest

from fpmcts.training.game_curves import area_under_curve, brier_score


def test_area_by_pairs() -> None:
    scores, won = np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, True, False, True])
    # pairs (won, lost): 0.4 > 0.1, 0.4 = 0.4, 0.8 > 0.1, 0.8 > 0.4: 3.5 of 4
    assert area_under_curve(scores, won) == pytest.approx(3.5 / 4)


def test_area_against_all_pairs() -> None:
    generator = np.random.default_rng(0)
    scores, won = generator.integers(0, 10, 200) / 10, generator.random(200) < 0.4
    pairs = scores[won][:, None] - scores[~won][None, :]
    assert area_under_curve(scores, won) == pytest.approx(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


def test_area_needs_both_results() -> None:
    assert np.isnan(area_under_curve(np.array([0.5]), np.array([True])))


def test_brier() -> None:
    assert brier_score(np.array([1.0, 0.5, 0.0]), np.array([True, False, False])) == pytest.approx(
        0.25 / 3
    )
