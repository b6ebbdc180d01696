"""The review of a finished game: which decisions cost something, and how sure that is.

Two stages, each from the mover's own view. First one search of every unforced decision gives its choice a*. Where another move
was played, R searches of {played, a*} alone, with new seeds, give differences d_r; the loss is their mean d̄ with SE = sd/√R. A
move that the first search hardly tried, and liked better than a* for all its error, is searched with the two, and takes the place
of a* where it wins there too. A class is never told from a single search: one that said −0.5 points was followed by +1.9 ± 0.8. R
is fixed beforehand: to stop when it looks separated is wrong 40 % of the time at two standard errors.

Where the player tells exact values, as tables of small poker games do, there is nothing to search: a loss is the regret of the
move, its error is 0, and moves that are as good as the best one are all best, however seldom the player makes them.

A class is a function of loss, error and thresholds, so other thresholds need no new search. Everything else follows from the
record, the speed, the seats and the seed. The error is that of the searches; what the model itself misjudges is not in it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

from web.clock import derived_seed
from web.engine.asking import Answer, Row
from web.review.comparing import SPEEDS, Ask, Compared, Speed, rival_of, search_again
from web.review.losses import CLASSES, OPEN_CLASSES, Loss, classify
from web.review.luck import Cost, Parts, parts_of
from web.review.luck import told as told_parts

PUZZLES = ("mistake", "blunder")


@dataclass
class Decision:
    """A decision of the game.

    Attributes:
        ply: Where.
        seat: Whose.
        move: What was played.
        value: Of the position, by the first search, in the unit of the search.
        unit: "wp" or "points".
        best: The searched move a*, or its rival; of exact values the best, which is the played one where that is as good.
        rows: Of the first search, as in messages.
        value_se: Of the value, 0 where it is exact.
        loss: d̄; None while the second stage has not reached it.
        se: Of the loss.
        exact: Whether loss and rows are exact.
        shown: Whether best and rows were asked for, or found.
        right: Whether some try was right; None before the first.
        tries: Loss and standard error of moves that were tried.
        compared: By move, what the second stage found.
        rival: A move that the first search liked better than the one it chose, see ``rival_of``.
    """

    ply: int
    seat: int
    move: str
    value: float | None
    unit: str
    best: str
    rows: list[dict[str, Any]]
    value_se: float | None = None
    loss: float | None = None
    se: float | None = None
    exact: bool = False
    shown: bool = False
    right: bool | None = None
    tries: dict[str, tuple[float, float]] = field(default_factory=dict)
    compared: dict[str, Compared] = field(default_factory=dict)
    rival: str | None = None

    def judge(self, loss: Loss) -> None:
        """Notes what the second stage found."""
        self.loss, self.se = loss.mean, loss.se

    @property
    def judged(self) -> Loss | None:
        """Returns the loss, None while it is not known."""
        return None if self.loss is None or self.se is None else Loss(self.loss, self.se)

    def name(self, thresholds: Sequence[float]) -> str | None:
        """Returns the class, None while it is not known."""
        judged = self.judged
        return None if judged is None else "best" if self.move == self.best else classify(judged, thresholds)

    def hidden(self, thresholds: Sequence[float]) -> bool:
        """Returns whether best and rows are kept back."""
        return not self.shown and self.name(thresholds) not in OPEN_CLASSES

    def found_best(self) -> str:
        """Returns the best move that was found: a*, unless the second stage found what was played to be clearly better."""
        judged = self.judged
        return self.move if judged is not None and judged.mean < -2.0 * judged.se else self.best

    def told_rows(self) -> list[dict[str, Any]]:
        """Returns the rows, the best found first, then what was played; both as the second stage found them, if it did."""
        value = "wp" if self.unit == "wp" else "points"
        rows = []
        for row in self.rows:
            again = self.compared.get(row["move"])
            now = {} if again is None else {value: round(again.value, 4), "se": round(again.se, 4), "visits": again.visits}
            rows.append({**row, **now, "stage": 1 if again is None else 2})
        if self.exact:
            return rows
        return sorted(rows, key=lambda row: (row["move"] != self.found_best(), row["stage"] == 1))

    def told(self, thresholds: Sequence[float]) -> dict[str, Any]:
        """Returns what may be told of the decision."""
        digits, hidden = 2 if self.unit == "wp" else 4, self.hidden(thresholds)
        given: dict[str, Any] = {
            "ply": self.ply,
            "seat": self.seat,
            "move": self.move,
            "value": None if self.value is None else round(self.value, 4),
            "value_se": None if self.value_se is None else round(self.value_se, 4),
            "loss": None if self.loss is None else round(self.loss, digits),
            "se": None if self.se is None else round(self.se, digits),
            "exact": self.exact,
            "class": self.name(thresholds),
            "hidden": hidden,
            "right": self.right,
        }
        if not hidden:
            given |= {"best": self.found_best(), "searched": self.best, "rows": self.told_rows()}
        return given


@dataclass
class Review:
    """A review.

    Attributes:
        speed: A key of SPEEDS.
        seed: Of its searches.
        unit: "wp" or "points".
        classes: Thresholds, those it is told with.
        seats: Whose decisions.
        forced: How many decisions of each of them were forced.
        teams: Of all seats.
        decisions: The others.
        luck: What the cards brought, the fields of ``agents.luck.Luck``; None where it is not known.
        no_luck: Why it is not.
    """

    speed: str
    seed: int
    unit: str
    classes: tuple[float, ...]
    seats: tuple[int, ...]
    forced: dict[int, int]
    teams: tuple[int, ...] = ()
    decisions: list[Decision] = field(default_factory=list)
    luck: dict[str, Any] | None = None
    no_luck: str | None = None

    @property
    def exact(self) -> bool:
        """Returns whether every loss is exact."""
        return bool(self.decisions) and all(decision.exact for decision in self.decisions)

    def decision(self, ply: int) -> Decision | None:
        """Returns the decision of a ply, None where there is none."""
        return next((decision for decision in self.decisions if decision.ply == ply), None)

    def told(self) -> dict[str, Any]:
        """Returns what may be told of the review."""
        parts = {} if self.luck is None else {seat: self.parts(seat) for seat in self.seats}
        return {
            "speed": self.speed,
            "seed": self.seed,
            "unit": self.unit,
            "classes": list(self.classes),
            "exact": self.exact,
            "decisions": [decision.told(self.classes) for decision in self.decisions],
            "summary": [self._of_seat(seat) for seat in self.seats],
            "luck": [
                {"seat": seat, "play_outs": (self.luck or {})["play_outs"], **told_parts(found, self.digits)}
                for seat, found in parts.items()
                if found is not None
            ],
            "no_luck": self.no_luck,
        }

    @property
    def digits(self) -> int:
        """Returns the decimal places of sums."""
        return 1 if self.unit == "wp" else 2

    def cost(self, seat: int) -> Cost:
        """Returns what the decisions of a seat lost; the errors add by squares, the searches being independent."""
        judged = [decision.judged for decision in self.decisions if decision.seat == seat]
        known = [loss for loss in judged if loss is not None]
        return Cost(sum(loss.mean for loss in known), math.sqrt(sum(loss.se**2 for loss in known)))

    def parts(self, seat: int) -> Parts | None:
        """Returns the result of a seat in parts; None where what the cards brought is not known in the unit of the losses."""
        if self.luck is None or (self.luck["unit"] == "wp") != (self.unit == "wp"):
            return None
        costs = {other: self.cost(other) for other in self.seats}
        return parts_of(self.luck, seat, self.teams, costs, 100.0 if self.unit == "wp" else 1.0)

    def _of_seat(self, seat: int) -> dict[str, Any]:
        """Returns the sums of a seat."""
        mine = [decision for decision in self.decisions if decision.seat == seat]
        names = [decision.name(self.classes) for decision in mine]
        forced, cost = self.forced.get(seat, 0), self.cost(seat)
        return {
            "seat": seat,
            "decisions": len(mine) + forced,
            "forced": forced,
            **{name: names.count(name) for name in ("best", "good", "better", "unclear", *CLASSES)},
            "loss": round(cost.loss, 4),
            "se": round(cost.se, 4),
        }

    def to_fields(self) -> dict[str, Any]:
        """Returns all of it, for the store."""
        return asdict(self)

    @staticmethod
    def from_fields(given: dict[str, Any]) -> "Review":
        """Returns a review that was stored; fields of other versions of it are passed over."""
        review = Review(**_known(Review, given))
        review.decisions = [Decision(**_known(Decision, values)) for values in given["decisions"]]
        for decision in review.decisions:
            decision.tries = {move: (loss, se) for move, (loss, se) in decision.tries.items()}
            stored: dict[str, Any] = decision.compared
            decision.compared = {move: Compared(**values) for move, values in stored.items()}
        review.forced = {int(seat): count for seat, count in given["forced"].items()}
        review.classes, review.seats, review.teams = tuple(given["classes"]), tuple(given["seats"]), tuple(review.teams)
        return review


def _known(made: type, given: dict[str, Any]) -> dict[str, Any]:
    """Returns those of some fields that a dataclass has."""
    names = {one.name for one in fields(made)}
    return {name: value for name, value in given.items() if name in names}


class Played(NamedTuple):
    """A move of the game. Attributes: ply; seat; move; choices: how many moves were legal."""

    ply: int
    seat: int
    move: str
    choices: int


async def second_stage(ask: Ask, decision: Decision, speed: Speed, seed: int) -> None:
    """Compares what was played with the searched move, and both with its rival where there is one.

    The rival takes the place of the searched move if it is found to be better by more than two standard errors.
    """
    moves = (decision.move, decision.best, *([] if decision.rival is None else [decision.rival]))
    found = await search_again(ask, decision.ply, moves, speed, seed, "second")
    decision.compared = found.compared()
    if decision.rival is not None:
        lead = found.loss(decision.best, decision.rival)
        if lead.mean > 2.0 * lead.se:
            decision.best = decision.rival
    decision.judge(found.loss(decision.move, decision.best))


def exact_loss(rows: Sequence[dict[str, Any]], move: str) -> Loss:
    """Returns what a move loses against the best of exact rows."""
    values = {row["move"]: row["wp"] if row["points"] is None else row["points"] for row in rows}
    return Loss(max(values.values()) - values[move], 0.0)


def _searched(played: Played, answer: Answer, rows: list[dict[str, Any]], even: float) -> Decision:
    """Returns a decision after the first search."""
    decision = Decision(played.ply, played.seat, played.move, answer.value, answer.unit, answer.move, rows, answer.value_se)
    if answer.exact:
        values = {row.move: row.value or 0.0 for row in answer.rows or ()}
        best = max(values, key=lambda move: values[move])
        loss = values[best] - values[played.move]
        decision.exact, decision.best = True, played.move if loss <= even else best
        decision.judge(Loss(loss, 0.0))
    elif answer.move == played.move:
        decision.judge(Loss(0.0, 0.0))
    else:
        decision.rival = rival_of(answer, played.move)
    return decision


async def review_game(
    ask: Ask,
    moves: Sequence[Played],
    seats: Sequence[int],
    speed: str,
    seed: int,
    thresholds: Sequence[float],
    row_fields: Callable[[Row, str], dict[str, Any]],
    progress: Callable[[int, int, int, list[Decision]], None],
    even: float = 0.0,
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
        even: Exact losses up to it count as none.
    """
    amount = SPEEDS[speed]
    mine = [played for played in moves if played.seat in seats]
    forced = {seat: sum(p.seat == seat and p.choices < 2 for p in mine) for seat in seats}
    open_ones = [played for played in mine if played.choices > 1]
    review = Review(speed, seed, "points", tuple(thresholds), tuple(seats), forced)
    for k, played in enumerate(open_ones):
        answer = await ask(played.ply, amount.first, derived_seed("first", seed, played.ply), None)
        review.unit = answer.unit
        decision = _searched(played, answer, [row_fields(row, answer.unit) for row in answer.rows or ()], even)
        review.decisions.append(decision)
        progress(k + 1, len(open_ones), 1, [decision])
    others = [decision for decision in review.decisions if decision.judged is None]
    for k, decision in enumerate(others):
        await second_stage(ask, decision, amount, seed)
        progress(k + 1, len(others), 2, [decision])
    return review
