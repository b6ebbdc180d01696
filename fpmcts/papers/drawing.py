"""Draws the lines of a figure and writes down its numbers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Line(NamedTuple):
    """A curve over episodes.

    Attributes:
        episodes: int64 ``[M]``.
        mean: float64 ``[M]``.
        error: float64 ``[M]``, its standard error; NaN where there is none.
        panel: Number of the panel that it is drawn in.
        label: In the legend; empty: the name of the line.
        printed: What the text prints: episodes and value of each point.
    """

    episodes: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    panel: int = 0
    label: str = ""
    printed: tuple[tuple[float, float], ...] = ()


class Panel(NamedTuple):
    """How a panel looks: the label of its vertical axis, which axes are logarithmic (both,
    episodes, none), and its title.
    """

    label: str
    logarithmic: str = "both"
    title: str = ""


def draw(
    folder: Path,
    title: str,
    panels: Sequence[Panel],
    lines: Mapping[str, Line],
    facts: Mapping[str, Any],
) -> list[str]:
    """Writes ``figure.png``, and ``figure.json`` with the curves and the facts; returns lines of
    text with the last values.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = len(panels) if len(panels) < 4 else -(-len(panels) // 2)
    drawn = Figure(figsize=(7 * columns, 5 * -(-len(panels) // columns)), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(-(-len(panels) // columns), columns, squeeze=False).flatten()[
        : len(panels)
    ]
    texts, curves = [], {}
    for name, line in lines.items():
        axis = axes[line.panel]
        (curve,) = axis.plot(line.episodes, line.mean, label=line.label or name)
        axis.fill_between(line.episodes, line.mean - line.error, line.mean + line.error, alpha=0.3)
        curves[name] = {
            "episodes": line.episodes.tolist(),
            "mean": line.mean.tolist(),
            "standard_error": [None if np.isnan(error) else error for error in line.error.tolist()],
        }
        texts.append(f"{name}: {_value(line, -1)} after {line.episodes[-1]:,} episodes")
        if line.printed:
            axis.plot(
                *zip(*line.printed, strict=True),
                "x",
                color=curve.get_color(),
                label=f"{line.label or name}, printed",
            )
            curves[name]["printed"] = [list(point) for point in line.printed]
            texts += [_beside(name, line, *point) for point in line.printed]
    for axis, panel in zip(axes, panels, strict=True):
        if panel.logarithmic != "none":
            axis.set_xscale("log")
        if panel.logarithmic == "both":
            axis.set_yscale("log")
        axis.set_xlabel("Episodes")
        axis.set_ylabel(panel.label)
        axis.set_title(panel.title)
        axis.legend()
    drawn.suptitle(title)
    drawn.savefig(folder / "figure.png", dpi=120)
    (folder / "figure.json").write_text(json.dumps({**facts, "curves": curves}, indent=1) + "\n")
    return texts


def _beside(name: str, line: Line, episodes: float, value: float) -> str:
    """Returns a point of the text and what the curve has nearest to it."""
    k = int(np.abs(np.log(line.episodes / episodes)).argmin())
    here = f"{_value(line, k)} after {line.episodes[k]:,}"
    return f"{name}: the text prints {value:g} after {episodes:,.0f} episodes; here {here}"


def _value(line: Line, k: int) -> str:
    """Returns a value of a line, with its standard error where there is one."""
    error = "" if np.isnan(line.error[k]) else f" ± {line.error[k]:.1g}"
    return f"{line.mean[k]:.4g}{error}"
