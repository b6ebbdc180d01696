"""The review of a finished game: which decisions cost something, and how sure that is.

Two stages, each from the mover's own view. First one search of every unforced decision gives its choice a*. Where another move
was played, R pairs of searches of {played, a*} alone, with new seeds, give differences d_r; the loss is their mean d̄ with
SE = sd/√R. A class is never told from a single search: one that said −0.5 points was followed by +1.9 ± 0.8. R is fixed
beforehand: to stop when it looks separated is wrong 40 % of the time at two standard errors.

Everything follows from the record, the speed, the seats and the seed. The error is that of the searches; what the model itself
misjudges is not in it.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from web.asking import Answer, EngineError, Row
from web.clock import derived_seed


class Speed(NamedTuple):
    """How much is searched. Attributes: first: playouts of stage 1; pairs: R; second: playouts of each search of stage 2."""

    first: int
    pairs: int
    second: int


SPEEDS = {"fast": Speed(128, 8, 64), "normal": Speed(256, 16, 128), "deep": Speed(1024, 32, 256)}
CLASSES = ("inaccuracy", "mistake", "blunder")
OPEN_CLASSES = ("best", "good", "better")
"""Classes of decisions whose searched move is told at once: there is nothing to find."""
PUZZLES = ("mistake", "blunder")

Ask = Callable[[int, int, int, tuple[str, ...] | None], Awaitable[Answer]]
"""Searches a position: (ply, playouts, seed, moves) -> answer."""


class Loss(NamedTuple):
    """How much worse one move is than another. Attributes: mean; se: its standard error."""

    mean: float
    se: float


def paired_loss(differences: Sequence[float]) -> Loss:
    """Returns the mean of paired differences with its standard error; at least two are needed."""
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError(f"{values.size} differences; expected at least two")
    return Loss(float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size)))


def classify(loss: Loss, thresholds: Sequence[float]) -> str:
    """Returns the class of a move that is not the searched one.

    Class t of the thresholds if d̄ ≥ t and d̄ − 2 SE ≥ t/2; else "unclear" from the lowest threshold on, "better" if d̄ < −2 SE, and
    "good".
    """
    for threshold, name in sorted(zip(thresholds, CLASSES, strict=True), reverse=True):
        if loss.mean >= threshold and loss.mean - 2.0 * loss.se >= threshold / 2.0:
            return name
    if loss.mean >= min(thresholds):
        return "unclear"
    return "better" if loss.mean < -2.0 * loss.se else "good"


def counts_as_right(loss: Loss) -> bool:
    """Returns whether a move cannot be told from the best one, or is better."""
    return loss.mean - 2.0 * loss.se <= 0.0


def told_value(answer: Answer, value: float) -> float:
    """Returns a value of a search in what losses are told in: points of winning chance (0 to 100), else returns."""
    return 100.0 * value if answer.unit == "wp" else value


def _row(answer: Answer, move: str) -> Row | None:
    return next((row for row in answer.rows or () if row.move == move and row.value is not None), None)


@dataclass
class Decision:
    """A decision of the game.

    Attributes:
        ply: Where.
        seat: Whose.
        move: What was played.
        value: Of the position, by the first search, in the unit of the search.
        unit: "wp" or "points".
        best: The searched move a*.
        rows: Of the first search, as in messages.
        loss: d̄; None while the second stage has not reached it.
        se: Of the loss.
        name: The class; None likewise.
        hidden: Whether best and rows are kept back.
        right: Whether some try was right; None before the first.
        tries: Loss and standard error of moves that were tried.
    """

    ply: int
    seat: int
    move: str
    value: float | None
    unit: str
    best: str
    rows: list[dict[str, Any]]
    loss: float | None = None
    se: float | None = None
    name: str | None = None
    hidden: bool = True
    right: bool | None = None
    tries: dict[str, tuple[float, float]] = field(default_factory=dict)

    def judge(self, loss: Loss, name: str) -> None:
        """Notes what the second stage found."""
        self.loss, self.se, self.name = loss.mean, loss.se, name
        self.hidden = name not in OPEN_CLASSES

    def told(self) -> dict[str, Any]:
        """Returns what may be told of the decision."""
        wins = self.unit == "wp"
        fields: dict[str, Any] = {
            "ply": self.ply,
            "seat": self.seat,
            "move": self.move,
            "value": None if self.value is None else round(self.value, 4),
            "loss": None if self.loss is None else round(self.loss, 2 if wins else 4),
            "se": None if self.se is None else round(self.se, 2 if wins else 4),
            "class": self.name,
            "hidden": self.hidden,
            "right": self.right,
        }
        if not self.hidden:
            fields |= {"best": self.best, "rows": self.rows}
        return fields


@dataclass
class Review:
    """A review.

    Attributes:
        speed: A key of SPEEDS.
        seed: Of its searches.
        unit: "wp" or "points".
        classes: Thresholds.
        seats: Whose decisions.
        forced: How many decisions of each of them were forced.
        decisions: The others.
    """

    speed: str
    seed: int
    unit: str
    classes: tuple[float, ...]
    seats: tuple[int, ...]
    forced: dict[int, int]
    decisions: list[Decision] = field(default_factory=list)

    def decision(self, ply: int) -> Decision | None:
        """Returns the decision of a ply, None where there is none."""
        return next((decision for decision in self.decisions if decision.ply == ply), None)

    def told(self) -> dict[str, Any]:
        """Returns what may be told of the review."""
        return {
            "speed": self.speed,
            "seed": self.seed,
            "unit": self.unit,
            "classes": list(self.classes),
            "decisions": [decision.told() for decision in self.decisions],
            "summary": [self._of_seat(seat) for seat in self.seats],
        }

    def _of_seat(self, seat: int) -> dict[str, Any]:
        """Returns the sums of a seat; the standard error of the total loss adds squares, the searches being independent."""
        mine = [decision for decision in self.decisions if decision.seat == seat]
        counts = {name: sum(d.name == name for d in mine) for name in ("best", "good", "better", "unclear", *CLASSES)}
        loss = sum(d.loss or 0.0 for d in mine)
        se = math.sqrt(sum((d.se or 0.0) ** 2 for d in mine))
        forced = self.forced.get(seat, 0)
        return {
            "seat": seat,
            "decisions": len(mine) + forced,
            "forced": forced,
            **counts,
            "loss": round(loss, 4),
            "se": round(se, 4),
        }

    def to_fields(self) -> dict[str, Any]:
        """Returns all of it, for the store."""
        return asdict(self)

    @staticmethod
    def from_fields(fields: dict[str, Any]) -> "Review":
        """Returns a review that was stored."""
        decisions = [Decision(**{**values, "tries": dict(values["tries"])}) for values in fields["decisions"]]
        forced = {int(seat): count for seat, count in fields["forced"].items()}
        given = {**fields, "decisions": decisions, "forced": forced}
        return Review(**{**given, "classes": tuple(fields["classes"]), "seats": tuple(fields["seats"])})


class Played(NamedTuple):
    """A move of the game. Attributes: ply; seat; move; choices: how many moves were legal."""

    ply: int
    seat: int
    move: str
    choices: int


async def compare(ask: Ask, ply: int, worse: str, better: str, speed: Speed, seed: int, purpose: str) -> Loss:
    """Returns how much worse one move is than another, by R searches of the two alone.

    Args:
        ask: Searches.
        ply: Where.
        worse: The move that is judged.
        better: The move that it is compared with.
        speed: How much is searched.
        seed: Of the review.
        purpose: Keeps the seeds of different comparisons apart.
    """
    differences = []
    for r in range(speed.pairs):
        answer = await ask(ply, speed.second, derived_seed(purpose, seed, ply, worse, better, r), (worse, better))
        rows = _row(answer, better), _row(answer, worse)
        values = [told_value(answer, row.value) for row in rows if row is not None and row.value is not None]
        if len(values) == 2:
            differences.append(values[0] - values[1])
    if len(differences) < 2:
        raise EngineError(f"ply {ply}: the searches of {worse} and {better} could not be compared")
    return paired_loss(differences)


async def review_game(
    ask: Ask,
    moves: Sequence[Played],
    seats: Sequence[int],
    speed: str,
    seed: int,
    thresholds: Sequence[float],
    row_fields: Callable[[Row, str], dict[str, Any]],
    progress: Callable[[int, int, int, list[Decision]], None],
) -> Review:
    """Returns the review of a game.

    Args:
        ask: Searches a position from the view of its mover.
        moves: The game.
        seats: Whose decisions are looked at.
        speed: A key of SPEEDS.
        seed: Of the searches.
        thresholds: Of the classes, ascending.
        row_fields: A row as it is told.
        progress: Is told (decisions done, of how many, stage, decisions of which something became known).
    """
    amount = SPEEDS[speed]
    mine = [played for played in moves if played.seat in seats]
    forced = {seat: sum(p.seat == seat and p.choices < 2 for p in mine) for seat in seats}
    open_ones = [played for played in mine if played.choices > 1]
    review = Review(speed, seed, "points", tuple(thresholds), tuple(seats), forced)
    for k, played in enumerate(open_ones):
        answer = await ask(played.ply, amount.first, derived_seed("first", seed, played.ply), None)
        review.unit = answer.unit
        rows = [row_fields(row, answer.unit) for row in answer.rows or ()]
        decision = Decision(played.ply, played.seat, played.move, answer.value, answer.unit, answer.move, rows)
        if answer.move == played.move:
            decision.judge(Loss(0.0, 0.0), "best")
        review.decisions.append(decision)
        progress(k + 1, len(open_ones), 1, [decision])
    others = [decision for decision in review.decisions if decision.name is None]
    for k, decision in enumerate(others):
        loss = await compare(ask, decision.ply, decision.move, decision.best, amount, seed, "second")
        decision.judge(loss, classify(loss, thresholds))
        progress(k + 1, len(others), 2, [decision])
    return review
