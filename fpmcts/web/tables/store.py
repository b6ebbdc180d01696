"""The games on disk: one SQLite file, written move by move, so that a killed server goes on where
it was.

A change is one statement in one transaction. The write-ahead log survives a kill of the process; a
loss of power may cost the last moves, never the file.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fpmcts.web.errors import Json

VERSION = 1
SCHEMA = """
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
CREATE TABLE reviews (
    game TEXT NOT NULL,
    key TEXT NOT NULL,
    session TEXT NOT NULL,
    review TEXT NOT NULL,
    PRIMARY KEY (game, key)
) WITHOUT ROWID;
CREATE INDEX reviews_of_session ON reviews (session);
"""


class StoreError(RuntimeError):
    """A file of games that cannot be used; the message names it and says why."""


class StoredGame(NamedTuple):
    """A game as it is kept.

    Attributes:
        id: Of the table.
        session: Whose it is.
        game: Name of the game.
        made: Seconds since 1970.
        over: Whether it is over.
        settings: Of the room, see ``fpmcts.web.tables.settings``.
        record: The record so far.
    """

    id: str
    session: str
    game: str
    made: float
    over: bool
    settings: Json
    record: Json


class Store:
    """A file of games.

    Args:
        path: The file, made where it is not there; None keeps games in memory only.

    Raises:
        StoreError: It cannot be opened, or is none of ours.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = "games" if path is None else f"games={path}"
        try:
            self._file = sqlite3.connect(
                ":memory:" if path is None else path, isolation_level=None, check_same_thread=False
            )
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute("PRAGMA busy_timeout=2000")
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                if self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise StoreError(f"{self._name}: a database of something else")
                self._file.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
            elif version != VERSION:
                raise StoreError(
                    f"{self._name}: made by version {version} of this program; expected {VERSION}"
                )
        except sqlite3.Error as error:
            raise StoreError(f"{self._name}: cannot be used ({error})") from error

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def put(self, game: StoredGame) -> None:
        """Writes a game, in place of what was kept of it."""
        self._file.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET over=excluded.over, settings=excluded.settings, "
            "record=excluded.record",
            (
                game.id,
                game.session,
                game.game,
                game.made,
                game.over,
                json.dumps(game.settings),
                json.dumps(game.record),
            ),
        )

    def get(self, table: str) -> StoredGame | None:
        """Returns the game of a table, None where there is none."""
        row = self._file.execute("SELECT * FROM games WHERE id = ?", (table,)).fetchone()
        return None if row is None else _game(row)

    def hands_before(self, before: str | None, session: str, most: int) -> Iterator[StoredGame]:
        """Yields at most so many games of a series, from the table ``before`` back to the first
        one.
        """
        for _ in range(most):
            stored = None if before is None else self.get(before)
            if stored is None or stored.session != session:
                return
            yield stored
            before = stored.settings["series"]["before"]

    def of_session(self, session: str, limit: int = 500) -> list[StoredGame]:
        """Returns the games of a session, the newest first."""
        query = "SELECT * FROM games WHERE session = ? ORDER BY made DESC, id LIMIT ?"
        return [_game(row) for row in self._file.execute(query, (session, limit)).fetchall()]

    def count(self, session: str) -> int:
        """Returns how many games a session has."""
        return int(
            self._file.execute(
                "SELECT count(*) FROM games WHERE session = ?", (session,)
            ).fetchone()[0]
        )

    def forget(self, session: str) -> None:
        """Removes the games of a session."""
        self._file.execute("DELETE FROM games WHERE session = ?", (session,))

    def put_review(self, table: str, key: str, session: str, review: Json) -> None:
        """Writes a review of a game."""
        self._file.execute(
            "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?)",
            (table, key, session, json.dumps(review)),
        )

    def review(self, table: str, key: str) -> Json | None:
        """Returns a review of a game, None where there is none."""
        row = self._file.execute(
            "SELECT review FROM reviews WHERE game = ? AND key = ?", (table, key)
        ).fetchone()
        return None if row is None else json.loads(row[0])

    def reviews_of(self, table: str) -> list[Json]:
        """Returns the reviews of a game."""
        rows = self._file.execute(
            "SELECT review FROM reviews WHERE game = ? ORDER BY key", (table,)
        )
        return [json.loads(review) for (review,) in rows.fetchall()]

    def reviewed(self, session: str, limit: int = 200) -> list[tuple[str, Json]]:
        """Returns the tables that a session reviewed, with the reviews."""
        rows = self._file.execute(
            "SELECT game, review FROM reviews WHERE session = ? ORDER BY game, key LIMIT ?",
            (session, limit),
        ).fetchall()
        return [(table, json.loads(review)) for table, review in rows]


def _game(row: tuple[Any, ...]) -> StoredGame:
    table, session, game, made, over, settings, record = row
    return StoredGame(
        table, session, game, made, bool(over), json.loads(settings), json.loads(record)
    )
