"""A table: a game with its players, its visible state, its listeners, and the timing of the
players' moves.

While hands are hidden, nothing that is sent depends on cards that your seat cannot see, nor does
its timing: a player's move appears after the delay fixed by its name or, if the answer took longer,
after the next whole multiple of it. A move that your seat cannot see is not counted before the end
and takes no time of its own: clients number plies among the visible moves only.
"""

import asyncio
import contextlib
import logging
import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from fpmcts.web.clock import Chance, Clock, derived_seed
from fpmcts.web.engine.asking import (
    Answer,
    CrashError,
    Earlier,
    Engine,
    EngineError,
    EngineQuestion,
    Hear,
)
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import YOU, Catalogue, Entry, Offer
from fpmcts.web.tables.preparing import PreparedGames
from fpmcts.web.tables.rulebook import plies_seen, positions, table_at
from fpmcts.web.tables.store import DiskError, Store, StoredGame
from fpmcts.web.tables.views import view_of

if TYPE_CHECKING:
    from games.play.table import Table

log = logging.getLogger(__name__)
TRIES = 2
"""Attempts to get a move from a player if the engine crashes or hangs."""
MOST_EARLIER = 200
"""Games of a series that players learn from."""
MOST_HANDS = 1000
"""Games of a series that are shown."""
LEAST_BUDGET = 0.02
"""Minimum seconds for a player's move that you do not see."""
SLACK = 0.02
"""Seconds that an answer may be late and still count as on time."""
Listener = Callable[[Json], None]
"""Called with the events at a table."""


@dataclass
class Services:
    """The services that tables use."""

    rulebook: PreparedGames
    catalogue: Catalogue
    engine: Engine
    store: Store
    clock: Clock
    chance: Chance
    puzzles: Mapping[str, Json] = field(default_factory=dict)
    """By the names of their tables (``fpmcts.web.tables.puzzles``)."""
    turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def turn(self, session: str) -> asyncio.Lock:
        """Returns the lock under which a session asks the engine, at all of its tables.

        While hands are hidden, a player keeps it until its move appears: otherwise the time of an
        answer at another table would reveal how long the player thought.
        """
        return self.turns.setdefault(session, asyncio.Lock())

    async def ask(self, session: str, question: EngineQuestion, hear: Hear | None = None) -> Answer:
        """Returns the answer of the engine. Raises EngineError."""
        async with self.turn(session):
            return await self.engine.ask(question, hear)


