"""Plots, and tables in Markdown. Matplotlib is needed only for drawing."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.base.files import replacing, write
from games.base.settings import InputError


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


@contextmanager
def drawing(
    path: Path, size: tuple[float, float], rows: int = 1, columns: int = 1
) -> Iterator[Any]:
    """Gives the axes of a grid of panels, row by row, and writes them to a PNG in the end.

    Args:
        path: The file.
        size: Width and height in inches.
        rows, columns: Of the grid.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    yield figure.subplots(rows, columns, squeeze=False).flatten()
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120, format="png")


class Intervals(NamedTuple):
    """A panel of values with intervals.

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


def draw_intervals(path: Path, panels: Sequence[Intervals]) -> Path:
    """Draws panels with the same names side by side; returns the path."""
    names = list(panels[0].values)
    with drawing(path, (9, 1.2 + 0.35 * len(names)), columns=len(panels)) as axes:
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
    return path


class PlotLine(NamedTuple):
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
    """The appearance of a panel of lines.

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
    lines: Mapping[str, PlotLine],
    facts: Mapping[str, object],
) -> list[str]:
    """Writes ``figure.png``, and ``figure.json`` with the curves and the facts; returns lines of
    text with the last values.
    """
    rows = 1 if len(panels) < 4 else 2
    columns, texts, curves = -(-len(panels) // rows), [], dict[str, Any]()
    with drawing(folder / "figure.png", (7 * columns, 5 * rows), rows, columns) as axes:
        for axis in axes[len(panels) :]:
            axis.set_axis_off()
        for name, line in lines.items():
            axis, across = axes[line.panel], panels[line.panel].across.lower()
            (curve,) = axis.plot(line.at, line.mean, label=line.label or name)
            axis.fill_between(line.at, line.mean - line.error, line.mean + line.error, alpha=0.3)
            curves[name] = {
                across: line.at.tolist(),
                "mean": line.mean.tolist(),
                "standard_error": [
                    None if np.isnan(error) else error for error in line.error.tolist()
                ],
            }
            texts.append(f"{name}: {_value(line, -1)} after {line.at[-1]:,} {across}")
            if line.printed:
                label, points = f"{line.label or name}, printed", zip(*line.printed, strict=True)
                axis.plot(*points, "x", color=curve.get_color(), label=label)
                curves[name]["printed"] = [list(point) for point in line.printed]
                texts += [_beside(name, line, *point) for point in line.printed]
        for axis, panel in zip(axes, panels, strict=False):
            if panel.logarithmic != "none":
                axis.set_xscale("log")
            if panel.logarithmic == "both":
                axis.set_yscale("log")
            if panel.ticks:
                axis.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=60, fontsize=7)
            axis.set(xlabel=panel.across, ylabel=panel.label, title=panel.title)
            axis.legend()
        axes[0].figure.suptitle(title)
    write(folder / "figure.json", json.dumps({**facts, "curves": curves}, indent=1) + "\n")
    return texts


def _beside(name: str, line: PlotLine, place: float, value: float) -> str:
    """Returns a printed point and the nearest point of the curve."""
    k = int(np.abs(np.log(line.at / place)).argmin())
    here = f"{_value(line, k)} after {line.at[k]:,}"
    return f"{name}: the text prints {value:g} after {place:,.0f} episodes; here {here}"


def _value(line: PlotLine, k: int) -> str:
    """Returns a value of a line, with its standard error where there is one."""
    error = "" if np.isnan(line.error[k]) else f" ± {line.error[k]:.1g}"
    return f"{line.mean[k]:.4g}{error}"
