"""The whole game: an auction for the landlord, doubling, card play, springs; as kernels.

    CALLING ─▶ the landlord takes the bottom cards, which all see ─▶ DOUBLING ─▶ PLAYING
        └▶ thrown in, if nobody calls (or, if forced, seat 0 is the landlord)

Seat 0 speaks first. Card play is that of ``state.py``: rules and states here have all the fields
of those there, and their kernels read them by name. There the numbers 0, 1 and 2 are *roles*: the
landlord, the peasant after and the peasant before the landlord, who sit at ``(role + landlord) %
3``. Until there is a landlord, seats stand in for roles. Moves of the auction have ids after those
of the cards.

``doubling=each`` is the rule of Tencent QQ's 欢乐斗地主 (mj.yulinonline.com/ddz/756.html, 加倍, of
12 March 2024): points are doubled by a player's own doubling and by its opponent's. A peasant's
counts between that peasant and the landlord alone, the landlord's against both. There all three are
asked within one time limit; here in turn, the landlord last, and whatever the peasants said.
Conditions on the beans that players own are left out.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from games.doudizhu import moves, state
from games.doudizhu.cards import NUM_SEATS
from games.doudizhu.moves import PASS
from games.kernels import borrowed, kernel, mix64
from games.kernels.rows import zeros

BIDDINGS = ("none", "call", "rob")
"""How the landlord is found: there is no auction; by calls of 1, 2 or 3; or by robs."""

DOUBLINGS = (False, True, "each")
"""Whether there is a round of doubling; each: of the points of each peasant by themselves."""

TEXTS = {
    "call": ("no call", "call 1", "call 2", "call 3", "no double", "double"),
    "rob": ("no call", "call", "no rob", "rob", "no double", "double"),
}
"""The moves of an auction, in the order of their ids."""

MAX_BIDS = 7
"""Two seats do not call; then 1, no call, 2, no call, 3 or no call."""
MAX_DOUBLES = 3
MAX_FACTOR = 8
"""The first call of ``rob``, doubled three times."""
NOBODY = 3
"""The winner of a game that was thrown in."""
UNSAID = -1
BIDDER = 3
"""The role of a seat that calls, robs or doubles."""

_DOUBLES = 4
"""Place of "no double" in ``TEXTS``."""


class Phase(IntEnum):
    """What the seat to move decides."""

    CALLING = 0
    DOUBLING = 1
    PLAYING = 2


class WholeRules(NamedTuple):
    """The tables of ``moves.Rules``, and the options of the auction.

    Attributes:
        robs: Whether bidding is ``rob``, not ``call``.
        doubling: Whether there is a round of doubling.
        each: Whether a peasant doubles its own points alone, and the landlord is always asked.
        forced: Whether seat 0 becomes the landlord, as if it had called 1, when nobody calls.
    """

    cards: np.ndarray
    category: np.ndarray
    top: np.ndarray
    length: np.ndarray
    size: np.ndarray
    first: np.ndarray
    encoding: int
    robs: bool
    doubling: bool
    each: bool
    forced: bool


class WholeStates(NamedTuple):
    """A batch of B states: the fields of ``state.States`` by role, then those of the auction by
    seat.

    Until there is a landlord, ``hands`` are 17 cards of each seat and ``bottom`` is empty.

    Attributes:
        talon: uint64 ``[B]``, the bottom cards while they are hidden; 0 in views.
        phase: int8 ``[B]``, a ``Phase``.
        landlord: int8 ``[B]``, the landlord's seat; 0 until there is one.
        claims: int8 ``[B, 3]``, the highest call of each seat; in ``rob`` 1 for the call, 2 and
            more for robs in turn; 0 = it did not claim, -1 = it has said nothing.
        factor: int16 ``[B]``, by which bids and doublings multiply the points of all; 0 before the
            first call.
        doubled: int8 ``[B, 3]``, 1 = doubled, 0 = did not, -1 = it has said nothing.
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


def whole_rules(rules: moves.Rules, bidding: str, doubling: bool | str, forced: bool) -> WholeRules:
    """Returns the tables of a rule set with an auction."""
    return WholeRules(*rules, bidding == "rob", bool(doubling), doubling == "each", forced)


def empty(count: int) -> WholeStates:
    """Returns ``count`` rows of zeros."""
    own = zeros(count, "u8", "i1", "i1", "3i1", "i2", "3i1", "i1")
    return WholeStates(*state.empty(count), *own)


def start(hands: np.ndarray, bottom: np.ndarray) -> WholeStates:
    """Returns the states before the first call.

    Args:
        hands: uint64 ``[B, 3]``, 17 cards of each seat.
        bottom: uint64 ``[B]``, the other three.
    """
    states = empty(len(hands))
    states.hands[:], states.talon[:] = hands, bottom
    states.winner[:], states.history[:] = -1, -1
    states.claims[:], states.doubled[:] = UNSAID, UNSAID
    return states


