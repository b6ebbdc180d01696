"""The plots and tables of a report. Matplotlib is needed only for drawing."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from games.files import replacing
from games.settings import InputError


class ReportError(InputError):
    """A report that cannot be written; the message says which and why."""


def check_plots() -> None:
    """Raises ReportError if plotting is impossible, before the games rather than after."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ReportError(
            "plots need matplotlib; install it with: pip install 'fpmcts[report]'"
        ) from error


def markdown_table(rows: list[list[str]]) -> str:
    """Returns rows of cells as a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


class Panel(NamedTuple):
    """A panel of a plot: values with intervals.

    Attributes:
        title: Title of the panel.
        values: Each value with the two ends of its interval, by name, from the bottom up.
        middle: The value at which neither player is better, marked by a line; None: no mark.
        logarithmic: Whether the axis is logarithmic.
    """

    title: str
    values: Mapping[str, tuple[float, float, float]]
    middle: float | None = None
    logarithmic: bool = False


def plot(path: Path, panels: Sequence[Panel]) -> Path:
    """Draws panels with the same names side by side; returns the path."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(panels[0].values)
    drawn = Figure(figsize=(9, 1.2 + 0.35 * len(names)), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(1, len(panels), squeeze=False)[0]
    for axis, panel in zip(axes, panels, strict=True):
        middle, *ends = np.array(list(panel.values.values())).T
        errors = np.nan_to_num(np.abs(np.array(ends) - middle))
        axis.errorbar(middle, np.arange(len(names)), xerr=errors, fmt="o", capsize=3)
        axis.set_yticks(np.arange(len(names)), names if axis is axes[0] else [""] * len(names))
        if panel.middle is not None:
            axis.axvline(panel.middle, color="grey", linewidth=0.8)
        if panel.logarithmic:
            axis.set_xscale("log")
        axis.set_title(panel.title)
    with replacing(path) as temporary:
        drawn.savefig(temporary, dpi=120, format="png")
    return path
