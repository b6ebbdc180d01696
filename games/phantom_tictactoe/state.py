"""The rules of Phantom Tic-Tac-Toe as kernels over bit boards.

Seat 0 (X) and seat 1 (O) put marks on nine squares, 0 1 2 / 3 4 5 / 6 7 8, and neither sees the
other's. A seat that tries a square which the other has taken learns so and tries again; the other
does not see the attempt, only, in the end, that a mark was put. The first three in a row win. In
the small game both try the centre first: it begins with X in the centre, O knowing it, and O to
move.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
4.1.

Where ``reveal`` is off a seat does not learn whether its attempt failed, and the turn passes in any
case.

A seat's attempts in their order are all that it knows (with their outcomes where ``reveal``); the
attempts of both seats are the history, since they show whose turn it was at each of them. They are
packed into 64 bits, four for each: the square plus one, the first lowest.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel

SQUARES, CENTRE, EVERY = 9, 4, 0b111111111
LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)


class Rules(NamedTuple):
    """The tables and settings of the game.

    Attributes:
        reveal: 1 if a seat that tries a taken square learns so and tries again, else 0.
        is_small: Whether both try the centre first.
        lists: int16 ``[512, 9]``, the squares that are *not* in a set, ascending.
        counts: int8 ``[512]``, how many are in it.
        wins: int8 ``[512]``, 1 if three of them are in a row.
        square_keys: uint64 ``[2, 9]``, by outcome (1: failed; the same where it is not revealed)
            and square.
        start_keys: uint64 ``[2]``, by seat.
        turn_key: It is the seat's turn.
    """

    reveal: int
    is_small: bool
    lists: np.ndarray
    counts: np.ndarray
    wins: np.ndarray
    square_keys: np.ndarray
    start_keys: np.ndarray
    turn_key: np.uint64


class States(NamedTuple):
    """B states. In the view of a seat what is the other's is 0; where attempts are not revealed,
    its marks are its attempts.

    Attributes:
        turn: int8 ``[B]``, the seat to move, -1 at the end.
        marks: int16 ``[B, 2]``, the squares of each seat as a set of bits.
        tried: int16 ``[B, 2]``, the squares that it has tried, those that it got included.
        attempts: uint64 ``[B, 2]``, the same in their order, packed.
        keys: uint64 ``[B, 2]``, a polynomial over its attempts and their outcomes.
    """

    turn: np.ndarray
    marks: np.ndarray
    tried: np.ndarray
    attempts: np.ndarray
    keys: np.ndarray


@kernel(forceinline=True)
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 at the end."""
    return int(states.turn[i])


@kernel(forceinline=True)
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal squares and writes them, ascending."""
    tried = np.int64(states.tried[i, np.int64(states.turn[i]) & 1])
    count = SQUARES - np.int64(rules.counts[tried])
    for k in range(count):
        actions[k] = rules.lists[tried, k]
    return int(count)


@kernel(forceinline=True)
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Tries a square. Without a branch, for speed."""
    seat, square = np.int64(states.turn[i]), np.int64(action)
    other, tried = np.int64(states.marks[i, 1 - seat]), np.int64(states.tried[i, seat])
    failed = other >> square & 1
    own = np.int64(states.marks[i, seat]) | (1 - failed) << square
    states.marks[i, seat] = own
    states.tried[i, seat] = tried | np.int64(1) << square
    states.attempts[i, seat] |= np.uint64(square + 1) << np.uint64(
        4 * np.int64(rules.counts[tried])
    )
    states.keys[i, seat] = (
        states.keys[i, seat] * np.uint64(0x9E3779B97F4A7C15) + rules.square_keys[failed, square]
    )
    over = np.int64(rules.wins[own]) | np.int64(own | other == EVERY)
    states.turn[i] = (seat ^ (1 - failed * rules.reveal)) | -over


@kernel(forceinline=True)
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns what a seat has won."""
    return np.float64(
        np.int64(rules.wins[states.marks[i, seat]])
        - np.int64(rules.wins[states.marks[i, 1 - seat]])
    )


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns what a seat sees of a move: its own, and of the other's that it was made, or
    nothing.
    """
    mover = np.int64(states.turn[i])
    if seat == mover:
        return int(action)
    failed = np.int64(states.marks[i, 1 - mover]) >> np.int64(action) & 1
    return int(-2 - failed * rules.reveal)  # HIDDEN_MOVE, or UNSEEN_MOVE of an attempt that fails


@kernel(forceinline=True)
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns the key of what a seat knows."""
    return states.keys[i, seat] + rules.turn_key * np.uint64(np.int64(states.turn[i]) == seat)


@kernel
def start_row(rules: Rules, states: States, i: int) -> None:
    """Writes the start of a game to lane ``i``."""
    states.turn[i] = 0
    for seat in range(2):
        states.marks[i, seat] = states.tried[i, seat] = 0
        states.attempts[i, seat] = 0
        states.keys[i, seat] = rules.start_keys[seat]
    if rules.is_small:
        step(rules, states, i, CENTRE)
        step(rules, states, i, CENTRE)


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    """Makes lane ``i`` the view of a seat."""
    other = 1 - seat
    states.marks[i, other] = states.tried[i, other] = 0
    states.attempts[i, other] = states.keys[i, other] = 0
    if not rules.reveal:
        states.marks[i, seat] = states.tried[i, seat]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view of a seat before the first move."""
    start_row(rules, starts, j)
    erase(rules, starts, j, seat)


@kernel
def attempt(attempts: np.uint64, number: int) -> int:
    """Returns a square by the number of the attempt, -1 where there was none."""
    return int(np.int64(attempts >> np.uint64(4 * number) & np.uint64(15)) - 1)
