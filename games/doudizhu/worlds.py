"""Worlds of Doudizhu for inference: the hidden cards of a seat, their prior, and worlds filled in.

The *searching seat* sees its own hand, the cards played and the bottom cards. Of the unseen cards,
some are *fixed*: bottom cards that the landlord has not played. The others are *free*: the next
seat holds some of them, the previous seat the rest. A world is therefore given by the hand of the
next seat alone: its packed set is the first hidden word, and the only one in a game without an
auction. In an auction the last word is the bottom cards, which are free, too, while they are
hidden, and 0 afterwards.

In the prior every deal of the *cards* is equally likely. Cards of one rank are different cards, so
a set of counts weighs prod_r C(free_r, c_r): a world with two of four unseen sevens in one hand
weighs C(4, 2) = 6. Uniform over counts is a classic error.

Two priors must not be confused. The prior *at an information set* deals the cards still unseen.
The prior *of the deal* deals the cards unseen at the start; given what was played, it weighs a
world by the counts at the start. They differ because moves show ranks, not suits: a hand of one
seven that plays it has a single way to do so, a hand of four has four. The network corrects the
first; Bayes' rule over the moves starts from the second (``inference.posterior``).
"""

import math

import numpy as np

from games.doudizhu.auction import NO_AUCTION, UNSAID, Phase, role_of
from games.doudizhu.cards import (
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    Seat,
    contains,
    count,
    size,
)
from games.doudizhu.moves import Rules
from games.doudizhu.state import HISTORY, States, hand_size, known_bottom, unseen_cards
from games.kernels import kernel, random_below
from games.kernels.generic import copy_row

_HAND = HAND_SIZES[1]
_TALON = HAND_SIZES[0] - _HAND
_MOST_FREE = 40
"""At least the number of cards that are ever free: 37, while there is no landlord."""

LOG_CHOOSE = np.array(
    [
        [math.log(math.comb(n, k)) if k <= n else -math.inf for k in range(_MOST_FREE + 1)]
        for n in range(_MOST_FREE + 1)
    ]
)
"""float64 ``[41, 41]``: log C(n, k)."""


@kernel
def hidden_cards(states: States, i: int, seat: int) -> tuple[np.uint64, np.uint64, int]:
    """Returns (free cards, cards that the next seat is known to hold, number of free cards that the
    next seat holds).

    Reads what ``seat`` sees of lane ``i`` only.
    """
    role = role_of(states, i, seat)
    following = (role + 1) % NUM_SEATS
    known = np.uint64(0) if role == Seat.LANDLORD else known_bottom(states, i)
    fixed = known if following == Seat.LANDLORD else np.uint64(0)
    held = hand_size(states, i, following)
    if states.phase[i] == Phase.CALLING:
        held = np.int64(_HAND)
    return unseen_cards(states, i, role) - known, fixed, held - size(fixed)


@kernel
def log_prior(free: np.uint64, need: int, taken: np.uint64) -> float:
    """Returns the log-probability (nats) that a random choice of ``need`` of the free cards is
    ``taken``.
    """
    total = -LOG_CHOOSE[size(free), need]
    for rank in range(NUM_RANKS):
        total += LOG_CHOOSE[count(free, rank), count(taken, rank)]
    return total


@kernel
def draw_prior(free: np.uint64, need: int, rng: np.ndarray, lane: int) -> np.uint64:
    """Returns ``need`` of the free cards, all choices equally likely.

    Source: Knuth, TAOCP 2, 3.4.2, algorithm S.
    """
    taken = np.uint64(0)
    left = size(free)
    for rank in range(NUM_RANKS):
        for _ in range(count(free, rank)):
            if random_below(rng, lane, left) < need:
                taken += np.uint64(1) << np.uint64(4 * rank)
                need -= 1
            left -= 1
        if need == 0:
            break
    return taken


@kernel
def list_choices(free: np.uint64, need: int, choices: np.ndarray) -> int:
    """Returns how many choices of ``need`` free cards there are, as counts, and lists them; -1 if
    they do not fit.

    A partial choice is kept only if it can be completed, so there are never more of them than
    choices.

    Args:
        choices: uint64, receives the choices.
    """
    choices[0] = 0
    total = 1
    later = size(free)
    for rank in range(NUM_RANKS):
        copies = count(free, rank)
        later -= copies
        for j in range(total):
            base = choices[j]
            missing = need - size(base)
            fewest = max(0, missing - later)
            for k in range(fewest, min(copies, missing) + 1):
                choice = base + (np.uint64(k) << np.uint64(4 * rank))
                if k == fewest:
                    choices[j] = choice
                elif total == choices.size:
                    return -1
                else:
                    choices[total] = choice
                    total += 1
    return total


@kernel
def draw_talon(
    views: States, i: int, free: np.uint64, rng: np.ndarray, lane: int, words: np.ndarray
) -> None:
    """Draws the bottom cards of a world (uint64 ``[W]``) with a hand of the next seat while they
    are hidden.
    """
    if views.phase[i] == Phase.CALLING:
        words[-1] = draw_prior(free - words[0], _TALON, rng, lane)


