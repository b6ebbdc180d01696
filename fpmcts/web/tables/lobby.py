"""All tables: created, looked up, opened from records, dropped from memory but not from disk."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from fpmcts.web.clock import Bucket, derived_seed
from fpmcts.web.errors import Json, RefusedError, parse_json
from fpmcts.web.tables.catalogue import YOU
from fpmcts.web.tables.preparing import position, prepared
from fpmcts.web.tables.room import Room, Services
from fpmcts.web.tables.store import Series, StoredGame, TableSettings

if TYPE_CHECKING:
    from games.play.table import Table

MOST_IN_MEMORY = 200
"""Idle tables kept in memory."""
MOST_GAMES = 20_000
"""Maximum games of a session on disk."""
MOST_LINES = 1000
"""Maximum lines of an opened file."""
SUMS = ("games", "wins", "returns", "squares")
"""What statistics add up."""
EVERYBODY = "*"
"""The session of tables that everybody may read."""


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """Returns the lines of a file of records, with their numbers; empty ones are skipped."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _records(text: str) -> list[tuple[int, str]]:
    """Returns the numbered lines of a file of records. Raises RefusedError if there are too many,
    or none.
    """
    lines = numbered_lines(text)
    if not lines or len(lines) > MOST_LINES:
        raise RefusedError(
            "bad_record", f"{len(lines):,} lines; expected 1 to {MOST_LINES:,}, one game each"
        )
    return lines


