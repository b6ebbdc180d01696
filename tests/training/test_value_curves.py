"""AUC against its definition."""

import numpy as np
import pytest

from fpmcts.training.game_curves import area_under_curve


def test_area_against_all_pairs() -> None:
    generator = np.random.default_rng(0)
    scores, won = generator.integers(0, 10, 200) / 10, generator.random(200) < 0.4
    pairs = scores[won][:, None] - scores[~won][None, :]
    assert area_under_curve(scores, won) == pytest.approx(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


def test_area_needs_both_results() -> None:
    assert np.isnan(area_under_curve(np.array([0.5]), np.array([True])))
