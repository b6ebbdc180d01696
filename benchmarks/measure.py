"""Shared code of the benchmarks: a measured number with its target, and the timing."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

COSTS = {"s", "ms", "us", "min", "core-min", "h", "MiB", "GiB", "kB", "evaluations each"}
"""Units in which less is better; in all others more is better."""


class Row(NamedTuple):
    """One measured number.

    Attributes:
        name: What was measured, with its setting.
        value: The number, in ``unit``.
        unit: ``games/s``, ``s``, ``%`` ...
        target: The least (for a cost: the most) that the project asks for.
        reference: Numbers published or measured elsewhere, by name.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    reference: Mapping[str, float] = {}

    def __str__(self) -> str:
        """Returns a line in which a ratio above 1 is always good."""
        beside = {} if self.target is None else {"target": self.target}
        others = [
            f"{name} {number(other)} (x{self.times(other):.2f})"
            for name, other in (beside | dict(self.reference)).items()
        ]
        return ", ".join([f"{self.name}: {number(self.value)} {self.unit}", *others])

    def times(self, other: float) -> float:
        """Returns how many times better the value is than another."""
        return other / self.value if self.unit in COSTS else self.value / other


def number(value: float) -> str:
    """Returns a number with three or four significant figures: ``27,471``, ``15.2``, ``0.0018``."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def median_seconds(
    function: Callable[[], Any], clock: Callable[[], float] = time.thread_time, repeats: int = 5
) -> float:
    """Returns the median duration of a call after one call that is not counted (it compiles).

    By default the clock is the processor time of one thread, which other work on the machine
    stretches less.
    """
    function()
    seconds = []
    for _ in range(repeats):
        began = clock()
        function()
        seconds.append(clock() - began)
    return statistics.median(seconds)


def rate(name: str, unit: str, count: int, function: Callable[[], Any], *beside: Any) -> Row:
    """Returns how many units one core does in a second of processor time.

    Args:
        name: What is measured.
        unit: Of the count, such as "games".
        count: How many units a call of ``function`` does.
        function: Runs on one thread.
        beside: The target and the references.
    """
    return Row(name, count / median_seconds(function), f"{unit}/s", *beside)
