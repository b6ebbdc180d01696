"""Phase 1: particles for positions, with the density they were drawn from.

A *particle* is a hand of the next seat. Two log-densities go with it (nats):

- ``density``, of the draw: what an importance weight is divided by, or else the evidence of phase 1 counts twice.
- ``phase1``, of the hand by phase 1: what the particles stand for without phase 2.

Where no more worlds are possible than there is room for particles, all of them are listed, each once: inference is then exact
and ``density`` is 0.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from inference.hands import Positions, hidden_cards
from inference.marginal import draw_marginal, fill_table, log_marginal, make_table
from inference.prior import draw_prior, list_choices, log_prior

UNDRAWN = -1
COMPLETE = 0


class Draws(NamedTuple):
    """K particles for each of n positions; the last column is for the true hand, which only diagnostics use.

    Attributes:
        hands: uint64 ``[n, K + 1]``, hand of the next seat; 0 = no particle.
        density: float64 ``[n, K + 1]``, see above.
        phase1: float64 ``[n, K + 1]``, see above.
        num_draws: int32 ``[n]``, how many draws the particles stand for; COMPLETE: they are all the worlds there are.
        gain: float64 ``[n]``, log-probability (nats) of the true hand by phase 1, less that of the prior; NaN = unknown.
    """

    hands: np.ndarray
    density: np.ndarray
    phase1: np.ndarray
    num_draws: np.ndarray
    gain: np.ndarray


def empty_draws(count: int, particles: int, truth: np.ndarray | None) -> Draws:
    """Returns room for the particles of ``count`` positions; ``truth`` (uint64 ``[count]``, or None) is the last column."""
    shape = (count, particles + 1)
    draws = Draws(
        hands=np.zeros(shape, np.uint64),
        density=np.zeros(shape),
        phase1=np.zeros(shape),
        num_draws=np.full(count, UNDRAWN, np.int32),
        gain=np.full(count, np.nan),
    )
    if truth is not None:
        draws.hands[:, -1] = truth
    return draws


@kernel
def draw_all(positions: Positions, marginal: bool, logits: np.ndarray, draws: Draws) -> None:
    """Lists all the worlds of every position that has at most K of them; the others stay UNDRAWN.

    Args:
        positions: ``[n]``.
        marginal: Whether phase 1 is the marginal form; if not, its density is that of the prior.
        logits: float32 ``[n, 5, 15]``, see ``inference.marginal``; not read unless ``marginal``.
    """
    weights, table = make_table()
    last = draws.hands.shape[1] - 1
    for i in range(positions.seats.size):
        free, fixed, need = hidden_cards(positions.views, i, positions.seats[i])
        total = list_choices(free, need, draws.hands[i, :last])
        draws.hands[i, max(total, 0) : last] = 0
        if total < 0:
            continue
        draws.num_draws[i] = COMPLETE
        if marginal:
            fill_table(free, fixed, need, logits[i], weights, table)
        for k in range(last + 1):
            if k < total:
                draws.hands[i, k] += fixed
            if draws.hands[i, k] != np.uint64(0):
                taken = draws.hands[i, k] - fixed
                draws.phase1[i, k] = log_marginal(weights, table, taken) if marginal else log_prior(free, need, taken)
        if draws.hands[i, last] != np.uint64(0):
            draws.gain[i] = draws.phase1[i, last] - log_prior(free, need, draws.hands[i, last] - fixed)


@kernel
def draw_from_prior(positions: Positions, rows: np.ndarray, rng: np.ndarray, draws: Draws) -> None:
    """Draws the particles of the positions in ``rows`` (int64) from the prior at the information state.

    Args:
        positions: ``[n]``. rng: uint64 streams, one per lane, changed in place.
    """
    last = draws.hands.shape[1] - 1
    for i in rows:
        draws.num_draws[i] = last
        free, fixed, need = hidden_cards(positions.views, i, positions.seats[i])
        for k in range(last + 1):
            if k < last:
                draws.hands[i, k] = fixed + draw_prior(free, need, rng, positions.lanes[i])
            if draws.hands[i, k] != np.uint64(0):
                draws.phase1[i, k] = log_prior(free, need, draws.hands[i, k] - fixed)
                draws.density[i, k] = draws.phase1[i, k]
        if draws.hands[i, last] != np.uint64(0):
            draws.gain[i] = 0.0


@kernel
def draw_from_marginal(positions: Positions, rows: np.ndarray, logits: np.ndarray, rng: np.ndarray, draws: Draws) -> None:
    """Draws the particles of the positions in ``rows`` (int64) from the network's distribution.

    Args:
        positions: ``[n]``. rng: uint64 streams, one per lane, changed in place.
        logits: float32 ``[n, 5, 15]``, see ``inference.marginal``.
    """
    weights, table = make_table()
    last = draws.hands.shape[1] - 1
    for i in rows:
        draws.num_draws[i] = last
        free, fixed, need = hidden_cards(positions.views, i, positions.seats[i])
        fill_table(free, fixed, need, logits[i], weights, table)
        for k in range(last + 1):
            if k < last:
                draws.hands[i, k] = fixed + draw_marginal(weights, table, need, rng, positions.lanes[i])
            if draws.hands[i, k] != np.uint64(0):
                draws.phase1[i, k] = log_marginal(weights, table, draws.hands[i, k] - fixed)
                draws.density[i, k] = draws.phase1[i, k]
        if draws.hands[i, last] != np.uint64(0):
            draws.gain[i] = draws.phase1[i, last] - log_prior(free, need, draws.hands[i, last] - fixed)
