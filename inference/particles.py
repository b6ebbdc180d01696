"""The particles that persist over a game, for every lane and searching seat (a *slot*: lane * seats + seat)."""

from typing import NamedTuple

import numpy as np

from games.interface import Game, States
from games.kernels import kernel
from inference.draws import Draws
from inference.hands import Positions
from inference.prior import log_prior_of_hand

NO_PARTICLES = -1


class Particles(NamedTuple):
    """S slots with K particles each; the last column is for the true hand, which only diagnostics use.

    A particle has two log-weights (nats), each known up to a constant of the slot: with the posterior and with phase 1 in the
    numerator, over the density that the particle was drawn from.

    Attributes:
        views: States ``[S]``, the view of the searching seat when ``moves`` moves had been played.
        moves: int16 ``[S]``, moves accounted for; NO_PARTICLES = the slot has no particles.
        hands: uint64 ``[S, K + 1]``, the hand of the next seat then.
        posterior: float64 ``[S, K + 1]``: log p(deal) + log-likelihood of the moves - log density; -inf = impossible, or none.
        phase1: float64 ``[S, K + 1]``: log-probability by phase 1 - log density.
        num_draws: int32 ``[S]``, see ``Draws``.
        truth_density: float64 ``[S]``, log density of the last column.
    """

    views: States
    moves: np.ndarray
    hands: np.ndarray
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
        hands=np.zeros(shape, np.uint64),
        posterior=np.full(shape, -np.inf),
        phase1=np.zeros(shape),
        num_draws=np.zeros(num_slots, np.int32),
        truth_density=np.zeros(num_slots),
    )


@kernel
def store_draws(
    particles: Particles, positions: Positions, moves: np.ndarray, played: np.ndarray, bayes: bool, draws: Draws
) -> None:
    """Puts new particles into the slots of positions, at a state of the game not later than the position.

    Args:
        particles: The views of the slots must be those of that state; the rest of the slots is written.
        positions: ``[n]``.
        moves: int16 ``[n]``, moves played before that state.
        played: uint64 ``[n]``, what the next seat has played since; it is added back to the hands.
        bayes: Whether the posterior weights start from the prior of the deal (see ``inference.prior``; the state must then be the
            first of the game); if not, they are those of phase 1.
        draws: ``[n]`` rows.
    """
    last = draws.hands.shape[1] - 1
    for i in range(moves.size):
        slot, seat = positions.slots[i], positions.seats[i]
        particles.moves[slot] = moves[i]
        particles.num_draws[slot] = draws.num_draws[i]
        particles.truth_density[slot] = draws.density[i, last]
        for k in range(last + 1):
            particles.hands[slot, k] = 0
            particles.phase1[slot, k] = -np.inf
            particles.posterior[slot, k] = -np.inf
            if draws.hands[i, k] != np.uint64(0):
                hand = draws.hands[i, k] + played[i]
                prior = log_prior_of_hand(particles.views, slot, seat, hand) if bayes else draws.phase1[i, k]
                particles.hands[slot, k] = hand
                particles.phase1[slot, k] = draws.phase1[i, k] - draws.density[i, k]
                particles.posterior[slot, k] = prior - draws.density[i, k]
