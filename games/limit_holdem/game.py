"""Limit Texas Hold'em for two and three players, by the rules of the Annual Computer Poker
Competition.

A chip is a big blind, as in Heinrich & Silver 2015 (pots of at most 48 and 72): blinds of 0.5 and
1, bets of 1 before and on the flop and of 2 on turn and river, at most four in a round, counting
the big blind as the first before the flop. Two players: player 1 is the dealer, has the small
blind, and acts first before the flop and last afterwards. Three: player 0 has the small blind,
player 1 the big blind, player 2 is the dealer and acts first before the flop; then player 0 begins.

Source: ACPC, game definitions of limit Hold'em for two and three players.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from games.base.settings import setting
from games.kernels import borrowed, kernel
from games.kernels.dispatch import register
from games.limit_holdem import abstraction as bucket_tables
from games.limit_holdem.boards import board_tables, start_hands
from games.limit_holdem.deals import HoldemDeals, MadeHandDeals
from games.play.tables import Tables
from games.poker import betting, state
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.hands import (
    NUM_CARDS,
    RANKS,
    SUITS,
    HandTables,
    card_texts,
    strength_with,
    sums,
    tables,
)
from games.poker.showdown import outcome_table

RULES = {
    2: BettingRules(
        forced=(1, 0.5), raises=(1, 1, 2, 2), max_raises=(3, 4, 4, 4), first=(1, 0, 0, 0)
    ),
    3: BettingRules(
        forced=(0.5, 1, 0), raises=(1, 1, 2, 2), max_raises=(3, 4, 4, 4), first=(2, 0, 0, 0)
    ),
}
"""By the number of players."""
MADE_HANDS = (169, 20, 20, 20)
"""Buckets of the abstraction ``made_hands``."""


def start_hand_names() -> tuple[str, ...]:
    """Returns ``AA``, ``AKs``, ``AKo`` and so on for each bucket before the flop."""
    suffixes = ("", "s", "o")
    return tuple(
        RANKS[max(row, column)]
        + RANKS[min(row, column)]
        + suffixes[(row > column) - (row < column)]
        for row in range(len(RANKS))
        for column in range(len(RANKS))
    )


class SevenCards(NamedTuple):
    """Comparison of Hold'em hands (``games.poker.state.strength``).

    Attributes:
        tables: Tables of ``games.poker.hands``.
    """

    tables: HandTables


@kernel
def _strength(
    showdown: SevenCards, cards: np.ndarray, first: int, num_private: int, board: int
) -> int:
    tables = borrowed(showdown.tables)
    key, masks = sums(tables, cards, board, cards.size)
    return strength_with(tables, key, masks, cards[first], cards[first + 1], 7)


register(state.strength, SevenCards, _strength)


class LimitHoldem(LimitPoker):
    """Limit Hold'em."""

    @dataclass(frozen=True)
    class Options:
        """The players, and how tables group hands; a player that sees cards needs no tables."""

        players: int = setting(2, choices=tuple(RULES), help="Number of players.")
        abstraction: str = setting(
            "squared_strength",
            choices=("squared_strength", "made_hands"),
            help="Buckets of tables; squared_strength: the paper's, of E[HS^2], from files that "
            "are made once, within a minute; made_hands: what the cards make so far, coarse but "
            "without files.",
        )

    options: Options

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        """Makes the game."""
        super().__init__(
            "limit_holdem",
            RULES[options.players],
            SevenCards(tables()),
            tuple(card_texts(range(NUM_CARDS))),
            num_private=2,
            public=(0, 3, 4, 5),
            num_suits=len(SUITS),
            suits_matter=True,
            options=options,
        )
        self.abstraction = options.abstraction

    @cached_property
    def tables(self) -> Tables:
        players = self.bets.num_players
        return _tables(players, self.abstraction, bucket_tables.file(players))


@cache
def _tables(players: int, abstraction: str, file: Path) -> Tables:
    """Returns the tables with buckets from a file; cached, since three players have millions of
    nodes.

    Raises:
        ValueError: ``TablesError``: the file cannot be written.
    """
    found: HoldemDeals | MadeHandDeals
    if abstraction == "made_hands":
        sizes = MADE_HANDS
        found = MadeHandDeals(tables(), start_hands(), np.array(sizes), outcome_table(players))
    else:
        sizes = bucket_tables.GRIDS[players]
        buckets = (array.reshape(-1) for array in bucket_tables.load(players))
        found = HoldemDeals(
            tables(), board_tables(), bucket_tables.Abstraction(*buckets), outcome_table(players)
        )
    return Tables(
        name="limit_holdem",
        rules=RULES[players],
        betting=betting.with_buckets(betting.build(RULES[players]), sizes),
        deals=found,
        bucket_names=(
            start_hand_names(),
            *(tuple(f"{bucket / size:.4g}" for bucket in range(size)) for size in sizes[1:]),
        ),
    )


GAME = LimitHoldem
