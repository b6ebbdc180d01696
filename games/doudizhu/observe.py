"""Observations: the information set of a seat as int8 planes over the 15 ranks.

A *threshold* plane k is 1 at the ranks with at least k cards, a *count* plane holds the counts, and
a *broadcast* plane holds one number at every rank. *Next* and *previous* are relative to the
observing seat; *unseen* cards are those that the other two hold.

The encoding ``PAPER`` follows DeltaDou (Jiang et al., IJCAI 2019), which states 15 x 7 numbers but
names six rows: the own cards, the union of the others' cards, the last three moves and the union of
the played cards. The seventh here is the landlord's known bottom cards.
"""

from enum import IntEnum

import numpy as np

from games.doudizhu.auction import NO_AUCTION, Phase, role_of
from games.doudizhu.cards import (
    JOKERS,
    NUM_RANKS,
    NUM_SEATS,
    Seat,
    above,
    at_least,
    count,
    highest,
)
from games.doudizhu.moves import PASS, Rules
from games.doudizhu.state import States, hand_size, known_bottom, target_seat, unseen_cards
from games.kernels import kernel

DEPARTS = (
    (
        "4.2",
        "Of the 15 x 7 input the paper names six rows; the seventh is the landlord's known bottom "
        "cards.",
    ),
)


class Encoding(IntEnum):
    """The observation encodings."""

    DEFAULT = 0
    PAPER = 1


PLANES = {
    Encoding.DEFAULT: (
        ("own hand: thresholds 1 to 4", 4, 1.0),
        ("unseen cards: thresholds 1 to 4", 4, 1.0),
        ("bottom cards that the landlord has not played: thresholds 1 to 3", 3, 1.0),
        ("cards played by the next seat: thresholds 1 to 4", 4, 1.0),
        ("cards played by the previous seat: thresholds 1 to 4", 4, 1.0),
        ("move to beat: thresholds 1 to 4", 4, 1.0),
        ("broadcast: no move to beat", 1, 1.0),
        ("broadcast: move to beat played by the next seat, by the previous seat", 2, 1.0),
        ("last nine moves, newest first: counts", 9, 1 / 4),
        ("broadcast: hand sizes of the own, the next and the previous seat", 3, 1 / 20),
        ("broadcast: next seat has one card, two cards; previous seat has one, two", 4, 1.0),
        ("broadcast: bombs and rockets played", 1, 1 / 4),
        ("broadcast: passes since the move to beat", 1, 1.0),
        ("own ranks whose solo, pair, trio no unseen one beats", 3, 1.0),
        ("ranks with four unseen cards", 1, 1.0),
        ("broadcast: both jokers unseen", 1, 1.0),
        ("broadcast: the observing seat, one-hot", 3, 1.0),
    ),
    Encoding.PAPER: (
        ("own hand: counts", 1, 1 / 4),
        ("unseen cards: counts", 1, 1 / 4),
        ("last three moves, newest first: counts", 3, 1 / 4),
        ("cards played by all: counts", 1, 1 / 4),
        ("bottom cards that the landlord has not played: counts", 1, 1 / 4),
    ),
}
"""What the planes hold, in order: (meaning, number of planes, scale)."""

AUCTION_PLANES = (
    ("broadcast: a call, a doubling is to be decided", 2, (1.0, 1.0)),
    (
        "broadcast, for the own, the next and the previous seat: whether the observing seat is "
        "the first, the second, the third to speak; whether it has spoken; its highest claim; "
        "whether it doubled",
        12,
        3 * (1.0, 1.0, 1 / 3, 1.0),
    ),
    ("broadcast: the landlord has not played after its lead, no peasant has played", 2, (1.0, 1.0)),
)
"""What follows where there is an auction: (meaning, number of planes, their scales)."""
_NUM_AUCTION_PLANES = sum(planes for _, planes, _ in AUCTION_PLANES)

_DEFAULT_MOVES = 9
_STRENGTHS = 44
"""The first plane of the default encoding that compares own and unseen cards."""
_PAPER_MOVES = 3


def scales(encoding: Encoding, auction: bool = False) -> np.ndarray:
    """Returns what each plane is multiplied by before the network (float32 ``[C]``)."""
    more = AUCTION_PLANES if auction else ()
    return np.concatenate(
        [np.full(planes, scale, np.float32) for _, planes, scale in (*PLANES[encoding], *more)]
    )


@kernel
def _thresholds(cards: np.uint64, copies: int, out: np.ndarray, plane: int) -> int:
    """Writes the threshold planes 1 to ``copies``; returns the plane after them."""
    for rank in range(NUM_RANKS):
        held = count(cards, rank)
        for k in range(copies):
            out[plane + k, rank] = held > k
    return plane + copies


@kernel
def _counts(cards: np.uint64, out: np.ndarray, plane: int) -> int:
    """Writes a count plane; returns the plane after it."""
    for rank in range(NUM_RANKS):
        out[plane, rank] = count(cards, rank)
    return plane + 1


@kernel
def _broadcasts(values: tuple[int, ...], out: np.ndarray, plane: int) -> int:
    """Writes a broadcast plane for each value; returns the plane after them."""
    for value in values:
        for rank in range(NUM_RANKS):
            out[plane, rank] = value
        plane += 1
    return plane


