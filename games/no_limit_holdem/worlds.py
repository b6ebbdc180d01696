"""Worlds of no-limit Hold'em for inference: the hands of the other players, folded ones included.

The code of a world is that of limit poker (``games.poker.worlds``): the cards of the others in the
order of the seats, each hand
ascending. All hands of cards that the searching seat does not see are equally likely; betting is
weighed by who asks. The cards still to come to the table are no part of a code: they are dealt to
each world, evenly over the worlds of a view.
"""

import numpy as np

from games.generic import copy_row
from games.kernels import kernel, mix64, random_below, random_float
from games.no_limit_holdem.betting import start_row
from games.no_limit_holdem.deals import sort_flop
from games.no_limit_holdem.state import HIDDEN, NUM_BOARD, Rules, States
from games.poker.hands import NUM_CARDS
from games.poker.worlds import card_at, hand_index, list_hands, write_code

_GOLDEN_RATIO = 0.6180339887498949


@kernel
def _seen_cards(states: States, i: int, seat: int) -> np.uint64:
    """Returns the set of cards that a seat sees in its view, a bit for each: in an earlier view
    also what came later.
    """
    seen = np.uint64(0)
    for k in range(2):
        seen |= np.uint64(1) << np.uint64(states.hole[i, seat, k])
    for k in range(NUM_BOARD):
        if states.board[i, k] != HIDDEN:
            seen |= np.uint64(1) << np.uint64(states.board[i, k])
    return seen


@kernel
def _complement(seen: np.uint64, cards: np.ndarray) -> int:
    """Returns the number of cards not in a set, and writes them, ascending, to ``cards`` (int8)."""
    count = 0
    for card in range(NUM_CARDS):
        if not (seen >> np.uint64(card)) & np.uint64(1):
            cards[count] = card
            count += 1
    return count


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns the number of ways to deal unseen cards to the others, -1 if they do not fit, and
    lists their codes.
    """
    unseen = np.empty(NUM_CARDS, np.int8)
    count = _complement(_seen_cards(views, i, seat), unseen)
    others = views.stacks.shape[1] - 1
    ways = 1.0
    for k in range(others):
        ways *= (count - 2 * k) * (count - 2 * k - 1) / 2
    if ways > hidden.shape[0]:
        return -1
    return list_hands(unseen, count, 2, 2 * others, hidden)


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws hands of the others, all equally likely, for every row of ``hidden`` (uint64 ``[n,
    W]``).
    """
    unseen, cards = np.empty(NUM_CARDS, np.int8), np.empty(2 * (views.stacks.shape[1] - 1), np.int8)
    count = _complement(_seen_cards(views, i, seat), unseen)
    for j in range(hidden.shape[0]):
        for k in range(cards.size):
            drawn = k + random_below(rng, lane, count - k)
            unseen[k], unseen[drawn] = unseen[drawn], unseen[k]
            cards[k] = unseen[k]
        write_code(cards, 2, hidden[j])


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) of hands of the others: one over the number of ways to
    deal them.
    """
    seen, left, total = _seen_cards(views, i, seat), NUM_CARDS, 0.0
    for card in range(NUM_CARDS):
        left -= np.int64((seen >> np.uint64(card)) & np.uint64(1))
    for k in range(views.stacks.shape[1] - 1):
        total -= np.log((left - 2 * k) * (left - 2 * k - 1) / 2)
    return total


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the view of a seat with hands of the others; returns False if they hold a card that
    the seat sees.
    """
    seen, at = _seen_cards(views, i, seat), 0
    copy_row(rules, views, i, worlds, j)
    for other in range(views.stacks.shape[1]):
        if other != seat:
            low, high = card_at(hidden, at), card_at(hidden, at + 1)
            if (seen >> np.uint64(low)) & np.uint64(1) or (seen >> np.uint64(high)) & np.uint64(1):
                return False
            worlds.hole[j, other, 0] = high
            worlds.hole[j, other, 1] = low
            at += 2
    return True


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the code (uint64 ``[W]``) of the hands of the others."""
    cards = np.empty(2 * (states.stacks.shape[1] - 1), np.int8)
    at = 0
    for other in range(states.stacks.shape[1]):
        if other != seat:
            cards[at] = states.hole[i, other, 0]
            cards[at + 1] = states.hole[i, other, 1]
            at += 2
    write_code(cards, 2, hidden)


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view before the first move, with the cards that have come to the table since."""
    seats, shown = views.stacks.shape[1], np.int64(views.shown[i])
    stacks = np.empty(seats, np.int32)
    for other in range(seats):
        stacks[other] = views.stacks[i, other] + views.paid[i, other]
        for k in range(2):
            starts.hole[j, other, k] = views.hole[i, other, k] if other == seat else HIDDEN
    for k in range(NUM_BOARD):
        starts.board[j, k] = views.board[i, k] if k < shown else HIDDEN
    start_row(rules, starts, j, stacks, views.ante[i], views.blind[i], np.int64(views.big_blind[i]))


@kernel
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Puts the cards on the table of a view on that of an earlier one."""
    for k in range(NUM_BOARD):
        earlier.board[j, k] = views.board[i, k] if k < views.shown[i] else HIDDEN


@kernel
def _deal_table(rng: np.ndarray, lane: int, first: float, worlds: States, w: int) -> None:
    """Deals the hidden cards of the table in a world at random.

    Args:
        first: In [0, 1), where the first of them lies among the cards left: worlds share them out
            evenly.
    """
    used, left = np.uint64(0), np.empty(NUM_CARDS, np.int8)
    for seat in range(worlds.hole.shape[1]):
        used |= np.uint64(1) << np.uint64(worlds.hole[w, seat, 0]) | np.uint64(1) << np.uint64(
            worlds.hole[w, seat, 1]
        )
    for k in range(NUM_BOARD):
        if worlds.board[w, k] != HIDDEN:
            used |= np.uint64(1) << np.uint64(worlds.board[w, k])
    count, fresh = _complement(used, left), True
    for k in range(NUM_BOARD):
        if worlds.board[w, k] == HIDDEN:
            drawn = int(first * count) if fresh else random_below(rng, lane, count)
            worlds.board[w, k] = left[drawn]
            count -= 1
            left[drawn] = left[count]
            fresh = False
    sort_flop(worlds.board[w])


@kernel
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the cards still to come to the table; the first of them is spread evenly over the
    worlds of a view.
    """
    offset = random_float(rng, lane)
    for w in range(count):
        _deal_table(rng, lane, (offset + w * _GOLDEN_RATIO) % 1.0, worlds, first + w)


@kernel
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes a one at the hand of each of the others, in turn, and zeros elsewhere (int8 ``[others,
    hands]``).
    """
    counts[:] = 0
    seats = views.stacks.shape[1]
    for k in range(seats - 1):
        other = (seat + 1 + k) % seats
        counts[k, hand_index(hidden, 2 * (other - (1 if other > seat else 0)), 2)] = 1


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a hash of a seat's cards, the cards on the table, and all posts and moves."""
    key = mix64(states.history[i] ^ np.uint64(seat + 1))
    for k in range(2):
        key = mix64(key ^ np.uint64(states.hole[i, seat, k] + 1))
    for k in range(states.shown[i]):
        key = mix64(key ^ np.uint64(states.board[i, k] + 1))
    return key
