"""How much worse one move is than another, how sure that is, and what it is called."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CLASSES = ("inaccuracy", "mistake", "blunder")
OPEN_CLASSES = ("best", "good", "better")
"""Classes of decisions whose searched move is told at once: there is nothing to find."""
EVEN = 0.1
"""Share of the game's lowest threshold up to which an exact loss counts as none: stored tables are close to an equilibrium."""


class Loss(NamedTuple):
    """How much worse one move is than another. Attributes: mean; se: its standard error."""

    mean: float
    se: float


def paired_loss(differences: Sequence[float]) -> Loss:
    """Returns the mean of paired differences with its standard error; at least two are needed."""
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError(f"{values.size} differences; expected at least two")
    return Loss(float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size)))


def classify(loss: Loss, thresholds: Sequence[float]) -> str:
    """Returns the class of a move that is not the searched one.

    Class t of the thresholds if d̄ ≥ t and d̄ − 2 SE ≥ t/2; else "unclear" from the lowest threshold on, "better" if d̄ < −2 SE, and
    "good".
    """
    for threshold, name in sorted(zip(thresholds, CLASSES, strict=True), reverse=True):
        if loss.mean >= threshold and loss.mean - 2.0 * loss.se >= threshold / 2.0:
            return name
    if loss.mean >= min(thresholds):
        return "unclear"
    return "better" if loss.mean < -2.0 * loss.se else "good"


def counts_as_right(loss: Loss, even: float = 0.0) -> bool:
    """Returns whether a move cannot be told from the best one, or is better; ``even`` is what an exact loss may be."""
    return loss.mean - 2.0 * loss.se <= even
