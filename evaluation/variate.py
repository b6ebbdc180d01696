"""Control variates: a cheap match on the same decks tells how lucky each of them was, and that luck is taken out of the score.

With y[d] the score of A against B on deck d and x[d] that of a cheap match, such as of two players without search, on the same
deck (n decks), and m the mean of x over N *other* decks,

    z[d] = y[d] - w (x[d] - m)

has the same expectation as y for any w that depends on neither deck d nor the other decks. So w is fitted by least squares on
nine tenths of the decks and used on the last one, ten times, and no bias enters. The mean of z has variance

    s(z)^2 / n + w^2 s(x)^2 / N

whose second part is the error of m. It is least at N / (n + N) of the regression's weight, which is what w is. What is won is
1 / (1 - correlation^2) where N is large: the cheap match must be *like* the one that is measured, best with the same B.

Decks must be drawn at random, all of them: of decks that somebody chose the cheap match has another mean.

Source: Cochran, "Sampling Techniques", 1977, 12.2 (double sampling with regression); the folds: Avramidis & Wilson, "A splitting
scheme for control variates", Operations Research Letters 1993.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.statistics import Estimate, estimate

FOLDS = 10
FEWEST = 50
"""Decks below which there is too little to fit a weight."""


@dataclass(frozen=True)
class Controlled:
    """A mean with the luck of its decks taken out.

    Attributes:
        estimate: The mean; its error holds that of the variate's mean.
        weight: Of the variate, the mean over the folds.
        plain: The mean without.
    """

    estimate: Estimate
    weight: float
    plain: Estimate

    @property
    def gain(self) -> float:
        """Returns the ratio of the variances: as if so many times as many decks had been played."""
        return (self.plain.error / self.estimate.error) ** 2 if self.estimate.error > 0 else 1.0

    def as_dict(self) -> dict[str, Any]:
        """Returns all of it for JSON."""
        return {**self.estimate.as_dict(), "weight": self.weight, "gain": self.gain}


@dataclass(frozen=True)
class VariateResult:
    """What a match says with the luck of its decks taken out.

    Attributes:
        names: Of the players of the cheap match.
        other_decks: Those that its mean was measured on.
        wp: Share of games won, of A.
        adp: Mean return, of A.
    """

    names: tuple[str, str]
    other_decks: int
    wp: Controlled
    adp: Controlled


def controlled(scores: np.ndarray, variate: np.ndarray) -> Controlled:
    """Returns the mean of scores with what a variate explains taken out, of the same expectation.

    Args:
        scores: float64 ``[n]``, n >= ``FEWEST``.
        variate: float64 ``[n + N]``, N >= 2: first of the same decks, then of others.
    """
    count, others = len(scores), len(variate) - len(scores)
    if count < FEWEST or others < 2:
        raise ValueError(f"got {count} decks and {others} others; expected at least {FEWEST} and 2")
    here, apart = variate[:count], estimate(variate[count:])
    weights, fold = np.empty(count), np.arange(count) % FOLDS
    for k in range(FOLDS):
        fitted = fold != k
        x, y = here[fitted] - here[fitted].mean(), scores[fitted]
        spread = float(x @ x)
        weights[~fitted] = others / (count + others) * float(x @ y) / spread if spread > 0.0 else 0.0
    weight, told = float(weights.mean()), estimate(scores - weights * (here - apart.mean))
    return Controlled(Estimate(told.mean, math.hypot(told.error, weight * apart.error), count), weight, estimate(scores))
