"""Questions to the players and their answers, as they cross to the process of the engine and
back.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Protocol

from fpmcts.web.errors import Json, RefusedError


class Priority(IntEnum):
    """What is asked first; of equals, what was asked first."""

    MOVE = 0
    ANALYSIS = 1
    REVIEW = 2
    WARM_UP = 3
    """What the first move needs; the engine is ready when it is done."""
    REHEARSAL = 4
    """What makes later ones quick; done beside what is asked."""


@dataclass(frozen=True)
class Earlier:
    """What a table has seen of its players before.

    Attributes:
        records: Of the finished games of the series, the oldest first.
        seating: By game, and last for the present one, the player in each seat, numbered as in the
            first game.
    """

    records: tuple[Json, ...]
    seating: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Question:
    """What a player would do at a table.

    Attributes:
        game: Name of the game.
        record: Of the table; the player asked looks at what the seat to move sees of it, and at
            nothing else.
        kind: Of the player, as ``fpmcts.players.load_player`` knows it.
        options: Of the kind.
        seed: Of its random choices.
        moves: Texts of the moves that it may consider; None: all.
        seconds: It may think, at most; None: as long as it likes.
        priority: What is asked first.
        luck: Play-outs that estimate what the cards brought in the finished game of the record,
            where there is no exact value; the answer has this instead of a move. None: a move is
            asked for.
        earlier: For players that learn from it; None: the player learns nothing.
    """

    game: str
    record: Json
    kind: str
    options: Json
    seed: int
    moves: tuple[str, ...] | None = None
    seconds: float | None = None
    priority: Priority = Priority.MOVE
    luck: int | None = None
    earlier: Earlier | None = None


def rounded(value: float | None, digits: int = 4) -> float | None:
    """Returns a number short enough to send."""
    return None if value is None else round(value, digits)


@dataclass(frozen=True)
class Row:
    """A move of the root.

    Attributes:
        move: Its text.
        prior: What the policy gives it, 0 to 1.
        visits: Playouts through it.
        value: Mean return in the unit of the search.
        se: Standard error of ``value``, None under two playouts, 0 where it is exact.
    """

    move: str
    prior: float | None
    visits: int
    value: float | None
    se: float | None

    def fields(self, unit: str) -> Json:
        """Returns the fields of a message (``docs/web-protocol.md``); values in ``unit``."""
        value, wins = rounded(self.value), unit == "wp"
        return {
            "move": self.move,
            "prior": rounded(self.prior),
            "visits": self.visits,
            "wp": value if wins else None,
            "se": rounded(self.se),
            "points": None if wins else value,
        }


@dataclass(frozen=True)
class Answer:
    """What a player says; what it does not know is None.

    Attributes:
        move: What it would play.
        unit: "wp" where values are chances to win, 0 to 1; "points" where they are returns.
        value: Of the position for the seat to move.
        value_se: Its standard error, 0 where it is exact.
        policy: Probabilities by move.
        rows: Of the root, the best first.
        hidden: What the seat thinks the others hold (``docs/web-protocol.md``).
        done: Playouts made.
        total: Playouts that were asked for.
        seconds: It took.
        luck: What the cards brought (``fpmcts.players.luck.Luck``, as fields), where that was
            asked.
        waits: What the answer has to wait for (``Waiting``); None in every answer.
    """

    move: str
    unit: str = "points"
    value: float | None = None
    policy: dict[str, float] | None = None
    rows: tuple[Row, ...] | None = None
    hidden: Json | None = None
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    value_se: float | None = None
    luck: Json | None = None
    waits: "Waiting | None" = None

    @property
    def valued(self) -> dict[str, Row]:
        """Returns the rows that have a value, by move."""
        return {row.move: row for row in self.rows or () if row.value is not None}

    @property
    def exact(self) -> bool:
        """Returns whether the values are exact, so that there is nothing to search again."""
        return (
            self.value_se == 0.0
            and self.rows is not None
            and all(row.se == 0.0 for row in self.rows)
        )

    def fields(self) -> Json:
        """Returns the fields of a message (``docs/web-protocol.md``)."""
        return {
            "move": self.move,
            "done": self.done,
            "total": self.total,
            "rows": None if self.rows is None else [row.fields(self.unit) for row in self.rows],
            "unit": self.unit,
            "value": rounded(self.value),
            "se": rounded(self.value_se),
            "policy": None
            if self.policy is None
            else {move: rounded(p) for move, p in self.policy.items()},
            "hidden": self.hidden,
            "seconds": rounded(self.seconds, 3),
        }


@dataclass(frozen=True)
class Waiting:
    """What is compiled before there are answers, once on a machine.

    Attributes:
        game: Whose searches.
        seconds: Since it began.
    """

    game: str
    seconds: int


class EngineError(RefusedError):
    """The engine failed at a question; the text says why."""

    def __init__(self, text: str) -> None:
        super().__init__("engine", text)


class CrashError(EngineError):
    """The process of the engine ended while the question was asked: to ask again may help."""


Hear = Callable[[Answer], None]
"""Hears answers on the way."""


@dataclass
class EngineState:
    """How the engine is.

    Attributes:
        state: "starting", "warming", "ready" or "restarting".
        warm: From 0 to 1.
        waits: What it compiles before it is ready.
    """

    state: str = "starting"
    warm: float = 0.0
    waits: Waiting | None = None
    listeners: list[Callable[[], None]] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Returns whether it compiles nothing that the first move needs."""
        return self.state not in ("starting", "warming")

    def fields(self) -> Json:
        """Returns the fields of a message."""
        told: Json = {"state": self.state, "warm": round(self.warm, 3)}
        return told if self.waits is None else told | {"compiling": asdict(self.waits)}

    def change(self, state: str, warm: float, waits: Waiting | None = None) -> None:
        """Changes, and notifies the listeners."""
        if (state, warm, waits) != (self.state, self.warm, self.waits):
            self.state, self.warm, self.waits = state, warm, waits
            for listener in list(self.listeners):
                listener()


class Engine(Protocol):
    """Answers questions; the real one is ``fpmcts.web.engine.client.EngineProcess``."""

    status: EngineState

    async def ask(self, question: Question, hear: Hear | None = None) -> Answer:
        """Returns the answer. If the task that waits is cancelled, the engine stops working on it.

        Args:
            question: What is asked.
            hear: Hears answers on the way.

        Raises:
            EngineError: There is none.
        """
        ...
