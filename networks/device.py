"""The device of the networks, by its name in the settings."""

import torch

from games.settings import ConfigError


def choose_device(name: str) -> torch.device:
    """Returns the device; ``auto`` is cuda where available. Raises ConfigError if there is no such
    device.
    """
    if name not in ("cpu", "cuda", "auto"):
        raise ConfigError(f"device={name}: expected cpu, cuda or auto")
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "device=cuda: this machine has no CUDA device that torch can use; use device=cpu or "
            "device=auto"
        )
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