class Lobby:
    """The tables of a server.

    Args:
        services: Services of the tables.
    """

    def __init__(self, services: Services) -> None:
        self.services = services
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        # A table that a request still holds must not be loaded a second time.
        self._held: WeakValueDictionary[str, Room] = WeakValueDictionary()
        self._makings: dict[str, Bucket] = {}
        services.engine.status.listeners.append(self._engine_changed)

    def _engine_changed(self) -> None:
        if self.services.engine.status.state == "ready":
            for room in [*self._rooms.values()]:
                room.try_again()

    def get(self, session: str, table: str) -> Room:
        """Returns a table that a session may see. Raises RefusedError if it does not exist or
        belongs to another session.
        """
        found = self._held.get(table) or self.services.store.get(table) or self._puzzle(table)
        if found is None or found.session not in (session, EVERYBODY):
            raise RefusedError("unknown_table", "there is no such table, or it is not yours")
        return self._keep(found if isinstance(found, Room) else Room(self.services, found))

    def _puzzle(self, table: str) -> Room | None:
        """Returns the table of a puzzle, which everybody may read and nobody lists; or None."""
        if (row := self.services.puzzles.get(table)) is None:
            return None
        game, settings, position = self._read(EVERYBODY, json.dumps(row["record"]))
        settings.reviewed = True  # by the row
        stored = StoredGame(table, EVERYBODY, game, 0.0, False, settings, {})
        return Room(self.services, stored, position)

    def _keep(self, room: Room) -> Room:
        self._rooms[room.id] = self._held[room.id] = room
        self._rooms.move_to_end(room.id)
        idle = [other for other in self._rooms.values() if other.is_idle and other is not room]
        for other in idle[: max(0, len(idle) - MOST_IN_MEMORY)]:
            del self._rooms[other.id]
        return room

    def _may_make(self, session: str) -> None:
        bucket = self._makings.setdefault(session, Bucket(1.0, 20.0, self.services.clock.now))
        if not bucket.take():
            raise RefusedError("busy", "too many new tables; wait a second")
        if self.services.store.count(session) >= MOST_GAMES:
            raise RefusedError("full", f"{MOST_GAMES:,} games are kept; remove some in the lobby")

    def make(
        self,
        session: str,
        game: str,
        seats: list[str],
        mode: str = "fair",
        seed: int | None = None,
        deal: Json | None = None,
        moves: list[str] | None = None,
        continues: str | None = None,
        ply: int | None = None,
        greedy: bool = False,
        rotate: bool | None = None,
        deals: int | None = None,
    ) -> Room:
        """Returns a new table.

        Args:
            session: Its session; the other arguments are the fields of ``POST /api/tables``, each
                already checked.

        Raises:
            RefusedError: The table cannot be made.
        """
        info, chance = self.services.rulebook.info(game), self.services.chance
        self.services.catalogue.check_seats(info, seats)
        mode = mode if YOU in seats else "open"
        sources = {"seed": seed, "deal": deal, "continues": continues}
        given = [name for name, value in sources.items() if value is not None]
        if len(given) > 1:
            raise RefusedError("bad_message", f"give only one of {', '.join(given)}")
        if moves and deal is None:
            raise RefusedError("bad_message", "moves: allowed only together with deal")
        if ply is not None and continues is None:
            raise RefusedError("bad_message", "ply: allowed only together with continues")
        if mode == "fair" and given not in ([], ["seed"]):
            raise RefusedError("not_allowed", "you know the deal, so the game cannot be fair")
        self._may_make(session)
        settings = TableSettings(
            seats=seats,
            mode=mode,
            series=Series(list(seats), returns=[0.0] * len(seats), deals=deals),
            secret=chance.new_seed(),
            seed=seed if given else chance.new_seed(),
            seed_given=seed is not None,
            greedy=greedy,
            rotate=info.mixes if rotate is None else rotate,
        )
        table = None
        if deal is not None:
            table = position(self.services.rulebook, game, deal, moves or ())
        elif continues is not None:
            old = self.get(session, continues)
            if old.game != game:
                raise RefusedError("bad_message", f"continues: expected a table of {game}")
            table = old.position(ply)
        if table is not None and table.is_over:
            raise RefusedError("bad_deal", "the game would be over after these moves")
        return self._new(session, game, settings, table)

    def _new(
        self, session: str, game: str, settings: TableSettings, table: "Table | None" = None
    ) -> Room:
        """Returns a new room; without a table, the cards are dealt."""
        made, name = round(self.services.clock.wall(), 3), self.services.chance.new_id()
        table = table or self.services.rulebook.table(game, seed=settings.seed)
        stored = StoredGame(name, session, game, made, False, settings, {})
        room = Room(self.services, stored, table)
        room.save()
        return self._keep(room)

    def next_of(self, room: Room) -> Room:
        """Returns the next table of a series, created if necessary. Raises RefusedError."""
        old, chance = room.settings, self.services.chance
        if not room.table.is_over or old.imported:
            raise RefusedError("not_over", "the game is not over")
        if old.series.next is not None:
            return self.get(room.session, old.series.next)
        self._may_make(room.session)
        players, number = old.series.players, old.series.number + 1
        series = replace(
            old.series, number=number, returns=list(old.series.returns), before=room.id, next=None
        )
        known = old.seed is not None and old.seed_given
        settings = replace(
            old,
            seats=[players[player] for player in old.seating(number)],
            series=series,
            secret=chance.new_seed(),
            seed=derived_seed("next", old.seed) if known else chance.new_seed(),
            rev=0,
            reviewed=False,
        )
        new = self._new(room.session, room.game, settings)
        old.series.next = new.id
        room.save()
        return new

    async def open_records(self, session: str, text: str) -> Json:
        """Returns summaries of tables for the games in a file of records, and the invalid lines.
        Raises RefusedError if there are too many lines, or none.
        """
        self._may_make(session)
        tables, failed = [], []
        for number, line in _records(text):
            try:
                room = await prepared(partial(self.open_record, session, line))
                tables.append(room.summary())
            except RefusedError as refused:
                failed.append({"line": number, "text": refused.text})
            await asyncio.sleep(0)  # let others run
        return {"tables": tables, "failed": failed}

    async def open_shared(self, text: str) -> None:
        """Opens records that everybody may read, in place of those opened before; tables of lines
        that are still there stay, with their reviews. Raises RefusedError for an invalid line,
        before it changes anything.
        """
        store, new = self.services.store, []
        before = [(game.settings.line, game.id) for game in store.of_session(EVERYBODY, -1)]
        for number, line in _records(text):
            kept = next((one for one in before if one[0] == line), None)
            if kept is not None:
                before.remove(kept)
                continue
            try:
                new.append(await prepared(partial(self._read, EVERYBODY, line)))
            except RefusedError as refused:
                raise RefusedError("bad_record", f"line {number}: {refused.text}") from refused
            await asyncio.sleep(0)  # let others run
        for _, table in before:
            store.remove(table)
        for read in new:
            self._new(EVERYBODY, *read)

    def open_record(self, session: str, line: str) -> Room:
        """Returns a table for a line of a file of records. Raises RefusedError if it is invalid."""
        return self._new(session, *self._read(session, line))

    def _read(self, session: str, line: str) -> "tuple[str, TableSettings, Table]":
        """Returns what a new table needs for a line of a file of records. Raises RefusedError if
        it is invalid.
        """
        record = parse_json(line)
        if not isinstance(record, dict):
            raise RefusedError("bad_record", "expected an object")
        game, table = self.services.rulebook.read(record)
        names = [name for name, _ in self.services.rulebook.info(game).seats]
        players = record.get("players")
        if (
            isinstance(players, list)
            and len(players) == len(names)
            and all(isinstance(name, str) for name in players)
        ):
            names = [name[:40] for name in players]
        settings = TableSettings(
            seats=names,
            mode="open",
            series=Series(list(names), returns=[0.0] * len(names)),
            secret=0,
            imported=True,
            shared=session == EVERYBODY,
            line=line,
        )
        return game, settings, table

    def remove(self, session: str, table: str) -> None:
        """Removes a table from memory and disk, with its reviews. Raises RefusedError if somebody
        is there, or it is not the session's own.
        """
        room = self.get(session, table)
        if room.session != session:
            raise RefusedError("not_allowed", "this table can only be read")
        if not room.is_idle:
            raise RefusedError("busy", "somebody is at this table; leave it first")
        self.services.store.remove(table)
        del self._rooms[table], self._held[table]

    def summaries(self, session: str) -> Iterator[Json]:
        """Yields the tables of a session, the newest first, then those that everybody may read."""
        for owner in (session, EVERYBODY):
            for game in self.services.store.of_session(owner):
                yield game.summary()

    def statistics(self, session: str) -> list[Json]:
        """Returns the results of a session's finished games, by game, mode, opponents and team."""
        rows: dict[str, Json] = {}
        known = self.services.rulebook.names()
        for game, mode, seats, *sums in self.services.store.results(session):
            if game not in known:
                continue
            info = self.services.rulebook.info(game)
            opponents = sorted(name for name in seats if name != YOU)
            team = info.teams[info.seats[seats.index(YOU)][1]]
            key = {"game": game, "mode": mode, "opponents": opponents, "team": team}
            row = rows.setdefault(json.dumps(key), key | dict.fromkeys(SUMS, 0))
            for name, part in zip(SUMS, sums, strict=True):
                row[name] += part
        return list(rows.values())

    def close(self) -> None:
        """Stops all players."""
        for room in self._rooms.values():
            room.stop()
