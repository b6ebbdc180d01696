# mypy: disable-error-code="empty-body"
"""Batches of positions and the generic kernels of limit poker, for players that read cards and bets
rather than tables.

A position is the cards and a node of the betting tree. Seats are the players, actions are those of
``betting.Action``.

The information set of a seat is its own cards, the public cards of the rounds so far, and the
bets. Observations have a position for each rank (at least four, so that no policy output belongs to
a rank) and these planes, for P players, R rounds and S kinds of suits (1 where suits never matter):

| planes | content |
|---|---|
| S | own cards, by suit |
| S | public cards, by suit |
| R x M x 3 | the k-th action of each round is fold, call, raise; M is the most actions of a |
| | round that lead to a decision |
| P | half chips paid: by the seat itself, then by the next seats in turn |
| P | which seat observes |

Suits are renumbered by the cards that the seat sees (``cards.observe_cards``).
"""

from typing import NamedTuple

import numpy as np

from games.kernels import borrowed, kernel, mix64
from games.kernels.dispatch import GenericKernel, register
from games.kernels.generic import register_all
from games.play.tables import PublicTree
from games.poker import cards
from games.poker.cards import HIDDEN as HIDDEN
from games.poker.cards import observe_cards
from games.poker.showdown import compared
from games.poker.worlds import WORLDS, copy_view, deal_rest


class States(NamedTuple):
    """A batch of B states.

    Attributes:
        cards: int8 ``[B, K]``: the private cards of player 0, those of player 1, …, then the public
            cards, future ones included. ``HIDDEN`` in views.
        node: int32 ``[B]``, the node of the betting tree, ``~t`` at the terminal node t.
    """

    cards: np.ndarray
    node: np.ndarray


class Strengths(NamedTuple):
    """Comparison of hands by a table.

    Attributes:
        table: int32 ``[cards, cards]``, strength by the private and the (first) public card.
    """

    table: np.ndarray


class Rules(NamedTuple):
    """The tables of a game: D decision nodes, P players, R rounds.

    Attributes:
        betting: The betting tree.
        showdown: Comparison of hands, a NamedTuple: ``strength`` is registered for its type.
        public: int32 ``[R]``, public cards that can be seen in a round.
        parent: int32 ``[D]``, the decision node before; -1 at the start.
        feature: int16 ``[D]``, the plane of the history for the action that led to a node; -1 at
            the start.
        num_features: Number of planes of the history.
        outcome: int8 ``[3 ** (P * (P - 1) / 2)]``, ``showdown.outcome_table(P)``.
        num_private: Private cards of a player.
        num_public: Public cards in all.
        num_cards: Cards of the deck; card c is of rank ``c // num_suits``.
        num_suits: Suits of the deck.
        suit_planes: 1, or the number of suits where they matter.
        largest_pot: Chips.
    """

    betting: PublicTree
    showdown: object
    public: np.ndarray
    parent: np.ndarray
    feature: np.ndarray
    num_features: int
    outcome: np.ndarray
    num_private: int
    num_public: int
    num_cards: int
    num_suits: int
    suit_planes: int
    largest_pot: float


@GenericKernel
def strength(showdown: object, cards: np.ndarray, first: int, num_private: int, board: int) -> int:
    """Returns the strength of a hand, larger is better. A generic kernel.

    Args:
        showdown: As in ``Rules``.
        cards: int8 ``[K]``, all cards of a deal.
        first: Index of the player's first private card.
        num_private: Private cards of a player.
        board: Index of the first public card.
    """


@kernel
def _listed_strength(
    showdown: Strengths, cards: np.ndarray, first: int, num_private: int, board: int
) -> int:
    public = cards[board] if board < cards.size else 0
    return int(showdown.table[cards[first], public])


register(strength, Strengths, _listed_strength)


@kernel(forceinline=True)
def _num_seats(rules: Rules) -> int:
    return int(borrowed(rules).betting.paid.shape[1])


@kernel(forceinline=True)
def _card(rules: Rules, states: States, i: int, k: int) -> int:
    return int(borrowed(states).cards[i, k])


@kernel(forceinline=True)
def _put_card(rules: Rules, states: States, i: int, k: int, card: int) -> None:
    borrowed(states).cards[i, k] = card


register(cards.num_seats, Rules, _num_seats)
register(cards.card, Rules, _card)
register(cards.put_card, Rules, _put_card)


