"""The games on disk: one SQLite file, written move by move, so that a killed server resumes where
it stopped.

A change is one statement in one transaction. The write-ahead log survives a kill of the process; a
loss of power may cost the last moves, never the file.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self
from weakref import finalize

from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import YOU

PATIENCE = 2.0
"""Seconds to wait for a file in use by a server that is shutting down."""
VERSION = 3
GAMES = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    game TEXT NOT NULL,
    made REAL NOT NULL,
    over INTEGER NOT NULL,
    settings TEXT NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX games_of_session ON games (session, made);
"""
REVIEWS = """
CREATE TABLE reviews (
    game TEXT NOT NULL,
    session TEXT NOT NULL,
    key TEXT NOT NULL,
    review TEXT NOT NULL,
    PRIMARY KEY (game, session, key)
) WITHOUT ROWID;
CREATE INDEX reviews_of_session ON reviews (session);
"""
RESULTS = """
ALTER TABLE games ADD COLUMN mode TEXT;
ALTER TABLE games ADD COLUMN seats TEXT;
ALTER TABLE games ADD COLUMN won REAL;
UPDATE games SET
    mode = json_extract(settings, '$.mode'),
    seats = json_extract(settings, '$.seats'),
    won = (
        SELECT result.value FROM json_each(settings, '$.seats') AS seat
        JOIN json_each(settings, '$.returns') AS result ON result.key = seat.key
        WHERE seat.value = 'you'
    )
WHERE over AND NOT json_extract(settings, '$.imported');
CREATE INDEX results ON games (session, game, mode, seats, won) WHERE won IS NOT NULL;
"""
"""The data of finished games for statistics is in columns, so that sums need not parse the rest."""
TO_2 = f"""
ALTER TABLE reviews RENAME TO old;
DROP INDEX reviews_of_session;
{REVIEWS}
INSERT INTO reviews SELECT game, session, key, review FROM old WHERE game IN (SELECT id FROM games);
DROP TABLE old;
"""
STEPS = (GAMES + REVIEWS + RESULTS, TO_2 + RESULTS, RESULTS)
"""Statements that upgrade each version to the current one; 0 is an empty file, and in 1 a game's
reviews belonged to the last session that reviewed it.
"""
COLUMNS = "id, session, game, made, over, settings"
SUMS_OF_RESULTS = """
SELECT game, mode, seats, count(*), sum(won > 0), sum(won), sum(won * won) FROM games
WHERE session = ? AND won IS NOT NULL GROUP BY game, mode, seats
"""
REVIEWS_BY_GAME = """
SELECT id, game, '[' || group_concat(review) || ']' FROM (
    SELECT games.id AS id, games.game AS game, made, review
    FROM reviews JOIN games ON games.id = reviews.game WHERE reviews.session = ?
    ORDER BY made DESC, games.id, key LIMIT ?
) GROUP BY id ORDER BY made DESC, id
"""
RETURNS_BEFORE = """
WITH RECURSIVE hands (id, most) AS (
    VALUES (?, ?)
    UNION ALL
    SELECT json_extract(settings, '$.series.before'), most - 1
    FROM hands JOIN games USING (id) WHERE session = ? AND most > 1
)
SELECT json_extract(settings, '$.series.number'), json_extract(settings, '$.returns')
FROM hands JOIN games USING (id) WHERE session = ? AND over ORDER BY most
"""


class StoreError(RuntimeError):
    """A file of games that cannot be used; the message names it and says why."""


class DiskError(RefusedError):
    """The file of games cannot be read or written at the moment; what it holds is as before."""

    def __init__(self, error: sqlite3.Error) -> None:
        super().__init__(
            "disk", f"the games cannot be saved ({error}); make room on the disk, then try again"
        )


@dataclass
class Series:
    """Games of the same players, one after the other.

    Attributes:
        players: The players, in the order of the first game's seats.
        number: Number of this game, from 1.
        games: Number of finished games, including this one once it is over.
        returns: Sums of their returns for each of ``players``.
        before: Table of the previous game.
        next: Table of the next game.
        deals: Number of games of the match; None: no end is set.
    """

    players: list[str]
    number: int = 1
    games: int = 0
    returns: list[float] = field(default_factory=list)
    before: str | None = None
    next: str | None = None
    deals: int | None = None


