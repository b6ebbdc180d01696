"""A small game with the face of ``games.play.table.Table``, an engine that answers as told, and a
clock that is moved by hand.

The game: every seat has cards and in turn plays one or passes; the first with none left wins.
    Nothing
of it is known to the server.
"""

import asyncio
import heapq
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fpmcts.web.engine.asking import Answer, CrashError, EngineQuestion, EngineState, Hear
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import Catalogue, Entry, Offer
from fpmcts.web.tables.room import Services
from fpmcts.web.tables.rulebook import GameInfo
from fpmcts.web.tables.store import Store
from games.play.decision import WINS, Decision, RootMove

SEATS, CARDS, MOST = 3, 3, 30
DECK = [f"{rank}{suit}" for rank in "abcd" for suit in "123"]


class ToyTable:
    """A table of the toy game."""

    def __init__(self, hands: list[list[str]], moves: Sequence[str] = ()) -> None:
        self._deal, self.hands = hands, [list(hand) for hand in hands]
        self.seat, self.moves = 0, tuple[Any, ...]()
        for move in moves:
            self.play(move)

    @property
    def texts(self) -> list[str]:
        return [move.text for move in self.moves]

    @property
    def is_over(self) -> bool:
        return self.seat < 0

    @property
    def returns(self) -> tuple[float, ...] | None:
        if not self.is_over:
            return None
        winner = min(range(SEATS), key=lambda seat: (len(self.hands[seat]), seat))
        return tuple(2.0 if seat == winner else -1.0 for seat in range(SEATS))

    def legal(self) -> list[Any]:
        if self.is_over:
            return []
        return [
            SimpleNamespace(text=text, seat=self.seat)
            for text in ["pass", *sorted(self.hands[self.seat])]
        ]

    def play(self, move: str) -> Any:
        legal, text = [found.text for found in self.legal()], move.strip().lower()
        if text not in legal:
            raise ValueError(
                f"{move!r} is not legal. Seat {self.seat} is to move; legal: {', '.join(legal)}"
            )
        if text != "pass":
            self.hands[self.seat].remove(text)
        self.moves = (*self.moves, SimpleNamespace(text=text, seat=self.seat))
        over = not self.hands[self.seat] or len(self.moves) >= MOST
        self.seat = -1 if over else (self.seat + 1) % SEATS
        return self.moves[-1]

    def undo(self, count: int = 1) -> None:
        if not 1 <= count <= len(self.moves):
            raise ValueError(f"undo({count})")
        self.__init__(self._deal, self.texts[:-count])  # type: ignore[misc]

    def copy(self) -> "ToyTable":
        return ToyTable(self._deal, self.texts)

    def describe(self, seat: int | None = None) -> Json:
        seat = max(self.seat, 0) if seat is None else seat
        return {
            "game": "toy",
            "seat": seat,
            "hand": sorted(self.hands[seat]),
            "cards_left": [len(hand) for hand in self.hands],
            "played": [
                [text for text in self.texts[k::SEATS] if text != "pass"] for k in range(SEATS)
            ],
            "bottom": ["z9"],
            "mood": "calm",
            "moves": self.texts,
            "legal": [move.text for move in self.legal()] if seat == self.seat else [],
            "to_move": None if self.is_over else self.seat,
            "returns": self.returns and list(self.returns),
        }

    def record(self) -> Json:
        told = self.describe()
        return {name: told[name] for name in ("game", "moves", "returns")} | {"hands": self._deal}


class ToyGames:
    """The rulebook of the toy game."""

    async def prepare(self, engine: EngineState, warm_up: Callable[[], None]) -> None:
        pass

    def progress(self) -> Json:
        return {"preparing": None, "broken": {}}

    def names(self) -> list[str]:
        return ["toy"]

    def info(self, game: str) -> GameInfo:
        if game != "toy":
            raise RefusedError("unknown_game", "game: expected toy")
        seats = (("A", 0), ("B", 1), ("C", 1))
        deal = {"hands": ["3 cards"] * SEATS}
        return GameInfo("toy", seats, ("one", "two"), "points", True, False, MOST, deal)

    def read(self, record: Mapping[str, Any]) -> tuple[str, "ToyTable"]:
        if record.get("game") != "toy":
            raise RefusedError(
                "bad_record", "a record of no game that is played here; expected one of toy"
            )
        return "toy", self.table("toy", record=record)

    def table(
        self,
        game: str,
        *,
        seed: int | None = None,
        deal: Mapping[str, Any] | None = None,
        record: Mapping[str, Any] | None = None,
        position: Mapping[str, Any] | None = None,
    ) -> ToyTable:
        self.info(game)
        if seed is not None:
            cards = random.Random(seed).sample(DECK, SEATS * CARDS)
            return ToyTable([cards[k * CARDS : (k + 1) * CARDS] for k in range(SEATS)])
        given = {"bad_deal": deal, "bad_record": record, "bad_position": position}
        code, fields = next((code, one) for code, one in given.items() if one is not None)
        try:
            hands, moves = fields["hands"], fields.get("moves", [])
            if (
                sorted(map(len, hands)) != [CARDS] * SEATS
                or len({card for hand in hands for card in hand} & set(DECK)) != 9
            ):
                raise ValueError("the hands are no deal")
            return ToyTable(hands, moves)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RefusedError(code, str(error)[:400]) from error


