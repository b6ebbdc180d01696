"""Fast inference: a trained network folded into few, prepacked operations.

Batch normalization and the scale of the observations are folded into the convolutions; the heads
with one output per position become one convolution. On CPUs the convolutions run in oneDNN with
bias, rectifier and residual sum fused, in bfloat16 where the processor multiplies it natively;
``networks.int8`` has an engine with a trunk of int8.

*Measured* for the trunk alone on Zen 4, single short runs on a shared machine. One thread, batch
1024, relative to the rate of a large matrix product: about 75 % (32 channels), 85 % (48), 95 %
(64); 32 channels at batch 256: 57 %. Two threads, batch 1024, relative to this: eager mode 0.8 to
1.0, ``torch.jit.trace`` (deprecated) 0.5 to 0.7, an im2col product by hand 0.7. Each operation of
any size costs about 30 microseconds, which dominates below about 100 rows.

oneDNN compiles a kernel per shape and caches 1024 of them, and self-play batches vary in size:
batches are padded to one of 16 sizes per octave, which costs at most 6 % and keeps every kernel in
the cache.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from networks.precision import settled
from networks.resnet import (
    ConvNorm,
    Outputs,
    PolicyValueNet,
    ResidualBlock,
    expected_value,
    inputs_of,
)

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
TYPICAL_BATCH = 256
MAX_CHUNK = 1024
"""Larger batches are split, so that the activations of a layer stay in the cache."""


def padded_size(n: int) -> int:
    """Returns the least of 16 evenly spaced sizes per octave that is at least ``n``, a multiple of
    4.
    """
    step = max(4, 1 << max(0, n.bit_length() - 5))
    return max(step, -(-n // step) * step)


def has_fused_convolutions(dtype: torch.dtype, device: torch.device) -> bool:
    """Returns whether torch offers oneDNN's fused convolutions: private operations that
    torch.compile emits for CPUs.
    """
    if (
        device.type != "cpu"
        or not torch.backends.mkldnn.is_available()
        or not hasattr(torch.ops.mkldnn, "_convolution_pointwise")
    ):
        return False
    return dtype == torch.float32 or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


class FusedConv:
    """One convolution over positions with bias, then optionally a residual sum and a rectifier;
    eager mode takes three steps.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor,
        length: int,
        dtype: torch.dtype,
        device: torch.device,
        padding: int | None = None,
    ) -> None:
        """Converts the weights to the layout of the device.

        Args:
            weight: ``[O, I, 1, width]``, float32.
            bias: ``[O]``, float32.
            length: Positions of the inputs.
            dtype: Type to compute in.
            device: Where to compute.
            padding: Zeros on either side; by default those that preserve the length, for an odd
                width.
        """
        self.padding = [0, weight.shape[3] // 2 if padding is None else padding]
        self.weight = weight.to(device, dtype, copy=True, memory_format=torch.channels_last)
        self.bias = bias.to(device, dtype, copy=True)
        self.fused = has_fused_convolutions(dtype, device)
        if self.fused:
            # The layout that suits the kernels for a typical input; one chosen without it was 10
            # times slower at batch 16.
            shape = [TYPICAL_BATCH, weight.shape[1], 1, length]
            self.weight = torch.ops.mkldnn._reorder_convolution_weight(
                self.weight, self.padding, [1, 1], [1, 1], 1, shape
            )

    def __call__(self, x: Tensor, relu: bool) -> Tensor:
        """Returns the convolution of ``x`` (``[N, I, 1, L]``, channels last), perhaps rectified."""
        if self.fused:
            return torch.ops.mkldnn._convolution_pointwise(
                x,
                self.weight,
                self.bias,
                self.padding,
                [1, 1],
                [1, 1],
                1,
                "relu" if relu else "none",
                [],
                "",
            )
        y = functional.conv2d(x, self.weight, self.bias, padding=self.padding)
        return y.relu_() if relu else y

    def add_to(self, residual: Tensor, x: Tensor) -> Tensor:
        """Returns relu(residual + convolution of ``x``), written over ``residual``."""
        if self.fused:
            return torch.ops.mkldnn._convolution_pointwise_.binary(
                residual,
                x,
                self.weight,
                self.bias,
                self.padding,
                [1, 1],
                [1, 1],
                1,
                "add",
                1.0,
                "relu",
                [],
                "",
            )
        y = functional.conv2d(x, self.weight, self.bias, padding=self.padding)
        return residual.add_(y).relu_()


class DenseLayer:
    """A layer of a dense network and its normalization, used like a ``FusedConv``."""

    def __init__(self, conv: FusedConv, norm: nn.LayerNorm) -> None:
        self.conv, self.shape, self.eps = conv, norm.normalized_shape, norm.eps
        self.gain, self.shift = (
            values.detach().to(conv.bias, copy=True) for values in (norm.weight, norm.bias)
        )

    def __call__(self, x: Tensor, relu: bool) -> Tensor:
        """Returns the layer of ``x`` (``[N, I, 1, 1]``), perhaps rectified."""
        y = self.conv(x, relu=False).flatten(1)
        y = functional.layer_norm(y, self.shape, self.gain, self.shift, self.eps)[:, :, None, None]
        return y.relu_() if relu else y

    def add_to(self, residual: Tensor, x: Tensor) -> Tensor:
        """Returns relu(residual + layer of ``x``), written over ``residual``."""
        return residual.add_(self(x, relu=False)).relu_()


Layer = FusedConv | DenseLayer


class SideBySide(NamedTuple):
    """Layers of the same input; their channels stand one after the other."""

    layers: tuple[Layer, ...]

    def __call__(self, x: Tensor, relu: bool) -> Tensor:
        """Returns the layers of ``x``, perhaps rectified."""
        return torch.cat([layer(x, relu) for layer in self.layers], dim=1)


class Setting(NamedTuple):
    """Number of positions, type of the convolutions, and device of an engine."""

    length: int
    dtype: torch.dtype
    device: torch.device

    def fold(self, layer: ConvNorm, scale: Tensor | None = None) -> Layer:
        """Returns a layer as one convolution, with the scale of its inputs (``[I]``) folded in; of
        a dense network with its normalization.
        """
        weight, bias = layer.folded()
        conv = FusedConv(weight if scale is None else weight * scale[:, None, None], bias, *self)
        return DenseLayer(conv, layer.norm) if isinstance(layer.norm, nn.LayerNorm) else conv

    def over_positions(self, layer: nn.Linear) -> FusedConv:
        """Returns a fully connected layer of ``[N, I, 1, L]`` as a convolution of full width.

        This needs no change of layout, and a matrix product would sum in an order that depends on
        the number of rows.
        """
        weight = layer.weight.detach().unflatten(1, (-1, 1, self.length))
        return FusedConv(weight, layer.bias.detach(), *self, padding=0)

    def last(self, layer: nn.Linear) -> FusedConv:
        """Returns a fully connected layer of ``[N, I, 1, 1]``, always in float32."""
        return FusedConv(
            layer.weight.detach()[:, :, None, None],
            layer.bias.detach(),
            1,
            torch.float32,
            self.device,
        )

    def inputs(self, planes: Tensor) -> Tensor:
        """Returns int8 planes ``[n, C, L]`` as ``[N, C, 1, L]``, channels last, with rows of zeros
        up to a padded size N.
        """
        n = len(planes)
        x = planes.to(self.device, non_blocking=True).to(self.dtype)
        if padded_size(n) > n:
            x = torch.cat([x, x.new_zeros(padded_size(n) - n, *x.shape[1:])])
        return x.unsqueeze(2).contiguous(memory_format=torch.channels_last)


def make_setting(length: int, precision: str, device: torch.device | str) -> Setting:
    """Returns the setting for float32 or bfloat16 on a device."""
    if precision not in DTYPES:
        raise ValueError(f"precision is {precision!r}, which only Int8Engine supports")
    return Setting(length, DTYPES[precision], torch.device(device))


class NetworkEngine:
    """A policy-value network for inference. Later changes of the network do not affect it.

    Outputs equal those of the network in evaluation mode up to rounding: in float32 about 1e-5, in
    bfloat16 about 1 % of the largest output of a head. A row's outputs do not depend on the other
    rows of the batch.
    """

    @torch.no_grad()
    def __init__(
        self, net: PolicyValueNet, precision: str = "auto", device: torch.device | str = "cpu"
    ) -> None:
        self.setting = make_setting(
            net.length, settled(precision, net, torch.device(device)), device
        )
        self.objective, self.value_scale = net.config.objective, net.value_scale
        self.factors = torch.tensor(
            net.stake_factors, dtype=torch.float32, device=self.setting.device
        )
        self.num_scalars = net.num_scalars
        self.num_planes, self.num_hidden, self.num_extra = (
            net.num_planes,
            net.num_hidden,
            net.num_extra,
        )
        self.stem = self.setting.fold(net.stem, net.scale)
        blocks = [block for block in net.blocks if isinstance(block, ResidualBlock)]
        self.blocks = [
            (self.setting.fold(block.first), self.setting.fold(block.second)) for block in blocks
        ]
        self.split = [self.num_planes, self.num_hidden, net.squeeze.conv.out_channels]
        self.heads = self._heads(net)
        self.units, self.globals = (
            self.setting.over_positions(net.units),
            self.setting.last(net.globals),
        )

    def _heads(self, net: PolicyValueNet, scale: Tensor | None = None) -> FusedConv | SideBySide:
        """Returns all per-position layers as one, with the scale of the trunk's outputs (``[I]``)
        folded in.
        """
        local = slice(self.num_planes + self.num_hidden)
        assert net.planes.bias is not None
        weight, bias = net.planes.weight[local], net.planes.bias[local]
        if net.config.dense:
            planes = FusedConv(weight, bias, *self.setting)
            return SideBySide((planes, self.setting.fold(net.squeeze)))
        squeeze_weight, squeeze_bias = net.squeeze.folded()
        weight, bias = torch.cat([weight, squeeze_weight]), torch.cat([bias, squeeze_bias])
        return FusedConv(
            weight if scale is None else weight * scale[:, None, None], bias, *self.setting
        )

    @torch.inference_mode()
    def __call__(self, observations: Tensor, want_hidden: bool = False) -> Outputs[Tensor]:
        """Returns float32 outputs on the engine's device for observations int8 ``[N, C, L]``."""
        chunks = [self._chunk(rows, want_hidden) for rows in observations.split(MAX_CHUNK)]
        if len(chunks) == 1:
            return chunks[0]
        return Outputs(*(torch.cat(parts) for parts in zip(*chunks, strict=True)))

    def _trunk(self, observations: Tensor) -> Tensor:
        """Returns the input of the heads, ``[N, channels, 1, L]``, padded to N rows."""
        inputs = inputs_of(observations, self.setting.length, self.num_scalars)
        x = self.stem(self.setting.inputs(inputs), relu=True)
        for first, second in self.blocks:
            x = second.add_to(x, first(x, relu=True))
        return x

    def _chunk(self, observations: Tensor, want_hidden: bool) -> Outputs[Tensor]:
        """Returns the outputs of at most ``MAX_CHUNK`` observations."""
        n, num_local = len(observations), self.num_planes * self.setting.length
        x = self._trunk(observations)
        planes, hidden, squeezed = self.heads(x, relu=False).split(self.split, dim=1)
        units = self.units(squeezed.relu(), relu=True)
        rest = self.globals(units.float(), relu=False)[:n].flatten(1)

        policy = torch.empty(n, num_local + self.num_extra, device=rest.device)
        policy[:, :num_local].unflatten(1, (self.num_planes, self.setting.length)).copy_(
            planes[:n, :, 0]
        )
        policy[:, num_local:] = rest[:, : self.num_extra]
        value = expected_value(
            rest[:, self.num_extra :], self.objective, self.value_scale, self.factors
        )
        return Outputs(policy, value, hidden[: n if want_hidden else 0, :, 0].float())