@dataclass
class TableSettings:
    """The settings of a table, stored with its game.

    Attributes:
        seats: The player in each seat.
        mode: "fair", "hints" or "open".
        series: The games before and after.
        secret: Seed of the players' random choices; never sent.
        seed: Seed of the deal, or None.
        seed_given: Whether you gave it, so that it is not a secret.
        greedy: Whether players play their likeliest move.
        rotate: Whether everyone moves up a seat in the next game.
        imported: Whether this is an opened record.
        shared: Whether everybody may read it.
        line: The record as it was opened.
        rev: Number of changes.
        plies: Number of moves made.
        returns: Returns of the seats, None before the end.
        reviewed: Whether there is a review.
    """

    seats: list[str]
    mode: str
    series: Series
    secret: int
    seed: int | None = None
    seed_given: bool = False
    greedy: bool = False
    rotate: bool = False
    imported: bool = False
    shared: bool = False
    line: str | None = None
    rev: int = 0
    plies: int = 0
    returns: list[float] | None = None
    reviewed: bool = False

    @classmethod
    def parse(cls, kept: str) -> Self:
        """Returns settings stored as JSON (``asdict``)."""
        fields = json.loads(kept)
        return cls(**{**fields, "series": Series(**fields["series"])})

    @property
    def you(self) -> int | None:
        """Returns your seat, None if you only watch."""
        return self.seats.index(YOU) if YOU in self.seats and not self.imported else None

    def seating(self, number: int) -> tuple[int, ...]:
        """Returns the player in each seat in a game of the series, numbered as in the first
        game.
        """
        shift, count = number - 1 if self.rotate else 0, len(self.seats)
        return tuple((seat - shift) % count for seat in range(count))


class StoredGame(NamedTuple):
    """A stored game.

    Attributes:
        id: Id of the table.
        session: The session that it belongs to.
        game: Name of the game.
        made: Seconds since 1970.
        over: Whether it is over.
        settings: Settings of its table.
        record: The record so far.
    """

    id: str
    session: str
    game: str
    made: float
    over: bool
    settings: TableSettings
    record: Json

    @property
    def won(self) -> float | None:
        """Returns your return, None if you did not take part or the game is not over."""
        settings = self.settings
        if not self.over or settings.you is None or settings.returns is None:
            return None
        return settings.returns[settings.you]

    def summary(self) -> Json:
        """Returns a summary of the table."""
        settings = self.settings
        return {
            "id": self.id,
            "game": self.game,
            "you": settings.you,
            "over": self.over,
            "made": self.made,
            "seed": settings.seed if settings.seed_given or self.over else None,
            "series": dict(vars(settings.series)),
            **{name: getattr(settings, name) for name in UNCHANGED},
        }


UNCHANGED = "seats mode greedy rotate plies rev shared imported reviewed returns".split()
"""Settings that are reported unchanged."""


