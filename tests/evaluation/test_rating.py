"""The Bradley-Terry fit: known answers, its invariances, and the share of intervals that hold the
truth."""

import math
import tracemalloc

import numpy as np
import pytest

from fpmcts.evaluation import rating
from fpmcts.evaluation.rating import fit, ratings


def test_two_players_by_hand() -> None:
    """30 wins to 10 and one virtual draw: odds 30.5 to 10.5."""
    strengths = fit(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(30.5 / 10.5), abs=1e-5)
    assert strengths.sum() == pytest.approx(0.0, abs=1e-9)


def test_recovers_the_strengths_of_the_model() -> None:
    """Expected wins of a million games per pair of known players."""
    truth = np.array([0.0, 0.3, -1.0, 2.0])
    share = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    fitted = fit(1e6 * share)
    assert fitted - fitted[0] == pytest.approx(truth - truth[0], abs=1e-4)


def test_memory_does_not_grow_with_decks_times_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "RESAMPLES", 20)
    score = np.arange(50_000) % 2.0
    tracemalloc.start()
    try:
        ratings(2, {(0, 1): score}, reference=0)
        assert tracemalloc.get_traced_memory()[1] < 6 * score.nbytes
    finally:
        tracemalloc.stop()


def test_a_cycle_is_not_explained_by_strengths() -> None:
    """Each of three wins 60 % against the next: equal strengths, every misfit a tenth of the games,
    many standard errors."""
    score = (np.arange(1000) % 5 < 3).astype(float)
    _, misfits = ratings(3, {(0, 1): score, (1, 2): score, (0, 2): 1.0 - score}, reference=0)
    assert [misfit.pair for misfit in misfits] == [(0, 1), (1, 2), (0, 2)]
    assert [misfit.share for misfit in misfits] == pytest.approx([0.1, 0.1, -0.1], abs=1e-3)
    assert all(abs(misfit.share) > 5 * misfit.error for misfit in misfits)


def test_misfits_of_true_strengths_on_shared_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three players, 300 decks that all pairs share: a deck's luck makes the results of pairs
    dependent.

    Under the model a misfit in standard errors has variance 1. Of 60 of them the mean square lies
    within 1 ± 0.73 (4 standard deviations of chi-squared) but for 1 seed in 16,000. Were pairs
    taken for independent, it would be far off.
    """
    monkeypatch.setattr(rating, "RESAMPLES", 50)
    rng = np.random.default_rng(6)
    strength = np.array([0.0, 0.2, -0.3])
    squares = []
    for _ in range(60):
        luck = rng.random((300, 2))  # of the games of a deck, the same for all pairs
        scores = {}
        for i, j in ((0, 1), (0, 2), (1, 2)):
            drawn = np.where(rng.random((300, 2)) < 0.7, luck, rng.random((300, 2)))
            scores[i, j] = (drawn < 1 / (1 + math.exp(strength[j] - strength[i]))).mean(axis=1)
        misfit = ratings(3, scores, reference=0)[1][0]
        squares.append((misfit.share / misfit.error) ** 2)
    assert abs(np.mean(squares) - 1.0) < 0.73, np.mean(squares)
