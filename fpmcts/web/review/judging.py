"""The review of a finished game: the cost of each decision, with its error.

Two stages, each from the mover's own view. First one search of every unforced decision gives its
choice a*. Where another move was played, R searches of {played, a*} alone, with new seeds, give
differences d_r; the loss is their mean d̄ with SE = sd/√R. A move that the first search rarely
tried, and valued higher than a* by more than its error, is compared with the two, and replaces a*
if it wins there too. A class is never assigned from a single search: after one that gave −0.5
points came +1.9 ± 0.8. R is fixed in advance: stopping as soon as moves look separated errs 40 % of
the time at two standard errors.

If the player has exact values, as tables of small poker games do, no search is needed: a loss is
the regret of the move, its error is 0, and all moves as good as the best one are best, however
rarely the player makes them.

A class is a function of loss, error and thresholds, so other thresholds need no new search.
Everything else follows from the record, the speed, the seats and the seed. The error covers the
searches only, not the model's own misjudgements.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Self

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, rounded
from fpmcts.web.errors import Json
from fpmcts.web.review.comparing import (
    CLASSES,
    OPEN_CLASSES,
    SPEEDS,
    Ask,
    Compared,
    classify,
    loss_fields,
    rival_of,
    search_again,
)
from fpmcts.web.review.luck import Parts, parts_of
from games.base.estimate import Estimate, total

PUZZLES = ("mistake", "blunder")


@dataclass
class Judgement:
    """A decision of the game, and what it cost.

    Attributes:
        ply: Number of the move in the game.
        seat: The seat that moves.
        move: The move played.
        value: Value of the position by the first search, in the unit of the search.
        unit: "wp" or "points".
        best: The searched move a*, or its rival; with exact values the best move, or the played one
            if it is as good.
        rows: Rows of the first search, as in messages.
        value_se: Standard error of the value, 0 if exact.
        loss: d̄; None until the second stage has reached it.
        se: Standard error of the loss.
        exact: Whether loss and rows are exact.
        shown: Whether best and rows were revealed or found.
        right: Whether any try was right; None before the first.
        tries: Estimate and standard error of the moves tried.
        compared: Results of the second stage, by move.
        rival: A move that the first search valued higher than the one it chose, see ``rival_of``.
    """

    ply: int
    seat: int
    move: str
    value: float | None
    unit: str
    best: str
    rows: list[Json]
    value_se: float | None = None
    loss: float | None = None
    se: float | None = None
    exact: bool = False
    shown: bool = False
    right: bool | None = None
    tries: dict[str, Sequence[float]] = field(default_factory=dict)
    compared: dict[str, Compared] = field(default_factory=dict)
    rival: str | None = None

    @classmethod
    def parse(cls, given: Json) -> Self:
        """Returns a stored decision."""
        made = cls(**_known(cls, given))
        made.compared = {
            move: Compared(**values) for move, values in given.get("compared", {}).items()
        }
        return made

    @property
    def judged(self) -> Estimate | None:
        """Returns the loss with its error, None while unknown."""
        return None if self.loss is None or self.se is None else Estimate(self.loss, self.se)

    @judged.setter
    def judged(self, loss: Estimate) -> None:
        self.loss, self.se = loss.mean, loss.error

    def loss_of(self, move: str) -> float:
        """Returns the loss of a move against the best one, from exact rows."""
        values = {row["move"]: row[self.unit] for row in self.rows}
        return float(max(values.values()) - values[move])

    def name(self, thresholds: Sequence[float]) -> str | None:
        """Returns the class, None while unknown."""
        if self.judged is None:
            return None
        return "best" if self.move == self.best else classify(self.judged, thresholds)

    def found_best(self) -> str:
        """Returns the best move found: a*, unless the second stage found the played move clearly
        better.
        """
        judged = self.judged
        return self.move if judged is not None and judged.high < 0.0 else self.best

    def shown_rows(self) -> list[Json]:
        """Returns the rows, the best move first, then the played one; both with the results of the
        second stage, if any.
        """
        rows: list[Json] = [{**row, "stage": 1} for row in self.rows]
        for row in rows:
            if (again := self.compared.get(row["move"])) is not None:
                row |= {self.unit: round(again.value, 4), "se": round(again.se, 4)}
                row |= {"visits": again.visits, "stage": 2}
        if not self.exact:
            rows.sort(key=lambda row: (row["move"] != self.found_best(), row["stage"] == 1))
        if self.judged is not None:
            even = self.judged.low <= 0.0 <= self.judged.high
            for row in rows:
                if row["stage"] == 2 and row["move"] in (self.move, self.best):
                    row["equal"] = even or row is rows[0]
        return rows

    def fields(self, thresholds: Sequence[float]) -> Json:
        """Returns the visible fields of the decision: best and rows are withheld while there is a
        better move to find.
        """
        digits, name = 2 if self.unit == "wp" else 4, self.name(thresholds)
        hidden = not self.shown and name not in OPEN_CLASSES
        given: Json = {
            **{key: getattr(self, key) for key in ("ply", "seat", "move", "exact", "right")},
            **{key: rounded(getattr(self, key)) for key in ("value", "value_se")},
            **{key: rounded(getattr(self, key), digits) for key in ("loss", "se")},
            "class": name,
            "hidden": hidden,
        }
        if not hidden:
            given |= {"best": self.found_best(), "searched": self.best, "rows": self.shown_rows()}
        return given


@dataclass
class Review:
    """A review.

    Attributes:
        speed: A key of SPEEDS.
        seed: Seed of its searches.
        classes: Thresholds used in the report.
        seats: Seats whose decisions are reviewed.
        unit: "wp" or "points".
        forced: Number of forced decisions of each of them.
        teams: Teams of all seats.
        decisions: The unforced decisions.
        luck: The luck of the cards, the fields of ``fpmcts.players.luck.Luck``; None if unknown.
        no_luck: Why it is unknown.
    """

    speed: str
    seed: int
    classes: tuple[float, ...]
    seats: tuple[int, ...]
    unit: str = "points"
    forced: dict[int, int] = field(default_factory=dict)
    teams: tuple[int, ...] = ()
    decisions: list[Judgement] = field(default_factory=list)
    luck: Json | None = None
    no_luck: str | None = None

    @classmethod
    def parse(cls, given: Json) -> Self:
        """Returns a stored review (``asdict``); fields of other versions are ignored."""
        made = cls(**_known(cls, given))
        made.decisions = [Judgement.parse(values) for values in given["decisions"]]
        if "moved" not in (made.luck or {}):
            made.luck = None  # of an older version; it is found again
        made.forced = {int(seat): count for seat, count in given["forced"].items()}
        for name in ("classes", "seats", "teams"):
            setattr(made, name, tuple(getattr(made, name)))
        return made

    @classmethod
    def of_puzzle(
        cls, row: Json, ply: int, seat: int, wins: bool, classes: tuple[float, ...]
    ) -> Self:
        """Returns a judged puzzle as a review: its decision as if the best of the wrong moves had
        been played.
        """
        losses, unit = row["losses"], "wp" if wins else "points"
        wrong = min(losses, key=lambda move: losses[move][0])
        decision = Judgement(ply, seat, wrong, None, unit, row["best"], [], tries=losses)
        decision.loss, decision.se = losses[wrong]
        return cls("fast", 0, classes, (seat,), unit, decisions=[decision])

    @property
    def key(self) -> str:
        """Returns the key among the reviews of a game: what was asked of its searches, so without
        thresholds. A stored review stays, whatever player analyses the game now.
        """
        return f"{self.speed} {self.seed} {','.join(map(str, self.seats))}"

    @property
    def digits(self) -> int:
        """Returns the decimal places of sums."""
        return 1 if self.unit == "wp" else 2

    def decision(self, ply: int) -> Judgement | None:
        """Returns the decision of a ply, or None."""
        return next((decision for decision in self.decisions if decision.ply == ply), None)

    def fields(self) -> Json:
        """Returns the visible fields of the review."""
        luck = [
            {"seat": seat, "play_outs": (self.luck or {})["play_outs"], **parts.fields(self.digits)}
            for seat in self.seats
            if (parts := self.parts(seat)) is not None
        ]
        return {
            "speed": self.speed,
            "seed": self.seed,
            "unit": self.unit,
            "classes": list(self.classes),
            "exact": bool(self.decisions) and all(decision.exact for decision in self.decisions),
            "decisions": [decision.fields(self.classes) for decision in self.decisions],
            "summary": [self._of_seat(seat) for seat in self.seats],
            "luck": luck,
            "no_luck": self.no_luck,
        }

    def cost(self, seat: int) -> Estimate:
        """Returns the total loss of a seat's decisions; the searches are independent."""
        mine = (decision.judged for decision in self.decisions if decision.seat == seat)
        return total(loss for loss in mine if loss is not None)

    def parts(self, seat: int) -> Parts | None:
        """Returns the result of a seat in parts; None if the luck of the cards is unknown in the
        unit of the losses.
        """
        if self.luck is None or (self.luck["unit"] == "wp") != (self.unit == "wp"):
            return None
        costs = {other: self.cost(other) for other in self.seats}
        return parts_of(self.luck, seat, self.teams, costs, 100.0 if self.unit == "wp" else 1.0)

    def _of_seat(self, seat: int) -> Json:
        """Returns the sums of a seat."""
        names = [
            decision.name(self.classes) for decision in self.decisions if decision.seat == seat
        ]
        forced = self.forced.get(seat, 0)
        return {
            "seat": seat,
            "decisions": len(names) + forced,
            "forced": forced,
            **{name: names.count(name) for name in (*OPEN_CLASSES, "unclear", *CLASSES)},
            **loss_fields(self.cost(seat)),
        }


