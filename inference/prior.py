"""The prior over the hidden hands: every deal of the *cards* is equally likely.

Cards of one rank are different cards, so a set of counts weighs prod_r C(free_r, c_r): a world with two of four unseen
sevens in one hand weighs C(4, 2) = 6. Uniform over counts is a classic error. See ``inference.hands`` for *free* and
*fixed* cards.

Two priors must not be confused. The prior *at an information state* deals the cards still unseen. The prior *of the deal*
deals the cards unseen at the start; given what was played, it weighs a world by the counts at the start. They differ
because moves show ranks, not suits: a hand of one seven that plays it has a single way to do so, a hand of four has four.
The network corrects the first; Bayes' rule over the moves starts from the second (``inference.posterior``).
"""

import math

import numpy as np

from games.doudizhu.cards import NUM_RANKS, count, size
from games.interface import Rules, States
from games.kernels import kernel, random_below
from inference.hands import Positions, fill_world, hidden_cards

_MOST_FREE = 40
"""At least the number of cards that are ever free: 34."""

LOG_CHOOSE = np.array(
    [[math.log(math.comb(n, k)) if k <= n else -math.inf for k in range(_MOST_FREE + 1)] for n in range(_MOST_FREE + 1)]
)
"""float64 ``[41, 41]``: log C(n, k)."""


@kernel
def log_prior(free: np.uint64, need: int, taken: np.uint64) -> float:
    """Returns the log-probability (nats) that a random choice of ``need`` of the free cards is ``taken``."""
    total = -LOG_CHOOSE[size(free), need]
    for rank in range(NUM_RANKS):
        total += LOG_CHOOSE[count(free, rank), count(taken, rank)]
    return total


@kernel
def log_prior_of_hand(states: States, i: int, seat: int, hand: np.uint64) -> float:
    """Returns the log-probability (nats) of a hand of the next seat at the information state of ``seat`` in lane ``i``.

    The hand must be possible. In a state before the first move this is the prior of the deal.
    """
    free, fixed, need = hidden_cards(states, i, seat)
    return log_prior(free, need, hand - fixed)


@kernel
def draw_prior(free: np.uint64, need: int, rng: np.ndarray, lane: int) -> np.uint64:
    """Returns ``need`` of the free cards, all choices equally likely. Source: Knuth, TAOCP 2, 3.4.2, algorithm S."""
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
def prior_worlds(rules: Rules, positions: Positions, rng: np.ndarray, num_worlds: int, worlds: States) -> None:
    """Draws worlds from the prior at every position.

    Args:
        rng: uint64 streams, one per lane, changed in place.
        worlds: Receives ``num_worlds`` rows per position, from row ``places * num_worlds`` on.
    """
    for i in range(positions.seats.size):
        seat = positions.seats[i]
        free, fixed, need = hidden_cards(positions.views, i, seat)
        for k in range(num_worlds):
            hand = fixed + draw_prior(free, need, rng, positions.lanes[i])
            fill_world(rules, positions.views, i, seat, hand, worlds, positions.places[i] * num_worlds + k)


@kernel
def list_choices(free: np.uint64, need: int, choices: np.ndarray) -> int:
    """Returns how many choices of ``need`` free cards there are, as counts, and lists them; -1 if they do not fit.

    A partial choice is kept only if it can be completed, so there are never more of them than choices.

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
