"""Faults around the page: a disk that is full, a clock that jumps, a client that does not read."""

import asyncio
import json
import sqlite3
from typing import Any

import pytest
from starlette.testclient import TestClient

from fpmcts.web.clock import Bucket, Chance
from fpmcts.web.errors import Json
from fpmcts.web.review.jobs import JobQueue
from fpmcts.web.review.reviewer import Reviewer
from fpmcts.web.server import connection
from fpmcts.web.server.connection import TOO_SLOW, Connection
from fpmcts.web.tables import lobby as lobbies
from fpmcts.web.tables.lobby import Lobby
from tests.web.conftest import HANDS, Site, Tab, ask_for_table, new_table
from tests.web.fake import FakeClock, FakeEngine, services
from tests.web.test_play import my_move


class Disk:
    """A file of games whose disk is full from its n-th write on, until it is freed."""

    def __init__(self, file: sqlite3.Connection, writes: int) -> None:
        self._file, self.left = file, writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def execute(self, statement: str, values: Any = ()) -> Any:
        if statement.startswith("INSERT"):
            self.left -= 1
            if self.left < 0:
                raise sqlite3.OperationalError("database or disk is full")
        return self._file.execute(statement, values)


def game(client: TestClient, site: Site, writes: int) -> tuple[Json, int]:
    """Plays a game with its review; frees the disk whenever an error says that it is full.

    Returns:
        The record, and how often it was full.
    """
    store = site.services.store
    disk = store._file = Disk(store._file, writes)  # type: ignore[assignment]
    full = 0

    def freed(code: str) -> bool:
        nonlocal full
        if code == "disk":
            full, disk.left = full + 1, 10**6
        return code == "disk"

    while (answer := ask_for_table(client)).status_code != 201:
        assert answer.status_code == 507 and freed(answer.json()["error"]["code"])
    table = answer.json()["id"]
    with Tab(client) as tab:
        tab.say("join", table=table)
        while (message := tab.get())["type"] != "over":
            if message["type"] == "error":
                assert "disk is full" in message["text"] and "\n" not in message["text"]
                assert freed(message["code"])
                tab.say("join", table=table)
            elif message["type"] in ("state", "moved"):
                shown = [move["move"] for move in message["view"]["moves"]]
                kept = store.get(table)
                assert kept is not None and kept.record["moves"][: len(shown)] == shown
                if message["view"]["to_move"] == 0:
                    tab.say("play", move=my_move(message["view"]), rev=message["rev"])
        reviewed = tab.final("review")
        assert reviewed["review"]["decisions"]
        if "error" in reviewed:
            assert freed(reviewed["error"]["code"])
        asked = len(site.engine.asked)
        again = tab.final("review")  # nothing is searched twice
        assert again["review"] == reviewed["review"] and "error" not in again
        assert all(question.luck for question in site.engine.asked[asked:])
    store._file, kept = disk._file, store.get(table)
    assert kept is not None and [*store.reviewed(kept.session)]
    return client.get(f"/api/tables/{table}/record").json(), full


def test_a_full_disk_loses_nothing(client: TestClient, site: Site) -> None:
    """It fills at ten points: as the table is made, at our moves, at those of players, at the
    review.
    """
    undisturbed, full = game(client, site, 10**6)
    assert full == 0
    assert [game(client, site, writes) for writes in range(10)] == [(undisturbed, 1)] * 10


def test_a_full_disk_and_what_is_not_a_move(client: TestClient, site: Site) -> None:
    store = site.services.store
    with Tab(client, new_table(client)["id"]) as tab:
        before = tab.state
        tab.ask("play", "moved", move="pass")
        after = tab.until("moved", seat=2)
        disk = store._file = Disk(store._file, 0)  # type: ignore[assignment]
        assert tab.refused("undo") == "disk"
        record = json.dumps({"game": "toy", "hands": HANDS, "moves": []})
        (failed,) = client.post("/api/records", content=record).json()["failed"]
        assert failed["line"] == 1 and "make room" in failed["text"]
        state = tab.join(before["table"])
        assert (state["rev"], state["view"]) == (after["rev"], after["view"])
        disk.left = 10
        undone, kept = tab.ask("undo", "state"), store.get(before["table"])
        assert undone["view"] == before["view"]
        assert kept is not None and kept.settings.rev == undone["rev"] == after["rev"] + 1


def test_a_table_in_use_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two objects of one table would overwrite each other's moves."""
    monkeypatch.setattr(lobbies, "MOST_IN_MEMORY", 0)

    async def same() -> tuple[bool, bool]:
        lobby = Lobby(services(FakeEngine(), FakeClock(), Chance()))
        first, second = (lobby.make("me", "toy", ["you", "quick", "quick"]) for _ in range(2))
        dropped = first.id not in lobby._rooms
        return dropped, lobby.get("me", first.id) is first and second.is_idle

    assert asyncio.run(same()) == (True, True)


