"""Observations for the networks of no-limit Hold'em, and the unit of their values.

Observations have a position for each rank, or for each policy output if those are more; no output
belongs to a rank. Chips are on a logarithmic scale, ``16 log2(1 + chips / big blind)``, at most
127: the same planes serve for 20 and for 200 big blinds, and small amounts are resolved more
finely. Planes for S seats, in this order:

| planes | content |
|---|---|
| 4 | own cards, by suit |
| 4 | cards on the table, by suit |
| 2 | the rank of the turn, of the river |
| 4 | which round it is |
| 5 | the pot; to call; what the least raise adds; to call as a share of the pot after it; the pot |
| | as a share of the most that it can come to (both in 127ths) |
| 2 | after the flop the share of all hands that the own hand beats, and of next cards making |
| | it a straight or more (both in 127ths) |
| 9 | after the flop the category of the own hand, from a high card to a straight flush |
| 18 S | for each seat, from the observing one on: chips behind; put in during the hand; folded; |
| | all-in; has still to act; bet or raised last; then for each round the chips put in, the checks |
| | and calls, the bets and raises |
| S | which seat observes |

Planes from the fourth row on are the same at all positions. Suits are renumbered as in limit poker,
so that hands that are the same up to suits look the same.
"""

import numpy as np

from games.kernels import borrowed, kernel
from games.no_limit_holdem.betting import pot, situation
from games.no_limit_holdem.hand_strength import hand_strength
from games.no_limit_holdem.state import HIDDEN, NUM_ROUNDS, Rules, States
from games.poker.cards import observe_cards
from games.poker.hands import Category

RANKS = 13
SEAT_PLANES = 6 + 3 * NUM_ROUNDS
FIRST_SCALAR = 10
FIRST_OF_CHIPS = FIRST_SCALAR + NUM_ROUNDS
FIRST_OF_HAND = FIRST_OF_CHIPS + 5
FIRST_SEAT = FIRST_OF_HAND + 2 + len(Category)
_LOG = 16.0


def scales(seats: int) -> np.ndarray:
    """Returns ``GameSpec.observation_scale`` (float32 ``[C]``)."""
    chips, share = 1 / 32, 1 / 127
    by_seat = np.array(
        [chips, chips, 1, 1, 1, 1, *(chips,) * NUM_ROUNDS, *(0.5,) * (2 * NUM_ROUNDS)]
    )
    scalars = (chips, chips, chips, share, share)
    of_hand = (share, share, *(1,) * len(Category))
    return np.concatenate(
        [np.ones(FIRST_OF_CHIPS), scalars, of_hand, np.tile(by_seat, seats), np.ones(seats)]
    ).astype(np.float32)


@kernel
def most_in_pot(rules: Rules, states: States, i: int) -> int:
    """Returns the maximum chips that the pot can reach."""
    stacks, paid, folded = states.stacks[i], states.paid[i], states.folded[i]
    first, second = np.int64(0), np.int64(0)
    for seat in range(paid.size):
        total = np.int64(paid[seat]) + (0 if folded[seat] else np.int64(stacks[seat]))
        if total > first:
            first, second = total, first
        elif total > second:
            second = total
    most = np.int64(0)
    for seat in range(paid.size):
        most += (
            paid[seat]
            if folded[seat]
            else max(np.int64(paid[seat]), min(np.int64(paid[seat]) + stacks[seat], second))
        )
    return most


@kernel
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the geometric mean, in chips, of the pot and its maximum.

    In units of the pot, values before the flop would reach hundreds; in units of the stacks, they
    would nearly always be about zero. In units of the mean, a heads-up return is at most
    ``sqrt(most / pot) / 2``: 8 at 200 big blinds before the flop, 1/2 once all chips are in.
    """
    return np.sqrt(np.float64(pot(rules, states, i)) * np.float64(most_in_pot(rules, states, i)))


@kernel
def _chips(amount: int, big_blind: int) -> int:
    return np.int64(min(_LOG * np.log2(1.0 + amount / big_blind) + 0.5, 127.0))


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes a seat's observation to all of ``out`` (int8 ``[C, L]``); the planes are those of the
    module docstring.
    """
    seats, big = states.stacks.shape[1], np.int64(states.big_blind[i])
    out[:] = 0
    observe_cards(borrowed(rules), borrowed(states), i, seat, out)
    for k in range(3, states.shown[i]):
        if states.board[i, k] != HIDDEN:
            out[8 + k - 3, states.board[i, k] // 4] = 1
    if states.round[i] < NUM_ROUNDS:
        out[FIRST_SCALAR + states.round[i]] = 1
    chips, call, least = pot(rules, states, i), np.int64(0), np.int64(0)
    if states.seat[i] >= 0:
        here = situation(rules, states, i)
        call, least = here.to_call, here.least - here.highest if here.most > 0 else np.int64(0)
    out[FIRST_OF_CHIPS] = _chips(chips, big)
    out[FIRST_OF_CHIPS + 1] = _chips(call, big)
    out[FIRST_OF_CHIPS + 2] = _chips(least, big)
    out[FIRST_OF_CHIPS + 3] = np.int64(127.0 * call / (chips + call) + 0.5)
    out[FIRST_OF_CHIPS + 4] = np.int64(127.0 * chips / most_in_pot(rules, states, i) + 0.5)
    if states.shown[i] >= 3:
        hand = hand_strength(rules.hands, states, i, seat)
        out[FIRST_OF_HAND] = np.int64(127.0 * hand.beaten + 0.5)
        out[FIRST_OF_HAND + 1] = np.int64(127.0 * hand.outs + 0.5)
        out[FIRST_OF_HAND + 2 + hand.category] = 1
    for k in range(seats):
        other, plane = (seat + k) % seats, FIRST_SEAT + k * SEAT_PLANES
        out[plane] = _chips(states.stacks[i, other], big)
        out[plane + 1] = _chips(states.paid[i, other], big)
        out[plane + 2] = states.folded[i, other]
        out[plane + 3] = states.stacks[i, other] == 0
        out[plane + 4] = (states.pending[i] >> other) & 1
        out[plane + 5] = states.aggressor[i] == other
        for part in range(NUM_ROUNDS):
            out[plane + 6 + part] = _chips(states.put[i, other, part], big)
            out[plane + 6 + NUM_ROUNDS + part] = states.calls[i, other, part]
            out[plane + 6 + 2 * NUM_ROUNDS + part] = states.raises[i, other, part]
        out[FIRST_SEAT + seats * SEAT_PLANES + k] = k == seat