CATALOGUE = Catalogue(
    {
        "toy": Offer(
            (
                Entry("quick", "quick", "Quick", "quick", {}, {"greedy": True}),
                Entry(
                    "slow-64",
                    "slow",
                    "Slow",
                    "fpmcts",
                    {"playouts": 64},
                    playouts=64,
                    delay=1.0,
                ),
            ),
            analyst="slow",
        )
    }
)


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._numbers = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return 1_700_000_000.0 + self._now

    async def sleep_until(self, when: float) -> None:
        if when > self._now:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._sleepers, (when, next(self._numbers), future))
            await future

    async def run(self, seconds: float) -> None:
        """Lets time pass: wakes each sleeper at its time and lets everybody act in between."""
        end = self._now + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            when, _, future = heapq.heappop(self._sleepers)
            self._now = max(self._now, when)
            if not future.done():
                future.set_result(None)
            await settle()
        self._now = end


async def settle() -> None:
    """Lets every task act until nothing is left to do."""
    for _ in range(20):
        await asyncio.sleep(0)


class FakeChance:
    """Predictable names and seeds."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new_id(self) -> str:
        return f"id-{next(self._numbers):08d}"

    def new_seed(self) -> int:
        return next(self._numbers)


Answering = Callable[[EngineQuestion], Answer]


def first_legal(question: EngineQuestion) -> Answer:
    """Returns the answer of a player that passes, and says something of every move."""
    given: Any = {"record": question.record} if question.record else {"seed": 0}
    table = ToyGames().table("toy", **given)
    legal = [move.text for move in table.legal()]
    moves = list(question.moves or legal)
    rows = tuple(
        RootMove(move, 1 / len(moves), 8, 0.5 - 0.01 * k, 0.02) for k, move in enumerate(moves)
    )
    decision = Decision(moves[0], 0, {moves[0]: 1.0}, 0.5, WINS, rows, seconds=0.1)
    return Answer(decision, 64, 64)


class FakeEngine:
    """An engine that gives preset answers after a preset time."""

    def __init__(
        self,
        answer: Answering = first_legal,
        seconds: Callable[[EngineQuestion], float] = lambda _: 0.0,
    ) -> None:
        self.status = EngineState("ready", 1.0)
        self.answer, self.seconds = answer, seconds
        self.luck: Json | None = None
        self.clock: Any = None
        self.asked: list[EngineQuestion] = []
        self.cancelled = 0
        self.crashes = 0

    async def ask(self, question: EngineQuestion, hear: Hear | None = None) -> Answer:
        self.asked.append(question)
        if self.crashes:
            self.crashes -= 1
            raise CrashError("the engine ended (status -9); it is being restarted")
        answer = self.answer(question) if question.luck is None else Answer(luck=self.luck)
        seconds = self.seconds(question)
        try:
            for part in range(1, 4):
                if seconds:
                    await self.clock.sleep_until(self.clock.now() + seconds / 3)
                if hear is not None and part < 3:
                    hear(replace(answer, done=answer.done * part // 3))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return answer


def luck_fields(seats: int, unit: str = "return", **given: Any) -> Json:
    """Returns what the engine says of luck, zeros where nothing is given."""
    parts = "start deal later moved".split()
    names = ["result", "known_error", *parts, *(f"{part}_error" for part in parts)]
    fields = {"unit": unit, "losses": None, "play_outs": 0}
    return fields | dict.fromkeys(names, (0.0,) * seats) | given


def services(engine: Any, clock: Any, chance: Any = None) -> Services:
    """Returns what rooms stand on, all of it fake."""
    engine.clock = clock
    store = Store(Path(":memory:"))
    return Services(ToyGames(), CATALOGUE, engine, store, clock, chance or FakeChance())