@pytest.mark.parametrize("jump", [-(10.0**9), -3600.0, 3600.0, 10.0**9])
def test_a_clock_that_jumps(jump: float) -> None:
    """The time of day jumps, or the machine sleeps: a game has the same end, and none is lost."""

    class Jumping(FakeClock):
        offset = 0.0

        def wall(self) -> float:
            return super().wall() + self.offset

    async def play(jump: float) -> tuple[Json, int]:
        clock = Jumping()
        lobby = Lobby(services(FakeEngine(), clock, Chance()))
        room = lobby.make("me", "toy", ["you", "quick", "slow-64"], "fair", seed=5)
        while not room.table.is_over:
            room.play(my_move(room.view()))
            clock.offset += jump
            await clock.run(0.3)
            clock._now += max(0.0, jump)  # asleep while a player is at work
            await clock.run(3.0)
        lobby.next_of(room)
        return room.record(), len([*lobby.summaries("me")])

    assert asyncio.run(play(jump)) == asyncio.run(play(0.0))


def test_a_table_continues_though_a_step_is_on_its_way() -> None:
    async def play() -> bool:
        clock = FakeClock()
        room = Lobby(services(FakeEngine(), clock)).make("me", "toy", ["quick"] * 3, seed=1)
        room.listen(lambda _: None)
        room.pause(True)
        room.step()
        room.pause(False)
        await clock.run(60.0)
        return room.table.is_over

    assert asyncio.run(play())


def test_pause_and_pace_are_not_on_the_disk(client: TestClient, site: Site) -> None:
    """They change no position, so a move that is on its way stays current."""
    table = new_table(client, mode="open")["id"]
    with Tab(client, table) as tab:
        rev = tab.state["rev"]
        site.services.store._file = Disk(site.services.store._file, 0)  # type: ignore[assignment]
        paused = tab.ask("pause", "state", on=True)
        assert paused["paused"] and paused["rev"] == rev
        assert not tab.ask("pause", "state", on=False)["paused"]
        assert tab.refused("play", move="pass", rev=rev) == "disk"
        site.services.store._file.left = 10
        tab.ask("play", "moved", move="pass", rev=rev)
    watched = new_table(client, seats=["quick"] * 3)["id"]
    with Tab(client, watched) as tab:
        tab.ask("pause", "state", on=True)  # a player's move could not be written
        site.services.store._file.left = 0
        assert tab.ask("speed", "state", factor=2)["factor"] == 2


def test_a_player_that_failed_moves_when_the_engine_is_back() -> None:
    """Once for each position: a move that ends the engine would end it for ever."""

    async def play() -> tuple[int, list[int], int]:
        clock, engine = FakeClock(), FakeEngine()
        room = Lobby(services(engine, clock)).make("me", "toy", ["you", "quick", "quick"], seed=1)
        room.listen(lambda message: None)
        engine.crashes, asked = 10**6, list[int]()
        room.play("pass")
        for _ in range(3):
            await clock.run(60.0)
            asked.append(len(engine.asked))
            engine.status.change("restarting", 0.0)
            engine.status.change("ready", 1.0)
        await clock.run(60.0)
        stuck = len(room.table.moves)
        engine.crashes = 0
        room.listen(lambda message: None)  # who joins asks, too
        await clock.run(60.0)
        return stuck, asked, len(room.table.moves)

    assert asyncio.run(play()) == (1, [2, 4, 4], 3)


def test_whatever_fails_at_a_move_is_reported(
    client: TestClient, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.engine.answer = lambda question: {}["no such player"]  # type: ignore[misc]
    with Tab(client, new_table(client)["id"]) as tab:
        tab.say("play", move="pass")
        assert "join the table again" in tab.until("error", code="engine")["text"]
    assert "no such player" in caplog.text


def test_a_client_that_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection ends; the game and another client continue, and what it missed is there."""
    monkeypatch.setattr(connection, "MOST_QUEUED", 5)

    class Stuck:
        """A socket that takes no message, and says when it was closed."""

        code: int | None = None

        async def accept(self) -> None: ...

        async def receive(self) -> Json:
            return await asyncio.Event().wait()  # type: ignore[return-value]

        async def send_text(self, text: str) -> None:
            await asyncio.Event().wait()

        async def close(self, code: int) -> None:
            self.code = code

    async def play() -> tuple[int | None, list[str], int]:
        clock, socket = FakeClock(), Stuck()
        lobby = Lobby(services(FakeEngine(), clock))
        room, heard = lobby.make("me", "toy", ["quick"] * 3, seed=1), list[str]()
        stuck = Connection(socket, "me", lobby, Reviewer(lobby.services.store), JobQueue())  # type: ignore[arg-type]
        stuck._bucket = Bucket(1e9, 1e9, clock.now)
        serving = asyncio.create_task(stuck.serve())
        await clock.run(0.0)
        stuck.hear(json.dumps({"type": "join", "id": 1, "table": room.id}))
        room.listen(lambda message: heard.append(message["type"]))
        await clock.run(60.0)
        await serving
        return socket.code, heard, len(room._listeners)

    code, heard, listening = asyncio.run(play())
    assert code == TOO_SLOW and heard[-1] == "over" and listening == 1
