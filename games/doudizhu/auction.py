"""The auction for the landlord, and doubling: what may be said, and what follows; as kernels.

    CALLING ─▶ the landlord takes the bottom cards, which all see ─▶ DOUBLING ─▶ PLAYING
        └▶ thrown in, if nobody calls (or, if forced, seat 0 is the landlord)

Seat 0 speaks first. Bids, which are the moves of the auction, have ids after those of the cards.

``doubling=each`` is the rule of Tencent QQ's 欢乐斗地主 (mj.yulinonline.com/ddz/756.html, 加倍, of
12 March 2024): points are doubled by a player's own doubling and by its opponent's. A peasant's
counts between that peasant and the landlord alone, the landlord's against both. There all three are
asked within one time limit; here in turn, the landlord last, and whatever the peasants said.
Conditions on the beans that players own are left out.
"""

from enum import IntEnum

import numpy as np

from games.doudizhu.cards import NUM_SEATS
from games.doudizhu.moves import Rules
from games.kernels import kernel, mix64
from games.kernels.rows import States

BIDDINGS = ("none", "call", "rob")
"""How the landlord is found: there is no auction; by calls of 1, 2 or 3; or by robs."""
NO_AUCTION, BY_CALLS, BY_ROBS = range(len(BIDDINGS))

DOUBLINGS = (False, True, "each")
"""Whether there is a round of doubling; each: of the points of each peasant by themselves."""
EACH = 2

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

    PLAYING = 0
    CALLING = 1
    DOUBLING = 2


@kernel
def role_of(states: States, i: int, seat: int) -> int:
    """Returns the role of a seat; the seat while there is no landlord."""
    return (seat + NUM_SEATS - np.int64(states.landlord[i])) % np.int64(NUM_SEATS)


@kernel
def highest_claim(states: States, i: int) -> int:
    """Returns the highest claim, 0 if there is none."""
    return np.int64(max(np.int64(0), states.claims[i].max()))


@kernel
def legal_bids(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of bids that the seat to move may make; writes them, ascending, to
    ``actions`` (int16 ``[max_legal]``).
    """
    claim = highest_claim(states, i)
    refusal = np.int64(0)  # a place in TEXTS
    if states.phase[i] == Phase.DOUBLING:
        refusal = np.int64(_DOUBLES)
    elif rules.bidding == BY_ROBS and claim > 0:
        refusal = np.int64(2)
    first = last = refusal + 1
    if states.phase[i] == Phase.CALLING and rules.bidding == BY_CALLS:
        first, last = claim + 1, np.int64(3)
    actions[0] = rules.cards.size + refusal
    for place in range(first, last + 1):
        actions[1 + place - first] = rules.cards.size + place
    return 2 + last - first


@kernel
def _turn_up(rules: Rules, states: States, i: int, landlord: int) -> None:
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
def _not_called(rules: Rules, states: States, i: int) -> None:
    """Ends an auction in which nobody called: the game is thrown in, or seat 0 is the landlord."""
    if rules.forced:
        states.claims[i, 0] = 1
        states.factor[i] = 1
        _turn_up(rules, states, i, 0)
    else:
        states.winner[i] = NOBODY


@kernel
def _call(rules: Rules, states: States, i: int, place: int) -> None:
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
def _rob(rules: Rules, states: States, i: int, claims: bool) -> None:
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
def _double(rules: Rules, states: States, i: int, doubles: bool) -> None:
    """Plays a doubling or its refusal: of the peasants in turn, then of the landlord if one did or
    each doubles alone.
    """
    role, landlord = np.int64(states.seat[i]), np.int64(states.landlord[i])
    states.doubled[i, (role + landlord) % NUM_SEATS] = doubles
    if doubles and (role == 0 or rules.doubling != EACH):
        states.factor[i] *= 2
    if role == 1:
        states.seat[i] = 2
    elif role == 2 and (rules.doubling == EACH or states.doubled[i].max() > 0):
        states.seat[i] = 0
    else:
        states.seat[i] = 0
        states.phase[i] = Phase.PLAYING


@kernel
def bid(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal bid in lane ``i``. It is not checked."""
    place = np.int64(action) - np.int64(rules.cards.size)
    if states.phase[i] == Phase.DOUBLING:
        _double(rules, states, i, place > _DOUBLES)
    elif rules.bidding == BY_ROBS:
        _rob(rules, states, i, place == 1 or place == 3)
    else:
        _call(rules, states, i, place)
    states.length[i] += 1
    states.key[i] = mix64(states.key[i] + np.uint64(action + 1))


@kernel
def play_auctions(rules: Rules, states: States, moves: np.ndarray, said: np.ndarray) -> None:
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
            seat = (np.int64(states.seat[i]) + np.int64(states.landlord[i])) % NUM_SEATS
            said[i, seat, move - rules.cards.size] = True
            bid(rules, states, i, move)


@kernel
def is_spring(states: States, i: int) -> bool:
    """Returns whether a game of cards that is over was a spring: no peasant played a card, or the
    landlord only the first lead.
    """
    return states.led[i] == 1 or (states.played[i, 1] | states.played[i, 2]) == np.uint64(0)


@kernel
def share(rules: Rules, states: States, i: int, role: int) -> float:
    """Returns how many times ``factor`` a role wins or loses: a peasant once, twice if it doubled
    alone (``each``); the landlord as often as both.
    """
    total = 0.0
    for peasant in range(1, NUM_SEATS):
        if role == 0 or role == peasant:
            seat = (peasant + np.int64(states.landlord[i])) % NUM_SEATS
            total += 2.0 if rules.doubling == EACH and states.doubled[i, seat] > 0 else 1.0
    return total
