"""Draws the lines of a figure and writes down its numbers."""

import json
from collections.abc import Mapping
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
    """

    episodes: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    panel: int = 0


class Style(NamedTuple):
    """How a figure looks: its title, the label of each panel's vertical axis, and whether that is logarithmic."""

    title: str
    panels: tuple[str, ...]
    logarithmic: bool


def draw(folder: Path, style: Style, lines: Mapping[str, Line], facts: Mapping[str, Any]) -> list[str]:
    """Writes ``figure.png``, and ``figure.json`` with the curves and the facts; returns lines of text with the last values."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(7 * len(style.panels), 5), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(1, len(style.panels), squeeze=False)[0]
    texts, curves = [], {}
    for label, line in lines.items():
        axis = axes[line.panel]
        axis.plot(line.episodes, line.mean, label=label)
        axis.fill_between(line.episodes, line.mean - line.error, line.mean + line.error, alpha=0.3)
        curves[label] = {
            "episodes": line.episodes.tolist(),
            "mean": line.mean.tolist(),
            "standard_error": np.nan_to_num(line.error).tolist(),
        }
        texts.append(f"{label}: {line.mean[-1]:.4g} ± {line.error[-1]:.1g} after {line.episodes[-1]:,} episodes")
    for axis, label in zip(axes, style.panels, strict=True):
        axis.set_xscale("log")
        if style.logarithmic:
            axis.set_yscale("log")
        axis.set_xlabel("Episodes")
        axis.set_ylabel(label)
        axis.legend()
    drawn.suptitle(style.title)
    drawn.savefig(folder / "figure.png", dpi=120)
    (folder / "figure.json").write_text(json.dumps({**facts, "curves": curves}, indent=1) + "\n")
    return texts