@kernel
def _moves(
    rules: Rules, states: States, i: int, num_moves: int, out: np.ndarray, plane: int
) -> int:
    """Writes a count plane for each of the last moves, newest first; returns the plane after
    them.
    """
    for k in range(num_moves):
        plane = _counts(rules.cards[max(states.history[i, k], PASS)], out, plane)
    return plane


@kernel
def _unbeaten(own: np.uint64, unseen: np.uint64, copies: int) -> np.uint64:
    """Returns the rank mask of the own ranks with ``copies`` cards below no unseen rank with as
    many.
    """
    top = highest(at_least(unseen, copies))
    return at_least(own, copies) & (above(top - 1) if top > 0 else ~np.uint64(0))


@kernel
def _strengths(own: np.uint64, unseen: np.uint64, out: np.ndarray, plane: int) -> int:
    """Writes which own cards no unseen ones beat, and the unseen bombs; returns the plane after
    them.
    """
    for copies in range(1, 4):
        plane = _counts(_unbeaten(own, unseen, copies), out, plane)
    plane = _counts(at_least(unseen, 4), out, plane)
    return _broadcasts((unseen & JOKERS == JOKERS,), out, plane)


@kernel
def _observe_default(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the planes of ``Encoding.DEFAULT``."""
    own = states.hands[i, seat]
    unseen = unseen_cards(states, i, seat)
    following = (seat + 1) % NUM_SEATS
    previous = (seat + 2) % NUM_SEATS
    plane = _thresholds(own, 4, out, 0)
    plane = _thresholds(unseen, 4, out, plane)
    plane = _thresholds(known_bottom(states, i), 3, out, plane)
    plane = _thresholds(states.played[i, following], 4, out, plane)
    plane = _thresholds(states.played[i, previous], 4, out, plane)
    plane = _thresholds(rules.cards[states.target[i]], 4, out, plane)
    lead, owner = states.target[i] == PASS, target_seat(states, i)
    plane = _broadcasts((lead, owner == following, owner == previous), out, plane)
    plane = _moves(rules, states, i, _DEFAULT_MOVES, out, plane)
    left = (
        hand_size(states, i, seat),
        hand_size(states, i, following),
        hand_size(states, i, previous),
    )
    plane = _broadcasts(left, out, plane)
    plane = _broadcasts((left[1] == 1, left[1] == 2, left[2] == 1, left[2] == 2), out, plane)
    plane = _broadcasts((states.bombs[i], states.passes[i]), out, plane)
    plane = _strengths(own, unseen, out, plane)
    _broadcasts((seat == Seat.LANDLORD, seat == Seat.DOWN, seat == Seat.UP), out, plane)


@kernel
def _observe_paper(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the planes of ``Encoding.PAPER``."""
    plane = _counts(states.hands[i, seat], out, 0)
    plane = _counts(unseen_cards(states, i, seat), out, plane)
    plane = _moves(rules, states, i, _PAPER_MOVES, out, plane)
    plane = _counts(states.played[i, 0] + states.played[i, 1] + states.played[i, 2], out, plane)
    _counts(known_bottom(states, i), out, plane)


@kernel
def _observe_hand(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes what is known before there is a landlord: the own hand and the unseen cards."""
    own, unseen = states.hands[i, seat], unseen_cards(states, i, seat)
    out[:] = 0
    if rules.encoding == Encoding.PAPER:
        _counts(unseen, out, _counts(own, out, 0))
    else:
        _thresholds(unseen, 4, out, _thresholds(own, 4, out, 0))
        _strengths(own, unseen, out, _STRENGTHS)


@kernel
def _observe_auction(states: States, i: int, seat: int, out: np.ndarray, plane: int) -> None:
    """Writes the planes of ``AUCTION_PLANES``; ``seat`` is not a role."""
    phase = states.phase[i]
    plane = _broadcasts((phase == Phase.CALLING, phase == Phase.DOUBLING), out, plane)
    for k in range(NUM_SEATS):
        other = (seat + k) % NUM_SEATS
        claim = np.int64(states.claims[i, other])
        plane = _broadcasts((seat == k, claim >= 0), out, plane)
        plane = _broadcasts((max(claim, np.int64(0)),), out, plane)
        plane = _broadcasts((states.doubled[i, other] > 0,), out, plane)
    plays = phase == Phase.PLAYING
    unled = (states.played[i, 1] | states.played[i, 2]) == np.uint64(0)
    _broadcasts((plays and states.led[i] <= 1, plays and unled), out, plane)


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the information set of a seat to ``out`` (int8 ``[C, 15]``), every element of it."""
    role = role_of(states, i, seat)
    if states.phase[i] == Phase.CALLING:
        _observe_hand(rules, states, i, seat, out)
    elif rules.encoding == Encoding.PAPER:
        _observe_paper(rules, states, i, role, out)
    else:
        _observe_default(rules, states, i, role, out)
    if rules.bidding != NO_AUCTION:
        _observe_auction(states, i, seat, out, out.shape[0] - _NUM_AUCTION_PLANES)