@kernel
def log_talon(views: States, i: int, free: np.uint64, words: np.ndarray) -> float:
    """Returns the log-probability (nats) of the hidden bottom cards of a world, given the next
    hand.
    """
    if views.phase[i] == Phase.CALLING:
        return log_prior(free - words[0], _TALON, words[-1])
    return 0.0


@kernel
def _talon_of(views: States, i: int, hidden: np.ndarray) -> np.uint64:
    """Returns the hidden bottom cards of a world (uint64 ``[W]``)."""
    return hidden[-1] if views.phase[i] == Phase.CALLING else np.uint64(0)


# The generic kernels of games/kernels/generic.py.


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns how many worlds a seat cannot rule out, -1 if they do not fit, and lists them (uint64
    ``[room, W]``). While the bottom cards are hidden they are too many.
    """
    if views.phase[i] == Phase.CALLING:
        return np.int64(-1)
    free, fixed, need = hidden_cards(views, i, seat)
    hidden[:, -1] = 0
    total = list_choices(free, need, hidden[:, 0])
    for k in range(total):
        hidden[k, 0] += fixed
    return total


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws worlds (uint64 ``[n, W]``) from the prior at the information set."""
    free, fixed, need = hidden_cards(views, i, seat)
    for k in range(hidden.shape[0]):
        hidden[k, -1] = 0
        hidden[k, 0] = fixed + draw_prior(free, need, rng, lane)
        draw_talon(views, i, free, rng, lane, hidden[k])


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) of a world (uint64 ``[W]``), which must be possible."""
    free, fixed, need = hidden_cards(views, i, seat)
    return log_prior(free, need, hidden[0] - fixed) + log_talon(views, i, free, hidden)


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes a world; returns False if it contradicts cards that the seat has seen."""
    role, talon = role_of(views, i, seat), _talon_of(views, i, hidden)
    unseen = unseen_cards(views, i, role)
    if not (contains(unseen, hidden[0]) and contains(unseen - hidden[0], talon)):
        return False
    copy_row(rules, views, i, worlds, j)
    worlds.talon[j] = talon
    worlds.hands[j, (role + 1) % NUM_SEATS] = hidden[0]
    worlds.hands[j, (role + 2) % NUM_SEATS] = unseen - hidden[0] - talon
    return True


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the hand of the seat after ``seat`` and hidden bottom cards (uint64 ``[W]``)."""
    hidden[-1] = states.talon[i]
    hidden[0] = states.hands[i, (role_of(states, i, seat) + 1) % NUM_SEATS]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes what the seat saw before the first move."""
    role, has_auction = role_of(views, i, seat), rules.bidding != NO_AUCTION
    own = views.hands[i, role] + views.played[i, role]
    if has_auction and role == Seat.LANDLORD:
        own -= views.bottom[i]
    for other in range(NUM_SEATS):
        starts.hands[j, other] = own if other == seat else np.uint64(0)
        starts.played[j, other] = 0
        starts.claims[j, other] = UNSAID
        starts.doubled[j, other] = UNSAID
    starts.bottom[j] = np.uint64(0) if has_auction else views.bottom[i]
    starts.talon[j] = 0
    starts.phase[j] = Phase.CALLING if has_auction else Phase.PLAYING
    starts.landlord[j] = 0
    starts.factor[j] = 0
    starts.led[j] = 0
    starts.seat[j] = 0
    starts.target[j] = 0
    starts.passes[j] = 0
    starts.bombs[j] = 0
    starts.winner[j] = -1
    starts.length[j] = 0
    starts.key[j] = 0
    for k in range(HISTORY):
        starts.history[j, k] = -1


@kernel
def start_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Turns a world of a view into the same one before the first move: the next seat holds what it
    has played, too, and, where there is an auction, no bottom cards.
    """
    if views.phase[i] == Phase.CALLING:
        return
    following = (role_of(views, i, seat) + 1) % NUM_SEATS
    hidden[0] += views.played[i, following]
    if rules.bidding != NO_AUCTION:
        if following == Seat.LANDLORD:
            hidden[0] -= views.bottom[i]
        hidden[-1] = views.bottom[i]


@kernel
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes the cards of each rank in the hands of the next and of the previous seat (int8 ``[2,
    15]``).
    """
    unseen = unseen_cards(views, i, role_of(views, i, seat))
    rest = unseen - hidden[0] - _talon_of(views, i, hidden)
    for rank in range(NUM_RANKS):
        counts[0, rank] = count(hidden[0], rank)
        counts[1, rank] = count(rest, rank)


@kernel
def shortest_hand(rules: Rules, views: States, i: int) -> int:
    """Returns the number of cards in the shortest hand; -1 where there is an auction: inference is
    then active from the first call, since bids are evidence.

    *Measured* in 48 games of the shipped weights, while all hands had 15 cards or more: its gain
    over the prior (``inference.determinizer.Diagnostics.gain``) was 0.32 ± 0.06 nats in the calls,
    0.90 ± 0.06 in the doublings and 3.12 ± 0.11 in the card play.
    """
    if rules.bidding != NO_AUCTION:
        return np.int64(-1)
    fewest = hand_size(views, i, 0)
    for seat in range(1, NUM_SEATS):
        fewest = min(fewest, hand_size(views, i, seat))
    return fewest
