"""Leduc Hold'em: two suits of three ranks, an ante of one chip, two rounds of at most two bets of
2, then of 4 chips, one public card.

Source: Southey et al., "Bayes' bluff: opponent modelling in poker", 2005.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import permutations

import numpy as np

from games.base.settings import setting
from games.leduc.thesis import thesis_measures
from games.play.tables import Tables
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.state import Strengths
from games.poker.tables import listed_tables

RANKS = "JQK"
SUITS = "sh"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Card c is of rank ``c // 2``."""
RULES = BettingRules(forced=(1, 1), raises=(2, 4), max_raises=(2, 2), first=(0, 0))
GAME_VALUE = -0.085606
"""What player 0 wins in equilibrium, in chips, to six decimals (known; reproduced by CFR+ in the
tests).
"""


def _strength(own: int, public: int) -> int:
    """Returns the strength of a hand: a pair beats any other, then the higher rank wins."""
    return own // 2 + len(RANKS) * (own // 2 == public // 2)


class Leduc(LimitPoker):
    """Leduc Hold'em: 468 information sets for each player, 144 up to suits; 5,520 terminal
    histories.

    Observations have no suits, which never matter.
    """

    has_tree = True

    @dataclass(frozen=True)
    class Options:
        """What tables distinguish. An equilibrium of the small ones is one of the game; their
        ``tree`` is the full game in any case.
        """

        suits: bool = setting(
            False,
            help="Whether tables tell suits apart (468 information sets per player, not 144); "
            "networks never do.",
        )

    options: Options

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        """Makes the game."""
        strengths = [
            [_strength(own, public) for public in range(len(CARDS))] for own in range(len(CARDS))
        ]
        super().__init__(
            "leduc",
            RULES,
            Strengths(np.array(strengths, dtype=np.int32)),
            CARDS,
            public=(0, 1),
            num_suits=len(SUITS),
            options=options,
        )
        self.suits = options.suits

    def check_for_networks(self) -> None:
        """Raises ValueError if ``suits`` is set: networks do not see suits."""
        if self.suits:
            raise ValueError(
                "suits=true: is for tables (algorithm=smooth_uct, …); networks do not see "
                "suits, which never matter"
            )

    @cached_property
    def tables(self) -> Tables:
        full = self._tables(letters=2)
        tables = full if self.suits else replace(self._tables(letters=1), finest=full)
        return replace(tables, greedy_measures=partial(thesis_measures, tables))

    def _tables(self, letters: int) -> Tables:
        """Returns tables in which players see so many letters of the name of a card."""
        names = [name[:letters] for name in CARDS]
        pairs = {own + public for own, public in permutations(names, 2)}
        return listed_tables(
            self.name,
            RULES,
            permutations(range(len(CARDS)), 3),
            (tuple(dict.fromkeys(names)), tuple(sorted(pairs))),
            names.__getitem__,
            _strength,
        )


GAME = Leduc
