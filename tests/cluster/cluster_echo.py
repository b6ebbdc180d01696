"""A worker for tests of clusters: its units are small, and some end, hang or fail on purpose,
once.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Unit(NamedTuple):
    """Attributes: numbers: What is multiplied. fault: What goes wrong, see below. flag: File that
    says it was done.
    """

    numbers: np.ndarray
    fault: str = ""
    flag: str = ""


class Echo:
    """Multiplies numbers by a weight."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor, self.weight = factor, 0.0

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        shared["weight"][...] += 0.0  # can be written to
        self.weight = float(shared["weight"])

    def __call__(self, unit: Unit, tick: Callable[[int], None]) -> tuple[np.ndarray, int]:
        unit.numbers[...] += 0.0
        first = unit.fault and not Path(unit.flag).exists()
        if first:
            Path(unit.flag).touch()
        if unit.fault == "raise":
            raise ValueError("numbers: expected others")
        if unit.fault == "always kill" or (unit.fault == "kill" and first):
            os.kill(os.getpid(), signal.SIGKILL)
        for _ in range(30 * (unit.fault == "slow")):
            time.sleep(0.1)
            tick(1)
        if unit.fault == "hang" and first:
            time.sleep(3600)
        return unit.numbers * self.weight * self.factor, os.getpid()


def facts() -> dict[str, str]:
    return {"code": "same", "device": os.environ.get("ECHO_DEVICE", "cpu")}


def other_code() -> dict[str, Any]:
    return {"code": str(os.getpid())}
