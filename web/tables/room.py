"""One table with its players: who may see what, whose turn it is, and when a move appears.

Where hands are hidden, nothing that is sent depends on cards that your seat cannot see, its time included (``turns``).
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from web.clock import Chance, Clock
from web.engine.asking import Engine, EngineError
from web.errors import RefusedError
from web.tables.catalogue import YOU, Catalogue
from web.tables.rulebook import Rulebook, Table, plies_seen, seats_of_moves, table_at
from web.tables.settings import Settings, summarise
from web.tables.store import Store, StoredGame
from web.tables.turns import appears, next_move
from web.tables.views import view_of

Listener = Callable[[dict[str, Any]], None]
"""Is told what happens at a table."""


@dataclass
class Services:
    """What rooms stand on."""

    rulebook: Rulebook
    catalogue: Catalogue
    engine: Engine
    store: Store
    clock: Clock
    chance: Chance


class Room:
    """A table.

    Args:
        services: What it stands on.
        table_id: Its name.
        session: Whose it is.
        game: Name of the game.
        table: The game.
        settings: How it was made.
        made: Seconds since 1970.
    """

    def __init__(
        self, services: Services, table_id: str, session: str, game: str, table: Table, settings: Settings, made: float
    ) -> None:
        self.services, self.id, self.session, self.game = services, table_id, session, game
        self.table, self.settings, self.made = table, settings, made
        self.info = services.rulebook.info(game)
        self.you = settings.you
        self.movers = seats_of_moves(table)
        self._look()
        self.paused, self.factor = False, 1.0
        offer = services.catalogue.offer(game)
        self._players = {name: offer.entry(name) for name in settings.seats if name != YOU} if not self.done else {}
        self._listeners: list[Listener] = []
        self._driver: asyncio.Task[None] | None = None

    # What may be seen.

    @property
    def done(self) -> bool:
        """Returns whether nothing is hidden any more: the game is over, or it is an opened record."""
        return self.table.is_over or self.settings.imported

    @property
    def everything(self) -> bool:
        """Returns whether all hands are shown."""
        return self.done or self.settings.mode == "open"

    def play_unseen(self, seat: int, move: str) -> None:
        """Plays a move of which your seat is told nothing."""
        self.table.play(move)
        self.movers.append(seat)
        self.save()

    def _look(self) -> None:
        """Notes the plies of the moves that are seen from your seat."""
        hidden = self.info.private_moves and self.you is not None
        self._seen = plies_seen(self.table, self.you) if hidden and self.you is not None else list(range(len(self.movers)))

    @property
    def seen(self) -> Sequence[int]:
        """Returns the plies of the moves that may be told: a move that your seat cannot see counts nowhere before the end.

        What clients call a ply is a place in this list, and its length where nothing has been played yet.
        """
        return range(len(self.movers)) if self.everything else self._seen

    def view(self) -> dict[str, Any]:
        """Returns what is seen of the table now."""
        return self._view(self.table, self.movers)

    def _view(self, table: Table, movers: list[int], viewer: int | None = None, with_legal: bool = True) -> dict[str, Any]:
        return view_of(
            table,
            self.you if viewer is None else viewer,
            everything=self.everything,
            movers=movers,
            players=self.settings.seats,
            names=self.info.seats,
            game=self.game,
            with_legal=with_legal,
        )

    def puzzle(self, ply: int) -> dict[str, Any]:
        """Returns a decision as its mover saw it."""
        table, seat = table_at(self.table, ply), self.movers[ply]
        players = [YOU if s == seat else name for s, name in enumerate(self.settings.seats)]
        movers = self.movers[:ply]
        return view_of(table, seat, everything=False, movers=movers, players=players, names=self.info.seats, game=self.game)

    def summary(self) -> dict[str, Any]:
        """Returns the table in short."""
        self._note()
        return summarise(self.id, self.game, self.made, self.table.is_over, self.settings)

    def _note(self) -> None:
        """Brings what the settings say of the game up to date."""
        self.settings.plies = len(self.seen)
        self.settings.returns = None if self.table.returns is None else list(self.table.returns)

    def state(self) -> dict[str, Any]:
        """Returns the message that tells all of the table."""
        return {
            "type": "state",
            "table": self.id,
            "rev": self.settings.rev,
            "summary": self.summary(),
            "view": self.view(),
            "paused": self.paused,
            "factor": self.factor,
        }

    def record(self) -> dict[str, Any]:
        """Returns the record. Raises RefusedError while it would tell what is hidden."""
        if not self.done:
            raise RefusedError("not_over", "the record can be read when the game is over")
        return {"players": self.settings.seats, **self.table.record()}

    def replay(self) -> list[dict[str, Any]]:
        """Returns all positions. Raises RefusedError while they would tell what is hidden."""
        if not self.everything:
            raise RefusedError("not_over", "the game can be replayed when it is over")
        table, plies = table_at(self.table, 0), []
        for ply in range(len(self.movers) + 1):
            view = self._view(table, self.movers[:ply], with_legal=False)
            move = self.table.moves[ply] if ply < len(self.movers) else None
            seat = self.movers[ply] if move is not None else None
            plies.append({"ply": ply, "seat": seat, "move": None if move is None else move.text, "view": view})
            if move is not None:
                table.play(move.text)
        return plies

    def told_ply(self, ply: int) -> int:
        """Returns what clients call a ply."""
        return bisect_left(self.seen, ply)

    def _ply(self, told: int | None) -> int:
        """Returns the ply that a client means; None: the last one. Raises RefusedError where there is nothing to decide."""
        last = len(self.seen)
        if told is not None and (told > last or (told == last and self.table.is_over)):
            raise RefusedError("bad_message", f"ply: expected at most {last - self.table.is_over}")
        if told is None and self.table.is_over:
            raise RefusedError("bad_message", f"ply: expected at most {last - 1}")
        return len(self.movers) if told is None or told == last else self.seen[told]

    def may_ask(self, ply: int | None) -> int:
        """Returns a ply that may be searched; None asks for the last one.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        at = self._ply(ply)
        if self.done or self.settings.mode == "open":
            return at
        if self.settings.mode == "fair":
            raise RefusedError("not_allowed", "a fair game is not analysed before its end")
        if self._mover(at) != self.you:
            raise RefusedError("not_allowed", "hints are for your own decisions")
        return at

    def _mover(self, ply: int) -> int:
        return self.movers[ply] if ply < len(self.movers) else self.table.seat

    def outside(self, ply: int | None) -> dict[str, Any]:
        """Returns what a player outside would be sent for a decision.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        told = len(self.seen) if ply is None else ply
        at = self._ply(told) if told <= len(self.seen) and not self.table.is_over else None
        if at is None or self._mover(at) != self.you:
            if not self.everything:
                raise RefusedError("not_your_turn", "it can be copied when it is your turn")
            at = self.may_ask(ply)
        return table_at(self.table, at).describe()

    # What happens.

    def listen(self, listener: Listener) -> None:
        """Tells somebody what happens from now on."""
        self._listeners.append(listener)
        self.wake()

    def leave(self, listener: Listener) -> None:
        """Ends that. A game that nobody takes part in stops when nobody watches."""
        if listener in self._listeners:
            self._listeners.remove(listener)
        if self.you is None and not self._listeners:
            self._stop_driver()

    @property
    def is_idle(self) -> bool:
        """Returns whether nobody listens and nothing happens."""
        return not self._listeners and (self._driver is None or self._driver.done())

    def tell(self, message: dict[str, Any], asker: Listener | None = None, number: int | None = None) -> None:
        """Sends a message to everyone at the table; the one that asked for it gets the number of its question."""
        for listener in list(self._listeners):
            listener(message if listener != asker or number is None else {**message, "id": number})

    def save(self) -> None:
        """Writes the game to disk."""
        self._note()
        record = self.table.record()
        self.services.store.put(
            StoredGame(self.id, self.session, self.game, self.made, self.table.is_over, asdict(self.settings), record)
        )

    def play(self, move: str, rev: int | None, asker: Listener | None = None, number: int | None = None) -> None:
        """Plays your move.

        Raises:
            RefusedError: It is not your turn, or the move is illegal.
        """
        self._running()
        if rev is not None and rev != self.settings.rev:
            raise RefusedError("stale", f"the table is at rev {self.settings.rev}")
        if self.table.seat != self.you:
            raise RefusedError("not_your_turn", f"seat {self.table.seat} is to move")
        try:
            text = self.table.play(move).text
        except ValueError as error:
            raise RefusedError("illegal_move", str(error)) from error
        assert self.you is not None
        self._moved(self.you, text, asker, number)
        self.wake()

    def undo(self, asker: Listener | None = None, number: int | None = None) -> None:
        """Goes back to your last decision, or by one move where you only watch. Raises RefusedError."""
        self._running()
        if self.settings.mode == "fair":
            raise RefusedError("not_allowed", "moves of a fair game cannot be taken back")
        ply = len(self.movers) - 1
        if self.you is not None:
            ply = max((k for k, seat in enumerate(self.movers) if seat == self.you), default=-1)
        if ply < 0:
            raise RefusedError("not_allowed", "there is nothing to take back")
        self._stop_driver()
        self.table.undo(len(self.movers) - ply)
        del self.movers[ply:]
        self._look()
        self._changed(asker, number)
        self.wake()

    def pause(self, on: bool, asker: Listener | None = None, number: int | None = None) -> None:
        """Lets the players wait, or go on. Raises RefusedError where hands are hidden."""
        self._running()
        self._open_only()
        self.paused = on
        if on:
            self._stop_driver()
        self._changed(asker, number)
        self.wake()

    def step(self) -> None:
        """Lets the next player of a paused table move. Raises RefusedError."""
        self._running()
        self._open_only()
        if not self.paused:
            raise RefusedError("not_paused", "pause the table first")
        if self.table.seat == self.you:
            raise RefusedError("not_your_turn", "it is your turn")
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive(1))

    def set_speed(self, factor: float, asker: Listener | None = None, number: int | None = None) -> None:
        """Changes the pace of a game that you watch. Raises RefusedError where you take part."""
        if self.you is not None:
            raise RefusedError("not_allowed", "only a game that you watch has another pace")
        self.factor = float(factor)
        self._changed(asker, number)

    def close(self) -> None:
        """Stops the players."""
        self._stop_driver()

    def _running(self) -> None:
        if self.done:
            raise RefusedError("over", "the game is over")

    def _open_only(self) -> None:
        if self.settings.mode != "open":
            raise RefusedError("not_allowed", "only an open table can be paused")

    def _changed(self, asker: Listener | None, number: int | None) -> None:
        self.settings.rev += 1
        self.save()
        self.tell(self.state(), asker, number)

    def _moved(self, seat: int, text: str, asker: Listener | None = None, number: int | None = None) -> None:
        """Tells of a move that was made, and of the end."""
        self.movers.append(seat)
        self._seen.append(len(self.movers) - 1)
        settings = self.settings
        settings.rev += 1
        if self.table.is_over:
            self._count_result()
        self.save()
        view = self.view()
        seen, ply = view["moves"][-1]["move"], len(view["moves"]) - 1
        message = {"type": "moved", "table": self.id, "rev": settings.rev, "ply": ply, "seat": seat, "move": seen, "view": view}
        self.tell(message, asker, number)
        if self.table.is_over:
            returns = view["returns"]
            over = {"summary": self.summary(), "record": self.record(), "returns": returns, "view": view}
            self.tell({"type": "over", "table": self.id, "rev": settings.rev, **over})

    def _count_result(self) -> None:
        """Adds the result to the series."""
        series, returns = self.settings.series, self.table.returns
        assert returns is not None
        shift = (series.number - 1) if self.settings.rotate else 0
        count = len(self.settings.seats)
        series.games += 1
        series.returns = [total + returns[(player + shift) % count] for player, total in enumerate(series.returns)]

    # The players.

    def wake(self) -> None:
        """Lets the players go on, where it is their turn."""
        if self.done or self.paused or (self._driver is not None and not self._driver.done()):
            return
        if self.table.seat == self.you or (self.you is None and not self._listeners):
            return
        self._driver = asyncio.create_task(self._drive(None))

    def _stop_driver(self) -> None:
        if self._driver is not None:
            self._driver.cancel()
            self._driver = None

    async def _drive(self, count: int | None) -> None:
        """Plays the moves of the players until it is your turn, at most ``count`` of them (None: no bound)."""
        while not self.table.is_over and self.table.seat != self.you and count != 0:
            seat = self.table.seat
            entry = self._players[self.settings.seats[seat]]
            began = self.services.clock.now()
            self.tell({"type": "thinking", "table": self.id, "seat": seat})
            try:
                move = await next_move(self, seat, entry, began)
                await self.services.clock.sleep_until(appears(self, entry, began))
                text = self.table.play(move).text
            except (EngineError, ValueError) as error:
                self.tell({"type": "error", "code": "engine", "text": self._fault(error)})
                return
            self._moved(seat, text)
            count = None if count is None else count - 1

    def _fault(self, error: Exception) -> str:
        """Returns a fault in words; where hands are hidden they may not depend on them."""
        return str(error) if self.everything else "the player could not move; join the table again to ask once more"
