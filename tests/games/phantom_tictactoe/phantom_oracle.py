"""Phantom Tic-Tac-Toe in plain Python, written from the rules alone."""

from collections.abc import Iterator
from typing import NamedTuple

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


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
