"""Deals and winners of no-limit Hold'em: the code that reads the cards of a full state."""

import numpy as np

from games.kernels import borrowed, kernel, mix64, random_below, random_float
from games.no_limit_holdem.betting import legal, num_left, situation, size_amount, start_row
from games.no_limit_holdem.settlement import settle
from games.no_limit_holdem.state import FIRST_SIZE, NUM_BOARD, NUM_ROUNDS, OVER, Rules, States
from games.poker.hands import NUM_CARDS, strength_with, sums

BOARDS = 64
"""Boards over which ``expected_return`` averages."""


def set_cards(states: States, cards: np.ndarray) -> None:
    """Writes deals (int ``[B, 2 S + 5]``, the hands, then the board) to all rows, the cards of each
    hand and of the flop sorted, higher first.
    """
    rows, seats = states.hole.shape[:2]
    states.hole[:] = np.sort(cards[:, : 2 * seats].reshape(rows, seats, 2))[..., ::-1]
    states.board[:] = cards[:, 2 * seats :]
    states.board[:, :3] = np.sort(states.board[:, :3])[:, ::-1]


@kernel
def draw_stacks(rng: np.ndarray, states: States, least: int) -> None:
    """Replaces each stack by a random one from ``least`` up to it, log-uniformly.

    Args:
        rng: uint64 ``[B]``, a stream for each row, changed.
    """
    for i in range(rng.size):
        for seat in range(states.stacks.shape[1]):
            most = np.float64(states.stacks[i, seat])
            states.stacks[i, seat] = np.int64(least * (most / least) ** random_float(rng, i) + 0.5)


@kernel
def start_rows(
    rules: Rules,
    states: States,
    stacks: np.ndarray,
    antes: np.ndarray,
    blinds: np.ndarray,
    big_blinds: np.ndarray,
) -> None:
    """Writes the betting before the first move to every row (``betting.start_row``): int32 ``[B,
    S]`` thrice, int32 ``[B]``.
    """
    for i in range(big_blinds.size):
        start_row(rules, states, i, stacks[i], antes[i], blinds[i], np.int64(big_blinds[i]))


@kernel
def look(
    rules: Rules, states: States, i: int, actions: np.ndarray, amounts: np.ndarray
) -> tuple[int, int, int, int]:
    """Returns the number of listed actions, the chips to call, and the bounds of a raise.

    Args:
        actions: int16 ``[max_legal]``, the listed actions, written.
        amounts: int64, the raise-to of each, 0 = not a raise.
    """
    count, here = legal(rules, states, i, actions), situation(rules, states, i)
    for k in range(count):
        amounts[k] = (
            size_amount(here, rules.sizes[actions[k] - FIRST_SIZE])
            if actions[k] >= FIRST_SIZE
            else 0
        )
    return count, here.to_call, here.least, here.most


@kernel
def hand_strengths(
    rules: Rules, states: States, i: int, board: np.ndarray, out: np.ndarray
) -> None:
    """Writes the strength (1 to 7,462) of the hand of each seat that has not folded to ``out``
    (int32 ``[S]``), 0 for the others.

    Args:
        board: int8 ``[5]``.
    """
    hands, row = borrowed(rules).hands, borrowed(states)
    key, masks = sums(hands, board, 0, NUM_BOARD)
    for seat in range(out.size):
        out[seat] = 0
        if not row.folded[i, seat]:
            one, two = row.hole[i, seat, 0], row.hole[i, seat, 1]
            out[seat] = strength_with(hands, key, masks, one, two, 7)


@kernel
def returns_of(
    rules: Rules, states: States, i: int, strengths: np.ndarray, out: np.ndarray
) -> None:
    """Writes the net chips of each seat (float64 ``[S]``) in a finished hand.

    Args:
        strengths: int32 ``[S]``, scratch.
    """
    tables, row = borrowed(rules), borrowed(states)
    if num_left(tables, row, i) > 1:
        hand_strengths(tables, row, i, row.board[i], strengths)
    else:
        strengths[:] = 0
    settle(tables, row, i, strengths, out)


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the chips that a seat has won; the hand must be over."""
    assert states.round[i] == OVER
    seats = states.stacks.shape[1]
    strengths, returns = np.empty(seats, np.int32), np.empty(seats, np.float64)
    returns_of(rules, states, i, strengths, returns)
    return returns[seat]


@kernel
def _shown_at_last_move(states: States, i: int) -> int:
    """Returns the number of cards on the board at the last move of a finished hand."""
    row, last = borrowed(states), 0
    for part in range(1, NUM_ROUNDS):
        for seat in range(row.stacks.shape[1]):
            if row.calls[i, seat, part] + row.raises[i, seat, part] > 0:
                last = part
    return last + 2 if last > 0 else 0


@kernel
def expected_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the chips that a seat has won; if betting ended before the last cards, the mean over
    ``BOARDS`` random boards, the same for every seat.
    """
    first = _shown_at_last_move(states, i)
    if first == NUM_BOARD or num_left(rules, states, i) == 1:
        return team_return(rules, states, i, seat)
    row = borrowed(states)
    seats = row.stacks.shape[1]
    strengths, won = np.empty(seats, np.int32), np.empty(seats)
    held, deck, left = np.zeros(NUM_CARDS, np.bool_), np.empty(NUM_CARDS, np.int8), 0
    for other in range(seats):
        for card in row.hole[i, other]:
            held[card] = True
    board = row.board[i].copy()
    for card in board[:first]:
        held[card] = True
    rng = np.array([mix64(row.history[i])])
    for card in range(NUM_CARDS):
        if held[card]:
            rng[0] = mix64(rng[0] + np.uint64(card))
        else:
            deck[left] = card
            left += 1
    total = 0.0
    for _ in range(BOARDS):
        for k in range(NUM_BOARD - first):
            drawn = k + random_below(rng, 0, left - k)
            deck[k], deck[drawn] = deck[drawn], deck[k]
            board[first + k] = deck[k]
        hand_strengths(rules, states, i, board, strengths)
        settle(rules, states, i, strengths, won)
        total += won[seat]
    return total / BOARDS


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the hand is over."""
    return np.int64(states.seat[i])


@kernel(forceinline=True)
def public_cards(rules: Rules, states: States, i: int) -> int:
    """Returns the number of cards on the table."""
    return np.int64(borrowed(states).shown[i])
