"""States of the game: deals, moves, and what a state says about its end.

The numbers 0, 1 and 2 are *roles* in a state: the landlord, the peasant after and the peasant
before the landlord, who sit at ``(role + landlord) % 3``. Without an auction the landlord is seat
0; until an auction has found one, seats stand in for roles.

The kernels read the hand of the seat to move and public fields only, so they work on views in which
the other hands are erased (zero). The end of the game follows from the cards played, and an erased
hand stays erased when its owner plays.
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.auction import (
    NO_AUCTION,
    NOBODY,
    UNSAID,
    Phase,
    bid,
    is_spring,
    legal_bids,
    role_of,
    share,
)
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


BIDDER = 3
"""The role of a seat that calls, robs or doubles."""


class States(NamedTuple):
    """A batch of B states; where there is an auction, 17 cards of each seat are in ``hands`` and
    ``bottom`` is empty until there is a landlord.

    Attributes:
        hands: uint64 ``[B, 3]``, the cards that each role holds.
        played: uint64 ``[B, 3]``, the cards that each role has played.
        bottom: uint64 ``[B]``, the three face-up cards as dealt; the landlord's hand includes them.
        seat: int8 ``[B]``, the role to move (after the end: the one after the winner).
        target: int16 ``[B]``, the move to beat, 0 when the role to move leads.
        passes: int8 ``[B]``, passes since the target was played, 0 or 1; of calls, refusals since
            the last claim.
        bombs: int8 ``[B]``, bombs and rockets played.
        winner: int8 ``[B]``, the role that has played its last card, ``NOBODY`` if the game was
            thrown in, -1 while it runs.
        length: int16 ``[B]``, moves since the deal, passes and bids included.
        key: uint64 ``[B]``, hash of the moves since the deal.
        history: int16 ``[B, 16]``, the last moves with cards, newest first, -1 = none.
        talon: uint64 ``[B]``, the bottom cards while they are hidden; 0 in views.
        phase: int8 ``[B]``, a ``Phase``.
        landlord: int8 ``[B]``, the landlord's seat; 0 until there is one.
        claims: int8 ``[B, 3]``, the highest call of each seat; in ``rob`` 1 for the call, 2 and
            more for robs in turn; 0 = it did not claim, -1 = it has said nothing.
        factor: int16 ``[B]``, by which bids and doublings multiply the points of all; 0 before the
            first call, and where there is no auction.
        doubled: int8 ``[B, 3]``, by seat: 1 = doubled, 0 = did not, -1 = it has said nothing.
        led: int8 ``[B]``, number of times that the landlord played cards.
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
    talon: np.ndarray
    phase: np.ndarray
    landlord: np.ndarray
    claims: np.ndarray
    factor: np.ndarray
    doubled: np.ndarray
    led: np.ndarray


_KINDS = (
    *("3u8", "3u8", "u8", "i1", "i2", "i1", "i1", "i1", "i2", "u8", f"{HISTORY}i2"),
    *("u8", "i1", "i1", "3i1", "i2", "3i1", "i1"),
)


def empty(count: int) -> States:
    """Returns ``count`` rows of zeros."""
    return States(*zeros(count, *_KINDS))


def start(hands: np.ndarray, bottom: np.ndarray) -> States:
    """Returns the states before the first move with cards for given hands (uint64 ``[B, 3]``) and
    bottom cards (uint64 ``[B]``).
    """
    states = empty(len(hands))
    states.hands[:], states.bottom[:] = hands, bottom
    states.winner[:], states.history[:] = -1, -1
    states.claims[:], states.doubled[:] = UNSAID, UNSAID
    return states


def start_auction(hands: np.ndarray, talon: np.ndarray) -> States:
    """Returns the states before the first call: 17 cards of each seat (uint64 ``[B, 3]``), and the
    other three (uint64 ``[B]``).
    """
    states = start(hands, np.uint64(0))
    states.talon[:], states.phase[:] = talon, Phase.CALLING
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


@kernel(forceinline=True)
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""
    states = borrowed(states)
    if states.winner[i] >= 0:
        return np.int64(-1)
    return (np.int64(states.seat[i]) + np.int64(states.landlord[i])) % np.int64(NUM_SEATS)


@kernel
def role(rules: Rules, states: States, i: int) -> int:
    """Returns the role of the seat to move in the card play, ``BIDDER`` before it; -1 when the game
    is over.
    """
    if states.winner[i] >= 0:
        return np.int64(-1)
    return np.int64(states.seat[i] if states.phase[i] == Phase.PLAYING else BIDDER)


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
    if states.phase[i] != Phase.PLAYING:
        return legal_bids(rules, states, i, actions)
    return legal_moves(rules, states.hands[i, states.seat[i]], states.target[i], actions)


@kernel
def is_bomb(rules: Rules, move: int) -> bool:
    """Returns whether a move is a bomb or the rocket, which doubles the stake."""
    return move >= rules.first[Category.BOMB, 1, 0]


@kernel(forceinline=True)
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    rules, states = borrowed(rules), borrowed(states)
    if states.phase[i] != Phase.PLAYING:
        bid(rules, states, i, action)
        return
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
        if seat == 0:
            states.led[i] += 1
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
def bomb_factor(states: States, i: int) -> float:
    """Returns 2^bombs."""
    return np.float64(np.int64(1) << np.int64(states.bombs[i]))


@kernel
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the points at stake for the seat to move, without an auction those of its team; for a
    landlord of an auction those of both peasants; 1 until there is a landlord.
    """
    if rules.bidding == NO_AUCTION:
        return bomb_factor(states, i)
    if states.phase[i] == Phase.CALLING:
        return 1.0
    points = bomb_factor(states, i) * states.factor[i]
    return points * share(rules, states, i, np.int64(states.seat[i]))


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the points of a seat; the game must be over.

    Without an auction a team wins or loses 2^bombs points. With one a peasant does, times the
    factor of bids and doublings, twice as many after a spring (and where it doubled alone); the
    landlord the sum of both peasants' points. If the game was thrown in, all points are 0.
    """
    if states.winner[i] == NOBODY:
        return 0.0
    role = role_of(states, i, seat)
    points = bomb_factor(states, i)
    if rules.bidding != NO_AUCTION:
        points *= states.factor[i] * share(rules, states, i, role)
        points *= 2.0 if is_spring(states, i) else 1.0
    return points if (states.winner[i] == 0) == (role == 0) else -points


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: its hand, the bottom cards once they are shown,
    and the moves since the deal.
    """
    hand = states.hands[i, role_of(states, i, seat)]
    return mix64(states.key[i] ^ mix64(hand + mix64(states.bottom[i])))


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    """Sets the hands that a seat cannot see and hidden bottom cards to zero."""
    own = role_of(states, i, seat)
    for other in range(NUM_SEATS):
        if other != own:
            states.hands[i, other] = 0
    states.talon[i] = 0
