"""A table that is played at: who listens, whose turn it is, and when the move of a player appears.

Where hands are hidden, nothing that is sent depends on cards that your seat cannot see, its time
included (``turns``).
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from fpmcts.web.engine.asking import Answer, EngineError
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import YOU
from fpmcts.web.tables.kept import KeptGame, Services
from fpmcts.web.tables.store import StoredGame
from fpmcts.web.tables.turns import appears, next_move

if TYPE_CHECKING:
    from games.table import Table

Listener = Callable[[Json], None]
"""Is told what happens at a table."""


class Room(KeptGame):
    """A table; the arguments are those of ``KeptGame``."""

    def __init__(
        self, services: Services, stored: StoredGame, table: "Table | None" = None
    ) -> None:
        super().__init__(services, stored, table)
        self.paused, self.factor = False, 1.0
        self._players = (
            {}
            if self.done
            else {name: self.offer.entry(name) for name in self.settings.seats if name != YOU}
        )
        self._listeners: list[Listener] = []
        self._driver: asyncio.Task[None] | None = None

    def message(self, kind: str, **fields: object) -> Json:
        """Returns a message about this table."""
        return {"type": kind, "table": self.id, **fields}

    def state(self) -> Json:
        """Returns the message that tells all of the table."""
        return self.message(
            "state",
            rev=self.settings.rev,
            summary=self.summary(),
            view=self.view(),
            paused=self.paused,
            factor=self.factor,
        )

    def listen(self, listener: Listener) -> None:
        """Tells somebody what happens from now on."""
        self._listeners.append(listener)
        self.wake()

    def leave(self, listener: Listener) -> None:
        """Ends that. A game that nobody takes part in stops when nobody watches."""
        if listener in self._listeners:
            self._listeners.remove(listener)
        if self.you is None and not self._listeners:
            self.stop()

    @property
    def is_driven(self) -> bool:
        """Returns whether a player is at work."""
        return self._driver is not None and not self._driver.done()

    @property
    def is_idle(self) -> bool:
        """Returns whether nobody listens and nothing happens."""
        return not self._listeners and not self.is_driven

    def tell(self, message: Json) -> None:
        """Sends a message to everyone at the table."""
        for listener in list(self._listeners):
            listener(message)

    # What you do.

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
        """Goes back to your last decision, or by one move where you only watch. Raises
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
        self._changed()

    def pause(self, on: bool) -> None:
        """Lets the players wait, or go on. Raises RefusedError where hands are hidden."""
        self._refuse_unless_open()
        self.paused = on
        if on:
            self.stop()
        self._changed()

    def step(self) -> None:
        """Lets the next player of a paused table move. Raises RefusedError."""
        self._refuse_unless_open()
        if not self.paused:
            raise RefusedError("not_paused", "pause the table first")
        if self.table.seat == self.you:
            raise RefusedError("not_your_turn", "it is your turn")
        if not self.is_driven:
            self._driver = asyncio.create_task(self._drive(once=True))

    def speed(self, factor: float) -> None:
        """Changes the pace of a game that you watch. Raises RefusedError where you take part."""
        if self.you is not None:
            raise RefusedError("not_allowed", "only a game that you watch has another pace")
        self.factor = float(factor)
        self._changed()

    def _refuse_after_the_end(self) -> None:
        if self.done:
            raise RefusedError("over", "the game is over")

    def _refuse_unless_open(self) -> None:
        self._refuse_after_the_end()
        if not self.everything:
            raise RefusedError("not_allowed", "only an open table can be paused")

    def _changed(self) -> None:
        """Tells all of the table, and lets the players go on."""
        self.settings.rev += 1
        self.save()
        self.tell(self.state())
        self.wake()

    def _moved(self) -> None:
        """Tells of the last move, and of the end."""
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
        """Lets the players go on, where it is their turn."""
        if self.done or self.paused or self.is_driven or self.table.seat == self.you:
            return
        if self.you is not None or self._listeners:
            self._driver = asyncio.create_task(self._drive())

    def stop(self) -> None:
        """Stops the players."""
        if self._driver is not None:
            self._driver.cancel()
            self._driver = None

    async def _drive(self, once: bool = False) -> None:
        """Plays the moves of the players until it is your turn, or one of them."""
        while not self.table.is_over and self.table.seat != self.you:
            seat = self.table.seat
            entry = self._players[self.settings.seats[seat]]
            began = self.services.clock.now()
            self.tell(self.message("thinking", seat=seat))

            def hear(answer: Answer, seat: int = seat) -> None:
                if self.everything:
                    self.tell(self.message("thinking", seat=seat, **answer.fields()))

            try:
                move = await next_move(self, entry, began, hear)
                await self.services.clock.sleep_until(appears(self, entry, began, self.factor))
                self.table.play(move)
            except (EngineError, ValueError) as error:
                hidden = "the player could not move; join the table again to ask once more"
                text = (
                    str(error) if self.everything else hidden
                )  # which may not depend on hidden hands
                self.tell(self.message("error", code="engine", text=text))
                return
            self._moved()
            if once:
                return
