"""Questions to the players and their answers, as sent to the engine's process and back."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from fpmcts.web.errors import Json, RefusedError
from games.decision import WINS, Decision, RootMove, Why

DIGITS = 4
"""Decimal places of numbers that are sent."""


class Priority(IntEnum):
    """Order of the questions; equal priorities are first come, first served."""

    MOVE = 0
    ANALYSIS = 1
    REVIEW = 2
    WARM_UP = 3
    """Needed for the first move; the engine is ready when it is done."""
    REHEARSAL = 4
    """Makes later moves quick; done between other questions."""


@dataclass(frozen=True)
class Earlier:
    """The earlier games of a table, which its players have seen.

    Attributes:
        records: Records of the finished games of the series, oldest first.
        seating: For each game, the current one last, the player in each seat, numbered as in the
            first game.
    """

    records: tuple[Json, ...]
    seating: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class EngineQuestion:
    """A question to a player about its decision at a table.

    Attributes:
        game: Name of the game.
        record: Record of the table; the player sees only what the seat to move sees.
        kind: Kind of the player, as ``fpmcts.players.load_player`` knows it.
        options: Options of the player.
        seed: Seed of its random choices.
        moves: Texts of the moves it may consider; None: all.
        seconds: Time limit for thinking; None: no limit.
        priority: Priority of the question.
        luck: Number of rollouts that estimate the luck of the cards in the finished game of the
            record, if there is no exact value; the answer holds this instead of a move. None: the
            question asks for a move.
        earlier: Earlier games for players that learn from them; None: nothing to learn from.
        position: What the seat to move knows, in place of a record (``games.position.table_at``).
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
    position: Json | None = None


def rounded(value: float | None, digits: int = DIGITS) -> float | None:
    """Returns a number rounded for sending."""
    return None if value is None else round(value, digits)


@dataclass(frozen=True)
class Answer:
    """The answer of a player; fields that it does not know are None.

    Attributes:
        move: The move it would play.
        unit: "wp" if values are winning probabilities, 0 to 1; "points" if they are returns.
        value: Value of the position for the seat to move.
        value_se: Its standard error, 0 if exact.
        policy: Probabilities by move.
        rows: Moves at the root, as ranked by ``games.decision.Decision``.
        equal: Those equal to the first within the error.
        why: Why the first is recommended.
        exact: Whether the values are exact, so that another search would add nothing.
        knows_moves: Whether it knew the moves that led to the position.
        hidden: The seat's beliefs about the others' hands (``docs/web-protocol.md``).
        done: Playouts made.
        total: Playouts requested.
        seconds: Time taken.
        luck: Luck of the cards (``fpmcts.players.luck.Luck``, as fields), if asked for.
        waits: What the answer is waiting for (``Waiting``); None in a final answer.
    """

    move: str
    unit: str = "points"
    value: float | None = None
    policy: dict[str, float] | None = None
    rows: tuple[RootMove, ...] | None = None
    hidden: Json | None = None
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    value_se: float | None = None
    luck: Json | None = None
    waits: "Waiting | None" = None
    equal: frozenset[str] = frozenset()
    why: Why | None = None
    exact: bool = False
    knows_moves: bool = True

    @classmethod
    def of(cls, decision: Decision, done: int, total: int) -> "Answer":
        """Returns a decision as an answer."""
        hidden, beliefs = None, decision.hidden
        if beliefs is not None:
            hidden = {
                "seats": list(beliefs.seats),
                "kinds": list(beliefs.kinds),
                "p": np.round(beliefs.probabilities, DIGITS).tolist(),
                "ess": rounded(beliefs.effective_samples, 1),
                "listed": beliefs.listed,
                "active": not beliefs.prior_only,
            }
        return cls(
            move=decision.move,
            unit="wp" if decision.unit == WINS else "points",
            value=decision.value,
            policy=decision.policy,
            rows=None if decision.root is None else tuple(decision.ranking()),
            hidden=hidden,
            done=done,
            total=total,
            seconds=decision.seconds,
            value_se=decision.value_error,
            equal=decision.equal,
            why=decision.why(),
            exact=decision.exact,
            knows_moves=decision.knows_moves,
        )

    @property
    def best(self) -> str:
        """Returns the recommended move; a player that draws its move may play another."""
        return self.rows[0].move if self.rows else self.move

    @property
    def valued(self) -> dict[str, RootMove]:
        """Returns the rows with a value, by move."""
        return {row.move: row for row in self.rows or () if row.mean is not None}

    def row_fields(self) -> list[Json] | None:
        """Returns the fields of the rows in a message."""
        policy, wins = self.policy or {}, self.unit == "wp"
        if self.rows is None:
            return None
        return [
            {
                "move": row.move,
                "share": rounded(policy.get(row.move)),
                "equal": row.move in self.equal,
                "prior": rounded(row.prior),
                "visits": row.visits,
                "wp": rounded(row.mean) if wins else None,
                "se": rounded(row.standard_error),
                "points": None if wins else rounded(row.mean),
            }
            for row in self.rows
        ]

    def fields(self) -> Json:
        """Returns the fields of a message (``docs/web-protocol.md``)."""
        return {
            "move": self.move,
            "done": self.done,
            "total": self.total,
            "rows": self.row_fields(),
            "why": None if self.why is None else self.why._asdict(),
            "unit": self.unit,
            "value": rounded(self.value),
            "se": rounded(self.value_se),
            "policy": None
            if self.policy is None
            else {move: rounded(p) for move, p in self.policy.items()},
            "hidden": self.hidden,
            "knows_moves": self.knows_moves,
            "seconds": rounded(self.seconds, 3),
        }


@dataclass(frozen=True)
class Waiting:
    """Compilation that delays the answers, once per machine.

    Attributes:
        game: Game whose search kernels are being compiled.
        seconds: Time since it began.
    """

    game: str
    seconds: int


class EngineError(RefusedError):
    """The engine failed to answer a question; the text says why."""

    def __init__(self, text: str) -> None:
        super().__init__("engine", text)


class CrashError(EngineError):
    """The engine's process ended before it answered; asking again may help."""


Hear = Callable[[Answer], None]
"""Called with intermediate answers."""


@dataclass
class EngineState:
    """State of the engine.

    Attributes:
        state: "starting", "warming", "ready" or "restarting".
        warm: Progress of the warm-up, 0 to 1.
        waits: What it is compiling before it is ready.
    """

    state: str = "starting"
    warm: float = 0.0
    waits: Waiting | None = None
    listeners: list[Callable[[], None]] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Returns whether everything needed for the first move is compiled."""
        return self.state not in ("starting", "warming")

    def fields(self) -> Json:
        """Returns the fields of a message."""
        fields: Json = {"state": self.state, "warm": round(self.warm, 3)}
        return fields if self.waits is None else fields | {"compiling": asdict(self.waits)}

    def change(self, state: str, warm: float, waits: Waiting | None = None) -> None:
        """Changes the state and notifies the listeners."""
        if (state, warm, waits) != (self.state, self.warm, self.waits):
            self.state, self.warm, self.waits = state, warm, waits
            for listener in list(self.listeners):
                listener()


class Engine(Protocol):
    """Answers questions; the real one is ``fpmcts.web.engine.client.EngineProcess``."""

    status: EngineState

    async def ask(self, question: EngineQuestion, hear: Hear | None = None) -> Answer:
        """Returns the answer. If the waiting task is cancelled, the engine stops working on it.

        Args:
            question: The question.
            hear: Called with intermediate answers.

        Raises:
            EngineError: The engine could not answer.
        """
        ...
