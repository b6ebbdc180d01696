"""Kuhn poker: three cards, an ante of one chip, one bet.

Source: Kuhn, "A simplified two-person poker", 1950.
"""

from dataclasses import replace
from functools import cached_property
from itertools import permutations

import numpy as np

from games.play.interface import NoOptions
from games.play.tables import Tables
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.state import Strengths
from games.poker.tables import listed_tables

CARDS = "JQK"
RULES = BettingRules(forced=(1, 1), raises=(1,), max_raises=(1,), first=(0,))
GAME_VALUE = -1 / 18
"""Player 0's winnings in equilibrium, in chips (Kuhn 1950)."""


def equilibrium(alpha: float) -> np.ndarray:
    """Returns the equilibrium in which player 0 bets a jack with probability ``alpha``: float64
    ``[12, 2]``.

    All equilibria, up to choices at information sets that they never reach, are of this family
    (Kuhn 1950).

    Raises:
        ValueError: ``alpha`` outside [0, 1/3].
    """
    if not 0 <= alpha <= 1 / 3:
        raise ValueError(f"alpha = {alpha}: expected a number in [0, 1/3]")
    second = [
        [alpha, 0, 3 * alpha],  # player 0 bets
        [0, alpha + 1 / 3, 1],  # player 0 checked, player 1 bet: player 0 calls
        [1 / 3, 0, 1],  # player 0 checked: player 1 bets
        [0, 1 / 3, 1],  # player 0 bet: player 1 calls
    ]
    return np.stack([1 - np.ravel(second), np.ravel(second)], axis=1)


def squared_error(policy: np.ndarray) -> float:
    """Returns the mean squared error of a policy (``[12, 2]``) to the closest equilibrium, over all
    24 probabilities.

    The measure of Heinrich & Silver 2015, 4.1 and figure 1; the paper does not say over what it
    takes the mean.
    """
    start, direction = equilibrium(0.0), equilibrium(1 / 3) - equilibrium(0.0)
    share = np.sum((policy - start) * direction) / np.sum(direction**2)
    return float(np.mean((policy - start - np.clip(share, 0, 1) * direction) ** 2))


def _measures(policy: np.ndarray) -> dict[str, float]:
    return {"squared_error_to_closest_equilibrium": squared_error(policy)}


class Kuhn(LimitPoker):
    """Kuhn poker: 6 information sets for each player, 30 terminal histories."""

    has_tree = True

    def __init__(self, options: NoOptions | None = None) -> None:
        """Makes the game; it has no options."""
        strengths = np.repeat(np.arange(len(CARDS), dtype=np.int32)[:, None], len(CARDS), axis=1)
        super().__init__("kuhn", RULES, Strengths(strengths), tuple(CARDS), options=options)

    @cached_property
    def tables(self) -> Tables:
        deals = permutations(range(len(CARDS)), 2)
        tables = listed_tables(self.name, RULES, deals, (tuple(CARDS),), CARDS.__getitem__, int)
        return replace(tables, measures=_measures)


GAME = Kuhn