def _known(made: type, given: Json) -> Json:
    """Returns the fields that a dataclass has."""
    names = {one.name for one in fields(made)}
    return {name: value for name, value in given.items() if name in names}


class Played(NamedTuple):
    """A move of the game.

    Attributes:
        ply: Its number in the game, from 0.
        seat: The seat that played it.
        move: Its text.
        choices: Number of legal moves.
    """

    ply: int
    seat: int
    move: str
    choices: int


def _searched(played: Played, answer: Answer, even: float) -> Judgement:
    """Returns a decision after the first search."""
    told = answer.decision
    decision = Judgement(
        *played[:3],
        told.value,
        answer.unit,
        told.best,
        answer.row_fields() or [],
        told.value_error,
        exact=told.exact,
    )
    if told.exact:
        values = {move: row.mean or 0.0 for move, row in answer.valued.items()}
        best = max(values, key=lambda move: values[move])
        loss = values[best] - values[played.move]
        decision.best = played.move if loss <= even else best
        decision.judged = Estimate(loss, 0.0)
    elif told.best == played.move:
        decision.judged = Estimate(0.0, 0.0)
    else:
        decision.rival = rival_of(answer, played.move)
    return decision


async def _search_again(review: Review, ask: Ask, decision: Judgement) -> None:
    """Compares the played move with the searched one, and both with its rival, if any.

    The rival replaces the searched move if it is better by more than two standard errors.
    """
    moves = (decision.move, decision.best, *([] if decision.rival is None else [decision.rival]))
    found = await search_again(
        ask, decision.ply, moves, SPEEDS[review.speed], review.seed, "second"
    )
    decision.compared = found.compared()
    if decision.rival is not None:
        if found.loss(decision.best, decision.rival).low > 0.0:
            decision.best = decision.rival
    decision.judged = found.loss(decision.move, decision.best)


async def judge_game(
    review: Review,
    ask: Ask,
    moves: Sequence[Played],
    progress: Callable[[int, int, int, Judgement], None],
    even: float = 0.0,
) -> None:
    """Determines the cost of a game's decisions, and writes it to the review.

    Args:
        review: A review without decisions; its seats and settings apply.
        ask: Searches a position from the view of its mover.
        moves: The game.
        progress: Called with (decisions done, number of decisions, stage, decision that was
            updated).
        even: Exact losses up to this count as none.
    """
    mine = [played for played in moves if played.seat in review.seats]
    review.forced = {
        seat: sum(p.seat == seat and p.choices < 2 for p in mine) for seat in review.seats
    }
    open_ones = [played for played in mine if played.choices > 1]
    for k, played in enumerate(open_ones, 1):
        seed = derived_seed("first", review.seed, played.ply)
        answer = await ask(played.ply, SPEEDS[review.speed].first, seed, None)
        review.unit = answer.unit
        review.decisions.append(_searched(played, answer, even))
        progress(k, len(open_ones), 1, review.decisions[-1])
    others = [decision for decision in review.decisions if decision.judged is None]
    for k, decision in enumerate(others, 1):
        await _search_again(review, ask, decision)
        progress(k, len(others), 2, decision)
