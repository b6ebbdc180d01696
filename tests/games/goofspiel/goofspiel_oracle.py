"""Imperfect-information Goofspiel in plain Python, written from its rules alone, to try the kernels
by."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple


class Node(NamedTuple):
    """A history: the order of prizes (values), the bids of both seats so far."""

    prizes: tuple[int, ...]
    bids: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def seat(self) -> int:
        """The last round is forced and is no decision."""
        made = sum(map(len, self.bids))
        return -1 if made == 2 * len(self.prizes) - 2 else made % 2

    def hand(self, seat: int) -> list[int]:
        low = min(self.prizes)
        return [card for card in range(low, low + len(self.prizes)) if card not in self.bids[seat]]

    def after(self, card: int) -> "Node":
        bids = list(self.bids)
        bids[self.seat] += (card,)
        return Node(self.prizes, (bids[0], bids[1]))

    def known(self, seat: int, hides_prizes: bool = False) -> Any:
        """What a seat knows: its bids, the results, whether the other has bid, and the prizes that
        it has seen."""
        over = len(self.bids[1])
        results = tuple((a > b) - (a < b) for a, b in zip(*self.bids, strict=False))
        return (
            seat,
            self.bids[seat],
            results,
            len(self.bids[0]) > over,
            self.prizes[: over + 1] if hides_prizes else (),
        )

    def points(self) -> int:
        """Seat 0's less seat 1's, at the end."""
        full = [self.bids[seat] + tuple(self.hand(seat)) for seat in range(2)]
        return sum(
            prize * ((a > b) - (a < b)) for prize, a, b in zip(self.prizes, *full, strict=True)
        )


def roots(cards: int, order: str, lowest: int) -> list[Node]:
    values = range(lowest, lowest + cards)
    if order == "random":
        return [Node(prizes) for prizes in permutations(values)]
    return [Node(tuple(values) if order == "ascending" else tuple(reversed(values)))]


def histories(node: Node) -> Iterator[Node]:
    """All histories from a node on, those that are over included."""
    yield node
    if node.seat >= 0:
        for card in node.hand(node.seat):
            yield from histories(node.after(card))
