"""How good the search's values are, by cards left: Brier score and AUC."""

import numpy as np

from fpmcts.samples import Samples
from games.interface import Game

GROUPS = ((1, 5), (6, 10), (11, 20))
"""Cards in the hand of the seat to move, ends included."""


def brier_score(probabilities: np.ndarray, won: np.ndarray) -> float:
    """Returns the mean of (p - won)^2 for probabilities float ``[N]`` and outcomes bool ``[N]``; 0.25 says nothing."""
    return float(np.mean((probabilities - won) ** 2))


def area_under_curve(scores: np.ndarray, won: np.ndarray) -> float:
    """Returns the chance that a won decision scores above a lost one, ties counting one half; NaN where one kind is missing.

    Computed from ranks (Mann & Whitney, 1947).
    """
    wins, losses = int(won.sum()), int((~won).sum())
    if wins == 0 or losses == 0:
        return float("nan")
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]  # mean rank of equal scores, counted from 1
    return float((ranks[won].sum() - wins * (wins + 1) / 2) / (wins * losses))


def value_curves(game: Game, samples: Samples) -> dict[str, float]:
    """Returns Brier score and AUC of the root values of searched decisions, by cards left; only groups with both results.

    A root value on [-1, 1] is read as 2 P(win) - 1; points (objective "adp") are clipped to that.
    """
    searched = np.flatnonzero(np.isfinite(samples.root_value) & np.isfinite(samples.result))
    values, won = samples.root_value[searched], samples.result[searched] > 0
    left = game.cards_left(samples.states)[searched]
    curves: dict[str, float] = {}
    for low, high in GROUPS:
        rows = (left >= low) & (left <= high)
        area = area_under_curve(values[rows], won[rows])
        if np.isfinite(area):
            curves[f"value/auc_{low}_to_{high}_cards"] = area
            curves[f"value/brier_{low}_to_{high}_cards"] = brier_score(np.clip((values[rows] + 1) / 2, 0, 1), won[rows])
    return curves
