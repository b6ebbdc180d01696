"""Weights: effective sample size, tempering, resampling, diagnostics."""

import numpy as np
import pytest

from games.doudizhu.worlds import hidden_cards, log_prior
from games.kernels import streams
from inference.draws import COMPLETE
from inference.particles import NO_PARTICLES, Particles, make_particles
from inference.positions import make_positions, true_hidden
from inference.posterior import (
    effective_sizes,
    judge_truth,
    particle_weights,
    resample,
    temper,
)
from tests.inference.endgames import FALSE_ALARM_Z, GAME

K = 40


def slot(posterior: np.ndarray, phase1: np.ndarray, num_draws: int = K) -> Particles:
    particles = make_particles(GAME, 1, K)
    particles.posterior[0, :K], particles.phase1[0, :K] = posterior, phase1
    particles.posterior[0, K] = 1e3  # the true hand has no part in any weight
    particles.num_draws[0], particles.moves[0] = num_draws, 0
    return particles


def test_weights_and_effective_size() -> None:
    rng = np.random.default_rng(0)
    posterior, phase1 = rng.normal(size=K) - 2000.0, rng.normal(size=K) + 700.0
    possible = np.arange(K) % 5 > 0
    out = np.empty(K)
    for beta in (1.0, 0.3, 0.0):
        expected = possible * np.exp(beta * (posterior + 2000) + (1 - beta) * (phase1 - 700))
        size = particle_weights(slot(np.where(possible, posterior, -np.inf), phase1), 0, beta, out)
        np.testing.assert_allclose(out, expected / expected.sum())
        assert size == pytest.approx(expected.sum() ** 2 / (expected**2).sum())
    assert particle_weights(slot(np.full(K, -np.inf), phase1), 0, 1.0, out) == 0.0


def test_tempering_reaches_the_floor_and_no_further() -> None:
    out = np.empty(K)
    spread = 30.0 * np.random.default_rng(1).normal(size=K)
    sharp = slot(spread, np.zeros(K))
    assert particle_weights(sharp, 0, 1.0, out) < 2.0
    beta = temper(sharp, 0, 10.0, out)
    assert 0.0 < beta < 1.0
    assert 1.0 / (out**2).sum() == pytest.approx(10.0, rel=1e-3)
    np.testing.assert_allclose(out, np.exp(beta * spread) / np.exp(beta * spread).sum())
    assert temper(slot(0.01 * spread, np.zeros(K)), 0, 10.0, out) == 1.0
    few = np.where(np.arange(K) < 4, spread, -np.inf)
    assert temper(slot(few, np.zeros(K)), 0, 10.0, out) == pytest.approx(0.0, abs=1e-5)
    np.testing.assert_allclose(out, [0.25] * 4 + [0.0] * (K - 4), atol=1e-4)


def test_a_complete_list_is_not_tempered() -> None:
    sharp = slot(30.0 * np.arange(K), np.zeros(K), COMPLETE)
    assert temper(sharp, 0, 10.0, np.empty(K)) == 1.0
    sizes = np.empty(1)
    effective_sizes(sharp, np.zeros(1, np.int64), sizes)
    assert sizes[0] == K
    sharp.moves[0] = NO_PARTICLES
    effective_sizes(sharp, np.zeros(1, np.int64), sizes)
    assert sizes[0] == 0.0


def test_a_true_world_of_hardly_any_weight_has_a_finite_gain() -> None:
    """Its moves are 1,000 nats less likely than in each particle."""
    deal = GAME.deal(np.zeros(1, np.uint64))
    positions = make_positions(GAME, np.zeros(1, np.int64), deal)
    particles = slot(np.zeros(K), np.zeros(K))
    particles.posterior[0, K] = -1000.0
    particles.hidden[0, K] = true_hidden(GAME, deal, positions.seats)[0]
    gain, rank = np.empty(1), np.empty(1)
    judge_truth(GAME.rules, particles, positions, gain, rank)
    prior = log_prior(*hidden_cards(deal, 0, 0)[::2], particles.hidden[0, K, 0])
    assert rank[0] == 1.0
    assert gain[0] == pytest.approx(np.log((K + 1) / K) - 1000.0 - prior)


def test_resampling_is_systematic_and_in_random_order() -> None:
    rng = np.random.default_rng(2)
    n, runs = 13, 4000
    weights = rng.dirichlet(np.full(K, 0.3))
    weights[[0, -1]] = 0.0
    weights /= weights.sum()
    picks, totals, first = np.empty(n, np.int64), np.zeros(K), np.zeros(K)
    stream = streams(3, 1)
    for _ in range(runs):
        resample(weights, stream, 0, picks)
        counts = np.bincount(picks, minlength=K)
        assert (np.abs(counts - n * weights) < 1.0 + 1e-9).all()
        totals += counts
        first[picks[0]] += 1
    deviation = np.sqrt(weights * (1 - weights) / runs)
    assert (np.abs(totals / (n * runs) - weights) <= FALSE_ALARM_Z * deviation + 1e-12).all()
    assert (np.abs(first / runs - weights) <= FALSE_ALARM_Z * deviation + 1e-12).all()
