"""Limit poker as tabular algorithms see it: bets are the public moves."""

from dataclasses import dataclass

from games.poker.betting import BettingRules, sequences
from games.tables import Tables


@dataclass(frozen=True, eq=False)
class PokerTables(Tables):
    """The information states of a limit poker game; ``rules`` are the bets."""

    rules: BettingRules

    def public_texts(self) -> list[str]:
        """Returns the bets before each node."""
        return sequences(self.betting)[0]
