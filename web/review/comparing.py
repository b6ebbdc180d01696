"""Searches of a few moves alone, again and again with new seeds: how much they differ, with the error of that."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from web.clock import derived_seed
from web.engine.asking import Answer, EngineError
from web.review.losses import Loss, paired_loss


class Speed(NamedTuple):
    """How much is searched. Attributes: first: playouts of stage 1; pairs: R; second: playouts of each search of stage 2."""

    first: int
    pairs: int
    second: int


SPEEDS = {"fast": Speed(128, 8, 64), "normal": Speed(256, 16, 128), "deep": Speed(1024, 32, 256)}

Ask = Callable[[int, int, int, tuple[str, ...] | None], Awaitable[Answer]]
"""Searches a position: (ply, playouts, seed, moves) -> answer."""


@dataclass
class Compared:
    """A move as the second stage found it. Attributes: value: the mean of R searches; se: its standard error; visits: of all."""

    value: float
    se: float
    visits: int


class Again(NamedTuple):
    """What R searches of some moves alone found.

    Attributes:
        values: By move, its value in each search, in the unit of the search.
        visits: By move, its playouts in all of them.
        scale: What values are multiplied with for losses: 100 for points of winning chance.
    """

    values: dict[str, list[float]]
    visits: dict[str, int]
    scale: float

    def loss(self, worse: str, better: str) -> Loss:
        """Returns how much worse one move is than another, from the differences in each search."""
        pairs = zip(self.values[worse], self.values[better], strict=True)
        return paired_loss([self.scale * (best - other) for other, best in pairs])

    def compared(self) -> dict[str, Compared]:
        """Returns what is told of each move."""
        means = {move: paired_loss(values) for move, values in self.values.items()}
        return {move: Compared(mean.mean, mean.se, self.visits[move]) for move, mean in means.items()}


async def search_again(ask: Ask, ply: int, moves: tuple[str, ...], speed: Speed, seed: int, purpose: str) -> Again:
    """Returns what R searches of some moves alone say of them.

    Args:
        ask: Searches.
        ply: Where.
        moves: Two or more; two share the playouts of the speed, more have as many each.
        speed: How much is searched.
        seed: Of the review.
        purpose: Keeps the seeds of different comparisons apart.

    Raises:
        EngineError: Fewer than two of the searches looked at all of them.
    """
    found = Again({move: [] for move in moves}, dict.fromkeys(moves, 0), 100.0)
    for r in range(speed.pairs):
        playouts = speed.second * len(moves) // 2
        answer = await ask(ply, playouts, derived_seed(purpose, seed, ply, *moves, r), moves)
        rows = {row.move: row for row in answer.rows or () if row.value is not None}
        found = found._replace(scale=100.0 if answer.unit == "wp" else 1.0)
        if all(move in rows for move in moves):
            for move in moves:
                found.values[move].append(rows[move].value or 0.0)
                found.visits[move] += rows[move].visits
    if len(found.values[moves[0]]) < 2:
        raise EngineError(f"ply {ply}: the searches of {', '.join(moves)} could not be compared")
    return found


def rival_of(answer: Answer, played: str) -> str | None:
    """Returns the move that a first search liked clearly better than the one it chose, None where there is none.

    A search chooses by its visits, so a move that it hardly tried can have the better mean.
    """
    chosen = next((row for row in answer.rows or () if row.move == answer.move), None)
    if chosen is None or chosen.value is None or chosen.se is None:
        return None
    least = {
        row.move: row.value - 2.0 * math.hypot(row.se, chosen.se)
        for row in answer.rows or ()
        if row.value is not None and row.se is not None and row.move not in (played, answer.move)
    }
    best = max(least, key=lambda move: least[move], default=None)
    return best if best is not None and least[best] > chosen.value else None
