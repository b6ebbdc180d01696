"""Poker for the tests of matches: policies as tables, and a game of three."""

from functools import cached_property
from itertools import permutations

import numpy as np

from games import make
from games.play.tables import Tables
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.state import Strengths
from games.poker.tables import listed_tables


def poker(name: str) -> LimitPoker:
    """Returns a game by name."""
    game = make(name)
    assert isinstance(game, LimitPoker)
    return game


def random_table(game: Tables, seed: int, sharp: float = 1.0) -> np.ndarray:
    """Returns a random policy; the larger ``sharp``, the closer to a pure one."""
    weights = np.where(
        game.legal, np.exp(sharp * np.random.default_rng(seed).normal(size=game.legal.shape)), 0.0
    )
    return weights / weights.sum(axis=1, keepdims=True)


class ThreePlayerKuhn(LimitPoker):
    """Kuhn poker for three: four cards, antes and bets of one chip."""

    has_tree = True

    def __init__(self) -> None:
        """Makes the game."""
        rules = BettingRules(forced=(1, 1, 1), raises=(1,), max_raises=(1,), first=(0,))
        super().__init__(
            "kuhn3",
            rules,
            Strengths(np.repeat(np.arange(4, dtype=np.int32)[:, None], 4, axis=1)),
            tuple("TJQK"),
        )

    @cached_property
    def tables(self) -> Tables:
        deals, names = permutations(range(4), 3), tuple("TJQK")
        return listed_tables("kuhn3", self.bets, deals, (names,), names.__getitem__, int)
