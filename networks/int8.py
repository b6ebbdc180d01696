"""Fast inference with 8-bit integers, on processors with AVX2.

The convolutions of the residual blocks multiply weights of int8, with a unit per output channel, by
activations of uint8, with a unit per layer, in oneDNN's quantised kernels. Activations follow
rectifiers, so 0 is their least value and no zero point is needed. The unit of a layer is the
largest activation over a sample of positions, plus ``MARGIN``, over 255; larger ones saturate. The
stem, whose inputs are planes of different scales, and the heads stay float32.

A rectifier commutes with a positive factor, so the channels of a layer can be brought closer to
each other before they share a unit: a channel is divided by the root of its largest activation, the
weights that read it are multiplied. The blocks add to one stream, whose channels have the same
factors from the stem to the heads.

Sums of products are exact integers, so outputs depend neither on the batch nor on the number of
threads.

Without VNNI a processor adds two products in 16 bits, which would saturate: weights have 7 bits
there instead of 8.

*Measured* (``python -m benchmarks network``), 64 channels x 8 blocks, processor time of one thread,
rates relative to float32 at batches of 64, 256 and 1024: 1.7, 2.0 and 2.1 on a shared AMD EPYC with
bf16 and VNNI, 1.1 to 1.2 times bfloat16's; 1.4, 1.5 and 1.7 on an AMD EPYC with AVX2 alone.

Sources: Nagel et al., "Data-Free Quantization through Weight Equalization and Bias Correction",
ICCV 2019, section 4.1 (factors of channels); Xiao et al., "SmoothQuant", ICML 2023, section 4 (the
root, from activations).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from games.kernels import Stream, deal_seeds, streams
from games.kernels.rows import take
from games.play.interface import Game, observed_by_movers
from games.play.lockstep import Lockstep, draw_legal
from networks.engine import FusedConv, NetworkEngine
from networks.precision import has_vnni
from networks.resnet import PolicyValueNet, ResidualBlock

LEVELS = 255
MARGIN = 1.1
EVENING = 0.5
"""Exponent of the channel factors: 0 leaves channels unchanged, 1 gives all the same largest
activation.
"""
LEAST_FACTOR = 1e-3
TYPICAL_BATCH = 256
NUM_GAMES = 64
MOST_POSITIONS = 1536


class Sample(NamedTuple):
    """Observations of the seats to move.

    Attributes:
        observations: int8 ``[N, C, L]``.
        roles: int8 ``[N]``.
    """

    observations: np.ndarray
    roles: np.ndarray

    def of_roles(self, roles: Sequence[int]) -> Tensor:
        """Returns the observations in some roles, int8 ``[n, C, L]``; all where no decision was
        made in them.
        """
        rows = np.isin(self.roles, roles)
        return torch.from_numpy(self.observations[rows] if rows.any() else self.observations)


def random_sample(game: Game) -> Sample:
    """Returns decisions of ``NUM_GAMES`` games of random moves: all, or ``MOST_POSITIONS`` evenly
    spread over their course.
    """
    deals, rng = (
        game.deal(deal_seeds(0, NUM_GAMES, Stream.BOOTSTRAP, 1)),
        streams(0, NUM_GAMES, Stream.BOOTSTRAP, 2),
    )
    games, scratch = Lockstep(game, deals), np.empty(game.spec.max_legal, np.int16)
    met: list[Sample] = []

    def decide(lanes: np.ndarray) -> np.ndarray:
        actions = np.empty(lanes.size, np.int16)
        draw_legal(game.rules, take(games.states, lanes), lanes, rng, scratch, actions)
        met.append(Sample(*observed_by_movers(game, games.states, lanes)))
        return actions

    for _ in games.run(decide):
        pass
    observations, roles = (np.concatenate(parts) for parts in zip(*met, strict=True))
    rows = np.linspace(0, len(roles) - 1, min(len(roles), MOST_POSITIONS)).astype(np.int64)
    return Sample(observations[rows], roles[rows])


class QuantizedConv:
    """One convolution over positions with bias, then optionally a residual sum, and a rectifier;
    uint8 to uint8.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor, length: int, input_unit: float, output_unit: float
    ) -> None:
        """Rounds the weights and brings them into the layout of the kernels.

        Args:
            weight: ``[O, I, 1, width]``, float32, of odd width.
            bias: ``[O]``, float32.
            length: Positions of the inputs.
            input_unit, output_unit: Units (step sizes) of the inputs and of the outputs.
        """
        self.padding = [0, weight.shape[3] // 2]
        self.input_unit, self.output_unit, self.bias = input_unit, output_unit, bias.clone()
        most = 127 if has_vnni() else 63
        self.units = (weight.abs().amax((1, 2, 3)) / most).clamp_min(1e-12)
        self.zeros = torch.zeros(len(weight), dtype=torch.int64)
        rounded = (weight / self.units[:, None, None, None]).round().to(torch.int8)
        shape = [TYPICAL_BATCH, weight.shape[1], 1, length]
        self.weight = torch.ops.onednn.qconv_prepack(
            rounded, self.units, input_unit, 0, [1, 1], self.padding, [1, 1], 1, shape
        )

    def __call__(self, x: Tensor) -> Tensor:
        """Returns the rectified convolution of ``x`` (uint8 ``[N, I, 1, L]``, channels last)."""
        return torch.ops.onednn.qconv2d_pointwise(
            x,
            self.input_unit,
            0,
            self.weight,
            self.units,
            self.zeros,
            self.bias,
            [1, 1],
            self.padding,
            [1, 1],
            1,
            self.output_unit,
            0,
            torch.uint8,
            "relu",
            [],
            "",
        )

    def add_to(self, residual: Tensor, unit: float, x: Tensor) -> Tensor:
        """Returns relu(residual + convolution of ``x``); ``unit`` is the step size of the residual,
        which may be overwritten.
        """
        return torch.ops.onednn.qconv2d_pointwise.binary(
            x,
            self.input_unit,
            0,
            self.weight,
            self.units,
            self.zeros,
            residual,
            self.bias,
            [1, 1],
            self.padding,
            [1, 1],
            1,
            self.output_unit,
            0,
            torch.uint8,
            unit,
            0,
            "sum",
            1.0,
            "relu",
            [],
            "",
        )


def _unit(most: Tensor) -> float:
    """Returns the unit of a layer whose channels reach ``most``."""
    return float(most.max()) * MARGIN / LEVELS or 1.0


def _factors(most: Tensor) -> Tensor:
    """Returns the divisors of a layer's channels, at most 1, given their largest activations
    (``[C]``).
    """
    return (most / most.max().clamp_min(1e-12)).clamp_min(LEAST_FACTOR) ** EVENING


class Int8Engine(NetworkEngine):
    """A network with int8 blocks and, as in ``NetworkEngine``, its own copy of the weights.

    Policy outputs and values of the weights that come with the project differ from float32 by about
    1.5 % and 2 % of their standard deviations, three times as much as in bfloat16; without VNNI by
    1.9 % and 2.6 %.

    Args:
        net: The network.
        sample: Observations that set the ranges, int8 ``[n, C, L]``, n >= 1.

    Raises:
        FloatingPointError: A weight or an activation is not finite.
    """

    @torch.no_grad()
    def __init__(self, net: PolicyValueNet, sample: Tensor) -> None:
        super().__init__(net, "float32", "cpu")
        streams, inner = self._most(sample)
        # Rectifiers and integers hide NaNs.
        if not all(
            bool(torch.isfinite(values.sum())) for values in (*net.state_dict().values(), *streams)
        ):
            raise FloatingPointError(
                "precision=int8: a weight or an activation is not finite; the weights are damaged"
            )
        even = _factors(torch.stack(streams).amax(0))
        units = [_unit(most / even) for most in streams]
        weight, bias = net.stem.folded()
        step = even * units[0]
        # Half a step more, since the conversion to integers truncates.
        stem_weight = weight * net.scale[:, None, None] / step[:, None, None, None]
        self.stem = FusedConv(stem_weight, bias / step + 0.5, *self.setting)
        self.steps: list[tuple[float, QuantizedConv, QuantizedConv]] = []
        blocks = [block for block in net.blocks if isinstance(block, ResidualBlock)]
        for k, block in enumerate(blocks):
            (w1, b1), (w2, b2), factors = (
                block.first.folded(),
                block.second.folded(),
                _factors(inner[k]),
            )
            unit, inner_unit = units[k], _unit(inner[k] / factors)
            w1 = w1 * even[:, None, None] / factors[:, None, None, None]
            w2 = w2 * factors[:, None, None] / even[:, None, None, None]
            first = QuantizedConv(w1, b1 / factors, self.setting.length, unit, inner_unit)
            second = QuantizedConv(w2, b2 / even, self.setting.length, inner_unit, units[k + 1])
            self.steps.append((unit, first, second))
        self.blocks = []
        self.heads = self._heads(net, even * units[-1])

    def _most(self, sample: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        """Returns the largest activations of the channels: of the stream after the stem and each
        block, and inside blocks.
        """
        x = self.stem(self.setting.inputs(sample), relu=True)
        streams, inner = [x.amax((0, 2, 3))], []
        for first, second in self.blocks:
            h = first(x, relu=True)
            x = second.add_to(x, h)
            inner.append(h.amax((0, 2, 3)))
            streams.append(x.amax((0, 2, 3)))
        return streams, inner

    def _trunk(self, observations: Tensor) -> Tensor:
        """Returns the stream after the last block, in steps, float32 ``[N, channels, 1, L]``."""
        x = (
            self.stem(self.setting.inputs(observations), relu=True)
            .clamp_(max=LEVELS)
            .to(torch.uint8)
        )
        for unit, first, second in self.steps:
            x = second.add_to(x, unit, first(x))
        return x.float()
