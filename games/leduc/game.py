"""Leduc Hold'em: two suits of three ranks, an ante of one chip, two rounds of at most two bets of 2, then of 4 chips, one public
card.

Source: Southey et al., "Bayes' bluff: opponent modelling in poker", 2005.
"""

from collections.abc import Callable
from itertools import permutations

import numpy as np

from games.poker import betting
from games.poker.betting import BettingRules
from games.poker.deals import EnumeratedDeals
from games.poker.game import LimitPoker, make_rules
from games.poker.state import Strengths
from games.poker.tables import PokerGame

RANKS = "JQK"
SUITS = "sh"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Card c is of rank ``c // 2``."""
RULES = BettingRules(forced=(1, 1), raises=(2, 4), max_raises=(2, 2), first=(0, 0))
GAME_VALUE = -0.085606
"""What player 0 wins in equilibrium, in chips, to six decimals (known; reproduced by CFR+ in the tests)."""


def _strength(own: int, public: int) -> int:
    """Returns the strength of a hand: a pair beats any other, then the higher rank wins."""
    return own // 2 + len(RANKS) * (own // 2 == public // 2)


def _game(names: tuple[str, ...], hide_suits: bool, finest: PokerGame | None) -> PokerGame:
    """Returns the game; with ``hide_suits`` a player sees ranks only, which loses nothing."""
    deals = list(permutations(range(len(CARDS)), 3))
    see: Callable[[int], str] = (lambda card: CARDS[card][0]) if hide_suits else (lambda card: CARDS[card])
    pairs = sorted({(see(own), see(public)) for own, public in permutations(range(len(CARDS)), 2)})
    buckets = [[b for own in row[:2] for b in (names.index(see(own)), pairs.index((see(own), see(row[2]))))] for row in deals]
    return PokerGame(
        name="leduc",
        rules=RULES,
        betting=betting.build(RULES, (len(names), len(pairs))),
        deals=EnumeratedDeals(
            cards=np.array(deals, dtype=np.int8),
            buckets=np.array(buckets, dtype=np.int32),
            outcome=np.array([betting.outcome_of((_strength(a, c), _strength(b, c))) for a, b, c in deals], dtype=np.int32),
        ),
        bucket_names=(names, tuple(own + public for own, public in pairs)),
        finest=finest,
    )


def leduc(suits: bool = False) -> PokerGame:
    """Returns Leduc Hold'em: 468 information states for each player, 144 up to suits; 5,520 terminal histories.

    Args:
        suits: Whether tables tell the two cards of a rank apart: 468 rows for each player instead of 144. Suits never matter, so
            an equilibrium of the small tables is one of the game, and they learn faster. ``tree`` is the full game in any case.
    """
    full = _game(CARDS, hide_suits=False, finest=None)
    return full if suits else _game(tuple(RANKS), hide_suits=True, finest=full)


def game(suits: bool = False) -> LimitPoker:
    """Returns Leduc Hold'em for search and learning; observations tell no suits, which never matter.

    Raises:
        ValueError: ``suits`` is True.
    """
    if suits:
        raise ValueError("suits=true: is for tables (algorithm=smooth_uct, …); networks are not told suits, which never matter")
    small = leduc()
    table = np.array([[_strength(own, public) for public in range(len(CARDS))] for own in range(len(CARDS))], dtype=np.int32)
    rules = make_rules(
        small, Strengths(table), num_private=1, public=(0, 1), num_cards=len(CARDS), num_suits=len(SUITS), suits_matter=False
    )
    return LimitPoker(small, rules, CARDS, big_blind=2.0)
