# mypy: disable-error-code="empty-body"
"""Cards of a poker hand, independent of how a game stores them: shared by limit and no-limit poker.

The cards of a lane are numbered: the private cards of seat 0, those of seat 1, …, then the public
cards, future ones included. A game registers the three generic kernels below for its rules, which
have ``num_private``, ``num_public``, ``num_cards``, ``num_suits`` and ``suit_planes`` (1 where
suits never matter). Card c is of rank ``c // num_suits``.
"""

from collections.abc import Mapping

import numpy as np

from games.kernels import kernel, mix64, random_below
from games.kernels.dispatch import GenericKernel
from games.kernels.generic import public_cards
from games.kernels.rows import Rules, States

HIDDEN = -1
"""A card that a view does not show."""


@GenericKernel
def num_seats(rules: Rules) -> int:
    """Returns the number of players."""


@GenericKernel
def card(rules: Rules, states: States, i: int, k: int) -> int:
    """Returns the k-th card of lane ``i``, or ``HIDDEN``."""


@GenericKernel
def put_card(rules: Rules, states: States, i: int, k: int, card: int) -> None:
    """Replaces the k-th card of lane ``i``."""


@kernel
def deal_cards(num_cards: int, seeds: np.ndarray, cards: np.ndarray) -> None:
    """Writes random deals to ``cards`` (int8 ``[B, K]``); row i depends only on ``seeds[i]``
    (uint64 ``[B]``, changed).
    """
    deck = np.empty(num_cards, dtype=np.int8)
    for i in range(seeds.size):
        for c in range(deck.size):
            deck[c] = c
        for k in range(cards.shape[1]):
            drawn = k + random_below(seeds, i, deck.size - k)
            deck[k], deck[drawn] = deck[drawn], deck[k]
            cards[i, k] = deck[k]


def completed(num_cards: int, known: Mapping[int, int], count: int) -> np.ndarray:
    """Returns ``count`` different cards (int8) of a deck of ``num_cards``: the known ones, by their
    places, and the lowest of the others. Raises ValueError if a card is known twice.
    """
    if len(set(known.values())) < len(known):
        raise ValueError("expected no card twice in hand and public")
    others = iter(sorted({*range(num_cards)} - set(known.values())))
    return np.array([known[k] if k in known else next(others) for k in range(count)], np.int8)


@kernel(forceinline=True)
def _suit_order(rules: Rules, states: States, i: int, seat: int, order: np.ndarray) -> None:
    """Writes the plane of each suit to ``order`` (int64 ``[num_suits]``): suits sorted by own, then
    public cards, higher first.

    Suits are swapped only where this changes no hand, so hands that are the same up to suits look
    the same.
    """
    masks = np.zeros(order.size, dtype=np.uint64)
    own, board = seat * rules.num_private, num_seats(rules) * rules.num_private
    for k in range(own, own + rules.num_private):
        held = card(rules, states, i, k)
        masks[held % rules.num_suits] |= np.uint64(1) << np.uint64(32 + held // rules.num_suits)
    for k in range(board, board + public_cards(rules, states, i)):
        held = card(rules, states, i, k)
        if held != HIDDEN:
            masks[held % rules.num_suits] |= np.uint64(1) << np.uint64(held // rules.num_suits)
    for suit in range(order.size):
        order[suit] = 0
        for other in range(order.size):
            order[suit] += masks[other] > masks[suit] or (
                masks[other] == masks[suit] and other < suit
            )


@kernel(forceinline=True)
def observe_cards(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the own and the public cards by suit to the first ``2 * suit_planes`` planes of an
    observation, which hold zeros.
    """
    own, board = seat * rules.num_private, num_seats(rules) * rules.num_private
    order = np.zeros(rules.num_suits, dtype=np.int64)
    if rules.suit_planes > 1:
        _suit_order(rules, states, i, seat, order)
    for k in range(own, own + rules.num_private):
        held = card(rules, states, i, k)
        out[order[held % rules.num_suits], held // rules.num_suits] += 1
    for k in range(board, board + public_cards(rules, states, i)):
        held = card(rules, states, i, k)
        if held != HIDDEN:  # hidden in a view that has been advanced into the next round
            out[rules.suit_planes + order[held % rules.num_suits], held // rules.num_suits] += 1


@kernel(forceinline=True)
def with_cards(rules: Rules, states: States, i: int, seat: int, key: np.uint64) -> np.uint64:
    """Returns a hash extended by the cards that a seat sees, its own and the public ones, in the
    game's order.
    """
    own, board = seat * rules.num_private, num_seats(rules) * rules.num_private
    for k in range(own, own + rules.num_private):
        key = mix64(key ^ np.uint64(card(rules, states, i, k) + 1))
    for k in range(board, board + public_cards(rules, states, i)):
        key = mix64(key ^ np.uint64(card(rules, states, i, k) + 1))
    return key
