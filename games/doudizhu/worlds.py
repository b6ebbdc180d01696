"""Worlds of Doudizhu for inference: the hidden cards of a seat, their prior, and worlds filled in.

The *searching seat* sees its own hand, the cards played and the bottom cards. Of the unseen cards,
some are *fixed*: bottom cards that the landlord has not played. The others are *free*: the next
seat holds some of them, the previous seat the rest. A world is therefore given by the hand of the
next seat alone: its packed set is the one hidden word.

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

from games.doudizhu.cards import NUM_RANKS, NUM_SEATS, Seat, contains, count, size
from games.doudizhu.moves import Rules
from games.doudizhu.state import HISTORY, States, hand_size, known_bottom, unseen_cards
from games.kernels import kernel, random_below
from games.kernels.generic import copy_row

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
    following = (seat + 1) % NUM_SEATS
    known = np.uint64(0) if seat == Seat.LANDLORD else known_bottom(states, i)
    fixed = known if following == Seat.LANDLORD else np.uint64(0)
    return (
        unseen_cards(states, i, seat) - known,
        fixed,
        hand_size(states, i, following) - size(fixed),
    )


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


# The generic kernels of games/kernels/generic.py.


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns how many hands the next seat may hold, -1 if they do not fit, and lists them (uint64
    ``[room, 1]``).
    """
    free, fixed, need = hidden_cards(views, i, seat)
    total = list_choices(free, need, hidden[:, 0])
    for k in range(total):
        hidden[k, 0] += fixed
    return total


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws hands of the next seat (uint64 ``[n, 1]``) from the prior at the information set."""
    free, fixed, need = hidden_cards(views, i, seat)
    for k in range(hidden.shape[0]):
        hidden[k, 0] = fixed + draw_prior(free, need, rng, lane)


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) of a hand of the next seat (uint64 ``[1]``), which must be
    possible.
    """
    free, fixed, need = hidden_cards(views, i, seat)
    return log_prior(free, need, hidden[0] - fixed)


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the world in which the next seat holds ``hidden[0]``; returns False if it holds cards
    that the seat has seen.
    """
    unseen = unseen_cards(views, i, seat)
    if not contains(unseen, hidden[0]):
        return False
    copy_row(rules, views, i, worlds, j)
    worlds.hands[j, (seat + 1) % NUM_SEATS] = hidden[0]
    worlds.hands[j, (seat + 2) % NUM_SEATS] = unseen - hidden[0]
    return True


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the hand of the seat after ``seat`` to ``hidden`` (uint64 ``[1]``)."""
    hidden[0] = states.hands[i, (seat + 1) % NUM_SEATS]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes what the seat saw before the first move."""
    for other in range(NUM_SEATS):
        starts.hands[j, other] = 0
        starts.played[j, other] = 0
    starts.hands[j, seat] = views.hands[i, seat] + views.played[i, seat]
    starts.bottom[j] = views.bottom[i]
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
    """Adds the cards that the next seat has played to its hand."""
    hidden[0] += views.played[i, (seat + 1) % NUM_SEATS]


@kernel
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes the cards of each rank in the hands of the next and of the previous seat (int8 ``[2,
    15]``).
    """
    rest = unseen_cards(views, i, seat) - hidden[0]
    for rank in range(NUM_RANKS):
        counts[0, rank] = count(hidden[0], rank)
        counts[1, rank] = count(rest, rank)


@kernel
def shortest_hand(rules: Rules, views: States, i: int) -> int:
    """Returns the number of cards in the shortest hand."""
    fewest = hand_size(views, i, 0)
    for seat in range(1, NUM_SEATS):
        fewest = min(fewest, hand_size(views, i, seat))
    return fewest
