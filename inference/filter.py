"""Phase 1 as in the paper: draw worlds from the prior, keep those that a filter network scores
best.

The network is a six-layer 1D convolution over the observation and a world. Source: DeltaDou, 4.3
("a 6-layer 1D-convolutional neural network"). The paper gives neither its input nor its loss: it is
trained here (``filter_batch``) to distinguish the true world from worlds drawn from the prior at
the same information set.

Late in the game candidates repeat. The best K *distinct* ones are kept, or one world could take all
the places; a candidate drawn m times counts m times.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from games.kernels import kernel
from games.kernels.generic import count_hidden, draw_hidden, log_prior_hidden, observe
from games.kernels.rows import Rules, States, num_rows, take
from games.play.interface import Game, GameSpec, seats_to_move
from inference.draws import Draws, are_same
from inference.positions import Positions, true_hidden
from networks.engine import MAX_CHUNK, make_setting
from networks.precision import is_fast_in_bfloat16
from networks.resnet import ConvNorm, scaled_planes

Score = Callable[[Tensor], Tensor]
"""Scores float32 [N] for int8 planes [N, C + W, L]: ``FilterEngine``."""

DEPARTS = (
    (
        "4.3",
        "With `phase1=filter`: the filter network is trained to distinguish the true world from "
        "worlds of the prior; the paper gives neither its input nor its loss. What it keeps counts "
        "as drawn from the prior, and if no more worlds are possible than particles all are kept.",
    ),
)
NUM_LAYERS = 6
_MAX_ROWS = 16_384
"""Rows of planes made at once: about 16 MiB."""


def num_world_planes(spec: GameSpec) -> int:
    """Returns the number of planes that encode a world: one per other seat and count above 0."""
    return (spec.num_seats - 1) * (spec.hidden_counts - 1)


def world_planes(spec: GameSpec, *hands: np.ndarray) -> np.ndarray:
    """Returns the planes of worlds: int8 ``[N, W, L]``, for each other seat whether it holds >= 1,
    2, … cards of a position.

    Args:
        spec: The game's.
        hands: The cards per position of each other seat, in playing order, int8 ``[N, L]`` each.
    """
    thresholds = np.arange(1, spec.hidden_counts, dtype=np.int8)[:, None]
    planes: np.ndarray = (np.stack(hands, axis=1)[:, :, None, :] >= thresholds).astype(np.int8)
    return planes.reshape(len(planes), num_world_planes(spec), -1)


class FilterNet(nn.Module):
    """Six convolutions over the planes of an observation and of a world, then one score."""

    scale: Tensor

    def __init__(self, spec: GameSpec, channels: int = 32, head_channels: int = 4) -> None:
        super().__init__()
        num_inputs, length = spec.observation_shape
        self.length = length
        num_planes = num_inputs + num_world_planes(spec)
        scale = np.ones(num_planes, np.float32)
        scale[:num_inputs] = spec.observation_scale
        self.register_buffer("scale", torch.as_tensor(scale), persistent=False)
        widths = [num_planes] + [channels] * (NUM_LAYERS - 1) + [head_channels]
        self.layers = nn.ModuleList(
            ConvNorm(a, b, 3) for a, b in zip(widths[:-1], widths[1:], strict=True)
        )
        self.score = nn.Linear(head_channels * length, 1)
        convert_conv2d_weight_memory_format(self, torch.channels_last)

    def forward(self, planes: Tensor) -> Tensor:
        """Returns scores ``[N]`` for int8 ``[N, C + W, L]``: the observation's planes, then those
        of the world.

        A score is a log-odds of "true world" against "drawn from the prior", up to a constant of
        the observation.
        """
        x = scaled_planes(planes, self.scale)
        for layer in self.layers:
            x = functional.relu(layer(x))
        return self.score(x.flatten(1))[:, 0].float()


class FilterEngine:
    """A filter network for inference, with its own copy of the weights. It has no int8 form;
    ``int8`` means ``auto``.
    """

    @torch.no_grad()
    def __init__(
        self, net: FilterNet, precision: str = "auto", device: torch.device | str = "cpu"
    ) -> None:
        if precision in ("auto", "int8"):
            precision = "bfloat16" if is_fast_in_bfloat16(torch.device(device)) else "float32"
        self.setting = make_setting(net.length, precision, device)
        layers = cast(list[ConvNorm], list(net.layers))
        self.layers = [
            self.setting.fold(layer, net.scale if layer is layers[0] else None) for layer in layers
        ]
        self.score = self.setting.over_positions(net.score)

    @torch.inference_mode()
    def __call__(self, planes: Tensor) -> Tensor:
        """Returns scores float32 ``[N]`` for int8 ``[N, C + W, L]`` (see ``FilterNet.forward``)."""
        return torch.cat([self._chunk(rows) for rows in planes.split(MAX_CHUNK)])

    def _chunk(self, planes: Tensor) -> Tensor:
        """Returns the scores of at most ``MAX_CHUNK`` rows."""
        x = self.setting.inputs(planes)
        for layer in self.layers:
            x = layer(x, relu=True)
        return self.score(x, relu=False)[: len(planes), 0, 0, 0].float()


@kernel
def _draw_candidates(
    rules: Rules,
    views: States,
    seats: np.ndarray,
    lanes: np.ndarray,
    rng: np.ndarray,
    hidden: np.ndarray,
) -> None:
    """Draws worlds from the prior at every information set (uint64 ``[n, M, W]``)."""
    for i in range(seats.size):
        draw_hidden(rules, views, i, seats[i], rng, lanes[i], hidden[i])


@kernel
def _observe_seats(
    rules: Rules,
    views: States,
    seats: np.ndarray,
    hidden: np.ndarray,
    observations: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Writes the observations of ``seats[i]`` (int8 ``[n, C, L]``), and the others' cards in its
    worlds (int8 ``[n, M, num_seats - 1, L]``).
    """
    for i in range(seats.size):
        observe(rules, views, i, seats[i], observations[i])
        for k in range(hidden.shape[1]):
            count_hidden(rules, views, i, seats[i], hidden[i, k], counts[i, k])


