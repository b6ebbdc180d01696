"""Phase 1: particles for positions, with their sampling density.

A *particle* is a world, given by its hidden words, with two log-densities (nats):

- ``density``, of the draw: importance weights are divided by it; otherwise the evidence of phase 1
  would count twice.
- ``phase1``, of the world under phase 1: the distribution of the particles without phase 2.

If no more worlds are possible than there are particles, each is listed once: inference is then
exact and ``density`` is 0.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import (
    draw_corrected,
    draw_hidden,
    list_hidden,
    log_corrected,
    log_prior_hidden,
)
from games.kernels.rows import Rules
from inference.positions import Positions

UNDRAWN = -1
COMPLETE = 0


class Draws(NamedTuple):
    """K particles for n positions; the last column is the true world, for diagnostics only.

    Attributes:
        hidden: uint64 ``[n, K + 1, W]``, the worlds.
        exists: bool ``[n, K + 1]``, whether the column holds a particle.
        density: float64 ``[n, K + 1]``, see above.
        phase1: float64 ``[n, K + 1]``, see above.
        num_draws: int32 ``[n]``, number of draws that the particles represent; COMPLETE: the
            particles are all possible worlds.
        gain: float64 ``[n]``, log-probability (nats) of the true world under phase 1, minus that
            under the prior; NaN = unknown.
    """

    hidden: np.ndarray
    exists: np.ndarray
    density: np.ndarray
    phase1: np.ndarray
    num_draws: np.ndarray
    gain: np.ndarray


def empty_draws(count: int, particles: int, hidden_words: int, truth: np.ndarray | None) -> Draws:
    """Returns empty draws for ``count`` positions; ``truth`` (uint64 ``[count, W]``, or None) is
    the last column.
    """
    shape = (count, particles + 1)
    draws = Draws(
        hidden=np.zeros((*shape, hidden_words), np.uint64),
        exists=np.zeros(shape, np.bool_),
        density=np.zeros(shape),
        phase1=np.zeros(shape),
        num_draws=np.full(count, UNDRAWN, np.int32),
        gain=np.full(count, np.nan),
    )
    if truth is not None:
        draws.hidden[:, -1] = truth
        draws.exists[:, -1] = True
    return draws


@kernel
def are_same(one: np.ndarray, other: np.ndarray) -> bool:
    """Returns whether two sets of hidden words (uint64 ``[W]``) are the same world."""
    for w in range(one.size):
        if one[w] != other[w]:
            return False
    return True


@kernel
def list_all(rules: Rules, positions: Positions, draws: Draws) -> None:
    """Lists all worlds of every position with at most K; other positions stay UNDRAWN."""
    last = draws.hidden.shape[1] - 1
    for i in range(positions.seats.size):
        total = list_hidden(rules, positions.views, i, positions.seats[i], draws.hidden[i, :last])
        for k in range(last):
            draws.exists[i, k] = k < total
        if total >= 0:
            draws.num_draws[i] = COMPLETE


@kernel
def draw_from_prior(
    rules: Rules, positions: Positions, rows: np.ndarray, rng: np.ndarray, draws: Draws
) -> None:
    """Draws particles of the positions in ``rows`` (int64) from the prior.

    Args:
        positions: ``[n]``.
        rng: uint64 streams, one per lane, changed in place.
    """
    last = draws.hidden.shape[1] - 1
    for i in rows:
        draws.num_draws[i] = last
        draws.exists[i, :last] = True
        draw_hidden(
            rules,
            positions.views,
            i,
            positions.seats[i],
            rng,
            positions.lanes[i],
            draws.hidden[i, :last],
        )


@kernel
def weigh_by_prior(rules: Rules, positions: Positions, draws: Draws) -> None:
    """Writes the densities of all particles that were listed or drawn from the prior."""
    last = draws.hidden.shape[1] - 1
    for i in range(positions.seats.size):
        if draws.num_draws[i] == UNDRAWN:
            continue
        for k in range(last + 1):
            if draws.exists[i, k]:
                draws.phase1[i, k] = log_prior_hidden(
                    rules, positions.views, i, positions.seats[i], draws.hidden[i, k]
                )
                if draws.num_draws[i] != COMPLETE:
                    draws.density[i, k] = draws.phase1[i, k]
        if draws.exists[i, last]:
            draws.gain[i] = 0.0


@kernel
def draw_from_marginal(
    rules: Rules,
    positions: Positions,
    rows: np.ndarray,
    logits: np.ndarray,
    rng: np.ndarray,
    draws: Draws,
) -> None:
    """Draws the particles of the positions in ``rows`` (int64) from the network's distribution.

    Args:
        positions: ``[n]``.
        rng: uint64 streams, one per lane, changed in place.
        logits: float32 ``[n, counts, L]``, outputs of the head for hidden cards.
    """
    last = draws.hidden.shape[1] - 1
    for i in rows:
        draws.num_draws[i] = last
        draws.exists[i, :last] = True
        seat, lane = positions.seats[i], positions.lanes[i]
        draw_corrected(
            rules, positions.views, i, seat, logits[i], rng, lane, draws.hidden[i, :last]
        )


@kernel
def weigh_by_marginal(rules: Rules, positions: Positions, logits: np.ndarray, draws: Draws) -> None:
    """Writes the densities of particles that are listed or drawn from the network."""
    last = draws.hidden.shape[1] - 1
    for i in range(positions.seats.size):
        seat = positions.seats[i]
        log_corrected(
            rules,
            positions.views,
            i,
            seat,
            logits[i],
            draws.hidden[i],
            draws.exists[i],
            draws.phase1[i],
        )
        if draws.num_draws[i] != COMPLETE:
            for k in range(last + 1):
                if draws.exists[i, k]:
                    draws.density[i, k] = draws.phase1[i, k]
        if draws.exists[i, last]:
            draws.gain[i] = draws.phase1[i, last] - log_prior_hidden(
                rules, positions.views, i, seat, draws.hidden[i, last]
            )
