"""Phase 1, the paper's form: many worlds drawn from the prior, the best kept by the score of a filter network.

The network is a six-layer 1D convolution over the observation and a world (``networks.filter``), trained to tell the true
world from worlds drawn from the prior at the same information state (``filter_batch``). Source: DeltaDou, 4.3.

Late in the game the candidates repeat. The best K *different* ones are kept, else one world could take all the places; a
candidate that was drawn m times counts m times.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from games.doudizhu.cards import unpack
from games.doudizhu.hidden import unseen_cards
from games.interface import Game, Rules, States, num_rows, observe, take
from games.kernels import kernel
from inference.draws import Draws
from inference.hands import Positions, hidden_cards, true_next_hands
from inference.prior import draw_prior, log_prior
from networks.filter import world_planes

Score = Callable[[Tensor], Tensor]
"""Scores float32 [N] for int8 planes [N, C + W, L]: ``networks.engine.FilterEngine``."""

_MAX_ROWS = 16_384
"""Rows of planes made at once: about 16 MiB."""


@kernel
def _draw_candidates(views: States, seats: np.ndarray, lanes: np.ndarray, rng: np.ndarray, hands: np.ndarray) -> None:
    """Draws hands of the next seat from the prior at every information state (uint64 ``[n, M]``)."""
    for i in range(seats.size):
        free, fixed, need = hidden_cards(views, i, seats[i])
        for k in range(hands.shape[1]):
            hands[i, k] = fixed + draw_prior(free, need, rng, lanes[i])


@kernel
def _observe_seats(rules: Rules, views: States, seats: np.ndarray, observations: np.ndarray, unseen: np.ndarray) -> None:
    """Writes the observation of ``seats[i]`` (int8 ``[n, C, L]``) and the cards it cannot see (uint64 ``[n]``) for every lane."""
    for i in range(seats.size):
        observe(rules, views, i, seats[i], observations[i])
        unseen[i] = unseen_cards(views, i, seats[i])


def _planes(game: Game, views: States, seats: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """Returns the filter's input (int8 ``[n, M, C + W, L]``) for hands of the next seat (uint64 ``[n, M]``)."""
    n, m = hands.shape
    observations = np.empty((n, *game.spec.observation_shape), np.int8)
    unseen = np.empty(n, np.uint64)
    _observe_seats(game.rules, views, seats, observations, unseen)
    worlds = world_planes(game.spec, unpack(hands.ravel()), unpack((unseen[:, None] - hands).ravel()))
    repeated = np.broadcast_to(observations[:, None], (n, m, *observations.shape[1:]))
    return np.concatenate([repeated, worlds.reshape(n, m, *worlds.shape[1:])], axis=2)


def filter_scores(game: Game, views: States, seats: np.ndarray, hands: np.ndarray, score: Score) -> np.ndarray:
    """Returns the filter's scores (float32 ``[n, M]``) of hands of the next seat (uint64 ``[n, M]``)."""
    n, m = hands.shape
    scores = np.empty((n, m), np.float32)
    at_once = max(1, _MAX_ROWS // m)
    for a in range(0, n, at_once):
        rows = slice(a, a + at_once)
        planes = _planes(game, take(views, rows), seats[rows], hands[rows])
        answer = score(torch.from_numpy(planes.reshape(-1, *planes.shape[2:])))
        scores[rows] = answer.cpu().numpy().reshape(-1, m)
    return scores


@kernel
def _keep_best(positions: Positions, rows: np.ndarray, candidates: np.ndarray, order: np.ndarray, draws: Draws) -> None:
    """Keeps the best different candidates of the positions in ``rows`` (int64).

    Args:
        candidates: uint64 ``[n, M]``, for each of the rows. order: int64 ``[n, M]``, candidates by falling score.
    """
    last = draws.hands.shape[1] - 1
    copies = np.ones(last + 1, np.int64)
    for r in range(rows.size):
        i = rows[r]
        draws.num_draws[i] = candidates.shape[1]
        free, fixed, need = hidden_cards(positions.views, i, positions.seats[i])
        kept = 0
        for j in order[r]:
            k = 0
            while k < kept and draws.hands[i, k] != candidates[r, j]:
                k += 1
            if k < kept:
                copies[k] += 1
            elif kept < last:
                draws.hands[i, kept] = candidates[r, j]
                copies[kept] = 1
                kept += 1
        for k in range(last + 1):
            if draws.hands[i, k] != np.uint64(0):
                draws.phase1[i, k] = log_prior(free, need, draws.hands[i, k] - fixed)
                draws.density[i, k] = draws.phase1[i, k] - np.log(copies[k])


def draw_filtered(
    game: Game, positions: Positions, rows: np.ndarray, rng: np.ndarray, candidates: int, score: Score, draws: Draws
) -> None:
    """Draws candidates from the prior for the positions in ``rows`` (int64), and keeps the best.

    The particles count as draws from the prior that were kept, so the score itself is no part of their density; the gain of
    phase 1 is the score of the true hand against the candidates', as a log-odds against the prior.

    Args:
        positions: ``[n]``. rng: uint64 streams, one per lane, changed in place.
        candidates: Worlds drawn per position.
        score: The filter network.
        draws: ``[n]`` rows, receives the particles.
    """
    here = take(positions, rows)
    hands = np.empty((rows.size, candidates + 1), np.uint64)
    _draw_candidates(here.views, here.seats, here.lanes, rng, hands[:, :candidates])
    known = draws.hands[rows, -1] != 0
    hands[:, candidates] = np.where(known, draws.hands[rows, -1], hands[:, 0])
    scores = filter_scores(game, here.views, here.seats, hands, score).astype(np.float64)
    order = np.argsort(-scores[:, :candidates], axis=1, kind="stable")
    _keep_best(positions, rows, hands[:, :candidates], order, draws)
    log_mean = np.logaddexp.reduce(scores, axis=1) - np.log(candidates + 1)
    draws.gain[rows] = np.where(known, scores[:, candidates] - log_mean, np.nan)


class FilterBatch(NamedTuple):
    """Training data of the filter: B information states with M worlds each, the first of them true.

    Attributes:
        planes: int8 ``[B, M, C + W, L]``, the input of ``FilterNet.forward``.
        labels: float32 ``[B, M]``, 1 for the true world.
    """

    planes: np.ndarray
    labels: np.ndarray


def filter_batch(game: Game, states: States, rng: np.ndarray, negatives: int) -> FilterBatch:
    """Returns training data: the true world of each state and worlds from the prior at the information state of the seat to move.

    Trained with the cross-entropy of either kind, a score becomes the log-odds of a world against the prior (up to a constant of
    the information state).

    Args:
        states: ``[B]`` rows with all the hands, of running games.
        rng: uint64 ``[B]`` streams, one per row, changed in place.
        negatives: Worlds from the prior per state, >= 1; one of them may equal the true one.
    """
    count = num_rows(states)
    seats = np.asarray(states.seat, np.int64)
    hands = np.empty((count, 1 + negatives), np.uint64)
    hands[:, 0] = true_next_hands(states, seats)
    _draw_candidates(states, seats, np.arange(count), rng, hands[:, 1:])
    labels = np.zeros(hands.shape, np.float32)
    labels[:, 0] = 1.0
    return FilterBatch(_planes(game, states, seats, hands), labels)
