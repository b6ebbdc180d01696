"""The Bradley-Terry fit: known answers, its invariances, and the share of intervals that hold the truth."""

import math

import numpy as np
import pytest

from evaluation import rating
from evaluation.rating import ELO, fit, goodness, ratings, resampled


def test_two_players_by_hand() -> None:
    """30 wins to 10 and one virtual draw: odds 30.5 to 10.5."""
    strengths = fit(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(30.5 / 10.5), abs=1e-6)
    assert strengths.sum() == pytest.approx(0.0, abs=1e-9)


def test_a_player_that_never_lost_is_finite() -> None:
    strengths = fit(np.array([[0.0, 100.0], [0.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(100.5 / 0.5), abs=1e-6)


def test_recovers_the_strengths_of_the_model() -> None:
    """Expected wins of a million games per pair of known players."""
    truth = np.array([0.0, 0.3, -1.0, 2.0])
    share = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    fitted = fit(1e6 * share)
    assert fitted - fitted[0] == pytest.approx(truth - truth[0], abs=1e-4)


def test_order_of_the_players_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    wins = rng.integers(1, 50, size=(5, 5)).astype(float)
    order = rng.permutation(5)
    assert fit(wins[np.ix_(order, order)]) == pytest.approx(fit(wins)[order], abs=1e-7)


def test_equals_have_no_difference_and_no_error() -> None:
    first, second = ratings(resampled(2, {(0, 1): np.full(50, 0.5)}), reference=0)
    assert (first.elo, second.elo, second.low, second.high) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-6)


def test_pairs_may_have_different_numbers_of_decks() -> None:
    rng = np.random.default_rng(4)
    scores = {(0, 1): rng.random(40).round(), (0, 2): rng.random(10).round(), (1, 2): rng.random(10).round()}
    result = ratings(resampled(3, scores), reference=1)
    assert result[1].elo == 0.0
    assert all(math.isfinite(r.low) and r.low <= r.elo <= r.high for r in result)


def test_intervals_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 100 simulated matches of 200 decks between players 100 Elo apart, two independent games per deck.

    If the intervals cover with probability 0.95, the count is within 95 ± 4 standard deviations (8.7) but for 1 seed in
    16,000; resampling covers slightly less at this size, and a wrong error formula (games taken for decks) far less.
    """
    monkeypatch.setattr(rating, "RESAMPLES", 200)
    rng = np.random.default_rng(5)
    chance = 1 / (1 + math.exp(-100 / ELO))
    covered = 0
    for _ in range(100):
        score = (rng.random((200, 2)) < chance).mean(axis=1)
        result = ratings(resampled(2, {(0, 1): score}), reference=1)[0]
        covered += result.low <= 100 <= result.high
    assert 86 <= covered <= 100, covered


def test_a_cycle_is_not_explained_by_strengths() -> None:
    """Each of three wins 60 % against the next: equal strengths, every residual a tenth, one degree of freedom."""
    score = (np.arange(1000) % 5 < 3).astype(float)
    found = goodness(resampled(3, {(0, 1): score, (1, 2): score, (0, 2): 1.0 - score}))
    assert found is not None and found.freedom == 1
    assert found.residuals == pytest.approx([0.1, -0.1, 0.1], abs=1e-3)
    assert found.probability < 1e-6
    assert found.pairs == ((0, 1), (0, 2), (1, 2))


def test_two_players_leave_nothing_to_explain() -> None:
    assert goodness(resampled(2, {(0, 1): np.full(50, 0.5)})) is None


def test_residuals_that_cannot_differ_are_no_misfit() -> None:
    """Results without any spread, as of equals without chance, or of who always wins (but for the virtual draws)."""
    equals = goodness(resampled(3, dict.fromkeys(((0, 1), (0, 2), (1, 2)), np.full(50, 0.5))))
    assert equals is not None and equals.chi_squared == pytest.approx(0.0, abs=1e-6)
    always = goodness(resampled(3, dict.fromkeys(((0, 1), (0, 2), (1, 2)), np.ones(200))))
    assert always is not None and always.probability > 0.01


def test_chi_squared_of_true_strengths_on_shared_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four players, 300 decks that all pairs share: a deck's luck makes residuals of pairs dependent.

    Under the model chi-squared with 3 degrees of freedom has mean 3 and standard deviation sqrt(6), so the mean of 60 lies within
    3 ± 1.3 (4 standard errors) but for 1 seed in 16,000. Were pairs taken for independent, it would be far off.
    """
    monkeypatch.setattr(rating, "RESAMPLES", 100)
    rng = np.random.default_rng(6)
    strength = np.array([0.0, 0.2, -0.3, 0.5])
    values = []
    for _ in range(60):
        luck = rng.random((300, 2))  # of the games of a deck, the same for all pairs
        scores = {}
        for i in range(4):
            for j in range(i + 1, 4):
                own = rng.random((300, 2))
                drawn = np.where(rng.random((300, 2)) < 0.7, luck, own)
                scores[i, j] = (drawn < 1 / (1 + math.exp(strength[j] - strength[i]))).mean(axis=1)
        found = goodness(resampled(4, scores))
        assert found is not None and found.freedom == 3
        values.append(found.chi_squared)
    assert abs(np.mean(values) - 3.0) < 1.3, np.mean(values)
