# mypy: disable-error-code="empty-body"
"""Deals for tabular algorithms: the cards of one hand, including future public cards.

A deal is its buckets, one for each player and round, and its outcome at a showdown. Algorithms see
nothing else of the cards: a game defines a NamedTuple and registers four kernels for it, as below
for the games whose deals can be listed. Most hands end early, so buckets and outcome are requested
one by one: ``deal`` draws the cards, and may prefetch. For real cards, ``bucket_of`` gives the
bucket of what a player sees.
"""

from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.dispatch import GenericKernel, register


class EnumeratedDeals(NamedTuple):
    """All deals of a small game, each equally likely: E deals of K cards, P players, R rounds.

    Attributes:
        cards: int8 ``[E, K]``, one card for each player, then the public cards in the order in
            which they appear.
        buckets: int32 ``[E, P * R]``, the bucket of a player in a round at ``player * R + round``.
        outcome: int32 ``[E]``, the order of the hands (``betting.outcomes``).
    """

    cards: np.ndarray
    buckets: np.ndarray
    outcome: np.ndarray


OWN = 16
"""Places of ``dealt`` for the kernels of the deals, in addition to one per player and round."""


@GenericKernel
def deal(deals: Any, bits: np.uint64, dealt: np.ndarray) -> None:
    """Draws a deal. A generic kernel, as are the two below.

    Args:
        deals: The cards of the game, a NamedTuple: kernels are registered for its type.
        bits: 64 random bits; a kernel that needs more seeds a stream with them.
        dealt: int64 ``[P * R + OWN]``, storage of the drawn cards.
    """


@GenericKernel
def bucket(deals: Any, dealt: np.ndarray, hand: int) -> int:
    """Returns the bucket of a player in a round, ``hand = player * R + round``."""


@GenericKernel
def outcome(deals: Any, dealt: np.ndarray) -> int:
    """Returns the order of the hands (``betting.outcomes``)."""


@GenericKernel
def bucket_of(
    deals: Any, cards: np.ndarray, player: int, num_players: int, round_number: int
) -> int:
    """Returns the bucket of what a player sees in a round. A generic kernel.

    Args:
        deals: The cards of the game, a NamedTuple: a kernel is registered for its type.
        cards: int8 ``[K]``, the private cards of player 0, those of player 1, …, then the public
            cards, as in ``state.States``. Only those that the player sees are read.
        player: The player.
        num_players: Number of players.
        round_number: The betting round.
    """


def scratch(num_hands: int) -> np.ndarray:
    """Returns an array for ``dealt``, for ``num_hands`` players times rounds."""
    return np.empty(num_hands + OWN, dtype=np.int64)


def register_deals(deals_type: type, *kernels: Any) -> None:
    """Makes compiled kernels the implementations of ``deal``, ``bucket``, ``outcome`` and
    ``bucket_of``, in this order, for deals of a type.
    """
    generics: tuple[GenericKernel[..., Any], ...] = (deal, bucket, outcome, bucket_of)
    for generic, implementation in zip(generics, kernels, strict=True):
        register(generic, deals_type, implementation)


@kernel
def infosets(
    betting: Any, deals: Any, cards: np.ndarray, nodes: np.ndarray, rows: np.ndarray
) -> None:
    """Writes the information set of the mover at each position to ``rows`` (int64 ``[n]``).

    Args:
        betting: A ``PublicTree``.
        deals: The cards of the game.
        cards: int8 ``[n, K]``, as in ``bucket_of``.
        nodes: int32 ``[n]``, decision nodes.
        rows: Written.
    """
    num_players = betting.payoffs.shape[2]
    for i in range(len(nodes)):
        node = nodes[i]
        rows[i] = betting.base[node] + bucket_of(
            deals, cards[i], betting.player[node], num_players, betting.round[node]
        )


@kernel
def _draw(deals: EnumeratedDeals, bits: np.uint64, dealt: np.ndarray) -> None:
    """Draws one of the enumerated deals; the probability of each is exact to within 2**-32."""
    dealt[0] = np.int64(((bits >> np.uint64(32)) * np.uint64(len(deals.outcome))) >> np.uint64(32))


@kernel
def _bucket(deals: EnumeratedDeals, dealt: np.ndarray, hand: int) -> int:
    """Returns a bucket of the row that was drawn."""
    return deals.buckets[np.uint64(dealt[0]), np.uint64(hand)]


@kernel
def _outcome(deals: EnumeratedDeals, dealt: np.ndarray) -> int:
    """Returns the outcome of the row that was drawn."""
    return deals.outcome[np.uint64(dealt[0])]


@kernel
def _listed_bucket(
    deals: EnumeratedDeals, cards: np.ndarray, player: int, num_players: int, round_number: int
) -> int:
    """Returns the bucket in the first deal with the player's card and the public cards of the
    rounds so far, one in each.
    """
    at = player * (deals.buckets.shape[1] // num_players) + round_number
    for row in range(len(deals.outcome)):
        same = deals.cards[row, player] == cards[player]
        for k in range(num_players, num_players + round_number):
            same = same and deals.cards[row, k] == cards[k]
        if same:
            return deals.buckets[row, at]
    return -1


register_deals(EnumeratedDeals, _draw, _bucket, _outcome, _listed_bucket)