class Room:
    """A table.

    Args:
        services: Services of the table.
        stored: The stored game.
        table: The game, if it is already loaded.
    """

    def __init__(
        self, services: Services, stored: StoredGame, table: "Table | None" = None
    ) -> None:
        self.services, self._stored = services, stored
        self.id, self.session, self.game = stored.id, stored.session, stored.game
        self.settings, self.you = stored.settings, stored.settings.you
        self.table = table or services.rulebook.table(stored.game, record=stored.record)
        self.info = services.rulebook.info(stored.game)
        self.paused, self.factor = False, 1.0
        self._failed, self._failed_twice = False, -1
        self._players = (
            {}
            if self.done
            else {name: self.offer.entry(name) for name in self.settings.seats if name != YOU}
        )
        self._listeners: list[Listener] = []
        self._driver: asyncio.Task[None] | None = None

    # Visibility.

    @property
    def offer(self) -> Offer:
        """Returns the players and the analyst of the game."""
        return self.services.catalogue.offer(self.game)

    @property
    def done(self) -> bool:
        """Returns whether nothing is hidden: the game is over, or it is an opened record."""
        return self.table.is_over or self.settings.imported

    @property
    def everything(self) -> bool:
        """Returns whether all hands are shown."""
        return self.done or self.settings.mode == "open"

    @property
    def seen(self) -> Sequence[int]:
        """Returns the plies of the moves that may be shown."""
        if self.everything or not self.info.private_moves or self.you is None:
            return range(len(self.table.moves))
        return plies_seen(self.table, self.you)

    def view(self, table: "Table | None" = None) -> Json:
        """Returns the view of this table, or of another one of its game."""
        return view_of(
            table or self.table,
            self.info,
            self.settings.seats,
            self.you,
            everything=self.everything,
        )

    def puzzle(self, ply: int | None) -> Json:
        """Returns a decision as its mover saw it. Raises RefusedError while that may be hidden."""
        table = self.position(ply)
        players = [
            YOU if seat == table.seat else name for seat, name in enumerate(self.settings.seats)
        ]
        return view_of(table, self.info, players, table.seat)

    def _kept(self) -> StoredGame:
        """Returns the current game for storage, without its record."""
        self.settings.plies, returns = len(self.seen), self.table.returns
        self.settings.returns = None if returns is None else list(returns)
        return self._stored._replace(over=self.table.is_over, settings=self.settings)

    def save(self) -> None:
        """Writes the game to disk. Raises DiskError; the table is then reset to its state on
        disk.
        """
        store = self.services.store
        try:
            store.put(self._kept()._replace(record=self.table.record()))
        except DiskError:
            if (kept := store.get(self.id)) is not None:
                self.settings = kept.settings
                self.table = self.services.rulebook.table(self.game, record=kept.record)
            raise

    def summary(self) -> Json:
        """Returns a summary of the table."""
        return self._kept().summary()

    def record(self) -> Json:
        """Returns the record. Raises RefusedError while it would reveal hidden cards."""
        if not self.done:
            raise RefusedError("not_over", "the record can be read once the game is over")
        return {"players": self.settings.seats, **self.table.record()}

    def replay(self) -> list[Json]:
        """Returns all positions. Raises RefusedError while they would reveal hidden cards."""
        if not self.everything:
            raise RefusedError("not_over", "the game can be replayed once it is over")
        next_moves = [*((move.seat, move.text) for move in self.table.moves), (None, None)]
        return [
            {"ply": ply, "seat": seat, "move": move, "view": self.view(table) | {"legal": []}}
            for ply, ((seat, move), table) in enumerate(
                zip(next_moves, positions(self.table), strict=True)
            )
        ]

    def position(self, ply: int | None) -> "Table":
        """Returns a separate table at a ply; None: the last one. Raises RefusedError while it would
        reveal hidden cards.
        """
        if not self.everything:
            raise RefusedError("not_over", "a game can be continued once it is over")
        return table_at(self.table, self._ply(ply))

    def line(self, ply: int | None, moves: Sequence[str]) -> "Table":
        """Returns a separate table after moves that are tried from a ply. Raises RefusedError."""
        table = self.position(ply)
        try:
            for move in moves:
                table.play(move)
        except ValueError as error:
            raise RefusedError("illegal_move", str(error)) from error
        return table

    def line_view(self, ply: int, moves: Sequence[str]) -> Json:
        """Returns the view of ``line``, with the moves that are legal there. Raises
        RefusedError.
        """
        table = self.line(ply, moves)
        legal = [] if table.is_over else [move.text for move in table.legal()]
        return self.view(table) | {"legal": legal}

    def question(
        self, ply: int, seed: int, playouts: int | None = None, **asked: Any
    ) -> EngineQuestion:
        """Returns a question to the analyst about a position, see ``Offer.ask_analyst``."""
        record = table_at(self.table, ply).record()
        return self.offer.ask_analyst(self.game, record, seed, playouts, **asked)

    def client_ply(self, ply: int) -> int:
        """Returns a ply as clients number it."""
        return bisect_left(self.seen, ply)

    def _ply(self, ply: int | None) -> int:
        """Returns the ply that a client means; None: the last one.

        Raises:
            RefusedError: There is no decision.
        """
        seen, over = self.seen, self.table.is_over
        last = len(seen) - over
        if ply is None and over:
            raise RefusedError("bad_message", f"the game is over; give a ply, at most {last}")
        if ply is not None and ply > last:
            raise RefusedError("bad_message", f"ply: expected at most {last}")
        return len(self.table.moves) if ply is None or ply == len(seen) else seen[ply]

    def mover(self, ply: int) -> int:
        """Returns the seat that moves, or moved, at a ply."""
        return self.table.moves[ply].seat if ply < len(self.table.moves) else self.table.seat

    def may_ask(self, ply: int | None) -> int:
        """Returns the ply that a client means, if it may be searched; None means the last one.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        ply = self._ply(ply)
        if not self.everything:
            if self.settings.mode == "fair":
                raise RefusedError("not_allowed", "a fair game cannot be analysed before it ends")
            if self.mover(ply) != self.you:
                raise RefusedError("not_allowed", "hints are available only for your own decisions")
        return ply

    def outside(self, ply: int | None) -> Json:
        """Returns the view that an external player would get for a decision.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        running = not self.table.is_over and (ply is None or ply <= len(self.seen))
        if self.everything or (running and self.mover(self._ply(ply)) == self.you):
            return table_at(self.table, self._ply(ply)).describe()
        raise RefusedError("not_your_turn", "the view can be copied when it is your turn")

    # The listeners.

    def message(self, kind: str, **fields: object) -> Json:
        """Returns a message about this table."""
        return {"type": kind, "table": self.id, **fields}

    def state(self) -> Json:
        """Returns the message with the whole state of the table."""
        return self.message(
            "state",
            rev=self.settings.rev,
            summary=self.summary(),
            view=self.view(),
            paused=self.paused,
            factor=self.factor,
        )

    def listen(self, listener: Listener) -> None:
        """Sends all further events to a listener."""
        self._listeners.append(listener)
        self.wake()

    def leave(self, listener: Listener) -> None:
        """Removes a listener. A game without a person stops when nobody watches."""
        if listener in self._listeners:
            self._listeners.remove(listener)
        if self.you is None and not self._listeners:
            self.stop()

    @property
    def is_driven(self) -> bool:
        """Returns whether a player is thinking."""
        return self._driver is not None and not self._driver.done()

    @property
    def is_idle(self) -> bool:
        """Returns whether nobody listens and nothing happens."""
        return not self._listeners and not self.is_driven

    def tell(self, message: Json) -> None:
        """Sends a message to everyone at the table."""
        for listener in list(self._listeners):
            listener(message)

    # Your actions.

    def play(self, move: str, rev: int | None = None) -> None:
        """Plays your move.

        Raises:
            RefusedError: It is not your turn, or the move is illegal.
        """
        self._refuse_after_the_end()
        if rev is not None and rev != self.settings.rev:
            raise RefusedError("stale", f"the table is at rev {self.settings.rev}")
        if self.table.seat != self.you:
            raise RefusedError("not_your_turn", f"seat {self.table.seat} is to move")
        try:
            self.table.play(move)
        except ValueError as error:
            raise RefusedError("illegal_move", str(error)) from error
        self._moved()
        self.wake()

    def undo(self) -> None:
        """Goes back to your last decision, or by one move if you only watch. Raises
        RefusedError.
        """
        self._refuse_after_the_end()
        if self.settings.mode == "fair":
            raise RefusedError("not_allowed", "moves of a fair game cannot be taken back")
        moves = self.table.moves
        back = [ply for ply, move in enumerate(moves) if self.you in (None, move.seat)]
        if not back:
            raise RefusedError("not_allowed", "there is nothing to take back")
        self.stop()
        self.table.undo(len(moves) - back[-1])
        self.settings.rev += 1
        try:
            self.save()
        finally:
            self.wake()
        self.tell(self.state())

    def pause(self, on: bool) -> None:
        """Pauses the players, or lets them continue. Raises RefusedError while hands are hidden."""
        self._refuse_unless_open()
        self.paused = on
        if on:
            self.stop()
        self.wake()
        self.tell(self.state())

    def step(self) -> None:
        """Lets the next player of a paused table move. Raises RefusedError."""
        self._refuse_unless_open()
        if not self.paused:
            raise RefusedError("not_paused", "pause the table first")
        if self.table.seat == self.you:
            raise RefusedError("not_your_turn", "it is your turn")
        if not self.is_driven:
            self._driver = asyncio.create_task(self._drive())

    def speed(self, factor: float) -> None:
        """Changes the pace of a game that you watch. Raises RefusedError if you take part."""
        if self.you is not None:
            raise RefusedError("not_allowed", "only the pace of a game you watch can be changed")
        self.factor = float(factor)
        self.tell(self.state())

    def _refuse_after_the_end(self) -> None:
        if self.done:
            raise RefusedError("over", "the game is over")

    def _refuse_unless_open(self) -> None:
        self._refuse_after_the_end()
        if not self.everything:
            raise RefusedError("not_allowed", "only an open table can be paused")

    def _moved(self) -> None:
        """Sends the last move, and the end if the game is over."""
        settings, returns = self.settings, self.table.returns
        settings.rev += 1
        if returns is not None:
            series = settings.series
            series.games += 1
            for player, won in zip(settings.seating(series.number), returns, strict=True):
                series.returns[player] += won
        self.save()
        now = {"rev": settings.rev, "view": (view := self.view())}
        moves = view["moves"]
        self.tell(self.message("moved", ply=len(moves) - 1, **moves[-1], **now))
        if returns is not None:
            over = {"summary": self.summary(), "record": self.record(), "returns": list(returns)}
            self.tell(self.message("over", **over, **now))

    # The players.

    def wake(self) -> None:
        """Lets the players move if it is their turn."""
        if self.done or self.paused or self.is_driven or self.table.seat == self.you:
            return
        if self.you is not None or self._listeners:
            self._driver = asyncio.create_task(self._drive())

    def try_again(self) -> None:
        """Asks a player that failed once more, at most once for each position: the engine restarts
        by itself, but a move that ends it would end it for ever.
        """
        if self._failed and self._failed_twice != self.settings.rev:
            self._failed_twice = self.settings.rev
            self.wake()

    def stop(self) -> None:
        """Stops the players."""
        if self._driver is not None:
            self._driver.cancel()
            self._driver = None

    async def _drive(self) -> None:
        """Plays the players' moves until it is your turn; at a paused table only one."""
        self._failed = False
        while not self.table.is_over and self.table.seat != self.you:
            seat = self.table.seat
            entry, clock = self._players[self.settings.seats[seat]], self.services.clock
            self.tell(self.message("thinking", seat=seat))

            def hear(answer: Answer, seat: int = seat) -> None:
                if self.everything:
                    self.tell(self.message("thinking", seat=seat, **answer.fields()))

            try:
                async with self.services.turn(self.session):
                    move = await self._next_move(entry, began := clock.now(), hear)
                    appears = self._appears(entry, began)
                    if not self.everything:
                        await clock.sleep_until(appears)
                await clock.sleep_until(appears)
                self.table.play(move)
                self._moved()
            except DiskError as error:
                self.tell(self.message("error", **error.fields()))
                return
            except Exception as error:  # a person is waiting, so report any error
                self._failed = True
                if not isinstance(error, EngineError | ValueError):
                    log.exception("a player could not move")
                hidden = "the player could not move; join the table again to ask once more"
                # The text may not depend on hidden hands.
                text = str(error) if self.everything else hidden
                self.tell(self.message("error", code="engine", text=text))
                return
            if self.paused:
                return

    def _appears(self, entry: Entry, began: float) -> float:
        """Returns when the move of a player appears."""
        if self.everything:
            return began + entry.delay / self.factor
        elapsed = self.services.clock.now() - began
        return began + entry.delay * max(1, math.ceil((elapsed - SLACK) / entry.delay))

    async def _next_move(self, entry: Entry, began: float, hear: Hear) -> str:
        """Returns the next visible move of a player, after making earlier ones that your seat does
        not see.

        All of them share the time of one move: the first has half of it, each later one half of the
        rest.

        Raises:
            EngineError: There is no answer.
            ValueError: The answer is not a legal move.
        """
        if not self.info.private_moves or self.everything or self.you is None:
            return (await self._ask(entry, entry.budget, hear)).decision.move
        while True:
            left = began + entry.budget - self.services.clock.now()
            move = (await self._ask(entry, max(LEAST_BUDGET, left / 2), hear)).decision.move
            after = self.table.copy()
            after.play(move)
            if after.seat != self.table.seat or len(plies_seen(after, self.you)) > len(self.seen):
                return move
            self.table.play(move)
            self.save()

    def series_returns(self) -> list[list[float]]:
        """Returns what each player of the series won in each finished game, this one the last; at
        most ``MOST_HANDS``.
        """
        settings, store = self.settings, self.services.store
        series = settings.series
        games = store.returns_before(series.before, self.session, MOST_HANDS - 1)
        if settings.returns is not None:
            games.append((series.number, settings.returns))
        # Of each seat there, of each player here.
        seated = ((settings.seating(number), returns) for number, returns in games)
        return [[won for _, won in sorted(zip(*pair, strict=True))] for pair in seated]

    @cached_property
    def _earlier_games(self) -> Earlier:
        """The last ``MOST_EARLIER`` finished games of the series before this one, with their
        seatings.
        """
        settings, store = self.settings, self.services.store
        before = [*store.hands_before(settings.series.before, self.session, MOST_EARLIER)][::-1]
        numbers = [*(hand.settings.series.number for hand in before), settings.series.number]
        return Earlier(tuple(hand.record for hand in before), tuple(map(settings.seating, numbers)))

    async def _ask(self, entry: Entry, seconds: float, hear: Hear) -> Answer:
        """Returns a player's answer. Raises EngineError."""
        options = {**entry.options, **((entry.greedy or {}) if self.settings.greedy else {})}
        if entry.playouts is not None:
            options["seconds"] = entry.budget  # of inference, too
        question = EngineQuestion(
            game=self.game,
            record=self.table.record(),
            kind=entry.kind,
            options=options,
            seed=derived_seed(self.settings.secret, len(self.table.moves)),
            seconds=seconds,
            earlier=self._earlier_games if entry.adapts else None,
        )
        for _ in range(TRIES - 1):
            with contextlib.suppress(CrashError):
                return await self.services.engine.ask(question, hear)
        return await self.services.engine.ask(question, hear)
