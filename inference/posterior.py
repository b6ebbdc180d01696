"""Phase 2, the weights: from the particles of a slot to worlds.

A particle k, drawn in phase 1 with density q and with evidence p(moves | k), has the weight

    w_k = p(k) p(moves | k) / q(k),      ESS = (sum_k w_k)^2 / sum_k w_k^2.

A few particles out of many worlds may all but miss the posterior; one of them then takes nearly all
the weight by accident. Where ESS falls below its floor, the posterior is *tempered* towards phase
1: worlds are drawn from p_1^(1 - beta) * posterior^beta with the largest beta in [0, 1] that keeps
ESS at the floor, which raises the temperature of the evidence to 1 / beta. If the particles are all
possible worlds, nothing is tempered: a sharp posterior is then genuine. Source: DeltaDou, 4.3
(temperature); Neal, "Annealed importance sampling", 2001 (the path).
"""

import numpy as np

from games.kernels import kernel, random_below, random_float
from games.kernels.generic import deal_rest, fill_world, log_prior_hidden
from games.kernels.rows import Rules, States
from inference.draws import COMPLETE
from inference.particles import NO_PARTICLES, Particles
from inference.positions import Positions

_BISECTIONS = 20


@kernel
def particle_weights(particles: Particles, slot: int, beta: float, weights: np.ndarray) -> float:
    """Returns the effective sample size, 0 if no particle is possible; writes the weights (float64
    ``[K]``, sum 1).

    Args:
        particles: Of all slots.
        slot: The slot.
        beta: In [0, 1]: 1 is the posterior, 0 is phase 1 on the worlds that are still possible.
        weights: Changed in place.
    """
    top = -np.inf
    for k in range(weights.size):
        weights[k] = -np.inf
        if particles.posterior[slot, k] > -np.inf:
            weights[k] = (
                beta * particles.posterior[slot, k] + (1.0 - beta) * particles.phase1[slot, k]
            )
            top = max(top, weights[k])
    if top == -np.inf:
        return 0.0
    total, squares = 0.0, 0.0
    for k in range(weights.size):
        weights[k] = np.exp(weights[k] - top)
        total += weights[k]
        squares += weights[k] ** 2
    for k in range(weights.size):
        weights[k] /= total
    return total**2 / squares


@kernel
def temper(particles: Particles, slot: int, floor: float, weights: np.ndarray) -> float:
    """Returns the largest beta with an effective sample size of ``floor`` or more, 0 if there is
    none; writes its weights.
    """
    if (
        particle_weights(particles, slot, 1.0, weights) >= floor
        or particles.num_draws[slot] == COMPLETE
    ):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        beta = 0.5 * (low + high)
        if particle_weights(particles, slot, beta, weights) >= floor:
            low = beta
        else:
            high = beta
    particle_weights(particles, slot, low, weights)
    return low


@kernel
def effective_sizes(particles: Particles, slots: np.ndarray, sizes: np.ndarray) -> None:
    """Writes the effective sample sizes (float64 ``[n]``) before tempering; 0 without particles.

    It is K where all the worlds are listed.
    """
    weights = np.empty(particles.posterior.shape[1] - 1)
    for i in range(slots.size):
        slot = slots[i]
        sizes[i] = (
            0.0
            if particles.moves[slot] == NO_PARTICLES
            else particle_weights(particles, slot, 1.0, weights)
        )
        if sizes[i] > 0.0 and particles.num_draws[slot] == COMPLETE:
            sizes[i] = weights.size


