"""Networks and optimizers as the named arrays of a checkpoint, and back.

Optimizers: only their state tensors are kept. Learning rates and the like belong to the configuration.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn

from networks.checkpoint import Arrays, CheckpointError


def module_arrays(module: nn.Module, prefix: str) -> Arrays:
    """Returns the parameters and buffers of a module as ``prefix.NAME``."""
    return {f"{prefix}.{name}": _to_array(tensor) for name, tensor in module.state_dict().items()}


def load_module(module: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Copies ``prefix.NAME`` into a module.

    Raises:
        CheckpointError: Names or shapes differ, or a weight is not finite.
    """
    for name, array in _under(arrays, prefix).items():
        if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
            raise CheckpointError(f"{prefix}.{name} in the checkpoint holds numbers that are not finite")
    state = {name: torch.from_numpy(array) for name, array in _under(arrays, prefix).items()}
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise CheckpointError(f"the network in the checkpoint does not fit: {' '.join(str(error).split())}") from error


def optimizer_arrays(optimizer: torch.optim.Optimizer, prefix: str) -> Arrays:
    """Returns the state of an optimizer (SGD, AdamW: tensors only) as ``prefix.INDEX.KEY``."""
    state = optimizer.state_dict()["state"]
    return {
        f"{prefix}.{index}.{key}": _to_array(tensor)
        for index, entries in state.items()
        for key, tensor in entries.items()
        if tensor is not None
    }


def load_optimizer(optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Replaces the state of an optimizer by ``prefix.INDEX.KEY``.

    Raises:
        CheckpointError: An entry belongs to no parameter, or has neither its shape nor a single element.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _under(arrays, prefix).items():
        index, key = name.split(".")
        if int(index) >= len(parameters):
            raise CheckpointError(f"the optimizer has {len(parameters)} parameters, the checkpoint more")
        parameter = parameters[int(index)]
        tensor = torch.from_numpy(array)
        if tensor.dim() > 0:
            if tensor.shape != parameter.shape:
                raise CheckpointError(f"optimizer state {name} has shape {array.shape}, its parameter {tuple(parameter.shape)}")
            # Fused optimizers walk through memory: the layout must be that of the parameter, channels last for convolutions.
            tensor = torch.empty_like(parameter, dtype=tensor.dtype).copy_(tensor)
        state.setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _to_array(tensor: torch.Tensor) -> np.ndarray:
    """Returns a tensor as an array."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def _under(arrays: Mapping[str, np.ndarray], prefix: str) -> Arrays:
    """Returns the arrays whose names start with ``prefix.``, without it."""
    return {name.removeprefix(f"{prefix}."): array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
