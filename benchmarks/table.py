"""The rows of the benchmarks as one table: value, target and published figure, with ratios.

A ratio above 1 is always good: ``value / target`` where more is better, ``target / value`` where less is.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from rich.console import Console
from rich.table import Table

WIDTH = 130
"""Columns of output that does not go to a terminal."""
UNITS_OF_COST = {"s", "ms", "us", "µs", "ns", "min", "MiB", "GiB"}
"""Units in which less is better; in all others more is."""


class Row(TypedDict):
    """One measured number.

    Attributes:
        name: What was measured, with its setting.
        value: The number, in ``unit``.
        unit: ``games/s``, ``s``, ``%``, ``GiB`` ...
        target: The least (for a cost: the most) that the project asks for; None where it asks for nothing.
        reference: Published or measured elsewhere: a number, several by name, or a remark.
        less_is_better: Where the unit does not say it.
    """

    name: str
    value: float
    unit: str
    target: NotRequired[float | None]
    reference: NotRequired[float | Mapping[str, float] | str | None]
    less_is_better: NotRequired[bool]


def make_console(highlight: bool = False) -> Console:
    """Returns a console as wide as the terminal, or ``WIDTH``. ``highlight``: whether numbers are coloured."""
    console = Console(highlight=highlight)
    return console if console.is_terminal else Console(highlight=highlight, width=WIDTH)


def ratio(row: Row, other: float) -> float:
    """Returns how many times better the value is than another."""
    less = row.get("less_is_better", row["unit"] in UNITS_OF_COST)
    return other / row["value"] if less else row["value"] / other


def number_text(number: float) -> str:
    """Returns a number with three or four figures that count: ``27,471``, ``15.2``, ``0.0018``."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def reference_text(row: Row) -> str:
    """Returns the references of a row, each number with its ratio."""
    reference = row.get("reference")
    if reference is None or isinstance(reference, str):
        return reference or ""
    named = reference if isinstance(reference, Mapping) else {"": reference}
    return "\n".join(f"{name} {number_text(other)} (×{ratio(row, other):.3g})".strip() for name, other in named.items())


def line_text(row: Row) -> str:
    """Returns a row as one line, for output while others are still measured."""
    target = row.get("target")
    wanted = "" if target is None else f" (target {number_text(target)}, ×{ratio(row, target):.2f})"
    return f"{row['name']}: {number_text(row['value'])} {row['unit']}{wanted}"


def table(groups: Mapping[str, Sequence[Row]]) -> Table:
    """Returns the rows of each group as a rich table, a line between groups."""
    result = Table("what", "value", "unit", "target", "× target", "reference", title="Benchmarks")
    for column in result.columns[1:5]:
        column.justify = "right"
    result.columns[2].justify = "left"
    for rows in groups.values():
        result.add_section()
        for row in rows:
            target = row.get("target")
            times = ratio(row, target) if target is not None else None
            style = "" if times is None else "green" if times >= 1 else "red"
            result.add_row(
                row["name"],
                number_text(row["value"]),
                row["unit"],
                "" if target is None else number_text(target),
                "" if times is None else f"[{style}]{times:.2f}[/]",
                reference_text(row),
            )
    return result


def median_seconds(function: Callable[[], Any], repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Returns the median duration of a call in seconds, after one call that is not counted (it compiles)."""
    function()
    seconds = []
    for _ in range(repeats):
        start = clock()
        function()
        seconds.append(clock() - start)
    return statistics.median(seconds)


def median_cpu_seconds(function: Callable[[], Any], repeats: int = 5) -> float:
    """Returns the same by the processor time of this process, which other work on the machine stretches less."""
    return median_seconds(function, repeats, time.process_time)
