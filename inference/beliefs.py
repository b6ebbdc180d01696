"""Beliefs about the hidden cards, for display: the probability of every count of every kind, for
each seat.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import count_hidden, draw_hidden, list_hidden, log_prior_hidden
from games.kernels.rows import Rules
from inference.draws import COMPLETE
from inference.particles import Particles
from inference.positions import Positions
from inference.posterior import temper

_PRIOR_WORLDS = 4096
"""Maximum worlds sampled to represent the prior."""


class Beliefs(NamedTuple):
    """Beliefs of the searching seats of n positions.

    Attributes:
        probability: float64 ``[n, num_seats - 1, kinds, most + 1]``: the probability that a seat
            holds c cards of a kind (``spec.hidden_kinds``: ranks; or whole hands, one per seat),
            seats in playing order from the next one on.
        ess: float64 ``[n]``, effective sample size of the particles, before tempering; NaN if all
            worlds are listed or inference is inactive.
        listed: bool ``[n]``, whether all worlds are listed: the numbers are then exact, up to the
            policies.
        prior_only: bool ``[n]``, whether inference is inactive, so past moves are ignored.
    """

    probability: np.ndarray
    ess: np.ndarray
    listed: np.ndarray
    prior_only: np.ndarray


@kernel
def _add_up(
    rules: Rules,
    positions: Positions,
    i: int,
    hidden: np.ndarray,
    weights: np.ndarray,
    beliefs: Beliefs,
    at: int,
) -> None:
    """Adds weighted worlds (uint64 ``[K, W]``, float64 ``[K]``) of position ``i`` to row ``at``."""
    probability = beliefs.probability[at]
    counts = np.zeros(probability.shape[:2], np.int8)
    for k in range(weights.size):
        if weights[k] > 0.0:
            count_hidden(rules, positions.views, i, positions.seats[i], hidden[k], counts)
            for seat in range(counts.shape[0]):
                for kind in range(counts.shape[1]):
                    probability[seat, kind, counts[seat, kind]] += weights[k]


@kernel
def believe_prior(
    rules: Rules, positions: Positions, rng: np.ndarray, hidden_words: int, beliefs: Beliefs
) -> None:
    """Writes the prior at every position to the rows ``places`` of ``beliefs``.

    Args:
        rng: uint64 streams, one per lane, changed in place.
    """
    hidden = np.empty((_PRIOR_WORLDS, hidden_words), np.uint64)
    for i in range(positions.seats.size):
        seat, at = positions.seats[i], positions.places[i]
        total = list_hidden(rules, positions.views, i, seat, hidden)
        beliefs.listed[at] = total >= 0
        if total < 0:
            total = _PRIOR_WORLDS
            draw_hidden(rules, positions.views, i, seat, rng, positions.lanes[i], hidden)
        weights = np.full(total, 1.0 / total)
        if beliefs.listed[at]:
            for k in range(total):
                weights[k] = np.exp(log_prior_hidden(rules, positions.views, i, seat, hidden[k]))
        _add_up(rules, positions, i, hidden[:total], weights, beliefs, at)
        beliefs.prior_only[at] = True


@kernel
def believe_particles(
    rules: Rules,
    particles: Particles,
    positions: Positions,
    sizes: np.ndarray,
    floor: float,
    beliefs: Beliefs,
) -> None:
    """Writes the beliefs of the particles, tempered as worlds are, to the rows ``places`` of
    ``beliefs``.

    Args:
        particles: Particles, up to date with the positions.
        sizes: float64 ``[n]``, effective sample sizes.
        floor: Minimum effective sample size.
    """
    last = particles.posterior.shape[1] - 1
    weights = np.empty(last)
    for i in range(positions.slots.size):
        slot, at = positions.slots[i], positions.places[i]
        temper(particles, slot, floor, weights)
        _add_up(rules, positions, i, particles.hidden[slot, :last], weights, beliefs, at)
        beliefs.listed[at] = particles.num_draws[slot] == COMPLETE
        if not beliefs.listed[at]:
            beliefs.ess[at] = sizes[i]
