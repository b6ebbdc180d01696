"""What a seat can infer about the hidden hands from the cards alone: the unseen cards, and the
landlord's known bottom cards.

Cards carry no suits, so of a rank the landlord counts as having played the bottom cards first: what
is left of them is known to
be in the landlord's hand whatever card was played.
"""

import numpy as np

from games.doudizhu.cards import DECK, NUM_RANKS, Seat, count, remaining
from games.doudizhu.moves import Rules
from games.doudizhu.state import States
from games.kernels import kernel


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
    """Returns the bottom cards that the landlord has not played."""
    return remaining(states.bottom[i], states.played[i, 0])


@kernel
def hidden_counts(
    rules: Rules,
    states: States,
    i: int,
    seat: int,
    unseen: np.ndarray,
    fewest: np.ndarray,
    most: np.ndarray,
) -> None:
    """Writes the bounds on the hand of the seat after ``seat``, per rank (int8 ``[15]`` each).

    Args:
        unseen: Receives the counts of the unseen cards.
        fewest: Receives the least that the next seat may hold: the known bottom cards if it is the
            landlord.
        most: Receives the most that it may hold: the unseen cards, less the known bottom cards if
            the third seat is the landlord.
    """
    cards = unseen_cards(states, i, seat)
    known = known_bottom(states, i)
    for rank in range(NUM_RANKS):
        unseen[rank] = count(cards, rank)
        fewest[rank] = count(known, rank) if seat == Seat.UP else 0
        most[rank] = unseen[rank] - (count(known, rank) if seat == Seat.DOWN else 0)


@kernel
def hidden_batch(
    rules: Rules,
    states: States,
    seats: np.ndarray,
    unseen: np.ndarray,
    fewest: np.ndarray,
    most: np.ndarray,
) -> None:
    """Writes ``hidden_counts`` of seat ``seats[i]`` (int ``[B]``) in every row (int8 ``[B, 15]``
    each).
    """
    for i in range(len(seats)):
        hidden_counts(rules, states, i, seats[i], unseen[i], fewest[i], most[i])
