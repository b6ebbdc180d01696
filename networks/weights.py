"""Networks and optimizers as the named arrays of a checkpoint, and back; averages of weights, and
networks that grow.

Optimizers: only their state tensors are kept. Learning rates and the like belong to the
configuration.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from networks.checkpoint import Arrays, CheckpointError


def module_arrays(module: nn.Module, prefix: str) -> Arrays:
    """Returns the parameters and buffers of a module as ``prefix.NAME``."""
    return {f"{prefix}.{name}": _to_array(tensor) for name, tensor in module.state_dict().items()}


def load_module(module: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Copies ``prefix.NAME`` into a module.

    Raises:
        CheckpointError: Names, shapes or types differ, or a weight is not finite.
    """
    check_fits(module, arrays, prefix)
    found = _under(arrays, prefix)
    for name, array in found.items():
        if not (np.abs(array) <= np.finfo(np.float32).max).all():
            raise CheckpointError(
                f"{prefix}.{name} in the checkpoint holds numbers that are not finite"
            )
    module.load_state_dict({name: torch.from_numpy(array) for name, array in found.items()})


def check_fits(module: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Checks that ``prefix.NAME`` have the names and shapes of a module, which may be one without
    memory (``torch.device("meta")``).

    Raises:
        CheckpointError: Naming the first that differs.
    """
    found, own = _under(arrays, prefix), module.state_dict()
    for name in [*own, *(found.keys() - own.keys())]:
        had = _form(found[name].shape, found[name].dtype.kind == "f") if name in found else "none"
        tensor = own.get(name)
        expected = "none" if tensor is None else _form(tensor.shape, tensor.is_floating_point())
        if had != expected:
            raise CheckpointError(
                f"the network in the checkpoint does not fit: {prefix}.{name} is {had}; "
                f"expected {expected}"
            )


def _form(shape: Sequence[int], is_real: bool) -> str:
    """Returns the shape and the kind of numbers of an array in words."""
    return f"{list(shape)} of {'real' if is_real else 'whole'} numbers"


def optimizer_arrays(optimizer: torch.optim.Optimizer, prefix: str) -> Arrays:
    """Returns the state of an optimizer (SGD, AdamW: tensors only) as ``prefix.INDEX.KEY``."""
    state = optimizer.state_dict()["state"]
    return {
        f"{prefix}.{index}.{key}": _to_array(tensor)
        for index, entries in state.items()
        for key, tensor in entries.items()
        if tensor is not None
    }


def load_optimizer(
    optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray], prefix: str
) -> None:
    """Replaces the state of an optimizer by ``prefix.INDEX.KEY``.

    Raises:
        CheckpointError: An entry belongs to no parameter, or has neither its shape nor a single
            element.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _under(arrays, prefix).items():
        index, key = name.split(".")
        if int(index) >= len(parameters):
            raise CheckpointError(
                f"the optimizer has {len(parameters)} parameters, the checkpoint more"
            )
        parameter = parameters[int(index)]
        tensor = torch.from_numpy(array)
        if tensor.dim() > 0:
            if tensor.shape != parameter.shape:
                raise CheckpointError(
                    f"optimizer state {name} has shape {array.shape}, "
                    f"its parameter {tuple(parameter.shape)}"
                )
            # Fused optimizers walk through memory: the layout must be that of the parameter,
            # channels last for convolutions.
            tensor = torch.empty_like(parameter, dtype=tensor.dtype).copy_(tensor)
        state.setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict(
        {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}
    )


def grown_arrays(fresh: nn.Module, smaller: Mapping[str, np.ndarray]) -> Arrays:
    """Returns the arrays of a freshly initialised network, by name, with those of a smaller one
    grown into them.

    A block that the smaller network lacks is the identity, as every fresh block is
    (``networks.resnet.ResidualBlock``). A channel that it lacks has fresh weights of its own, and
    nothing that was there before reads it yet. So the grown network computes the same outputs as
    before, and every new weight can be learned. Dense networks get only blocks: their normalization
    is over all channels, so new ones would change the others.

    Args:
        fresh: The larger network; left as it is.
        smaller: Parameters and statistics of the smaller one, by the same names; it may lack
            blocks.

    Raises:
        CheckpointError: The network is not at least as large in everything, or differs in something
            else.

    Source: Chen, Goodfellow & Shlens, "Net2Net: accelerating learning via knowledge transfer", ICLR
    2016; new channels are not copies of old ones here, so no noise is needed to tell them apart.
    """
    num_values = int(getattr(fresh, "num_values", 0))
    mixed = {
        f"{name}.weight"
        for name, module in fresh.named_modules()
        if isinstance(module, nn.LayerNorm)
    }
    result = {
        name: tensor.detach().cpu().numpy().copy() for name, tensor in fresh.state_dict().items()
    }
    for name, old in smaller.items():
        new = result.get(name)
        if new is None:
            raise CheckpointError(
                f"it has weights {name}, for which this run's network has no place; "
                "networks only grow"
            )
        if new.ndim != old.ndim or any(n < o for n, o in zip(new.shape, old.shape, strict=True)):
            raise CheckpointError(
                f"its weights {name} are {old.shape}, those of this run {new.shape}; "
                "networks only grow"
            )
        if name in mixed and new.shape != old.shape:
            raise CheckpointError(
                f"its weights {name} are {old.shape}, those of this run {new.shape}; dense "
                "networks get more blocks, but not more channels"
            )
        if old.ndim >= 2:
            new[: old.shape[0]] = 0  # what was there does not read the new channels
        new[tuple(slice(0, size) for size in old.shape)] = old
        if name.startswith("globals."):  # the values stand after the new policy outputs
            first = len(old) - num_values
            made = fresh.get_parameter(name).detach().cpu().numpy()
            moved = new[first : len(old)].copy()
            new[first:], new[len(new) - num_values :] = made[first:], moved
    missing = sorted(
        name for name in result.keys() - smaller.keys() if not name.startswith("blocks.")
    )
    if missing:
        raise CheckpointError(
            f"it lacks {', '.join(missing)}; only blocks and channels can be added to networks"
        )
    return result


def grow(net: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Writes ``prefix.NAME``, the weights of a smaller network, into a freshly initialised larger
    one.

    Raises:
        CheckpointError: See ``grown_arrays``; or a weight is not finite.
    """
    grown = grown_arrays(net, _under(arrays, prefix))
    load_module(net, {f"{prefix}.{name}": array for name, array in grown.items()}, prefix)


def _tensors(module: nn.Module) -> list[Tensor]:
    """Returns parameters and statistics, in a fixed order."""
    return [t for t in (*module.parameters(), *module.buffers()) if t.is_floating_point()]


@torch.no_grad()
def move_towards(average: nn.Module, latest: nn.Module, share: float) -> None:
    """Moves the weights and statistics of ``average`` by a share, in [0, 1], of the way to those of
    ``latest``.

    Source: Polyak & Juditsky, "Acceleration of stochastic approximation by averaging", 1992;
    exponentially, as in Izmailov et al., "Averaging weights leads to wider optima", 2018.
    """
    torch._foreach_lerp_(_tensors(average), _tensors(latest), share)


@torch.no_grad()
def extrapolate(ahead: nn.Module, average: nn.Module, latest: nn.Module, lead: float) -> None:
    """Sets the weights of ``ahead`` to latest + lead · (latest - average), its statistics to the
    latest.
    """
    ahead.load_state_dict(latest.state_dict())
    torch._foreach_lerp_(list(ahead.parameters()), list(average.parameters()), -lead)


def _to_array(tensor: torch.Tensor) -> np.ndarray:
    """Returns a tensor as an array."""
    return tensor.detach().cpu().numpy()


def _under(arrays: Mapping[str, np.ndarray], prefix: str) -> Arrays:
    """Returns the arrays whose names start with ``prefix.``, without it."""
    return {
        name.removeprefix(f"{prefix}."): array
        for name, array in arrays.items()
        if name.startswith(f"{prefix}.")
    }
