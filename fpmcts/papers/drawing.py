"""Draws the lines of a figure and writes down its numbers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from games.files import replacing, write


class Line(NamedTuple):
    """A curve.

    Attributes:
        at: int64 ``[M]``: episodes, or other values on the horizontal axis.
        mean: float64 ``[M]``.
        error: float64 ``[M]``, its standard error; NaN where there is none.
        panel: Number of the panel that it is drawn in.
        label: In the legend; empty: the name of the line.
        printed: What the text prints: pairs of a place and a value.
    """

    at: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    panel: int = 0
    label: str = ""
    printed: Sequence[tuple[float, float]] = ()


class Panel(NamedTuple):
    """The appearance of a panel.

    Attributes:
        label: Label of its vertical axis.
        logarithmic: The logarithmic axes (both, episodes, none).
        title: Above it.
        across: Label of its horizontal axis.
        ticks: Texts at 0, 1, 2 … of that axis; none: its numbers.
    """

    label: str
    logarithmic: str = "both"
    title: str = ""
    across: str = "Episodes"
    ticks: Sequence[str] = ()


def draw(
    folder: Path,
    title: str,
    panels: Sequence[Panel],
    lines: Mapping[str, Line],
    facts: Mapping[str, object],
) -> list[str]:
    """Writes ``figure.png``, and ``figure.json`` with the curves and the facts; returns lines of
    text with the last values.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = 1 if len(panels) < 4 else 2
    columns = -(-len(panels) // rows)
    drawn = Figure(figsize=(7 * columns, 5 * rows), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(rows, columns, squeeze=False).flatten()
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    axes = axes[: len(panels)]
    texts, curves = [], {}
    for name, line in lines.items():
        axis, across = axes[line.panel], panels[line.panel].across.lower()
        (curve,) = axis.plot(line.at, line.mean, label=line.label or name)
        axis.fill_between(line.at, line.mean - line.error, line.mean + line.error, alpha=0.3)
        curves[name] = {
            across: line.at.tolist(),
            "mean": line.mean.tolist(),
            "standard_error": [None if np.isnan(error) else error for error in line.error.tolist()],
        }
        texts.append(f"{name}: {_value(line, -1)} after {line.at[-1]:,} {across}")
        if line.printed:
            label, points = f"{line.label or name}, printed", zip(*line.printed, strict=True)
            axis.plot(*points, "x", color=curve.get_color(), label=label)
            curves[name]["printed"] = [list(point) for point in line.printed]
            texts += [_beside(name, line, *point) for point in line.printed]
    for axis, panel in zip(axes, panels, strict=True):
        if panel.logarithmic != "none":
            axis.set_xscale("log")
        if panel.logarithmic == "both":
            axis.set_yscale("log")
        if panel.ticks:
            axis.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=60, fontsize=7)
        axis.set(xlabel=panel.across, ylabel=panel.label, title=panel.title)
        axis.legend()
    drawn.suptitle(title)
    with replacing(folder / "figure.png") as temporary:
        drawn.savefig(temporary, dpi=120, format="png")
    write(folder / "figure.json", json.dumps({**facts, "curves": curves}, indent=1) + "\n")
    return texts


def _beside(name: str, line: Line, place: float, value: float) -> str:
    """Returns a printed point and the nearest point of the curve."""
    k = int(np.abs(np.log(line.at / place)).argmin())
    here = f"{_value(line, k)} after {line.at[k]:,}"
    return f"{name}: the text prints {value:g} after {place:,.0f} episodes; here {here}"


def _value(line: Line, k: int) -> str:
    """Returns a value of a line, with its standard error where there is one."""
    error = "" if np.isnan(line.error[k]) else f" ± {line.error[k]:.1g}"
    return f"{line.mean[k]:.4g}{error}"
