"""States of the game: deals, moves, and what a state says about its end.

The kernels read the hand of the seat to move and public fields only, so they work on views in which
the other hands are erased (zero). The end of the game follows from the cards played, and an erased
hand stays erased when its owner plays.
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import COPIES, DECK, HAND_SIZES, NUM_SEATS, contains, remaining, size
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import PASS, Category, Rules
from games.kernels import borrowed, kernel, mix64, random_below
from games.kernels.rows import zeros

HISTORY = 16
"""Moves that a state remembers."""

_SIZES = np.array(HAND_SIZES, dtype=np.int64)
_SORTED_DECK = np.repeat(np.arange(len(COPIES)), COPIES)
_BOTTOM_CARDS = 3


class States(NamedTuple):
    """A batch of B states.

    Attributes:
        hands: uint64 ``[B, 3]``, the cards that each seat holds.
        played: uint64 ``[B, 3]``, the cards that each seat has played.
        bottom: uint64 ``[B]``, the three face-up cards as dealt; the landlord's hand includes them.
        seat: int8 ``[B]``, the seat to move (after the end: the seat after the winner).
        target: int16 ``[B]``, the move to beat, 0 when the seat leads.
        passes: int8 ``[B]``, passes since the target was played, 0 or 1.
        bombs: int8 ``[B]``, bombs and rockets played.
        winner: int8 ``[B]``, the seat that has played its last card, -1 while the game runs.
        length: int16 ``[B]``, moves since the deal, passes included.
        key: uint64 ``[B]``, hash of the moves since the deal.
        history: int16 ``[B, 16]``, the last moves, newest first, -1 = none.
    """

    hands: np.ndarray
    played: np.ndarray
    bottom: np.ndarray
    seat: np.ndarray
    target: np.ndarray
    passes: np.ndarray
    bombs: np.ndarray
    winner: np.ndarray
    length: np.ndarray
    key: np.ndarray
    history: np.ndarray


def empty(count: int) -> States:
    """Returns ``count`` rows of zeros."""
    kinds = ("3u8", "3u8", "u8", "i1", "i2", "i1", "i1", "i1", "i2", "u8", f"{HISTORY}i2")
    return States(*zeros(count, *kinds))


def start(hands: np.ndarray, bottom: np.ndarray) -> States:
    """Returns the states before the first move for given hands (uint64 ``[B, 3]``) and bottom cards
    (uint64 ``[B]``).
    """
    states = empty(len(hands))
    states.hands[:] = hands
    states.bottom[:] = bottom
    states.winner[:] = -1
    states.history[:] = -1
    return states


@kernel
def deal_hands(seeds: np.ndarray, hands: np.ndarray, bottom: np.ndarray) -> None:
    """Deals the deck in every row, by Fisher-Yates from the row's seed (uint64 ``[B]``).

    Writes ``hands`` (uint64 ``[B, 3]``, the landlord's with the bottom cards) and ``bottom``
    (uint64 ``[B]``).
    """
    rng = seeds.copy()
    for i in range(len(seeds)):
        deck = _SORTED_DECK.copy()
        hands[i] = 0
        bottom[i] = 0
        for k in range(len(deck)):
            j = k + random_below(rng, i, len(deck) - k)
            card = np.uint64(1) << np.uint64(4 * deck[j])
            deck[j] = deck[k]
            if k < _BOTTOM_CARDS:
                bottom[i] += card
                hands[i, 0] += card
            else:
                hands[i, k % NUM_SEATS] += card


@kernel
def hand_size(states: States, i: int, seat: int) -> int:
    """Returns the number of cards that a seat holds, also where its hand is erased."""
    return _SIZES[seat] - size(states.played[i, seat])


@kernel
def unseen_cards(states: States, i: int, seat: int) -> np.uint64:
    """Returns the cards that the other two seats hold together, as the seat knows them."""
    return (
        DECK
        - states.hands[i, seat]
        - states.played[i, 0]
        - states.played[i, 1]
        - states.played[i, 2]
    )


@kernel
def known_bottom(states: States, i: int) -> np.uint64:
    """Returns the bottom cards that the landlord has not played. Cards carry no suits, so of a rank
    the landlord counts as having played the bottom cards first: what is left of them is known to be
    in the landlord's hand whatever card was played.
    """
    return remaining(states.bottom[i], states.played[i, 0])


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""
    return np.int64(-1) if states.winner[i] >= 0 else np.int64(states.seat[i])


@kernel
def target_seat(states: States, i: int) -> int:
    """Returns the seat that played the move to beat, -1 when the seat to move leads."""
    if states.target[i] == PASS:
        return np.int64(-1)
    return (states.seat[i] + 2 - states.passes[i]) % np.int64(NUM_SEATS)


@kernel(forceinline=True)
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``; writes them, ascending, to ``actions``
    (int16 ``[max_legal]``).
    """
    rules, states = borrowed(rules), borrowed(states)
    return legal_moves(rules, states.hands[i, states.seat[i]], states.target[i], actions)


@kernel
def is_bomb(rules: Rules, move: int) -> bool:
    """Returns whether a move is a bomb or the rocket, which doubles the stake."""
    return move >= rules.first[Category.BOMB, 1, 0]


@kernel(forceinline=True)
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    rules, states = borrowed(rules), borrowed(states)
    seat = np.int64(states.seat[i])
    if action == PASS:
        states.passes[i] += 1
        if states.passes[i] == 2:
            states.passes[i] = 0
            states.target[i] = PASS
    else:
        cards = rules.cards[action]
        if contains(states.hands[i, seat], cards):
            states.hands[i, seat] -= cards
        states.played[i, seat] += cards
        states.target[i] = action
        states.passes[i] = 0
        if is_bomb(rules, action):
            states.bombs[i] += 1
        if hand_size(states, i, seat) == 0:
            states.winner[i] = seat
    states.seat[i] = (seat + 1) % NUM_SEATS
    states.length[i] += 1
    states.key[i] = mix64(states.key[i] + np.uint64(action + 1))
    for k in range(HISTORY - 1, 0, -1):
        states.history[i, k] = states.history[i, k - 1]
    states.history[i, 0] = action


@kernel
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns 2^bombs, the points at stake."""
    return np.float64(np.int64(1) << np.int64(states.bombs[i]))


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the points of the seat's team: plus or minus the stake; the game must be over."""
    won = (states.winner[i] == 0) == (seat == 0)
    points = stake(rules, states, i)
    return points if won else -points


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: its hand, the bottom cards and the moves since
    the deal.
    """
    return mix64(states.key[i] ^ mix64(states.hands[i, seat] + mix64(states.bottom[i])))


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    """Sets the hands that a seat cannot see to zero."""
    for other in range(NUM_SEATS):
        if other != seat:
            states.hands[i, other] = 0