@kernel
def role_of(states: WholeStates, i: int, seat: int) -> int:
    """Returns the role of a seat; the seat while there is no landlord."""
    return (seat + NUM_SEATS - np.int64(states.landlord[i])) % np.int64(NUM_SEATS)


@kernel(forceinline=True)
def current_seat(rules: WholeRules, states: WholeStates, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""
    states = borrowed(states)
    if states.winner[i] >= 0:
        return np.int64(-1)
    return (np.int64(states.seat[i]) + np.int64(states.landlord[i])) % np.int64(NUM_SEATS)


@kernel
def role(rules: WholeRules, states: WholeStates, i: int) -> int:
    """Returns the role of the seat to move in the card play, ``BIDDER`` before it; -1 when the game
    is over.
    """
    if states.winner[i] >= 0:
        return np.int64(-1)
    return np.int64(states.seat[i] if states.phase[i] == Phase.PLAYING else BIDDER)


@kernel
def highest_claim(states: WholeStates, i: int) -> int:
    """Returns the highest claim, 0 if there is none."""
    return np.int64(max(np.int64(0), states.claims[i].max()))


@kernel(forceinline=True)
def legal(rules: WholeRules, states: WholeStates, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``; writes them, ascending, to ``actions``
    (int16 ``[max_legal]``).
    """
    rules, states = borrowed(rules), borrowed(states)
    if states.phase[i] == Phase.PLAYING:
        return state.legal(rules, states, i, actions)
    claim = highest_claim(states, i)
    refusal = np.int64(0)  # a place in TEXTS
    if states.phase[i] == Phase.DOUBLING:
        refusal = np.int64(_DOUBLES)
    elif rules.robs and claim > 0:
        refusal = np.int64(2)
    first = last = refusal + 1
    if states.phase[i] == Phase.CALLING and not rules.robs:
        first, last = claim + 1, np.int64(3)
    actions[0] = rules.cards.size + refusal
    for place in range(first, last + 1):
        actions[1 + place - first] = rules.cards.size + place
    return 2 + last - first


@kernel
def _turn_up(rules: WholeRules, states: WholeStates, i: int, landlord: int) -> None:
    """Gives the bottom cards to the landlord and reorders the hands by role."""
    hands = (states.hands[i, 0], states.hands[i, 1], states.hands[i, 2])
    for role in range(NUM_SEATS):
        states.hands[i, role] = hands[(role + landlord) % NUM_SEATS]
    if states.hands[i, 0] != np.uint64(0):  # it is erased where the seat does not see it
        states.hands[i, 0] += states.talon[i]
    states.bottom[i] = states.talon[i]
    states.talon[i] = 0
    states.landlord[i] = landlord
    states.phase[i] = Phase.DOUBLING if rules.doubling else Phase.PLAYING
    states.seat[i] = 1 if rules.doubling else 0
    states.passes[i] = 0


@kernel
def _not_called(rules: WholeRules, states: WholeStates, i: int) -> None:
    """Ends an auction in which nobody called: the game is thrown in, or seat 0 is the landlord."""
    if rules.forced:
        states.claims[i, 0] = 1
        states.factor[i] = 1
        _turn_up(rules, states, i, 0)
    else:
        states.winner[i] = NOBODY


@kernel
def _call(rules: WholeRules, states: WholeStates, i: int, place: int) -> None:
    """Plays a call: 0 for none, or its points."""
    seat = np.int64(states.seat[i])
    if place > 0:
        states.claims[i, seat] = place
        states.factor[i] = place
        states.passes[i] = 0
    else:
        states.claims[i, seat] = max(0, states.claims[i, seat])
        states.passes[i] += 1
    top = highest_claim(states, i)
    if top == 3 or (top > 0 and states.passes[i] == 2):
        _turn_up(rules, states, i, np.int64(states.claims[i].argmax()))
    elif states.passes[i] == NUM_SEATS:
        _not_called(rules, states, i)
    else:
        states.seat[i] = (seat + 1) % NUM_SEATS


@kernel
def _rob(rules: WholeRules, states: WholeStates, i: int, claims: bool) -> None:
    """Plays a call, a rob or a refusal of either."""
    seat = np.int64(states.seat[i])
    robs_back = states.claims[i, seat] == 1
    if claims:
        states.factor[i] = max(1, 2 * states.factor[i])
        states.claims[i, seat] = highest_claim(states, i) + 1
    elif not robs_back:
        states.claims[i, seat] = 0
    top = highest_claim(states, i)
    for k in range(1, NUM_SEATS):  # those who said nothing, in turn
        after = (seat + k) % NUM_SEATS
        if not robs_back and states.claims[i, after] == UNSAID:
            states.seat[i] = after
            return
    if top == 0:
        _not_called(rules, states, i)
        return
    holder = np.int64(states.claims[i].argmax())
    for caller in range(NUM_SEATS):
        if not robs_back and states.claims[i, caller] == 1 and caller != holder:
            states.seat[i] = caller
            return
    _turn_up(rules, states, i, holder)


@kernel
def _double(rules: WholeRules, states: WholeStates, i: int, doubles: bool) -> None:
    """Plays a doubling or its refusal: of the peasants in turn, then of the landlord if one did or
    each doubles alone.
    """
    role, landlord = np.int64(states.seat[i]), np.int64(states.landlord[i])
    states.doubled[i, (role + landlord) % NUM_SEATS] = doubles
    if doubles and (role == 0 or not rules.each):
        states.factor[i] *= 2
    if role == 1:
        states.seat[i] = 2
    elif role == 2 and (rules.each or states.doubled[i].max() > 0):
        states.seat[i] = 0
    else:
        states.seat[i] = 0
        states.phase[i] = Phase.PLAYING


@kernel(forceinline=True)
def step(rules: WholeRules, states: WholeStates, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    rules, states = borrowed(rules), borrowed(states)
    phase, place = states.phase[i], np.int64(action) - np.int64(rules.cards.size)
    if phase == Phase.PLAYING:
        if states.seat[i] == 0 and action != PASS:
            states.led[i] += 1
        state.step(rules, states, i, action)
        return
    if phase == Phase.DOUBLING:
        _double(rules, states, i, place > _DOUBLES)
    elif rules.robs:
        _rob(rules, states, i, place == 1 or place == 3)
    else:
        _call(rules, states, i, place)
    states.length[i] += 1
    states.key[i] = mix64(states.key[i] + np.uint64(action + 1))


@kernel
def play_auctions(
    rules: WholeRules, states: WholeStates, moves: np.ndarray, said: np.ndarray
) -> None:
    """Plays the auctions of G games, up to the first move with cards.

    Args:
        states: The starts of the games; the cards do not matter.
        moves: int16 ``[G, M]``, with -1s after the last one.
        said: bool ``[G, 3, 6]``, written: which of ``TEXTS`` each seat said.
    """
    for i in range(len(moves)):
        for move in moves[i]:
            if move < rules.cards.size:
                break
            said[i, current_seat(rules, states, i), move - rules.cards.size] = True
            step(rules, states, i, move)


@kernel
def is_spring(states: WholeStates, i: int) -> bool:
    """Returns whether a game of cards that is over was a spring: no peasant played a card, or the
    landlord only the first lead.
    """
    return states.led[i] == 1 or (states.played[i, 1] | states.played[i, 2]) == np.uint64(0)


@kernel
def share(rules: WholeRules, states: WholeStates, i: int, role: int) -> float:
    """Returns how many times ``factor`` a role wins or loses: a peasant once, twice if it doubled
    alone (``each``); the landlord as often as both.
    """
    total = 0.0
    for peasant in range(1, NUM_SEATS):
        if role == 0 or role == peasant:
            seat = (peasant + np.int64(states.landlord[i])) % NUM_SEATS
            total += 2.0 if rules.each and states.doubled[i, seat] > 0 else 1.0
    return total


@kernel
def stake(rules: WholeRules, states: WholeStates, i: int) -> float:
    """Returns the points at stake for the seat to move, for a landlord those of both peasants; 1
    until there is a landlord.
    """
    if states.phase[i] == Phase.CALLING:
        return 1.0
    points = state.stake(rules, states, i) * states.factor[i]
    return points * share(rules, states, i, np.int64(states.seat[i]))


@kernel
def team_return(rules: WholeRules, states: WholeStates, i: int, seat: int) -> float:
    """Returns the points of a seat; the game must be over.

    A peasant wins or loses factor · 2^bombs points, twice as many after a spring (and where it
    doubled alone); the landlord the sum of both. If the game was thrown in, all points are 0.
    """
    if states.winner[i] == NOBODY:
        return 0.0
    role = role_of(states, i, seat)
    points = state.team_return(rules, states, i, role) * states.factor[i]
    return points * share(rules, states, i, role) * (2.0 if is_spring(states, i) else 1.0)


@kernel
def infoset_key(rules: WholeRules, states: WholeStates, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: its hand, the bottom cards once they are shown,
    and the moves since the deal.
    """
    return state.infoset_key(rules, states, i, role_of(states, i, seat))


@kernel
def erase(rules: WholeRules, states: WholeStates, i: int, seat: int) -> None:
    """Sets the hands that a seat cannot see and hidden bottom cards to zero."""
    state.erase(rules, states, i, role_of(states, i, seat))
    states.talon[i] = 0
