"""Steps of dense networks with one hidden layer, in numpy.

Neural fictitious self-play takes very many very small steps. *Measured* with 64 units and 256 rows
of Leduc on a busy core: 0.32 ms each, where ``PolicyValueNet`` and torch's Adam take 3.1 ms, almost
all of it outside the arithmetic.
"""

from collections.abc import Sequence
from math import prod, sqrt
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from fpmcts.training.learner import LossNotFiniteError
from networks.resnet import PolicyValueNet

FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8
"""Constants of Adam (Kingma & Ba 2015, algorithm 1)."""


class Hidden(NamedTuple):
    """What a forward pass keeps for the gradient: inputs ``[B, I]``, the inverse deviations ``[B,
    1]``, the normalised and the rectified units ``[B, H]``.
    """

    inputs: np.ndarray
    inverse: np.ndarray
    normal: np.ndarray
    units: np.ndarray


class Layers(nn.Module):
    """The weights of the policy of a dense network without blocks, and the state of their optimizer
    (Adam).

    Args:
        net: Where the weights come from and ``publish`` writes them.

    Attributes:
        weights, first, second: float32 ``[D]``: all weights, and the moments of their gradients.
        parts: The weights as ``split`` returns them.
        steps: int64 ``[1]``, steps taken.
    """

    weights: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor
    steps: torch.Tensor

    def __init__(self, net: PolicyValueNet) -> None:
        super().__init__()
        # A scalar plane is repeated over the positions of the observation. Its first copy is used.
        width = net.stem.conv.weight.shape[1]
        scalars, copies = net.stem.repeated
        first = width - scalars * copies
        self._columns = np.r_[:first, first:width:copies]
        self._scale, self._scalars = net.scale.numpy(), net.num_scalars
        self._eps = float(net.stem.norm.eps)
        with torch.no_grad():
            weight = net.stem.conv.weight[:, :, 0, 0]
            summed = net.stem._dense_weight().clone()
            weight.zero_()
            weight[:, self._columns] = summed
        parts = [
            array[..., self._columns] if k == 0 else array
            for k, array in enumerate(self._arrays(net))
        ]
        self._shapes = [part.shape for part in parts]
        flat = torch.from_numpy(np.concatenate([part.ravel() for part in parts]))
        self.register_buffer("weights", flat)
        self.register_buffer("first", torch.zeros_like(flat))
        self.register_buffer("second", torch.zeros_like(flat))
        self.parts = self.split(self.weights)
        self._flat = self.weights.numpy(), self.first.numpy(), self.second.numpy()
        self.register_buffer("steps", torch.zeros(1, dtype=torch.int64))
        self._steps = self.steps.numpy()

    @staticmethod
    def _arrays(net: PolicyValueNet) -> list[np.ndarray]:
        """Returns views of the weights: ``[H, I]``, gain and shift ``[H]``, ``[P, H]``, ``[P]``."""
        norm, planes = net.stem.norm, net.planes
        assert planes.bias is not None
        tensors = (
            net.stem.conv.weight[:, :, 0, 0],
            norm.weight,
            norm.bias,
            planes.weight[:, :, 0, 0],
            planes.bias,
        )
        return [tensor.detach().numpy() for tensor in tensors]

    def publish(self, net: PolicyValueNet) -> None:
        """Writes the weights into the network."""
        for k, (array, part) in enumerate(zip(self._arrays(net), self.parts, strict=True)):
            array[..., self._columns if k == 0 else slice(None)] = part

    def split(self, flat: torch.Tensor) -> list[np.ndarray]:
        """Returns views of ``[D]``: ``[H, I]``, gain and shift ``[H]``, ``[P, H]``, ``[P]``."""
        parts = flat.split([prod(shape) for shape in self._shapes])
        return [part.view(shape).numpy() for part, shape in zip(parts, self._shapes, strict=True)]

    def inputs(self, observations: np.ndarray) -> np.ndarray:
        """Returns float32 ``[B, I]`` for observations int8 ``[B, C, L]``."""
        count, planes, length = observations.shape
        first = planes - self._scalars
        flat = observations[:, :first].reshape(count, first * length)
        return np.concatenate([flat, observations[:, first:, 0]], axis=1) * self._scale

    def forward(
        self, inputs: np.ndarray, parts: Sequence[np.ndarray] | None = None
    ) -> tuple[np.ndarray, Hidden]:
        """Returns the policy outputs ``[B, P + 1]``, the last of which is 0, and what their
        gradient needs.

        Args:
            inputs: As ``inputs`` returns them.
            parts: Other weights than the present ones, as ``split`` returns them.
        """
        w, gain, shift, v, bias = self.parts if parts is None else parts
        z = inputs @ w.T
        z -= z.sum(axis=1, keepdims=True) / z.shape[1]
        inverse = 1.0 / np.sqrt(np.einsum("bh,bh->b", z, z) / z.shape[1] + self._eps)[:, None]
        z *= inverse
        units = z * gain
        units += shift
        np.maximum(units, 0.0, out=units)
        outputs = np.zeros((len(z), len(bias) + 1), np.float32)
        outputs[:, :-1] = units @ v.T + bias
        return outputs, Hidden(inputs, inverse, z, units)

    def step(self, hidden: Hidden, gradient: np.ndarray, lr: float) -> None:
        """Takes a step of Adam.

        Args:
            hidden: Of ``forward``.
            gradient: Of the loss by the outputs, ``[B, P + 1]``; the last is ignored.
            lr: Learning rate.

        Raises:
            LossNotFiniteError: The gradient is not finite; no weight was changed.
        """
        _, gain, _, v, _ = self.parts
        inputs, inverse, normal, units = hidden
        gradient = gradient[:, :-1]
        on_units = gradient @ v
        on_units *= units > 0
        on_normal = on_units * gain
        on_z = on_normal - on_normal.sum(axis=1, keepdims=True) / normal.shape[1]
        on_z -= normal * (np.einsum("bh,bh->b", on_normal, normal) / normal.shape[1])[:, None]
        on_z *= inverse
        parts = (
            on_z.T @ inputs,
            np.einsum("bh,bh->h", on_units, normal),
            on_units.sum(0),
            gradient.T @ units,
            gradient.sum(0),
        )
        flat = np.concatenate([part.ravel() for part in parts])
        if not np.isfinite(flat.sum()):
            raise LossNotFiniteError("a gradient of NFSP is not finite")
        weights, first, second = self._flat
        steps = self._steps
        steps += 1
        first *= FIRST
        first += (1 - FIRST) * flat
        flat *= flat
        flat *= 1 - SECOND
        second *= SECOND
        second += flat
        np.sqrt(second, out=flat)
        flat += EPSILON
        np.divide(first, flat, out=flat)
        count = int(steps[0])
        flat *= lr * sqrt(1 - SECOND**count) / (1 - FIRST**count)
        weights -= flat
