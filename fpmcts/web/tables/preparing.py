"""Prepares games one after the other while the page is already shown: a thread compiles the kernels
of their tables, once per machine.

A game can be played as soon as it is prepared. The first one is prepared at once, the others once
its players are ready or when somebody asks for one.
"""

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from fpmcts.web.engine.asking import EngineState
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import Catalogue
from fpmcts.web.tables.offers import of_rooms
from fpmcts.web.tables.rulebook import GameInfo, Rulebook, base_of, base_of_record

if TYPE_CHECKING:
    from games.play.table import Table

TRIED = 2
"""Number of trial games: enough for one showdown in poker."""
Result = TypeVar("Result")
log = logging.getLogger(__name__)


class NotReadyError(Exception):
    """A game was requested before it is prepared.

    Attributes:
        wait: Requests it, and returns when more is prepared than before.
    """

    def __init__(self, wait: Callable[[], Awaitable[object]]) -> None:
        super().__init__("a game is not prepared yet")
        self.wait = wait


async def prepared(work: Callable[[], Result]) -> Result:
    """Returns the result of ``work``, once the games that it requests are prepared."""
    while True:
        try:
            return work()
        except NotReadyError as early:
            await early.wait()


async def _in_thread(work: Callable[[], Result]) -> Result:
    """Returns the result of ``work``, which runs in a thread that ends with the program: one of
    ``asyncio.to_thread`` would keep it from ending until a compilation is done.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(set_it: Callable[[Any], None], found: object) -> None:
        if not done.done():  # else nobody waits any more
            set_it(found)

    def run() -> None:
        try:
            answer = partial(settle, done.set_result, work())
        except Exception as error:  # noqa: BLE001 (raised where it is awaited)
            answer = partial(settle, done.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(answer)

    threading.Thread(target=run, daemon=True).start()
    return await done


class PreparedGames:
    """A rulebook of the prepared games; for others it raises NotReadyError.

    Args:
        catalogue: Receives the players for each game.
        load: Returns the games; runs in a thread.
    """

    def __init__(self, catalogue: Catalogue, load: Callable[[], Rulebook]) -> None:
        self._catalogue, self._load = catalogue, load
        self._games: Rulebook | None = None
        # Games without their options: variants are prepared together.
        self._bases: Sequence[str] = ()
        self._waiting: list[str] = []
        self._asked: list[str] = []
        self._now: str | None = None
        self._broken: dict[str, str] = {}
        self._wake, self._step = asyncio.Event(), asyncio.Event()

    async def prepare(self, engine: EngineState, warm_up: Callable[[], None]) -> None:
        """Prepares all games.

        Args:
            engine: Games that nobody requested are prepared once it is ready.
            warm_up: Makes it compile the players of the first game; called when that game is
                prepared, so that both do not compile the same kernels.

        Raises:
            ValueError, ImportError: There is no such game.
        """
        games = await _in_thread(self._load)
        self._bases = tuple(dict.fromkeys(map(base_of, games.names())))
        self._games, self._waiting = games, list(self._bases)
        self._advance()
        engine.listeners.append(self._wake.set)
        while self._waiting:
            self._now = self._next(engine)
            if self._now is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            names = [name for name in games.names() if base_of(name) == self._now]
            try:
                await _in_thread(partial(self._try_out, games, names))
            except Exception as error:  # the other games can be played
                log.exception("%s cannot be played", self._now)
                why = f"{self._now} cannot be played: {type(error).__name__}: {error}"
                self._broken[self._now] = why[:400]
            self._waiting.remove(self._now)
            self._advance()
            warm_up()
        self._now = None
        engine.listeners.remove(self._wake.set)

    def _next(self, engine: EngineState) -> str | None:
        """Returns the game to prepare now; None: the players of the first one are compiled."""
        for base in self._asked:
            if base in self._waiting:
                return base
        is_first = len(self._waiting) == len(self._bases)
        return self._waiting[0] if is_first or engine.is_settled else None

    def _try_out(self, games: Rulebook, names: Sequence[str]) -> None:
        """Plays a few games to the end, so that the kernels of tables are compiled here and not on
        the event loop.
        """
        for name in names:
            self._catalogue.add(name, of_rooms(name, games.game(name)))
            games.info(name)
            chance = random.Random(0)
            for seed in range(TRIED):
                table = games.table(name, seed=seed)
                while not table.is_over:
                    table.describe(0)
                    table.play(chance.choice(table.legal()).text)
                games.read(table.record())
                table.copy().undo()

    def _advance(self) -> None:
        """Wakes all tasks waiting for a game."""
        self._step.set()
        self._step = asyncio.Event()

    async def _wait(self, base: str) -> None:
        self._asked.append(base)
        self._wake.set()
        await self._step.wait()

    def _with(self, name: str) -> Rulebook:
        """Returns the games, if one of them is prepared. Raises NotReadyError; RefusedError if it
        could not be prepared.
        """
        base = base_of(name)
        if self._games is None or base in self._waiting:
            raise NotReadyError(partial(self._wait, base))
        if base in self._broken:
            raise RefusedError("unknown_game", self._broken[base])
        return self._games

    def progress(self) -> Json:
        """Returns the game being prepared, the failed ones, and how the games present themselves,
        as shown in the lobby.
        """
        done = len(self._bases) - len(self._waiting)
        preparing = {"game": self._now, "done": done, "games": self._bases}
        at_work = self._games is None or self._waiting
        pages = {} if self._games is None else self._games.pages
        return {"preparing": preparing if at_work else None, "broken": self._broken, "pages": pages}

    # The rulebook.

    def names(self) -> Sequence[str]:
        """Returns the names of the prepared games."""
        known = () if self._games is None else self._games.names()
        return [name for name in known if base_of(name) not in (*self._waiting, *self._broken)]

    def info(self, game: str) -> GameInfo:
        """Returns the facts about a game."""
        return self._with(game).info(game)

    def table(self, game: str, **given: Any) -> "Table":
        """Returns a table of a game. Raises RefusedError."""
        return self._with(game).table(game, **given)

    def read(self, record: Mapping[str, object]) -> "tuple[str, Table]":
        """Returns the game of a record, and its table. Raises RefusedError."""
        return self._with(base_of_record(record)).read(record)


def position(games: PreparedGames, game: str, deal: Json, moves: Sequence[str] = ()) -> "Table":
    """Returns a table of a deal after the given moves. Raises RefusedError with the game's
    message.
    """
    table = games.table(game, deal=deal)
    for number, move in enumerate(moves, 1):
        try:
            table.play(move)
        except ValueError as error:
            raise RefusedError("bad_deal", f"move {number}: {error}") from error
    return table
