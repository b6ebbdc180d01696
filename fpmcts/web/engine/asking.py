"""Questions to the players and their answers, as sent to the engine's process and back."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from fpmcts.web.errors import Json, RefusedError
from games.play.decision import WINS, Decision, RootMove

DIGITS = 4
"""Decimal places of numbers that are sent."""
NO_DECISION = Decision("", -1)


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
        position: What the seat to move knows, in place of a record
            (``games.play.position.table_at``).
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
    """The answer of a player.

    Attributes:
        decision: The move it would play, and why; ``NO_DECISION`` where there is none.
        done: Playouts made.
        total: Playouts requested.
        luck: Luck of the cards (``fpmcts.players.luck.Luck``, as fields), if asked for.
        waits: What the answer is waiting for (``Waiting``); None in a final answer.
    """

    decision: Decision = NO_DECISION
    done: int = 0
    total: int = 0
    luck: Json | None = None
    waits: "Waiting | None" = None

    @property
    def unit(self) -> str:
        """Returns "wp" if values are winning probabilities, 0 to 1; "points" if they are
        returns.
        """
        return "wp" if self.decision.unit == WINS else "points"

    @property
    def valued(self) -> dict[str, RootMove]:
        """Returns the searched moves with a value, by move."""
        return {row.move: row for row in self.decision.root or () if row.mean is not None}

    def row_fields(self) -> list[Json] | None:
        """Returns the fields of the searched moves in a message, as ranked by the decision."""
        told, wins = self.decision, self.unit == "wp"
        if told.root is None:
            return None
        return [
            {
                "move": row.move,
                "share": rounded((told.policy or {}).get(row.move)),
                "equal": row.move in told.equal,
                "prior": rounded(row.prior),
                "visits": row.visits,
                "wp": rounded(row.mean) if wins else None,
                "se": rounded(row.standard_error),
                "points": None if wins else rounded(row.mean),
            }
            for row in told.ranking()
        ]

    def fields(self) -> Json:
        """Returns the fields of a message (``docs/web-protocol.md``)."""
        told, why, beliefs = self.decision, self.decision.why(), self.decision.hidden
        return {
            "move": told.move,
            "done": self.done,
            "total": self.total,
            "rows": self.row_fields(),
            "why": None if why is None else why._asdict(),
            "unit": self.unit,
            "value": rounded(told.value),
            "se": rounded(told.value_error),
            "policy": None
            if told.policy is None
            else {move: rounded(p) for move, p in told.policy.items()},
            "hidden": None
            if beliefs is None
            else {
                "seats": list(beliefs.seats),
                "kinds": list(beliefs.kinds),
                "p": np.round(beliefs.probabilities, DIGITS).tolist(),
                "ess": rounded(beliefs.effective_samples, 1),
                "listed": beliefs.listed,
                "active": not beliefs.prior_only,
            },
            "knows_moves": told.knows_moves,
            "seconds": rounded(told.seconds, 3),
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
