"""What a seat knows in the whole game: observations, hidden cards, proven wins; as kernels.

While the bottom cards are hidden, a world is the hand of the next seat and, in a second word, the
bottom cards; the previous seat holds the other unseen cards. Once they are shown, the second word
is 0, and worlds are those of ``worlds.py``.

There is no kernel ``shortest_hand``, so inference is active from the first call: bids are evidence.
*Measured* in 48 games of the shipped weights, while all hands had 15 cards or more: its gain over
the prior (``inference.determinizer.Diagnostics.gain``) was 0.32 ± 0.06 nats in the calls, 0.90 ±
0.06 in the doublings and 3.12 ± 0.11 in the card play.
"""

import numpy as np

from games.doudizhu import marginal, worlds
from games.doudizhu import observe as planes
from games.doudizhu.auction import UNSAID, Phase, WholeRules, WholeStates, role_of
from games.doudizhu.cards import DECK, HAND_SIZES, NUM_RANKS, NUM_SEATS, contains, count
from games.doudizhu.solver import forced_win as wins
from games.doudizhu.solver import sure_win as sure_wins
from games.doudizhu.state import unseen_cards
from games.kernels import kernel
from games.kernels.generic import copy_row

_HAND = HAND_SIZES[1]
_BOTTOM = HAND_SIZES[0] - _HAND