@kernel(forceinline=True)
def public_cards(rules: Rules, states: States, i: int) -> int:
    """Returns the number of visible public cards in lane ``i``; 0 at the end, where it is
    unused.
    """
    tables, node = borrowed(rules), borrowed(states).node[i]
    return tables.public[tables.betting.round[node]] if node >= 0 else 0


@kernel
def outcome_of_cards(rules: Rules, cards: np.ndarray) -> int:
    """Returns the order of the hands of a deal (``betting.outcomes``)."""
    num_seats, size = rules.betting.paid.shape[1], rules.num_private
    board = num_seats * size
    index = 0
    for one in range(num_seats):
        own = strength(rules.showdown, cards, one * size, size, board)
        for two in range(one + 1, num_seats):
            index = compared(index, own, strength(rules.showdown, cards, two * size, size, board))
    return rules.outcome[index]


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``, 0 at the end; writes them (``Action``),
    ascending, to ``actions``.
    """
    node = states.node[i]
    count = rules.betting.num_actions[node] if node >= 0 else 0
    for slot in range(count):
        actions[slot] = rules.betting.actions[node, slot]
    return count


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    node = states.node[i]
    # Legal actions are consecutive: fold needs something to call, and calling is always legal.
    states.node[i] = rules.betting.child[node, action - rules.betting.actions[node, 0]]


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the player to act, -1 when the hand is over."""
    node = states.node[i]
    return int(rules.betting.player[node]) if node >= 0 else -1


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the chips that a player has won; the hand must be over."""
    terminal = ~states.node[i]
    outcome = outcome_of_cards(rules, states.cards[i]) if rules.betting.showdown[terminal] else 0
    return rules.betting.payoffs[terminal, outcome, seat]


@kernel
def returns_of(rules: Rules, states: States, seat: int, out: np.ndarray) -> None:
    """Writes the chips that a player has won in each row to ``out`` (float64 ``[B]``); all hands
    must be over.
    """
    for i in range(out.size):
        out[i] = team_return(rules, states, i, seat)


@kernel
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the largest pot in chips: the unit of a network's values."""
    return rules.largest_pot


@kernel(forceinline=True)
def _with_set(states: States, i: int, first: int, last: int, key: np.uint64) -> np.uint64:
    """Returns a hash extended by the cards ``first`` to ``last - 1``, the highest first."""
    before = np.int64(127)
    for _ in range(first, last):
        highest = np.int64(HIDDEN)
        for k in range(first, last):
            card = np.int64(states.cards[i, k])
            if highest < card < before:
                highest = card
        key, before = mix64(key ^ np.uint64(highest + 1)), highest
    return key


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a hash of a seat's cards, of the bets and the public cards so far, independent of the
    order in which a round's cards were dealt; at the end, of its own cards and the terminal node.
    """
    tables, row = borrowed(rules), borrowed(states)
    node, size = row.node[i], tables.num_private
    key = _with_set(row, i, seat * size, (seat + 1) * size, mix64(np.uint64(np.int64(node))))
    board = tables.betting.paid.shape[1] * size
    for k in range(tables.betting.round[node] + 1 if node >= 0 else 0):
        first = board + (tables.public[k - 1] if k > 0 else 0)
        key = _with_set(row, i, first, board + tables.public[k], key)
    return key


@kernel
def copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``."""
    for k in range(source.cards.shape[1]):
        target.cards[j, k] = source.cards[i, k]
    target.node[j] = source.node[i]


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes a seat's observation to all of ``out`` (int8 ``[C, L]``); the planes are those of the
    module docstring.
    """
    tables, row = borrowed(rules), borrowed(states)
    node, num_seats = row.node[i], tables.betting.paid.shape[1]
    out[:] = 0
    observe_cards(tables, row, i, seat, out)
    plane = 2 * tables.suit_planes + tables.num_features
    for k in range(num_seats):
        if node >= 0:
            out[plane + k] = (
                2 * tables.betting.paid[tables.betting.position[node], (seat + k) % num_seats]
            )
        out[plane + num_seats + k] = k == seat
    while node > 0:
        out[2 * tables.suit_planes + tables.feature[node]] = 1
        node = tables.parent[node]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view before the first bet, with the cards that have come to the table since."""
    copy_view(rules, views, i, seat, starts, j)
    starts.node[j] = 0


register_all(
    Rules,
    legal,
    step,
    current_seat,
    team_return,
    stake,
    observe,
    infoset_key,
    copy_row,
    public_cards,
    start_view,
    deal_rest,
    *WORLDS,
)
