"""Convolutions of width 3 with half the products, for training on CPUs in float32.

Four neighbouring outputs y of a convolution of width 3 are sums of 12 products. Winograd's F(4, 3)
takes six: with d the six inputs that they depend on and g the weights,

    y = Aᵀ [(G g) ⊙ (Bᵀ d)].

With many channels, ⊙ is a product of matrices for each of the six *points*; A and B cost some
additions. With z the gradient of y, that of g is Gᵀ [(A z) ⊙ (Bᵀ d)], and that of the inputs is a
convolution of z. Rounding differs from that of a direct convolution: by about 1e-6 of the largest
value.

The additions are those of whole *positions*: the activations of all rows there. These are
contiguous where activations are ``[L, N, C]`` in memory: L positions, N rows, C channels. In torch
this is a channels-last tensor ``[L, C, 1, N]``, to which normalization and rectifiers apply
unchanged. Beyond both ends inputs are 0.

Below, T is the number of groups of four outputs, L / 4 rounded up.

Source: Winograd, "Arithmetic Complexity of Computations", 1980; Lavin & Gray, "Fast Algorithms for
Convolutional Neural Networks", CVPR 2016, sections 4.1 and 4.3.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from games.kernels import kernel

LEAST_CHANNELS, LEAST_ROWS = 64, 128
"""*Measured*, a residual block forwards and backwards on AVX2: with 48 channels no faster than
torch's own convolutions, with 32 slower. Not measured on other processors.
"""
CHUNK = 128
"""Rows at a time, so that points stay in the cache: *measured*, 64 and 512 are slower."""
G = torch.tensor([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24
TWO, FOUR, EIGHT = np.float32(2), np.float32(4), np.float32(8)


@kernel(forceinline=True)
def _at(x: np.ndarray, k: int, first: int, outside: np.ndarray) -> np.ndarray:
    """Returns columns of position ``k``, as many as ``outside``, which it returns beyond the
    ends.
    """
    return x[k, first : first + outside.size] if 0 <= k < len(x) else outside


@kernel
def _points_of_inputs(x: np.ndarray, first: int, points: np.ndarray) -> None:
    """Writes Bᵀ d to ``points`` (``[6, T, S]``) for S columns of ``x`` (``[L, N · I]``)."""
    zero = np.zeros(points.shape[2], np.float32)
    for t in range(points.shape[1]):
        k = 4 * t
        d0, d1 = _at(x, k - 1, first, zero), _at(x, k, first, zero)
        d2, d3 = _at(x, k + 1, first, zero), _at(x, k + 2, first, zero)
        d4, d5 = _at(x, k + 3, first, zero), _at(x, k + 4, first, zero)
        for c in range(points.shape[2]):
            even, odd = d4[c] - FOUR * d2[c], d3[c] - FOUR * d1[c]
            points[1, t, c] = even + odd
            points[2, t, c] = even - odd
            even, odd = d4[c] - d2[c], TWO * (d3[c] - d1[c])
            points[3, t, c] = even + odd
            points[4, t, c] = even - odd
            points[0, t, c] = FOUR * (d0[c] - d2[c]) + even
            points[5, t, c] = d5[c] - d3[c] - TWO * odd


@kernel
def _points_of_gradient(z: np.ndarray, first: int, points: np.ndarray) -> None:
    """Writes A z to ``points`` (``[6, T, S]``) for S columns of ``z`` (``[L, N · O]``)."""
    zero = np.zeros(points.shape[2], np.float32)
    for t in range(points.shape[1]):
        k = 4 * t
        z0, z1 = _at(z, k, first, zero), _at(z, k + 1, first, zero)
        z2, z3 = _at(z, k + 2, first, zero), _at(z, k + 3, first, zero)
        for c in range(points.shape[2]):
            even, odd = z0[c] + z2[c], z1[c] + z3[c]
            points[1, t, c] = even + odd
            points[2, t, c] = even - odd
            even, odd = z0[c] + FOUR * z2[c], TWO * z1[c] + EIGHT * z3[c]
            points[3, t, c] = even + odd
            points[4, t, c] = even - odd
            points[0, t, c] = z0[c]
            points[5, t, c] = z3[c]


@kernel
def _outputs(points: np.ndarray, y: np.ndarray, first: int) -> None:
    """Writes Aᵀ of ``points`` (``[6, T, S]``) to S columns of ``y`` (``[L, N · O]``)."""
    unused = np.empty(points.shape[2], np.float32)
    for t in range(points.shape[1]):
        k = 4 * t
        y0, y1 = _at(y, k, first, unused), _at(y, k + 1, first, unused)
        y2, y3 = _at(y, k + 2, first, unused), _at(y, k + 3, first, unused)
        for c in range(points.shape[2]):
            near, far = points[1, t, c] + points[2, t, c], points[3, t, c] + points[4, t, c]
            y0[c] = points[0, t, c] + near + far
            y2[c] = near + FOUR * far
            near, far = points[1, t, c] - points[2, t, c], points[3, t, c] - points[4, t, c]
            y1[c] = near + TWO * far
            y3[c] = near + EIGHT * far + points[5, t, c]


def _matrix(x: Tensor) -> np.ndarray:
    """Returns ``[L, C, 1, N]`` as ``[L, N · C]``, a view if x is channels last."""
    return x.detach().permute(0, 3, 2, 1).reshape(len(x), -1).numpy()


def _chunks(x: Tensor, outputs: int) -> Iterator[Any]:
    """Yields for some rows at a time the first of them, and room for points: ``[6, T, rows · I]``
    and ``[6, T, rows · O]``.
    """
    length, inputs, _, rows = x.shape
    groups = -(-length // 4)
    for first in range(0, rows, CHUNK):
        count = min(rows - first, CHUNK)
        yield first, *(x.new_empty(6, groups, count * size) for size in (inputs, outputs))


def _convolution(x: Tensor, weight: Tensor) -> Tensor:
    """Returns Aᵀ [(G g) ⊙ (Bᵀ d)], as ``convolution``."""
    (length, inputs, _, rows), outputs = x.shape, len(weight)
    at_points = torch.tensordot(G, weight[:, :, 0], ([1], [2]))  # G g: [6, O, I]
    matrix, y = _matrix(x), x.new_empty(length, 1, rows, outputs)
    for first, points, products in _chunks(x, outputs):
        _points_of_inputs(matrix, first * inputs, points.numpy())
        torch.bmm(points.view(6, -1, inputs), at_points.mT, out=products.view(6, -1, outputs))
        _outputs(products.numpy(), y.view(length, -1).numpy(), first * outputs)
    return y.permute(0, 3, 1, 2)


def _weight_gradient(x: Tensor, z: Tensor) -> Tensor:
    """Returns Gᵀ [(A z) ⊙ (Bᵀ d)], ``[O, I, 1, 3]``, for the gradient z of the outputs."""
    inputs, outputs = x.shape[1], z.shape[1]
    x_matrix, z_matrix = _matrix(x), _matrix(z)
    at_points = x.new_zeros(6, outputs, inputs)
    for first, points, products in _chunks(x, outputs):
        _points_of_inputs(x_matrix, first * inputs, points.numpy())
        _points_of_gradient(z_matrix, first * outputs, products.numpy())
        at_points.baddbmm_(products.view(6, -1, outputs).mT, points.view(6, -1, inputs))
    return torch.tensordot(at_points, G, ([0], [0]))[:, :, None]


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _convolution(x, weight)

    @staticmethod
    def backward(ctx: Any, z: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        return _convolution(z, weight.transpose(0, 1).flip(3)), _weight_gradient(x, z)


class _Swap(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.permute(3, 1, 2, 0).contiguous(memory_format=torch.channels_last)

    @staticmethod
    def backward(ctx: Any, z: Tensor) -> Tensor:
        return _Swap.forward(ctx, z)


def swap(x: Tensor) -> Tensor:
    """Returns ``[N, C, 1, L]`` as ``[L, C, 1, N]`` or the reverse, channels last, as is the
    gradient.
    """
    return _Swap.apply(x)


def convolution(x: Tensor, weight: Tensor) -> Tensor:
    """Returns the convolution over positions of ``x``: ``[L, O, 1, N]``, channels last.

    Args:
        x: float32 ``[L, I, 1, N]`` on a CPU.
        weight: ``[O, I, 1, 3]``.
    """
    return _Convolution.apply(x, weight)


def pays(x: Tensor, width: int) -> bool:
    """Returns whether a step of learning is faster with ``convolution`` than with torch's own.

    Args:
        x: Input of the residual blocks, ``[N, C, 1, L]``.
        width: Of their convolutions.
    """
    if not x.requires_grad or x.device.type != "cpu" or x.dtype != torch.float32:
        return False
    return width == 3 and len(x) >= LEAST_ROWS and x.shape[1] >= LEAST_CHANNELS