@kernel
def observe(rules: WholeRules, states: WholeStates, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the information set of a seat to ``out`` (int8 ``[C, 15]``), every element of it."""
    role, last = role_of(states, i, seat), out.shape[0] - planes.NUM_AUCTION_PLANES
    if states.phase[i] == Phase.CALLING:
        own = states.hands[i, seat]
        planes.observe_hand(rules, own, DECK - own, out)
    else:
        planes.observe(rules, states, i, role, out)
    planes.observe_auction(states, i, seat, out, last)


@kernel
def sure_win(rules: WholeRules, states: WholeStates, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or
    -1.
    """
    return (
        sure_wins.sure_win(rules, states, i) if states.phase[i] == Phase.PLAYING else np.int64(-1)
    )


@kernel
def forced_win(rules: WholeRules, states: WholeStates, i: int) -> int:
    """Returns the result of ``sure_win``, or a sure win that takes longer to find."""
    return wins.forced_win(rules, states, i) if states.phase[i] == Phase.PLAYING else np.int64(-1)


@kernel
def _hidden_cards(views: WholeStates, i: int, seat: int) -> tuple[np.uint64, np.uint64, int]:
    """Returns the result of ``worlds.hidden_cards``; hidden bottom cards are free."""
    if views.phase[i] == Phase.CALLING:
        return DECK - views.hands[i, seat], np.uint64(0), np.int64(_HAND)
    return worlds.hidden_cards(views, i, role_of(views, i, seat))


@kernel
def list_hidden(
    rules: WholeRules, views: WholeStates, i: int, seat: int, hidden: np.ndarray
) -> int:
    """Returns how many worlds a seat cannot rule out, -1 if they do not fit, and lists them (uint64
    ``[room, 2]``). While the bottom cards are hidden they are too many.
    """
    if views.phase[i] == Phase.CALLING:
        return -1
    hidden[:, 1] = 0
    return worlds.list_hidden(rules, views, i, role_of(views, i, seat), hidden)


@kernel
def _draw_bottom(
    views: WholeStates, i: int, free: np.uint64, rng: np.ndarray, lane: int, words: np.ndarray
) -> None:
    """Draws the bottom cards of a world (uint64 ``[2]``) with a hand of the next seat."""
    words[1] = 0
    if views.phase[i] == Phase.CALLING:
        words[1] = worlds.draw_prior(free - words[0], _BOTTOM, rng, lane)


@kernel
def _log_bottom(views: WholeStates, i: int, free: np.uint64, words: np.ndarray) -> float:
    """Returns the log-probability (nats) of the bottom cards of a world, given the next hand."""
    if views.phase[i] == Phase.CALLING:
        return worlds.log_prior(free - words[0], _BOTTOM, words[1])
    return 0.0


@kernel
def draw_hidden(
    rules: WholeRules,
    views: WholeStates,
    i: int,
    seat: int,
    rng: np.ndarray,
    lane: int,
    hidden: np.ndarray,
) -> None:
    """Draws worlds (uint64 ``[n, 2]``) from the prior at the information set."""
    free, fixed, need = _hidden_cards(views, i, seat)
    for k in range(hidden.shape[0]):
        hidden[k, 0] = fixed + worlds.draw_prior(free, need, rng, lane)
        _draw_bottom(views, i, free, rng, lane, hidden[k])


@kernel
def log_prior_hidden(
    rules: WholeRules, views: WholeStates, i: int, seat: int, hidden: np.ndarray
) -> float:
    """Returns the log-probability (nats) of a world (uint64 ``[2]``), which must be possible."""
    free, fixed, need = _hidden_cards(views, i, seat)
    prior = worlds.log_prior(free, need, hidden[0] - fixed)
    return prior + _log_bottom(views, i, free, hidden)


@kernel
def fill_world(
    rules: WholeRules,
    views: WholeStates,
    i: int,
    seat: int,
    hidden: np.ndarray,
    filled: WholeStates,
    j: int,
) -> bool:
    """Writes a world; returns False if it contradicts cards that the seat has seen."""
    if views.phase[i] != Phase.CALLING:
        return worlds.fill_world(rules, views, i, role_of(views, i, seat), hidden, filled, j)
    unseen = DECK - views.hands[i, seat]
    if not (contains(unseen, hidden[0]) and contains(unseen - hidden[0], hidden[1])):
        return False
    copy_row(rules, views, i, filled, j)
    filled.talon[j] = hidden[1]
    filled.hands[j, (seat + 1) % NUM_SEATS] = hidden[0]
    filled.hands[j, (seat + 2) % NUM_SEATS] = unseen - hidden[0] - hidden[1]
    return True


@kernel
def hidden_of(
    rules: WholeRules, states: WholeStates, i: int, seat: int, hidden: np.ndarray
) -> None:
    """Writes the hand of the seat after ``seat`` and hidden bottom cards (uint64 ``[2]``)."""
    hidden[0] = states.hands[i, (role_of(states, i, seat) + 1) % NUM_SEATS]
    hidden[1] = states.talon[i]


@kernel
def start_view(
    rules: WholeRules, views: WholeStates, i: int, seat: int, starts: WholeStates, j: int
) -> None:
    """Writes what the seat saw before the first call."""
    role = role_of(views, i, seat)
    worlds.start_view(rules, views, i, role, starts, j)
    own = starts.hands[j, role] - (views.bottom[i] if role == 0 else np.uint64(0))
    for other in range(NUM_SEATS):
        starts.hands[j, other] = own if other == seat else np.uint64(0)
        starts.claims[j, other] = UNSAID
        starts.doubled[j, other] = UNSAID
    starts.bottom[j] = 0
    starts.talon[j] = 0
    starts.phase[j] = Phase.CALLING
    starts.landlord[j] = 0
    starts.factor[j] = 0
    starts.led[j] = 0


@kernel
def start_hidden(
    rules: WholeRules, views: WholeStates, i: int, seat: int, hidden: np.ndarray
) -> None:
    """Turns a world of a view into the same one before the first call: the next seat holds what it
    has played, and no bottom cards.
    """
    if views.phase[i] == Phase.CALLING:
        return
    following = (role_of(views, i, seat) + 1) % NUM_SEATS
    hidden[0] += views.played[i, following]
    if following == 0:
        hidden[0] -= views.bottom[i]
    hidden[1] = views.bottom[i]


@kernel
def count_hidden(
    rules: WholeRules, views: WholeStates, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes the cards of each rank in the hands of the next and of the previous seat (int8 ``[2,
    15]``).
    """
    rest = unseen_cards(views, i, role_of(views, i, seat)) - hidden[0] - hidden[1]
    for rank in range(NUM_RANKS):
        counts[0, rank] = count(hidden[0], rank)
        counts[1, rank] = count(rest, rank)


@kernel
def draw_corrected(
    rules: WholeRules,
    views: WholeStates,
    i: int,
    seat: int,
    logits: np.ndarray,
    rng: np.ndarray,
    lane: int,
    hidden: np.ndarray,
) -> None:
    """Draws worlds (uint64 ``[n, 2]``): the next hand with the network's corrections (float32 ``[5,
    15]``).
    """
    free, fixed, need = _hidden_cards(views, i, seat)
    weights, table = marginal.fill_table(free, fixed, need, logits)
    for k in range(hidden.shape[0]):
        hidden[k, 0] = fixed + marginal.draw_marginal(weights, table, need, rng, lane)
        _draw_bottom(views, i, free, rng, lane, hidden[k])


@kernel
def log_corrected(
    rules: WholeRules,
    views: WholeStates,
    i: int,
    seat: int,
    logits: np.ndarray,
    hidden: np.ndarray,
    exists: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the log-probability (nats, float64 ``[n]``) with which ``draw_corrected`` draws the
    worlds in the rows that exist.
    """
    free, fixed, need = _hidden_cards(views, i, seat)
    weights, table = marginal.fill_table(free, fixed, need, logits)
    for k in range(hidden.shape[0]):
        if exists[k]:
            out[k] = marginal.log_marginal(weights, table, hidden[k, 0] - fixed)
            out[k] += _log_bottom(views, i, free, hidden[k])
