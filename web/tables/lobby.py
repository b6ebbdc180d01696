"""All tables: made, found again, opened from records, forgotten from memory but not from disk."""

import asyncio
import json
from collections import OrderedDict
from typing import Any

from web.clock import derived_seed
from web.errors import RefusedError
from web.limits import Bucket
from web.server.messages import parse_json
from web.tables.catalogue import YOU
from web.tables.room import Room, Services
from web.tables.settings import Series, Settings, summarise
from web.tables.store import StoredGame

MOST_IN_MEMORY = 200
"""Tables at which nothing happens that are kept in memory."""
MOST_GAMES = 20_000
"""Of a session, on disk."""
MOST_LINES = 1000
"""Of an opened file."""
EVERYBODY = "*"
"""The session of tables that everybody may read."""


def _lines(text: str) -> list[tuple[int, str]]:
    """Returns the lines of a file of records with their numbers. Raises RefusedError where there are too many, or none."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines or len(lines) > MOST_LINES:
        raise RefusedError("bad_record", f"{len(lines):,} lines; expected 1 to {MOST_LINES:,}, one game each")
    return lines


def settings_of(stored: StoredGame) -> Settings:
    """Returns how a table was made."""
    return Settings(**{**stored.settings, "series": Series(**stored.settings["series"])})


class Rooms:
    """The tables of a server.

    Args:
        services: What they stand on.
    """

    def __init__(self, services: Services) -> None:
        self.services = services
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._makings: dict[str, Bucket] = {}

    def get(self, session: str, table: str) -> Room:
        """Returns a table that a session may see. Raises RefusedError: there is no such table, or it is another's."""
        room = self._rooms.get(table)
        if room is None:
            stored = self.services.store.get(table)
            room = None if stored is None or stored.session not in (session, EVERYBODY) else self._restore(stored)
        if room is None or room.session not in (session, EVERYBODY):
            raise RefusedError("unknown_table", "there is no such table, or it is not yours")
        return self._keep(room)

    def own(self, session: str, room: Room) -> None:
        """Raises RefusedError unless a table is a session's own."""
        if room.session != session:
            raise RefusedError("not_allowed", "this table can only be read")

    def _restore(self, stored: StoredGame) -> Room:
        table = self.services.rulebook.table(stored.game, record=stored.record)
        return Room(self.services, stored.id, stored.session, stored.game, table, settings_of(stored), stored.made)

    def _keep(self, room: Room) -> Room:
        self._rooms[room.id] = room
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
            raise RefusedError("busy", f"{MOST_GAMES:,} games are kept; there is no room for more")

    def make(self, session: str, given: dict[str, Any]) -> Room:
        """Returns a new table.

        Args:
            session: Whose.
            given: The checked fields of ``POST /api/tables``.

        Raises:
            RefusedError: It cannot be made.
        """
        info = self.services.rulebook.info(given["game"])
        seats, mode = list(given["seats"]), given.get("mode", "fair")
        you = self.services.catalogue.check_seats(info, seats)
        deal, seed, moves = given.get("deal"), given.get("seed"), given.get("moves", [])
        if deal is not None and seed is not None:
            raise RefusedError("bad_message", "seed, deal: expected one of the two")
        if moves and deal is None:
            raise RefusedError("bad_message", "moves: expected with deal only")
        if deal is not None and mode == "fair":
            raise RefusedError("not_allowed", "you know the deal, so the game cannot be fair")
        self._may_make(session)
        series = Series(seats, returns=[0.0] * len(seats))
        settings = Settings(
            seats=seats,
            mode="open" if you is None else mode,
            series=series,
            secret=self.services.chance.new_seed(),
            seed=seed if seed is not None else None if deal is not None else self.services.chance.new_seed(),
            seed_given=seed is not None,
            greedy=given.get("greedy", False),
            rotate=given.get("rotate", info.mixes),
        )
        if deal is None:
            table = self.services.rulebook.table(info.name, seed=settings.seed)
        else:
            table, _ = self.position(info.name, deal, moves)
            if table.is_over:
                raise RefusedError("bad_deal", "the game is over after these moves")
        return self._new(session, info.name, table, settings)

    def position(self, game: str, deal: dict[str, Any], moves: list[str]) -> tuple[Any, list[int]]:
        """Returns a table of a deal with moves played, and the seat of each. Raises RefusedError with the game's words."""
        table, movers = self.services.rulebook.table(game, deal=deal), []
        for number, move in enumerate(moves, 1):
            try:
                movers.append(table.seat)
                table.play(move)
            except ValueError as error:
                raise RefusedError("bad_deal", f"move {number}: {error}") from error
        return table, movers

    def _new(self, session: str, game: str, table: Any, settings: Settings) -> Room:
        made = round(self.services.clock.wall(), 3)
        room = Room(self.services, self.services.chance.new_id(), session, game, table, settings, made)
        room.save()
        return self._keep(room)

    def next_of(self, room: Room) -> Room:
        """Returns the next table of a series, made where it is not there yet. Raises RefusedError."""
        old = room.settings
        if not room.table.is_over or old.imported:
            raise RefusedError("not_over", "the game is not over")
        if old.series.next is not None:
            return self.get(room.session, old.series.next)
        self._may_make(room.session)
        number = old.series.number + 1
        shift, count = (number - 1 if old.rotate else 0), len(old.seats)
        series = Series(old.series.players, number, old.series.games, list(old.series.returns), before=room.id)
        given = old.seed_given and old.seed is not None
        settings = Settings(
            seats=[old.series.players[(seat - shift) % count] for seat in range(count)],
            mode=old.mode,
            series=series,
            secret=self.services.chance.new_seed(),
            seed=derived_seed("next", old.seed) if given else self.services.chance.new_seed(),
            seed_given=given,
            greedy=old.greedy,
            rotate=old.rotate,
        )
        table = self.services.rulebook.table(room.game, seed=settings.seed)
        new = self._new(room.session, room.game, table, settings)
        series_before = room.settings.series
        series_before.next = new.id
        room.save()
        return new

    async def open_records(self, session: str, text: str) -> tuple[list[Room], list[dict[str, Any]]]:
        """Returns tables of the games in a file of records, and the lines that are none."""
        self._may_make(session)
        rooms, failed = [], []
        for number, line in _lines(text):
            try:
                rooms.append(self._open(session, line))
            except RefusedError as refused:
                failed.append({"line": number, "text": refused.text})
            await asyncio.sleep(0)  # others have their turn
        return rooms, failed

    def open_shared(self, text: str) -> None:
        """Opens records that everybody may read. Raises RefusedError where a line is none."""
        self.services.store.forget(EVERYBODY)
        for number, line in _lines(text):
            try:
                self._open(EVERYBODY, line)
            except RefusedError as refused:
                raise RefusedError(refused.code, f"line {number}: {refused.text}") from refused

    def _open(self, session: str, line: str) -> Room:
        record = parse_json(line)
        if not isinstance(record, dict):
            raise RefusedError("bad_record", "expected an object")
        game = self.services.rulebook.game_of(record)
        info = self.services.rulebook.info(game)
        table = self.services.rulebook.table(game, record=record)
        names = record.get("players")
        if not isinstance(names, list) or len(names) != len(info.seats) or not all(isinstance(name, str) for name in names):
            names = [name for name, _ in info.seats]
        settings = Settings(
            seats=[name[:40] for name in names],
            mode="open",
            series=Series([name[:40] for name in names], returns=[0.0] * len(names)),
            secret=0,
            imported=True,
            shared=session == EVERYBODY,
            line=line,
        )
        return self._new(session, game, table, settings)

    def record_text(self, room: Room) -> str:
        """Returns the line of a record; of an opened one the line that was opened."""
        record = room.record()
        return (json.dumps(record) if room.settings.line is None else room.settings.line) + "\n"

    def summaries(self, session: str) -> list[dict[str, Any]]:
        """Returns the tables of a session, the newest first, then those that everybody may read."""
        stored = [*self.services.store.of_session(session), *self.services.store.of_session(EVERYBODY)]
        return [self._summary(game) for game in stored]

    def _summary(self, game: StoredGame) -> dict[str, Any]:
        """Returns a table in short, without playing the game through again."""
        return summarise(game.id, game.game, game.made, game.over, settings_of(game))

    def statistics(self, session: str) -> list[dict[str, Any]]:
        """Returns the results of a session's finished games, by game, mode, opponents and team."""
        sums: dict[tuple[Any, ...], dict[str, Any]] = {}
        for game in self.services.store.of_session(session, limit=5000):
            settings, returns = game.settings, game.settings.get("returns")
            if not game.over or returns is None or settings["imported"] or YOU not in settings["seats"]:
                continue
            you = settings["seats"].index(YOU)
            info = self.services.rulebook.info(game.game)
            opponents = sorted(name for name in settings["seats"] if name != YOU)
            team = info.teams[info.seats[you][1]]
            key = (game.game, settings["mode"], tuple(opponents), team)
            row = sums.setdefault(
                key,
                {
                    "game": game.game,
                    "mode": settings["mode"],
                    "opponents": opponents,
                    "team": team,
                    "games": 0,
                    "wins": 0,
                    "returns": 0.0,
                    "squares": 0.0,
                },
            )
            mine = returns[you]
            row["games"] += 1
            row["wins"] += mine > 0
            row["returns"] += mine
            row["squares"] += mine * mine
        return list(sums.values())

    def close(self) -> None:
        """Stops all players."""
        for room in self._rooms.values():
            room.close()
