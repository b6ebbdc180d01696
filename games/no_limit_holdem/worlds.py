"""The cards of no-limit Hold'em for ``games.poker.cards``, and worlds for inference
(``games.poker.worlds``).
"""

import numpy as np

from games.kernels import borrowed, kernel, mix64
from games.kernels.dispatch import register
from games.no_limit_holdem.betting import start_row
from games.no_limit_holdem.state import Rules, States
from games.poker import cards, worlds


@kernel(forceinline=True)
def _num_seats(rules: Rules) -> int:
    return borrowed(rules).stacks.size


@kernel(forceinline=True)
def _card(rules: Rules, states: States, i: int, k: int) -> int:
    own, row = 2 * borrowed(rules).stacks.size, borrowed(states)
    return np.int64(row.hole[i, k >> 1, 1 - (k & 1)] if k < own else row.board[i, k - own])


@kernel(forceinline=True)
def _put_card(rules: Rules, states: States, i: int, k: int, card: int) -> None:
    own, row = 2 * borrowed(rules).stacks.size, borrowed(states)
    if k < own:
        row.hole[i, k >> 1, 1 - (k & 1)] = card
    else:
        row.board[i, k - own] = card


register(cards.num_seats, Rules, _num_seats)
register(cards.card, Rules, _card)
register(cards.put_card, Rules, _put_card)


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view before the first move, with the cards that have come to the table since."""
    stacks = np.empty(rules.stacks.size, np.int32)
    for other in range(stacks.size):
        stacks[other] = views.stacks[i, other] + views.paid[i, other]
    worlds.copy_view(rules, views, i, seat, starts, j)
    start_row(rules, starts, j, stacks, views.ante[i], views.blind[i], np.int64(views.big_blind[i]))


@kernel
def deal_rest(
    rules: Rules, states: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the cards still to come to the table (``games.poker.worlds.deal_rest``), and sorts the
    flop of each world, higher first.
    """
    worlds.deal_rest(rules, states, first, count, rng, lane)
    for w in range(first, first + count):
        board = states.board[w]
        for k in range(2):
            for j in range(2 - k):
                if board[j] < board[j + 1]:
                    board[j], board[j + 1] = board[j + 1], board[j]


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a hash of a seat's cards, the cards on the table, and all posts and moves."""
    key = mix64(states.history[i] ^ np.uint64(seat + 1))
    return cards.with_cards(borrowed(rules), borrowed(states), i, seat, key)