@kernel
def resample(weights: np.ndarray, rng: np.ndarray, lane: int, picks: np.ndarray) -> None:
    """Draws particles by systematic resampling, in random order: particle k comes up n w_k times,
    rounded up or down.

    Source: Douc, Cappé & Moulines, "Comparison of resampling schemes for particle filtering", 2005,
    2.4. The order is shuffled because a search with fewer playouts than worlds uses the first ones
    only.

    Args:
        weights: float64 ``[K]``, sum 1.
        rng: uint64 streams; ``rng[lane]`` is changed in place.
        picks: int64 ``[n]``, receives the indices.
    """
    n = picks.size
    offset = random_float(rng, lane)
    k, below = 0, weights[0] * n
    last = 0
    for j in range(weights.size):
        if weights[j] > 0.0:
            last = j
    for i in range(n):
        while k < last and below <= offset + i:
            k += 1
            below += weights[k] * n
        picks[i] = k
    for i in range(n - 1):
        j = i + random_below(rng, lane, n - i)
        picks[i], picks[j] = picks[j], picks[i]


@kernel
def draw_worlds(
    rules: Rules,
    particles: Particles,
    positions: Positions,
    floor: float,
    rng: np.ndarray,
    worlds: States,
    sources: np.ndarray,
    betas: np.ndarray,
) -> None:
    """Draws worlds from the weighted particles of the positions' slots.

    Args:
        particles: Brought up to date with the positions.
        positions: ``[n]``.
        floor: Minimum effective sample size.
        rng: uint64 streams, one per lane, changed in place.
        worlds: Receives ``num_worlds`` rows per position, from row ``places * num_worlds`` on.
        sources: int32 ``[any, num_worlds]``; row ``places`` receives the first of the worlds that
            come from the same particle, unless all worlds are listed.
        betas: float64 ``[n]``, receives the tempering.
    """
    weights = np.empty(particles.posterior.shape[1] - 1)
    num_worlds = sources.shape[1]
    picks = np.empty(num_worlds, np.int64)
    first_of = np.empty(weights.size, np.int32)
    for i in range(betas.size):
        slot, first = positions.slots[i], positions.places[i] * num_worlds
        first_of[:] = -1
        betas[i] = temper(particles, slot, floor, weights)
        resample(weights, rng, positions.lanes[i], picks)
        for w in range(num_worlds):
            if particles.num_draws[slot] != COMPLETE:
                if first_of[picks[w]] < 0:
                    first_of[picks[w]] = w
                sources[positions.places[i], w] = first_of[picks[w]]
            fill_world(
                rules,
                positions.views,
                i,
                positions.seats[i],
                particles.hidden[slot, picks[w]],
                worlds,
                first + w,
            )
        deal_rest(rules, worlds, first, num_worlds, rng, positions.lanes[i])


@kernel
def judge_truth(
    rules: Rules, particles: Particles, positions: Positions, gain: np.ndarray, rank: np.ndarray
) -> None:
    """Writes how the particles rate the true world before tempering; NaN where it is unknown.

    Args:
        particles: Brought up to date with the positions.
        positions: ``[n]``.
        gain: float64 ``[n]``: log p(true world | moves) - log prior at the information set
            (nats). The true world is one of the draws in the estimate of the evidence, which makes
            it a lower bound on average.
        rank: float64 ``[n]``: share of the possible particles that weigh more; equal ones count
            half.
    """
    last = particles.posterior.shape[1] - 1
    for i in range(gain.size):
        slot = positions.slots[i]
        true = particles.posterior[slot, last]
        gain[i], rank[i] = np.nan, np.nan
        if true == -np.inf:
            continue
        num_draws, top = particles.num_draws[slot], true
        for k in range(last):
            top = max(top, particles.posterior[slot, k])
        total = 0.0 if num_draws == COMPLETE else np.exp(true - top)
        heavier, possible = 0.0, 0
        for k in range(last):
            weight = particles.posterior[slot, k]
            if weight > -np.inf:
                total += np.exp(weight - top)
                heavier += 1.0 if weight > true else 0.5 if weight == true else 0.0
                possible += 1
        prior = log_prior_hidden(
            rules, positions.views, i, positions.seats[i], particles.hidden[slot, last]
        )
        evidence = true - top - np.log(total)
        gain[i] = particles.truth_density[slot] + np.log(num_draws + 1.0) + evidence - prior
        if possible > 0:
            rank[i] = heavier / possible
