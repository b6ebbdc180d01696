"""Poker for the tests of matches: policies as tables, their exact values by the oracle, and a game
of three."""

from itertools import permutations

import numpy as np

from games import make
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.state import Strengths
from games.poker.tables import PokerTables, listed_tables
from tests.games import poker_oracle as oracle


def poker(name: str) -> LimitPoker:
    """Returns a game by name."""
    game = make(name)
    assert isinstance(game, LimitPoker)
    return game


def random_table(game: PokerTables, seed: int, sharp: float = 1.0) -> np.ndarray:
    """Returns a random policy; the larger ``sharp``, the closer to a pure one."""
    weights = np.where(
        game.legal, np.exp(sharp * np.random.default_rng(seed).normal(size=game.legal.shape)), 0.0
    )
    return weights / weights.sum(axis=1, keepdims=True)


def open_table(game: LimitPoker, player: object) -> np.ndarray:
    """Returns the policy that a player states: float64 ``[num_infosets, max_actions]``."""
    stated = player.probabilities(game.information_states())  # type: ignore[attr-defined]
    assert not stated[:, game.tables.max_actions :].any()
    return stated[:, : game.tables.max_actions]


def exact_value(game: LimitPoker, first: np.ndarray, second: np.ndarray) -> float:
    """Returns what the player of seat 0 wins in chips per hand: the sum over all deals and all
    plays, by the oracle."""
    name, texts = game.spec.name, game.tables.infoset_texts()
    rows = {text: row for row, text in enumerate(texts)}
    deals = oracle.deals(name)
    total = 0.0
    for cards in deals:
        ranks = tuple(card[0] for card in cards)
        for moves in oracle.plays(name):
            chance = 1.0
            for k, move in enumerate(moves):
                position = oracle.replay(name, moves[:k])
                assert position.player is not None
                table = first if position.player == 0 else second
                chance *= table[
                    rows[oracle.seen(ranks, position.player, position)], position.legal.index(move)
                ]
            total += chance * oracle.wins(name, oracle.replay(name, moves), cards)
    return total / len(deals)


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

    def _make_tables(self) -> PokerTables:
        deals, names = permutations(range(4), 3), tuple("TJQK")
        return listed_tables("kuhn3", self.bets, deals, (names,), names.__getitem__, int)
