"""The rules of Phantom Tic-Tac-Toe as kernels over bit boards.

Seat 0 (X) and seat 1 (O) put marks on nine squares, 0 1 2 / 3 4 5 / 6 7 8, and neither sees the
other's marks. A seat that tries a taken square learns this and tries again; the opponent does not
see attempts, only that a mark was finally placed. Three in a row win. In the small game both try
the centre first: it starts with X in the centre, known to O, and O to move.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
4.1.

Without ``reveal``, a seat does not learn whether its attempt failed, and the turn passes in any
case.

A seat knows exactly its attempts in order (and their outcomes with ``reveal``); the attempts of
both seats determine the history, including whose turn each was. They are packed into 64 bits, four
each: the square plus one, the first attempt lowest.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel

SQUARES, CENTRE, EVERY = 9, 4, 0b111111111
LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)


class Rules(NamedTuple):
    """The tables and settings of the game.

    Attributes:
        reveal: 1 if a seat that tries a taken square learns this and tries again, else 0.
        is_small: Whether both try the centre first.
        lists: int16 ``[512, 9]``, the squares that are *not* in a set, ascending.
        counts: int8 ``[512]``, the number of squares in a set.
        wins: int8 ``[512]``, 1 if it has three in a row.
        square_keys: uint64 ``[2, 9]``, by outcome (1: failed; both equal if not revealed) and
            square.
        start_keys: uint64 ``[2]``, by seat.
        turn_key: Key for "it is the seat's turn".
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
    """B states. In a seat's view the opponent's entries are 0; if attempts are not revealed, its
    marks are its attempts.

    Attributes:
        turn: int8 ``[B]``, the seat to move, -1 at the end.
        marks: int16 ``[B, 2]``, the squares of each seat as a set of bits.
        tried: int16 ``[B, 2]``, the squares that each seat has tried, including its marks.
        attempts: uint64 ``[B, 2]``, the same in order, packed.
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
    """Tries a square. Branch-free for speed."""
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
    """Returns a seat's return."""
    return np.float64(
        np.int64(rules.wins[states.marks[i, seat]])
        - np.int64(rules.wins[states.marks[i, 1 - seat]])
    )


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns a move as a seat sees it: its own; of the opponent's only that it was made, or
    nothing.
    """
    mover = np.int64(states.turn[i])
    if seat == mover:
        return int(action)
    failed = np.int64(states.marks[i, 1 - mover]) >> np.int64(action) & 1
    return int(-2 - failed * rules.reveal)  # HIDDEN_MOVE, or UNSEEN_MOVE of an attempt that fails


@kernel(forceinline=True)
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns the key of a seat's information set."""
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
    """Returns the square of the ``number``-th attempt, -1 if there was none."""
    return int(np.int64(attempts >> np.uint64(4 * number) & np.uint64(15)) - 1)
