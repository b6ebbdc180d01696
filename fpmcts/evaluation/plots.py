"""The plots of a report. Matplotlib is asked for only when something is drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fpmcts.evaluation.statistics import Estimate

Z = 1.96


class ReportError(RuntimeError):
    """A report that cannot be written; the message says which and why."""


def check_plots() -> None:
    """Raises ReportError where nothing can be plotted: better before the games than after."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ReportError(
            "plots need matplotlib; install it with: pip install 'fpmcts[report]'"
        ) from error


class Panel(NamedTuple):
    """Scores beside each other.

    Attributes:
        title: Above them.
        scores: By match, from top to bottom.
        scale: What they are multiplied by.
        middle: Where neither player is better.
    """

    title: str
    scores: Mapping[str, Estimate]
    scale: float
    middle: float


def _figure(names: Sequence[str], columns: int = 1) -> tuple[Any, Any]:
    """Returns an empty figure with a row for each name, and its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9, 1.2 + 0.35 * len(names)), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(1, columns, squeeze=False)[0]
    for k, axis in enumerate(axes):
        axis.set_yticks(np.arange(len(names)), names if k == 0 else [""] * len(names))
    return drawn, axes


def scores(path: Path, panels: list[Panel]) -> Path:
    """Draws the scores of the same matches in one panel for each measure; returns the path."""
    names = list(panels[0].scores)[::-1]
    drawn, axes = _figure(names, len(panels))
    for axis, panel in zip(axes, panels, strict=True):
        means, errors = (
            panel.scale * np.array([getattr(panel.scores[name], key) for name in names])
            for key in ("mean", "error")
        )
        axis.errorbar(
            means, np.arange(len(names)), xerr=Z * np.nan_to_num(errors), fmt="o", capsize=3
        )
        axis.axvline(panel.middle, color="grey", linewidth=0.8)
        axis.set_title(panel.title)
    drawn.savefig(path, dpi=120)
    return path


def standings(path: Path, title: str, values: Mapping[str, tuple[float, float, float]]) -> Path:
    """Draws for each player a value and the ends of its interval, from the bottom up; returns the
    path.
    """
    drawn, (axis,) = _figure(list(values))
    middle, low, high = np.array(list(values.values())).T
    errors = np.nan_to_num(np.abs(np.array([low, high]) - middle))
    axis.errorbar(middle, np.arange(len(values)), xerr=errors, fmt="o", capsize=3)
    axis.set_title(title)
    drawn.savefig(path, dpi=120)
    return path


def times(path: Path, values: Mapping[str, float]) -> Path:
    """Draws the time per decision of each player, in milliseconds, from the bottom up; returns the
    path.
    """
    drawn, (axis,) = _figure(list(values))
    axis.barh(np.arange(len(values)), list(values.values()))
    if min(values.values()) > 0:
        axis.set_xscale("log")
    axis.set_title("Time per decision (ms, one process, many games at once)")
    drawn.savefig(path, dpi=120)
    return path
