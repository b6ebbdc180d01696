"""Larger networks that begin as smaller ones: more blocks, more channels, the same answers at first.

A block that the smaller network lacks is the identity, as every fresh block is (``networks.resnet.ResidualBlock``). A channel
that it lacks has fresh weights of its own, and nothing that was there before reads it yet. So the grown network answers as
before, and all that is new can be learned.

Source: Chen, Goodfellow & Shlens, "Net2Net: accelerating learning via knowledge transfer", ICLR 2016; new channels are not copies
of old ones here, so no noise is needed to tell them apart.
"""

from collections.abc import Mapping

import numpy as np
from torch import nn

from networks.checkpoint import Arrays, CheckpointError
from networks.weights import load_module


def grown_arrays(fresh: nn.Module, smaller: Mapping[str, np.ndarray]) -> Arrays:
    """Returns the arrays of a freshly initialised network, by name, with those of a smaller one grown into them.

    Args:
        fresh: The larger network; left as it is.
        smaller: Parameters and statistics of the smaller one, by the same names; it may lack blocks.

    Raises:
        CheckpointError: The network is not at least as large in everything, or differs in something else.
    """
    result = {name: tensor.detach().cpu().numpy().copy() for name, tensor in fresh.state_dict().items()}
    for name, old in smaller.items():
        new = result.get(name)
        if new is None:
            raise CheckpointError(f"it has weights {name}, for which this run's network has no place; networks only grow")
        if new.ndim != old.ndim or any(n < o for n, o in zip(new.shape, old.shape, strict=True)):
            raise CheckpointError(f"its weights {name} are {old.shape}, those of this run {new.shape}; networks only grow")
        if old.ndim >= 2:
            new[: old.shape[0]] = 0  # what was there does not read the new channels
        new[tuple(slice(0, size) for size in old.shape)] = old
    missing = sorted(name for name in result.keys() - smaller.keys() if not name.startswith("blocks."))
    if missing:
        raise CheckpointError(f"it lacks {', '.join(missing)}; only blocks and channels can be added to networks")
    return result


def grow(net: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Writes ``prefix.NAME``, the weights of a smaller network, into a freshly initialised larger one.

    Raises:
        CheckpointError: See ``grown_arrays``; or a weight is not finite.
    """
    smaller = {name.removeprefix(f"{prefix}."): array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
    load_module(net, {f"{prefix}.{name}": array for name, array in grown_arrays(net, smaller).items()}, prefix)
