"""Means over duplicate decks, with standard errors and intervals.

The games of a deck share their cards, so their results are dependent and the unit of every estimate
is the deck. With x[d, t] the return of player A in the game of deck d in which it sits in team t:

    ADP = mean over d of y[d],   y[d] = mean over t of x[d, t],
    standard error = s(y) / sqrt(number of decks)

and likewise for WP with w[d, t] = 1 for a win, 1/2 for a draw, 0 for a loss instead of x. Luck of
the cards that helps A in one game helps B in the other, and cancels in y. Two deterministic equals
score WP = 1/2 and ADP = 0 with error 0.

Intervals are Student's t. In simulated matches they cover the true WP 95 % of the time, and the
true ADP slightly less often if large stakes are rare and decks few: 93.6 % over 100 decks, 94.9 %
over 1,000, if both games of a deck share 0.67 bombs on average.

WP and ADP are DeltaDou's (5.1): the share of games won, and the average difference in points per
game, where a game of Doudizhu counts 2^bombs for the winning team. DouZero counts the landlord
twice; its ADP is twice this one.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit


@dataclass(frozen=True)
class Estimate:
    """A mean over decks.

    Attributes:
        mean: The estimate.
        error: Its standard error; NaN for fewer than two decks.
        count: Number of decks.
    """

    mean: float
    error: float
    count: int

    def interval(self) -> tuple[float, float]:
        """Returns the two ends of the 95 % interval (Student's t)."""
        half = float(stdtrit(self.count - 1, 0.975)) * self.error
        return self.mean - half, self.mean + half

    def scaled(self, factor: float) -> "Estimate":
        """Returns the estimate in another unit."""
        return Estimate(factor * self.mean, factor * self.error, self.count)

    def text(self, digits: int, sign: str = "+") -> str:
        """Returns the mean and, for more than one deck, its standard error.

        Args:
            digits: Decimal places.
            sign: Sign of a positive mean and minimum width, as in a format specification.
        """
        error = f" ± {self.error:.{digits}f}" if self.count > 1 else ""
        return f"{self.mean:{sign}.{digits}f}{error}"

    def __str__(self) -> str:
        """Returns the estimate to the second digit of its standard error."""
        if not self.error > 0.0:
            return f"{self.mean:.6g}"
        return self.text(max(0, 1 - math.floor(math.log10(self.error))), sign="")

    def as_dict(self) -> dict[str, object]:
        """Returns the mean, standard error, interval and number of decks; None for those undefined
        with one deck.
        """
        known = self.count > 1
        return {
            "mean": self.mean,
            "error": self.error if known else None,
            "interval": list(self.interval()) if known else None,
            "decks": self.count,
        }


def estimate(values: np.ndarray) -> Estimate:
    """Returns the mean of one value per deck (float ``[D]``, D >= 1)."""
    count = len(values)
    if count == 0:
        raise ValueError("got no decks; a mean needs at least one")
    error = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return Estimate(float(np.mean(values)), error, count)


def estimate_by_deck(values: np.ndarray, decks: np.ndarray) -> Estimate:
    """Returns the mean of all values, where a deck may have any number of them.

    Its standard error is that of a ratio of sums over decks.

    Args:
        values: float ``[N]``.
        decks: int64 ``[N]``, the deck of each value.
    """
    _, deck = np.unique(decks, return_inverse=True)
    per_deck, mean = np.bincount(deck), np.mean(values)
    above = np.bincount(deck, values - mean)
    spread = estimate(above / per_deck.mean())
    return Estimate(float(mean), spread.error, spread.count)


def wins(returns: np.ndarray) -> np.ndarray:
    """Returns 1 for every positive return, 1/2 for 0 and 0 for a negative one (float64, the shape
    of ``returns``).
    """
    return 0.5 + 0.5 * np.sign(returns)