class Store:
    """A file of games.

    Args:
        path: The file, created if missing.

    Raises:
        StoreError: It cannot be opened, or is not a file of games.
    """

    def __init__(self, path: Path) -> None:
        name = f"games={path}"
        try:
            self._file = sqlite3.connect(
                path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            # Also where the file is refused below: an open connection keeps its lock.
            self._close = finalize(self, self._file.close)
            # Tables are held in memory: a second server would overwrite this one's moves.
            for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
                self._file.execute(f"PRAGMA {pragma}")
            ((version,),) = self._file.execute("PRAGMA user_version")
            if version == 0 and self._file.execute("SELECT * FROM sqlite_master").fetchone():
                raise StoreError(f"{name}: a database of something else")
            if not 0 <= version <= VERSION:
                raise StoreError(
                    f"{name}: made by version {version} of this program; expected {VERSION}"
                )
            if version < VERSION:
                step = f"BEGIN; {STEPS[version]} PRAGMA user_version={VERSION}; COMMIT;"
                self._file.executescript(step)
            # The seeds of games in progress are nobody else's; the log may predate its file's mode.
            for file in (path, path.with_name(path.name + "-wal")):
                if file.exists():
                    file.chmod(0o600)
        except (sqlite3.Error, OSError) as error:
            why = f"cannot be used ({error})"
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                why = "in use by another program; stop that server, or name another file"
            raise StoreError(f"{name}: {why}") from error

    def _ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a statement. Raises DiskError."""
        try:
            return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise DiskError(error) from error

    def close(self) -> None:
        """Closes the file, as happens when the store is dropped."""
        self._close()

    def put(self, game: StoredGame) -> None:
        """Writes a game, replacing its stored state."""
        *head, settings, record = game
        texts = json.dumps(asdict(settings)), json.dumps(record)
        result = settings.mode, json.dumps(settings.seats), game.won
        statement = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self._ask(statement, *head, *texts, *result)

    def get(self, table: str | None) -> StoredGame | None:
        """Returns the game of a table, or None."""
        found = self._ask(f"SELECT {COLUMNS}, record FROM games WHERE id = ?", table)
        return next((_stored(*row) for row in found), None)

    def hands_before(self, before: str | None, session: str, most: int) -> Iterator[StoredGame]:
        """Yields at most ``most`` games of a series, from the table ``before`` back to the first
        one.
        """
        for _ in range(most):
            stored = self.get(before)
            if stored is None or stored.session != session:
                return
            yield stored
            before = stored.settings.series.before

    def returns_before(
        self, before: str | None, session: str, most: int
    ) -> list[tuple[int, list[float]]]:
        """Returns the number in its series and the returns of each finished game that
        ``hands_before`` yields, the oldest first, in one statement that reads no record.
        """
        found = self._ask(RETURNS_BEFORE, before, most, session, session)
        return [(number, json.loads(returns)) for number, returns in found]

    def of_session(self, session: str, limit: int = 500) -> Iterator[StoredGame]:
        """Yields the games of a session without their records, the newest first; a negative limit
        is none.
        """
        statement = f"SELECT {COLUMNS} FROM games WHERE session = ? ORDER BY made DESC, id LIMIT ?"
        for row in self._ask(statement, session, limit):
            yield _stored(*row)

    def results(self, session: str) -> list[tuple[str, str, list[str], int, int, float, float]]:
        """Returns your results in the finished games of a session, by game, mode and seats: number
        of games, games won, and the sums of your returns and of their squares.
        """
        found = self._ask(SUMS_OF_RESULTS, session)
        return [(game, mode, json.loads(seats), *sums) for game, mode, seats, *sums in found]

    def count(self, session: str) -> int:
        """Returns the number of games of a session."""
        ((number,),) = self._ask("SELECT count(*) FROM games WHERE session = ?", session)
        return int(number)

    def remove(self, table: str) -> None:
        """Removes a game and its reviews."""
        self._ask("DELETE FROM reviews WHERE game = ?", table)
        self._ask("DELETE FROM games WHERE id = ?", table)

    def put_review(self, table: str, session: str, key: str, review: Json) -> None:
        """Writes a review of a game by a session."""
        statement = "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?)"
        self._ask(statement, table, session, key, json.dumps(review))

    def reviews_of(self, table: str, session: str) -> list[Json]:
        """Returns the reviews of a game by a session."""
        statement = "SELECT review FROM reviews WHERE game = ? AND session = ? ORDER BY key"
        return [json.loads(review) for (review,) in self._ask(statement, table, session)]

    def reviewed(self, session: str, limit: int = 200) -> Iterator[tuple[str, str, list[Json]]]:
        """Yields the tables that a session reviewed, the newest first, with the games' names and
        the reviews, at most ``limit``.
        """
        for table, game, reviews in self._ask(REVIEWS_BY_GAME, session, limit):
            yield table, game, json.loads(reviews)


def _stored(
    table: str,
    session: str,
    game: str,
    made: float,
    over: int,
    settings: str,
    record: str = "{}",
) -> StoredGame:
    """Returns a game from its columns."""
    parsed = TableSettings.parse(settings), json.loads(record)
    return StoredGame(table, session, game, made, bool(over), *parsed)
