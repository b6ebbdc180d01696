"""A mean with its standard error: the one type for estimated numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """An estimated number.

    Attributes:
        mean: The estimate.
        error: Its standard error; 0 if the number is exact, NaN if it comes from a single value.
        count: Number of independent values; 0 where it says nothing, as in sums and exact numbers.
    """

    mean: float
    error: float
    count: int = 0

    @property
    def low(self) -> float:
        """Returns the mean minus two standard errors."""
        return self.mean - 2.0 * self.error

    @property
    def high(self) -> float:
        """Returns the mean plus two standard errors."""
        return self.mean + 2.0 * self.error

    def scaled(self, factor: float) -> "Estimate":
        """Returns the estimate in another unit."""
        return Estimate(factor * self.mean, abs(factor) * self.error, self.count)

    def text(self, digits: int, sign: str = "+") -> str:
        """Returns the mean and, for more than one value, its standard error.

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


def estimate(values: np.ndarray) -> Estimate:
    """Returns the mean of N >= 1 independent values, float ``[N]``."""
    count = len(values)
    if count == 0:
        raise ValueError("got no values; a mean needs at least one")
    error = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else math.nan
    return Estimate(float(np.mean(values)), error, count)


def estimates(values: np.ndarray) -> list[Estimate]:
    """Returns the mean of each column of float ``[N, S]``."""
    return [estimate(column) for column in values.T]


def total(parts: Iterable[Estimate]) -> Estimate:
    """Returns the sum of independent estimates: their variances add."""
    found = list(parts)
    return Estimate(sum(part.mean for part in found), math.hypot(*(part.error for part in found)))
