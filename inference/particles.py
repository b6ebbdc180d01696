"""Particles that persist through a game, a set for every lane and searching seat (a *slot*: lane *
seats + seat).
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import log_prior_hidden, start_hidden
from games.kernels.rows import Rules, States
from games.play.interface import Game, Records
from inference.draws import Draws
from inference.positions import Positions

NO_PARTICLES = -1


class Particles(NamedTuple):
    """S slots with K particles each; the last column is the true world, for diagnostics alone.

    A particle has two log-weights (nats), each up to a constant of the slot: the log-probability
    under the posterior and under phase 1, minus the log-density that the particle was drawn with.

    Attributes:
        views: States ``[S]``, the view of the searching seat when ``moves`` moves had been played.
        moves: int16 ``[S]``, moves accounted for; NO_PARTICLES = the slot has no particles.
        hidden: uint64 ``[S, K + 1, W]``, the worlds as they were then.
        posterior: float64 ``[S, K + 1]``: log p(deal) + log-likelihood of the moves - log density;
            -inf = impossible, or none.
        phase1: float64 ``[S, K + 1]``: log-probability under phase 1 - log density.
        num_draws: int32 ``[S]``, see ``Draws``.
        truth_density: float64 ``[S]``, log density of the last column.
    """

    views: States
    moves: np.ndarray
    hidden: np.ndarray
    posterior: np.ndarray
    phase1: np.ndarray
    num_draws: np.ndarray
    truth_density: np.ndarray


def make_particles(game: Game, num_slots: int, count: int) -> Particles:
    """Returns slots without particles, with room for ``count`` each."""
    shape = (num_slots, count + 1)
    return Particles(
        views=game.empty(num_slots),
        moves=np.full(num_slots, NO_PARTICLES, np.int16),
        hidden=np.zeros((*shape, game.spec.hidden_words), np.uint64),
        posterior=np.full(shape, -np.inf),
        phase1=np.zeros(shape),
        num_draws=np.zeros(num_slots, np.int32),
        truth_density=np.zeros(num_slots),
    )


@kernel
def find_kept(
    particles: Particles, positions: Positions, records: Records, kept: np.ndarray
) -> None:
    """Writes whether the particles of a position's slot can be brought up to date (bool ``[n]``).

    Particles older than a move that the seat did not see cannot: they do not hold that move.
    """
    for i in range(kept.size):
        since, lane = particles.moves[positions.slots[i]], positions.lanes[i]
        kept[i] = since != NO_PARTICLES
        for j in range(max(since, 0), records.lengths[lane]):
            kept[i] = kept[i] and records.moves[lane, j] >= 0


@kernel
def store_draws(
    rules: Rules,
    particles: Particles,
    positions: Positions,
    moves: np.ndarray,
    from_start: bool,
    draws: Draws,
) -> None:
    """Stores new particles in the slots of positions, as of the start of the game or of the
    position.

    Args:
        particles: Changed in place; the views of the slots must already be those of that state.
        positions: ``[n]``.
        moves: int16 ``[n]``, moves played before that state.
        from_start: Whether that state is the start of the game. If so, the worlds are taken back to
            it and the posterior weights start from the prior of the deal; otherwise from phase 1.
        draws: ``[n]`` rows.
    """
    last = draws.hidden.shape[1] - 1
    for i in range(moves.size):
        slot, seat = positions.slots[i], positions.seats[i]
        particles.moves[slot] = moves[i]
        particles.num_draws[slot] = draws.num_draws[i]
        particles.truth_density[slot] = draws.density[i, last]
        for k in range(last + 1):
            particles.phase1[slot, k] = -np.inf
            particles.posterior[slot, k] = -np.inf
            if draws.exists[i, k]:
                hidden = particles.hidden[slot, k]
                for w in range(hidden.size):
                    hidden[w] = draws.hidden[i, k, w]
                prior = draws.phase1[i, k]
                if from_start:
                    start_hidden(rules, positions.views, i, seat, hidden)
                    prior = log_prior_hidden(rules, particles.views, slot, seat, hidden)
                particles.phase1[slot, k] = draws.phase1[i, k] - draws.density[i, k]
                particles.posterior[slot, k] = prior - draws.density[i, k]
