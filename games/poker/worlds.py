"""Worlds of limit poker for inference: the private cards of the other players.

The hidden words hold these cards in the order of the seats, six bits each and ten a word; those of
one player ascend, so that a hand has one code. All hands of cards that the searching seat does not
see are equally likely. The cards still to come to the table are no part of a code: they are dealt
to each world, evenly over the worlds of a view.
"""

from itertools import combinations
from math import comb

import numpy as np

from games import generic
from games.dispatch import register
from games.kernels import kernel, random_below, random_float
from games.poker.state import HIDDEN, Rules, States

_BITS = 6
_CARDS_PER_WORD = 10
_GOLDEN_RATIO = 0.6180339887498949


def num_words(num_seats: int, num_private: int) -> int:
    """Returns the words that hold the private cards of the others."""
    return -(-(num_seats - 1) * num_private // _CARDS_PER_WORD)


def hand_names(card_names: tuple[str, ...], num_private: int) -> tuple[str, ...]:
    """Returns the names of all hands of a player, in the order of ``hand_index``: the last cards'
    order first.
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
def _num_seats(rules: Rules) -> int:
    return np.int64(rules.betting.paid.shape[1])


@kernel
def _is_seen(rules: Rules, cards: np.ndarray, seat: int, card: int) -> bool:
    """Returns whether a seat sees a card, its own or on the table, in its view (int8 ``[K]``)."""
    board, own = _num_seats(rules) * rules.num_private, seat * rules.num_private
    for k in range(own, own + rules.num_private):
        if cards[k] == card:
            return True
    for k in range(board, cards.size):
        if cards[k] == card:
            return True
    return False


@kernel
def _unseen(rules: Rules, cards: np.ndarray, seat: int, unseen: np.ndarray) -> int:
    """Returns the number of cards that a seat does not see in its view (int8 ``[K]``); writes them,
    ascending, to ``unseen``.
    """
    count = 0
    for card in range(rules.num_cards):
        if not _is_seen(rules, cards, seat, card):
            unseen[count] = card
            count += 1
    return count


@kernel
def list_hands(
    unseen: np.ndarray, count: int, num_private: int, size: int, hidden: np.ndarray
) -> int:
    """Returns the number of ways to deal hands of ``num_private`` unseen cards to the others, and
    lists them; -1 if too many.

    Args:
        unseen: int8, the first ``count`` of it. size: Cards of all the others. hidden: uint64
            ``[room, W]``, written.
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


@kernel
def _num_hidden(rules: Rules) -> int:
    """Returns the number of private cards of all the others."""
    return (_num_seats(rules) - 1) * np.int64(rules.num_private)


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns the number of ways to deal unseen cards to the others, -1 if they do not fit, and
    lists their codes.
    """
    unseen = np.empty(rules.num_cards, np.int8)
    count = _unseen(rules, views.cards[i], seat, unseen)
    return list_hands(unseen, count, rules.num_private, _num_hidden(rules), hidden)


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws hands of the others, all equally likely, for every row of ``hidden`` (uint64 ``[n,
    W]``).
    """
    unseen = np.empty(rules.num_cards, np.int8)
    count = _unseen(rules, views.cards[i], seat, unseen)
    cards = np.empty(_num_hidden(rules), np.int8)
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
    left, ways = rules.num_cards, 1.0
    for card in range(rules.num_cards):
        left -= _is_seen(rules, views.cards[i], seat, card)
    for k in range(_num_hidden(rules)):
        ways *= left / (k % rules.num_private + 1)
        left -= 1
    return -np.log(ways)


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the view of a seat with hands of the others; returns False if they hold a card that
    the seat sees.
    """
    worlds.node[j] = views.node[i]
    for k in range(views.cards.shape[1]):
        worlds.cards[j, k] = views.cards[i, k]
    at = 0
    for k in range(_num_seats(rules) * rules.num_private):
        if k // rules.num_private != seat:
            card = card_at(hidden, at)
            if _is_seen(rules, views.cards[i], seat, card):
                return False
            worlds.cards[j, k] = card
            at += 1
    return True


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the code (uint64 ``[W]``) of the private cards of the others."""
    cards = np.empty(_num_hidden(rules), np.int8)
    at = 0
    for k in range(_num_seats(rules) * rules.num_private):
        if k // rules.num_private != seat:
            cards[at] = states.cards[i, k]
            at += 1
    write_code(cards, rules.num_private, hidden)


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view before the first bet, with the cards that have come to the table since."""
    for k in range(views.cards.shape[1]):
        starts.cards[j, k] = views.cards[i, k]
    starts.node[j] = 0


@kernel
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Puts the cards on the table of a view on that of an earlier one."""
    for k in range(_num_seats(rules) * rules.num_private, views.cards.shape[1]):
        earlier.cards[j, k] = views.cards[i, k]


@kernel
def _deal_table(rules: Rules, rng: np.ndarray, lane: int, first: float, cards: np.ndarray) -> None:
    """Deals the hidden cards of the table in a world at random.

    Args:
        first: In [0, 1), where the first of them lies among the cards left: worlds share them out
            evenly.
        cards: int8 ``[K]``, changed in place.
    """
    left = np.empty(rules.num_cards, np.int8)
    count = 0
    for card in range(rules.num_cards):
        used = False
        for k in range(cards.size):
            used = used or cards[k] == card
        if not used:
            left[count] = card
            count += 1
    fresh = True
    for k in range(_num_seats(rules) * rules.num_private, cards.size):
        if cards[k] == HIDDEN:
            drawn = int(first * count) if fresh else random_below(rng, lane, count)
            cards[k] = left[drawn]
            count -= 1
            left[drawn] = left[count]
            fresh = False


@kernel
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the cards still to come to the table; the first of them is spread evenly over the
    worlds of a view.
    """
    offset = random_float(rng, lane)
    for w in range(count):
        _deal_table(rules, rng, lane, (offset + w * _GOLDEN_RATIO) % 1.0, worlds.cards[first + w])


@kernel
def hand_index(hidden: np.ndarray, first: int, num_private: int) -> int:
    """Returns the place of a hand, the cards from ``first`` on, among all hands.

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
    num_seats = _num_seats(rules)
    for k in range(num_seats - 1):
        other = (seat + 1 + k) % num_seats
        first = (other - (1 if other > seat else 0)) * rules.num_private
        counts[k, hand_index(hidden, first, rules.num_private)] = 1


register(generic.list_hidden, Rules, list_hidden)
register(generic.draw_hidden, Rules, draw_hidden)
register(generic.log_prior_hidden, Rules, log_prior_hidden)
register(generic.fill_world, Rules, fill_world)
register(generic.hidden_of, Rules, hidden_of)
register(generic.start_view, Rules, start_view)
register(generic.reveal, Rules, reveal)
register(generic.deal_rest, Rules, deal_rest)
register(generic.count_hidden, Rules, count_hidden)
