"""Games are prepared one after the other while the page already shows: what their tables call is
compiled, once on a machine, in a thread.

A game can be played as soon as it is prepared itself. The first one is prepared at once, and the
others when its players are there, too, or when somebody asks for one.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from fpmcts.web.engine.asking import EngineState
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import Catalogue
from fpmcts.web.tables.offers import of_rooms
from fpmcts.web.tables.rulebook import GameInfo, Games, base_of, base_of_record

if TYPE_CHECKING:
    from games.table import Table

TRIED = 2
"""Games that are played of each game: in one of them a hand of poker is shown down."""
Result = TypeVar("Result")
log = logging.getLogger(__name__)


class NotReadyError(Exception):
    """A game is asked for before it is prepared.

    Attributes:
        wait: Asks for it, and returns when more is prepared than before.
    """

    def __init__(self, wait: Callable[[], Awaitable[object]]) -> None:
        super().__init__("a game is not prepared yet")
        self.wait = wait


async def prepared(work: Callable[[], Result]) -> Result:
    """Returns what ``work`` returns, once the games that it asks for are prepared."""
    while True:
        try:
            return work()
        except NotReadyError as early:
            await early.wait()


class PreparedGames:
    """A rulebook that answers for the games that are prepared; for others it raises NotReadyError.

    Args:
        catalogue: It is given the players that ``fpmcts.players`` has for each game.
        load: Returns the games; it runs in a thread.
    """

    def __init__(self, catalogue: Catalogue, load: Callable[[], Games]) -> None:
        self._catalogue, self._load = catalogue, load
        self._games: Games | None = None
        # Games without their options, since these share what is compiled.
        self._bases: Sequence[str] = ()
        self._waiting: list[str] = []
        self._asked: list[str] = []
        self._now: str | None = None
        self._broken: dict[str, str] = {}
        self._wake, self._step = asyncio.Event(), asyncio.Event()

    async def prepare(self, engine: EngineState, warm_up: Callable[[], None]) -> None:
        """Prepares all games.

        Args:
            engine: Whether it is ready decides when games are prepared that nobody asks for.
            warm_up: Lets it compile the players of the first game; called when the game is there,
                so that both do not compile the same.

        Raises:
            ValueError: There is no such game, as ImportError.
        """
        games = await asyncio.to_thread(self._load)
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
                await asyncio.to_thread(self._try_out, games, names)
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

    def _try_out(self, games: Games, names: Sequence[str]) -> None:
        """Plays a few games to the end, so that what tables call is compiled here and not on the
        event loop.
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
        """Wakes all tasks that wait for a game."""
        self._step.set()
        self._step = asyncio.Event()

    async def _wait(self, base: str) -> None:
        self._asked.append(base)
        self._wake.set()
        await self._step.wait()

    def _with(self, name: str) -> Games:
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
        """Returns what is being prepared and what could not be, as the lobby shows it."""
        done = len(self._bases) - len(self._waiting)
        preparing = {"game": self._now, "done": done, "games": self._bases}
        at_work = self._games is None or self._waiting
        return {"preparing": preparing if at_work else None, "broken": self._broken}

    # The rulebook.

    def names(self) -> Sequence[str]:
        """Returns the names of the games that are prepared."""
        known = () if self._games is None else self._games.names()
        return [name for name in known if base_of(name) not in (*self._waiting, *self._broken)]

    def info(self, game: str) -> GameInfo:
        """Returns what is known of a game."""
        return self._with(game).info(game)

    def table(self, game: str, **given: Any) -> "Table":
        """Returns a table of a game. Raises RefusedError."""
        return self._with(game).table(game, **given)

    def read(self, record: Mapping[str, object]) -> "tuple[str, Table]":
        """Returns the game of a record, and its table. Raises RefusedError."""
        return self._with(base_of_record(record)).read(record)
