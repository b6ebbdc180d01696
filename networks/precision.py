"""The choice of ``precision=auto``: a fixed rule over processor and network size, so that the same
command on the same machine gives the same numbers.

*Measured*, evaluations of 64 channels x 8 blocks in batches of 256 on one thread, by int8 /
bfloat16 / float32: 59,600 / 50,000 / 28,300 on an AMD EPYC with AVX-512 BF16, 46,600 / 13,200 /
22,500 on an Intel Xeon with AVX-512 BF16 and without AMX, whose bfloat16 products are no faster
than float32 ones, 17,600 / - / 11,600 on an AMD EPYC with AVX2 alone. Small networks gain nothing:
the overhead of each operation dominates.
"""

from functools import cache
from pathlib import Path

import torch

from games.base.settings import ConfigError
from networks.resnet import PolicyValueNet

PRECISIONS = ("auto", "float32", "bfloat16", "int8")
LEAST_PRODUCTS = 1_000_000
"""Products of the residual blocks in an evaluation (48 channels x 5 blocks), below which ``auto``
is float32 on CPUs.
"""


def settled(precision: str, net: PolicyValueNet, device: torch.device, int8: bool = False) -> str:
    """Returns the precision to play with: the requested one, or the fast one for ``auto``.

    Args:
        precision: One of ``PRECISIONS``.
        net: One of the networks; their weights do not matter.
        device: Device of the forward passes.
        int8: Whether ``auto`` may be int8, which costs a tenth of a second whenever weights are
            copied, and is less exact.

    Raises:
        ValueError: There is no such precision.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}, expected one of {', '.join(PRECISIONS)}")
    if precision != "auto":
        return precision
    products = net.length * sum(
        weight.numel() for weight in net.blocks.parameters() if weight.dim() > 1
    )
    if device.type == "cpu" and products < LEAST_PRODUCTS:
        return "float32"
    if int8 and not net.config.dense and _why_no_int8(device) is None:
        return "int8"
    return "bfloat16" if is_fast_in_bfloat16(device) else "float32"


def has_bfloat16(device: torch.device) -> bool:
    """Returns whether the device multiplies bfloat16 natively."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device)[0] >= 8
    return any(
        getattr(torch.cpu, name, bool)()
        for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )


def is_fast_in_bfloat16(device: torch.device) -> bool:
    """Returns whether the device multiplies bfloat16 faster than float32: of Intel's processors
    those with AMX.
    """
    slow = (
        device.type == "cpu"
        and _is_intel()
        and not getattr(torch.cpu, "_is_amx_tile_supported", bool)()
    )
    return has_bfloat16(device) and not slow


def has_vnni() -> bool:
    """Returns whether the processor multiplies int8 and adds into 32 bits in one instruction."""
    return bool(torch.cpu._is_vnni_supported())


@cache
def _is_intel() -> bool:
    try:
        return "GenuineIntel" in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


def check_int8(device: torch.device) -> None:
    """Raises ConfigError where the device, the processor or torch lacks what int8 needs."""
    if why := _why_no_int8(device):
        raise ConfigError(f"precision=int8: {why}; use precision=auto")


def _why_no_int8(device: torch.device) -> str | None:
    if device.type != "cpu":
        return f"the networks are on {device.type}, and int8 runs only on CPUs"
    if not torch.cpu._is_avx2_supported():
        return "this processor has no AVX2"
    if not torch.backends.mkldnn.is_available() or not hasattr(
        torch.ops.onednn, "qconv2d_pointwise"
    ):
        return f"torch {torch.__version__} lacks oneDNN's quantised convolutions"
    return None
