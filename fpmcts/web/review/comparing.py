"""The difference in value between two moves with its error, and the class of a mistake.

A search restricted to a few moves is repeated with new seeds; the differences give a mean and a
standard error.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, EngineError
from fpmcts.web.errors import Json
from games.base.estimate import Estimate, estimate

CLASSES = ("inaccuracy", "mistake", "blunder")
OPEN_CLASSES = ("best", "good", "better")
"""Classes of decisions whose best move is shown at once, since there is no better one to find."""


def loss_fields(loss: Estimate, digits: int = 4) -> Json:
    """Returns the fields of a message about a loss."""
    return {"loss": round(loss.mean, digits), "se": round(loss.error, digits)}


def classify(loss: Estimate, thresholds: Sequence[float]) -> str:
    """Returns the class of a move that differs from the searched one.

    Class t of the thresholds if d̄ ≥ t and d̄ − 2 SE ≥ t/2; else "unclear" from the lowest
    threshold on, "better" if d̄ < −2 SE, and "good".
    """
    for threshold, name in sorted(zip(thresholds, CLASSES, strict=True), reverse=True):
        if loss.mean >= threshold and loss.low >= threshold / 2.0:
            return name
    if loss.mean >= min(thresholds):
        return "unclear"
    return "better" if loss.high < 0.0 else "good"


class Speed(NamedTuple):
    """The amount of search in a review.

    Attributes:
        first: Playouts of stage 1.
        pairs: R, the number of searches of stage 2.
        second: Playouts of each search of stage 2.
        luck: Games played to estimate the value of a deal if there is no exact one.
    """

    first: int
    pairs: int
    second: int
    luck: int


SPEEDS = {
    "fast": Speed(128, 8, 64, 256),
    "normal": Speed(256, 16, 128, 512),
    "deep": Speed(1024, 32, 256, 2048),
}

Ask = Callable[[int, int, int, tuple[str, ...] | None], Awaitable[Answer]]
"""Searches a position: (ply, playouts, seed, moves) -> answer."""


@dataclass
class Compared:
    """A move as evaluated by the second stage.

    Attributes:
        value: Mean of R searches.
        se: Its standard error.
        visits: Playouts in all R searches.
    """

    value: float
    se: float
    visits: int


class Again(NamedTuple):
    """The results of R searches restricted to some moves.

    Attributes:
        values: For each move, its value in each search, in the unit of the search.
        visits: For each move, its playouts in all searches.
        scale: Factor from values to losses: 100 for percentage points of winning probability.
    """

    values: dict[str, list[float]]
    visits: dict[str, int]
    scale: float

    def loss(self, worse: str, better: str) -> Estimate:
        """Returns how much worse one move is than another, from the differences in each search."""
        pairs = zip(self.values[worse], self.values[better], strict=True)
        return estimate(np.array([self.scale * (best - other) for other, best in pairs]))

    def compared(self) -> dict[str, Compared]:
        """Returns the report of each move."""
        found = {move: estimate(np.array(values)) for move, values in self.values.items()}
        return {
            move: Compared(one.mean, one.error, self.visits[move]) for move, one in found.items()
        }


async def search_again(
    ask: Ask, ply: int, moves: tuple[str, ...], speed: Speed, seed: int, purpose: str
) -> Again:
    """Compares some moves by R searches restricted to them.

    Args:
        ask: Searches a position.
        ply: The position.
        moves: Two or more moves. Two share the playouts of the speed; more get proportionally more.
        speed: The amount of search.
        seed: Seed of the review.
        purpose: Keeps the seeds of different comparisons apart.

    Raises:
        EngineError: Fewer than two of the searches visited all moves.
    """
    values: dict[str, list[float]] = {move: [] for move in moves}
    visits, unit = dict.fromkeys(moves, 0), "wp"
    for r in range(speed.pairs):
        playouts = speed.second * len(moves) // 2
        answer = await ask(ply, playouts, derived_seed(purpose, seed, ply, *moves, r), moves)
        unit, rows = answer.unit, answer.valued
        if all(move in rows for move in moves):
            for move in moves:
                values[move].append(rows[move].mean or 0.0)
                visits[move] += rows[move].visits
    if len(values[moves[0]]) < 2:
        raise EngineError(f"ply {ply}: the searches of {', '.join(moves)} could not be compared")
    return Again(values, visits, 100.0 if unit == "wp" else 1.0)


def rival_of(answer: Answer, played: str) -> str | None:
    """Returns the move that the first search valued clearly higher than the one it chose, or None.

    A search chooses by visits, so a rarely tried move can have the higher mean.
    """
    rows = {
        move: row.value
        for move, row in answer.valued.items()
        if row.value is not None and row.standard_error is not None
    }
    if answer.decision.best not in rows:
        return None
    chosen = rows.pop(answer.decision.best)
    least = {
        move: row.mean - 2.0 * math.hypot(row.error, chosen.error)
        for move, row in rows.items()
        if move != played
    }
    best = max(least, key=lambda move: least[move], default=None)
    return best if best is not None and least[best] > chosen.mean else None