def _planes(game: Game, views: States, seats: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Returns the filter's input (int8 ``[n, M, C + P, L]``) for worlds (uint64 ``[n, M, W]``)."""
    n, m = hidden.shape[:2]
    observations = np.empty((n, *game.spec.observation_shape), np.int8)
    counts = np.empty((n, m, game.spec.num_seats - 1, len(game.spec.hidden_kinds)), np.int8)
    _observe_seats(game.rules, views, seats, hidden, observations, counts)
    flat = counts.reshape(n * m, *counts.shape[2:])
    worlds = world_planes(game.spec, *flat.swapaxes(0, 1))
    repeated = np.broadcast_to(observations[:, None], (n, m, *observations.shape[1:]))
    return np.concatenate([repeated, worlds.reshape(n, m, *worlds.shape[1:])], axis=2)


def filter_scores(
    game: Game, views: States, seats: np.ndarray, hidden: np.ndarray, score: Score
) -> np.ndarray:
    """Returns the filter's scores (float32 ``[n, M]``) of worlds (uint64 ``[n, M, W]``)."""
    n, m = hidden.shape[:2]
    scores = np.empty((n, m), np.float32)
    at_once = max(1, _MAX_ROWS // m)
    for a in range(0, n, at_once):
        rows = slice(a, a + at_once)
        planes = _planes(game, take(views, rows), seats[rows], hidden[rows])
        answer = score(torch.from_numpy(planes.reshape(-1, *planes.shape[2:])))
        scores[rows] = answer.cpu().numpy().reshape(-1, m)
    return scores


@kernel
def _keep_best(
    rules: Rules,
    positions: Positions,
    rows: np.ndarray,
    candidates: np.ndarray,
    order: np.ndarray,
    draws: Draws,
) -> None:
    """Keeps the best different candidates of the positions in ``rows`` (int64).

    Args:
        candidates: uint64 ``[n, M, W]``, for each of the rows.
        order: int64 ``[n, M]``, candidates by falling score.
    """
    last = draws.hidden.shape[1] - 1
    copies = np.ones(last + 1, np.int64)
    for r in range(rows.size):
        i = rows[r]
        draws.num_draws[i] = candidates.shape[1]
        kept = 0
        for j in order[r]:
            k = 0
            while k < kept and not are_same(draws.hidden[i, k], candidates[r, j]):
                k += 1
            if k < kept:
                copies[k] += 1
            elif kept < last:
                draws.hidden[i, kept] = candidates[r, j]
                draws.exists[i, kept] = True
                copies[kept] = 1
                kept += 1
        for k in range(last + 1):
            if draws.exists[i, k]:
                draws.phase1[i, k] = log_prior_hidden(
                    rules, positions.views, i, positions.seats[i], draws.hidden[i, k]
                )
                draws.density[i, k] = draws.phase1[i, k] - np.log(copies[k])


def draw_filtered(
    game: Game,
    positions: Positions,
    rows: np.ndarray,
    rng: np.ndarray,
    candidates: int,
    score: Score,
    draws: Draws,
) -> None:
    """Draws candidates from the prior for the positions in ``rows`` (int64), and keeps the best.

    The kept particles count as draws from the prior: the score does not enter their density. The
    gain of phase 1 is the true world's score minus the log-mean-exp of all scores, a log-odds
    against the prior.

    Args:
        positions: ``[n]``.
        rng: uint64 streams, one per lane, changed in place.
        candidates: Worlds drawn per position.
        score: The filter network.
        draws: ``[n]`` rows, receives the particles.
    """
    here = take(positions, rows)
    hidden = np.empty((rows.size, candidates + 1, game.spec.hidden_words), np.uint64)
    _draw_candidates(game.rules, here.views, here.seats, here.lanes, rng, hidden[:, :candidates])
    known = draws.exists[rows, -1]
    hidden[:, candidates] = np.where(known[:, None], draws.hidden[rows, -1], hidden[:, 0])
    scores = filter_scores(game, here.views, here.seats, hidden, score).astype(np.float64)
    order = np.argsort(-scores[:, :candidates], axis=1, kind="stable")
    _keep_best(game.rules, positions, rows, hidden[:, :candidates], order, draws)
    log_mean = np.logaddexp.reduce(scores, axis=1) - np.log(candidates + 1)
    draws.gain[rows] = np.where(known, scores[:, candidates] - log_mean, np.nan)


def filter_batch(game: Game, states: States, rng: np.ndarray, negatives: int) -> np.ndarray:
    """Returns training data, the input of ``FilterNet.forward`` (int8 ``[B, 1 + negatives, C + W,
    L]``): the true world of each state, then worlds from the prior at the information set of the
    seat to move.

    Trained with binary or softmax cross-entropy, a score becomes the log-odds of a world against
    the prior (up to a constant of the information set).

    Args:
        states: ``[B]`` rows with all the hands, of running games.
        rng: uint64 ``[B]`` streams, one per row, changed in place.
        negatives: Worlds from the prior per state, >= 1; one of them may equal the true one.
    """
    count = num_rows(states)
    seats = seats_to_move(game, states)
    hidden = np.empty((count, 1 + negatives, game.spec.hidden_words), np.uint64)
    hidden[:, 0] = true_hidden(game, states, seats)
    _draw_candidates(game.rules, states, seats, np.arange(count), rng, hidden[:, 1:])
    return _planes(game, states, seats, hidden)
