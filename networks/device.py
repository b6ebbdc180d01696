"""The device of the networks, by its name in the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from games.base.settings import ConfigError


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


@contextmanager
def one_thread() -> Iterator[None]:
    """Lets torch use one thread meanwhile: the batches of a single decision are so small that
    threads wait for each other (*measured* on two busy cores: 1.7 s of processor time for a search
    of 64 playouts with two, 0.16 s with one; a move of ``policy`` 139 ms in the median, 9.5 ms).
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
