"""Phantom Tic-Tac-Toe in plain Python, and the best response to uniform play, written from the
rules alone."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
WINS = np.array([any(all(board >> k & 1 for k in row) for row in ROWS) for board in range(512)])


class Node(NamedTuple):
    """A history: all attempts (seat, square) so far, and the marks that they made."""

    small: bool = False
    reveal: bool = True
    attempts: tuple[tuple[int, int], ...] = ()
    marks: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    turn: int = 0

    @property
    def winner(self) -> int:
        return next(
            (seat for seat in range(2) if any(set(row) <= self.marks[seat] for row in ROWS)), -1
        )

    @property
    def seat(self) -> int:
        return -1 if self.winner >= 0 or len(self.marks[0] | self.marks[1]) == 9 else self.turn

    def tried(self, seat: int) -> list[int]:
        return [square for mover, square in self.attempts if mover == seat]

    def legal(self) -> list[int]:
        tried = self.tried(self.turn)
        return (
            [4]
            if self.small and not tried
            else [square for square in range(9) if square not in tried]
        )

    def after(self, square: int) -> "Node":
        failed = square in self.marks[1 - self.turn]
        marks = list(self.marks)
        if not failed:
            marks[self.turn] |= {square}
        turn = self.turn if failed and self.reveal else 1 - self.turn
        return self._replace(
            attempts=(*self.attempts, (self.turn, square)), marks=(marks[0], marks[1]), turn=turn
        )

    def known(self, seat: int) -> object:
        """What a seat knows: its attempts, which of them got a square, and whether it is to
        move."""
        outcomes = [self.reveal and square in self.marks[seat] for square in self.tried(seat)]
        return seat, tuple(self.tried(seat)), tuple(outcomes), self.turn == seat


def begin(small: bool = False, reveal: bool = True) -> Node:
    node = Node(small, reveal)
    return node.after(4).after(4) if small else node


def worlds(node: Node, seat: int) -> Iterator[tuple[int, ...]]:
    """The attempts of the other seat in all running histories that a seat cannot tell from a
    node's: every history is tried."""
    known, goal = node.known(seat), node.tried(seat)
    open_nodes = [begin(node.small, node.reveal)]
    while open_nodes:
        here = open_nodes.pop()
        if here.seat < 0 or here.tried(seat) != goal[: len(here.tried(seat))]:
            continue
        if here.known(seat) == known:
            yield tuple(here.tried(1 - seat))
        open_nodes += [here.after(square) for square in here.legal()]


def count_histories(small: bool) -> tuple[int, int, dict[int, int]]:
    """Returns the number of decisions, of ends, and of ends by winner, adding up histories that
    lead to the same sets."""
    paths: Counter[tuple[int, int, int, int, int]] = Counter()
    paths[(16, 0, 16, 16, 1) if small else (0, 0, 0, 0, 0)] = 1
    decisions, ends = 0, Counter[int]()
    while paths:
        following: Counter[tuple[int, int, int, int, int]] = Counter()
        for (x, o, tried_x, tried_o, turn), number in paths.items():
            decisions += number
            own, other, tried = (x, o, tried_x) if turn == 0 else (o, x, tried_o)
            for square in range(9):
                bit = 1 << square
                if tried & bit:
                    continue
                failed = bool(other & bit)
                new = own if failed else own | bit
                if WINS[new] or new | other == 511:
                    ends[turn if WINS[new] else -1] += number
                    continue
                then = turn if failed else 1 - turn
                after = (
                    (new, o, tried | bit, tried_o, then)
                    if turn == 0
                    else (x, new, tried_x, tried | bit, then)
                )
                following[after] += number
        paths = following
    return decisions, sum(ends.values()), dict(ends)


@njit
def _others_turn(own: int, weights: np.ndarray, after: np.ndarray, wins: np.ndarray) -> float:
    """Plays the other's turn, uniformly, and returns what the seat loses by it.

    The other's squares are those that it has tried and that are not own; ``weights`` (``[512]``,
    probabilities) go by the former.
    """
    value = 0.0
    after[:] = 0.0
    for t in range(512):  # a fail only adds to t, so it comes later
        weight = weights[t]
        if weight == 0.0:
            continue
        left = 0
        for square in range(9):
            left += 1 - (t >> square & 1)
        for square in range(9):
            bit = 1 << square
            if t & bit:
                continue
            if own & bit:
                weights[t | bit] += weight / left
            elif wins[(t | bit) & ~own]:
                value -= weight / left
            elif own | t | bit != 511:
                after[t | bit] += weight / left
    return value


@njit("float64(int64, int64, int64, float64[:, :], boolean[:], int64[:])")
def _own_turn(
    own: int, tried: int, depth: int, weights: np.ndarray, wins: np.ndarray, count: np.ndarray
) -> float:
    """Returns what a seat wins by the best attempts from here on, times how likely it is to be
    here."""
    count[0] += 1
    best = -1e9
    for square in range(9):
        bit = 1 << square
        if tried & bit:
            continue
        value = 0.0
        for fails in range(2):
            total = 0.0
            for t in range(512):
                is_taken = t & ~own & bit != 0
                weights[depth + 1, t] = weights[depth, t] if is_taken == (fails == 1) else 0.0
                total += weights[depth + 1, t]
            if total == 0.0:
                continue
            new = own if fails else own | bit
            at = depth + 1
            if wins[new]:
                value += total
                continue
            if not fails:
                for t in range(512):
                    if new | t == 511:  # the board is full: a draw
                        weights[at, t] = 0.0
                value += _others_turn(new, weights[at], weights[at + 1], wins)
                at += 1
            if weights[at].any():
                value += _own_turn(new, tried | bit, at, weights, wins, count)
        best = max(best, value)
    return best


def best_response_to_uniform(seat: int, small: bool) -> tuple[float, int]:
    """Returns what a seat wins by the best answer to uniform play, and the number of its
    information sets."""
    weights, count, value = np.zeros((40, 512)), np.zeros(1, np.int64), 0.0
    own, tried = (16 if seat == 0 else 0, 16) if small else (0, 0)
    weights[0, tried] = 1.0
    if (seat == 0) == small:  # the other begins
        value = _others_turn(own, weights[0], weights[1], WINS)
        weights[0] = weights[1]
    return value + _own_turn(own, tried, 0, weights, WINS, count), int(count[0])
