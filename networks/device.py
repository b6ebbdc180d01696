"""The device of networks, as settings name it."""

import torch

from games.settings import ConfigError


def choose_device(name: str) -> torch.device:
    """Returns the device. Raises ConfigError where cuda was asked for and there is none."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "device=cuda: this machine has no CUDA device that torch can use; use device=cpu or "
            "device=auto"
        )
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
