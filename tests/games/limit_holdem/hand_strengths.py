"""Strengths of hands as numpy arrays, for tests."""

import numpy as np
from numpy.typing import ArrayLike

from games.poker.hands import LAST_OF_CATEGORY, Category, evaluate, tables


def strengths(cards: ArrayLike) -> np.ndarray:
    """Returns the strength of each row of five to seven different cards: int16 ``[N]``."""
    hands = np.ascontiguousarray(cards, dtype=np.int8)
    result = np.empty(len(hands), dtype=np.int16)
    evaluate(tables(), hands, result)
    return result


def category(strength: int) -> Category:
    """Returns the kind of a hand from its strength."""
    return Category(int(np.searchsorted(LAST_OF_CATEGORY, strength)))
