"""Limit poker for tabular algorithms: bets are the public moves."""

from collections.abc import Callable, Iterable

import numpy as np

from games.play.deals import EnumeratedDeals
from games.play.tables import Tables
from games.poker.betting import BettingRules, build, outcome_of, with_buckets


def listed_tables(
    name: str,
    rules: BettingRules,
    deals: Iterable[tuple[int, ...]],
    bucket_names: tuple[tuple[str, ...], ...],
    see: Callable[[int], str],
    strength: Callable[..., int],
) -> Tables:
    """Returns the tables of a game with a private card for each player and a public one before each
    later round.

    Args:
        name: Name of the game.
        rules: The bets.
        deals: All deals, equally likely: the private cards, then the public ones.
        bucket_names: For each round the texts of the cards that a player can see.
        see: The text of a card.
        strength: Strength of a private card with the public cards; larger wins.
    """
    cards, players = list(deals), range(rules.num_players)
    texts = [[see(card) for card in deal] for deal in cards]
    buckets = [
        [
            names.index(deal[player] + "".join(deal[len(players) : len(players) + number]))
            for player in players
            for number, names in enumerate(bucket_names)
        ]
        for deal in texts
    ]
    outcomes = [
        outcome_of(tuple(strength(deal[player], *deal[len(players) :]) for player in players))
        for deal in cards
    ]
    return Tables(
        name=name,
        rules=rules,
        betting=with_buckets(build(rules), tuple(map(len, bucket_names))),
        deals=EnumeratedDeals(
            cards=np.array(cards, dtype=np.int8),
            buckets=np.array(buckets, dtype=np.int32),
            outcome=np.array(outcomes, dtype=np.int32),
        ),
        bucket_names=bucket_names,
    )
