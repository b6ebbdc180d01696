"""Worlds of poker for inference: the private cards of the other players, folded ones included.

The hidden words hold these cards in seat order, six bits each and ten per word; a player's cards
ascend, so each hand has one code. All hands of cards that the searching seat does not see are
equally likely; the caller weights them by the betting. Public cards still to come are not part of a
code: they are dealt to each world, evenly over the worlds of a view.
"""

from itertools import combinations
from math import comb

import numpy as np

from games.kernels import kernel, random_below, random_float
from games.kernels.generic import copy_row
from games.kernels.rows import Rules, States
from games.poker.cards import HIDDEN, card, num_seats, put_card

_BITS = 6
_CARDS_PER_WORD = 10
_GOLDEN_RATIO = 0.6180339887498949


def num_words(num_seats: int, num_private: int) -> int:
    """Returns the number of words that hold the private cards of the others."""
    return -(-(num_seats - 1) * num_private // _CARDS_PER_WORD)


def hand_names(card_names: tuple[str, ...], num_private: int) -> tuple[str, ...]:
    """Returns the names of all hands of a player, in the order of ``hand_index``: sorted by the
    last card first.
    """
    hands = sorted(combinations(range(len(card_names)), num_private), key=lambda hand: hand[::-1])
    names = tuple("".join(card_names[card] for card in hand) for hand in hands)
    assert len(names) == comb(len(card_names), num_private)
    return names


@kernel
def card_at(hidden: np.ndarray, at: int) -> int:
    """Returns the ``at``-th card of a code."""
    return np.int64(
        (hidden[at // _CARDS_PER_WORD] >> np.uint64(_BITS * (at % _CARDS_PER_WORD))) & np.uint64(63)
    )


@kernel
def write_code(cards: np.ndarray, num_private: int, hidden: np.ndarray) -> None:
    """Writes the code (uint64 ``[W]``) of cards (int8 ``[H]``), and sorts those of each player."""
    for first in range(0, cards.size, num_private):
        for k in range(first + 1, first + num_private):
            for j in range(k, first, -1):
                if cards[j] < cards[j - 1]:
                    cards[j], cards[j - 1] = cards[j - 1], cards[j]
    for w in range(hidden.size):
        hidden[w] = 0
    for k in range(cards.size):
        hidden[k // _CARDS_PER_WORD] |= np.uint64(cards[k]) << np.uint64(
            _BITS * (k % _CARDS_PER_WORD)
        )


@kernel
def list_hands(
    unseen: np.ndarray, count: int, num_private: int, size: int, hidden: np.ndarray
) -> int:
    """Returns the number of ways to deal hands of ``num_private`` unseen cards to the others, and
    lists them; -1 if too many.

    Args:
        unseen: int8, unseen cards; the first ``count`` are used.
        size: Number of cards of all the others.
        hidden: uint64 ``[room, W]``, written.
    """
    at = np.zeros(size, np.int64)  # indices into unseen
    cards = np.empty(size, np.int8)
    total, depth = 0, 0
    at[0] = -1
    while depth >= 0:
        at[depth] += 1
        if at[depth] >= count:
            depth -= 1
            continue
        taken = False
        for k in range(depth):
            taken = taken or at[k] == at[depth]
        if taken:
            continue
        if depth + 1 < size:
            depth += 1
            at[depth] = at[depth - 1] if depth % num_private else -1
            continue
        if total == hidden.shape[0]:
            return -1
        for k in range(size):
            cards[k] = unseen[at[k]]
        write_code(cards, num_private, hidden[total])
        total += 1
    return total


@kernel(forceinline=True)
def _num_hidden(rules: Rules) -> int:
    """Returns the number of private cards of all the others."""
    return (num_seats(rules) - 1) * np.int64(rules.num_private)


@kernel(forceinline=True)
def _cards_between(rules: Rules, states: States, i: int, first: int, last: int) -> np.uint64:
    """Returns the set of the known cards from ``first`` to ``last - 1``, a bit for each."""
    found = np.uint64(0)
    for k in range(first, last):
        held = card(rules, states, i, k)
        if held != HIDDEN:
            found |= np.uint64(1) << np.uint64(held)
    return found


@kernel(forceinline=True)
def _seen_cards(rules: Rules, views: States, i: int, seat: int) -> np.uint64:
    """Returns the set of cards that a seat sees in its view; in an earlier view also those revealed
    later.
    """
    size, board = rules.num_private, num_seats(rules) * rules.num_private
    own = _cards_between(rules, views, i, seat * size, (seat + 1) * size)
    return own | _cards_between(rules, views, i, board, board + rules.num_public)


@kernel
def _complement(num_cards: int, seen: np.uint64, cards: np.ndarray) -> int:
    """Returns the number of cards not in a set, and writes them, ascending, to ``cards`` (int8)."""
    count = 0
    for other in range(num_cards):
        if not (seen >> np.uint64(other)) & np.uint64(1):
            cards[count] = other
            count += 1
    return count


@kernel
def _num_ways(cards: int, num_private: int, left: int) -> float:
    """Returns the number of ways to deal the others their hands from ``cards`` cards."""
    ways = 1.0
    for k in range(cards):
        ways *= left / (k % num_private + 1)
        left -= 1
    return ways


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns the number of ways to deal unseen cards to the others, -1 if they do not fit, and
    lists their codes.
    """
    unseen = np.empty(rules.num_cards, np.int8)
    count = _complement(rules.num_cards, _seen_cards(rules, views, i, seat), unseen)
    if _num_ways(_num_hidden(rules), rules.num_private, count) > hidden.shape[0] + 0.5:
        return -1
    return list_hands(unseen, count, rules.num_private, _num_hidden(rules), hidden)


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws hands of the others, all equally likely, for every row of ``hidden`` (uint64 ``[n,
    W]``).
    """
    unseen, cards = np.empty(rules.num_cards, np.int8), np.empty(_num_hidden(rules), np.int8)
    count = _complement(rules.num_cards, _seen_cards(rules, views, i, seat), unseen)
    for j in range(hidden.shape[0]):
        for k in range(cards.size):
            drawn = k + random_below(rng, lane, count - k)
            unseen[k], unseen[drawn] = unseen[drawn], unseen[k]
            cards[k] = unseen[k]
        write_code(cards, rules.num_private, hidden[j])


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) of hands of the others: one over the number of ways to
    deal them.
    """
    unseen = np.empty(rules.num_cards, np.int8)
    left = _complement(rules.num_cards, _seen_cards(rules, views, i, seat), unseen)
    return -np.log(_num_ways(_num_hidden(rules), rules.num_private, left))


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the view of a seat with hands of the others; returns False if they hold a card that
    the seat sees.
    """
    seen, at, size = _seen_cards(rules, views, i, seat), 0, rules.num_private
    copy_row(rules, views, i, worlds, j)
    for k in range(num_seats(rules) * size):
        if not seat * size <= k < (seat + 1) * size:
            held = card_at(hidden, at)
            if (seen >> np.uint64(held)) & np.uint64(1):
                return False
            put_card(rules, worlds, j, k, held)
            at += 1
    return True


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the code (uint64 ``[W]``) of the private cards of the others."""
    cards, at, size = np.empty(_num_hidden(rules), np.int8), 0, rules.num_private
    for k in range(num_seats(rules) * size):
        if not seat * size <= k < (seat + 1) * size:
            cards[at] = card(rules, states, i, k)
            at += 1
    write_code(cards, size, hidden)


@kernel
def copy_view(rules: Rules, views: States, i: int, seat: int, target: States, j: int) -> None:
    """Writes the cards that a seat sees in its view to another lane; the others are hidden."""
    size, board = rules.num_private, num_seats(rules) * rules.num_private
    for k in range(board + rules.num_public):
        sees = k >= board or seat * size <= k < (seat + 1) * size
        put_card(rules, target, j, k, card(rules, views, i, k) if sees else HIDDEN)


@kernel
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Copies the public cards of a view into an earlier one."""
    board = num_seats(rules) * rules.num_private
    for k in range(board, board + rules.num_public):
        put_card(rules, earlier, j, k, card(rules, views, i, k))


@kernel
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the public cards still to come at random; the first of them is spread evenly over the
    worlds of a view.
    """
    offset, left = random_float(rng, lane), np.empty(rules.num_cards, np.int8)
    board = num_seats(rules) * rules.num_private
    for w in range(count):
        start, fresh = (offset + w * _GOLDEN_RATIO) % 1.0, True
        used = _cards_between(rules, worlds, first + w, 0, board + rules.num_public)
        unused = _complement(rules.num_cards, used, left)
        for k in range(board, board + rules.num_public):
            if card(rules, worlds, first + w, k) == HIDDEN:
                drawn = int(start * unused) if fresh else random_below(rng, lane, unused)
                put_card(rules, worlds, first + w, k, left[drawn])
                unused -= 1
                left[drawn] = left[unused]
                fresh = False


@kernel
def hand_index(hidden: np.ndarray, first: int, num_private: int) -> int:
    """Returns the index of a hand, the cards from ``first`` on, among all hands.

    It is the sum of C(c_k, k + 1) over its cards c_0 < c_1 < ….

    Source: Knuth, TAOCP 4A, 7.2.1.3 (the combinatorial number system).
    """
    index = 0
    for k in range(num_private):
        ways, card = 1, card_at(hidden, first + k)
        for j in range(k + 1):
            ways = ways * (card - j) // (j + 1)
        index += ways
    return index


@kernel
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes a one at the hand of each of the others, in turn, and zeros elsewhere (int8 ``[others,
    hands]``).
    """
    counts[:] = 0
    seats = num_seats(rules)
    for k in range(seats - 1):
        other = (seat + 1 + k) % seats
        first = (other - (1 if other > seat else 0)) * rules.num_private
        counts[k, hand_index(hidden, first, rules.num_private)] = 1


WORLDS = (
    list_hidden,
    draw_hidden,
    log_prior_hidden,
    fill_world,
    hidden_of,
    reveal,
    count_hidden,
)
"""The generic kernels that every poker game registers unchanged."""
