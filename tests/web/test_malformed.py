"""A real server in this process, and clients that send it what no page sends."""

import asyncio
import contextlib
import json
import logging
import random
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from fpmcts.web.clock import Chance
from fpmcts.web.engine.asking import Answer, EngineQuestion
from fpmcts.web.errors import STATUS, Json
from fpmcts.web.server import connection
from fpmcts.web.server.app import Server, make_app
from fpmcts.web.server.guard import Access
from fpmcts.web.server.main import listen, uvicorn_config
from fpmcts.web.tables.catalogue import Catalogue, Offer
from fpmcts.web.tables.offers import RANDOM, offers
from fpmcts.web.tables.rulebook import Rulebook
from games import make
from games.play.decision import WINS, Decision, RootMove
from games.play.table import Table
from tests.web.conftest import TOKEN, Line, QuickClock
from tests.web.fake import FakeEngine, services
from tests.web.malformed import Malformed

GAMES = ("kuhn", "doudizhu")
CODES = {
    *STATUS,
    "stale",
    "illegal_move",
    "not_joined",
    "not_paused",
    "unknown_job",
    "not_reviewed",
}
MOST_GROWTH = 64 * 1024 * 1024
"""Bytes that a process may grow by, ten thousand messages or not."""


def first_legal(question: EngineQuestion) -> Answer:
    moves = [move.text for move in Table(make(question.game), record=question.record).legal()]
    rows = tuple(RootMove(move, 0.5, 8, 0.5, 0.02) for move in question.moves or moves)
    return Answer(Decision(rows[0].move, 0, None, 0.5, WINS, rows), 8, 8)


class Served:
    """A server that listens."""

    def __init__(self) -> None:
        self.people: list[Person] = []
        games = Rulebook()
        games._names = GAMES  # the others would be compiled
        parts = services(FakeEngine(first_legal), QuickClock(), Chance())
        catalogue = Catalogue(offers(), Offer((RANDOM,)))
        self.services = replace(parts, rulebook=games, catalogue=catalogue)
        self.server = Server(self.services, None, lambda: {"preparing": None, "broken": {}})
        listening = listen("127.0.0.1", 0)
        self.host = f"127.0.0.1:{listening.getsockname()[1]}"

        @contextlib.asynccontextmanager
        async def running() -> AsyncIterator[None]:
            asyncio.get_running_loop().set_exception_handler(
                lambda _, told: logging.getLogger("loop").error(told["message"])
            )
            yield

        port = listening.getsockname()[1]
        app = make_app(self.server, Access(TOKEN), "127.0.0.1", port, running)
        self.web = uvicorn.Server(uvicorn_config(app))
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self.web.serve(sockets=[listening]))
        )
        self._thread.start()

    def stop(self) -> None:
        for person in self.people:
            person.http.close()
        self.web.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()

    def enter(self) -> "Person":
        self.people.append(Person(self))
        return self.people[-1]


class Person:
    """A browser with a cookie."""

    def __init__(self, served: Served) -> None:
        self.host, origin = served.host, f"http://{served.host}"
        self.http = httpx2.Client(base_url=origin, headers={"origin": origin}, timeout=15)
        self.http.get(f"/?token={TOKEN}")
        ((name, value),) = self.http.cookies.items()
        self.cookie = f"{name}={value}"

    def new_table(self, game: str, mode: str = "open") -> str:
        seats = ["you", *["random"] * (1 if game == "kuhn" else 2)]
        answer = self.http.post("/api/tables", json={"game": game, "seats": seats, "mode": mode})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def tab(self) -> Line:
        headers = {"cookie": self.cookie}
        origin: Any = f"http://{self.host}"
        return Line(
            connect(
                f"ws://{self.host}/ws", origin=origin, additional_headers=headers, compression=None
            )
        )

    def raw(self, request: bytes) -> tuple[int | None, bytes]:
        """Sends a request and ends; returns the status and the body, None where there is none."""
        host, port = self.host.split(":")
        answer = b""
        with socket.create_connection((host, int(port)), timeout=15) as line:
            with contextlib.suppress(ConnectionError):  # refused before all of it is read
                line.sendall(request)
                line.shutdown(socket.SHUT_WR)
                while part := line.recv(65536):
                    answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return (int(head.split(b" ")[1]) if head else None), body


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def _nothing_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Messages come as fast as they are read; no fault of ours, and no growth."""
    monkeypatch.setattr(connection, "RATE", 1e9)
    monkeypatch.setattr(connection, "BURST", 1e9)
    caplog.set_level(logging.WARNING)
    yield
    faults = [one for one in caplog.records if one.exc_info or one.levelno > logging.WARNING]
    assert not faults, faults[0].getMessage()


def resident() -> int:
    """Returns the bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def finished(game: str) -> Json:
    table, chance = Table(make(game), seed=1), random.Random(1)
    while not table.is_over:
        table.play(chance.choice(table.legal()).text)
    return table.record()


class Innocent:
    """Another person, at a table of their own, whose game must continue."""

    def __init__(self, served: Served) -> None:
        self.person = served.enter()
        self.table = self.person.new_table("kuhn")
        self.tab = self.person.tab()
        self.tab.__enter__()

    def goes_on(self) -> None:
        """Asserts that everything is answered, a whole game too."""
        state = self.tab.join(self.table)
        while not state["view"]["over"]:
            if state["view"]["to_move"] == state["view"]["you"]:
                self.tab.say("play", move=state["view"]["legal"][0], rev=state["rev"])
            state = self.tab.until("moved")
        assert self.tab.final("analyse", ply=0)["rows"]
        self.table = str(self.tab.ask("next", "next")["next"])

    def leaves(self) -> None:
        self.tab.__exit__(None, None, None)


def send_messages(count: int, person: Person, foreign: str, look: Callable[[int], None]) -> None:
    """Each is answered by an error with a known code, or done where it happens to be right."""
    tables = [person.new_table(game, mode) for game in GAMES for mode in ("fair", "open")]
    wrong, errors, tab = Malformed(17, [tables[0], foreign], []), 0, None
    for number in range(count):
        look(number)
        if tab is None:
            tab = person.tab()
            tab.__enter__()
            tab.join(wrong.chance.choice(tables))
        if wrong.chance.random() < 0.02:
            with pytest.raises(ConnectionClosed):
                tab.socket.socket.sendall(wrong.broken_frame())
                while True:
                    tab.get()
            tab.socket.close()
            tab = None
            continue
        data: Any = wrong.message()
        if wrong.chance.random() < 0.02:
            data = data.encode("utf-8", "surrogatepass")
        tab.socket.send(data)
        # After its answer comes that to a question whose answer is known.
        tab.send({"type": "cancel", "id": 2**52 + number, "job": 2**52})
        answers = []
        while (answer := tab.get()).get("id") != 2**52 + number:
            answers.append(answer)
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert refused or any("id" in answer for answer in answers), data
        for error in refused:
            assert error["code"] in CODES and 0 < len(error["text"]) < 1000, data
            assert "\n" not in error["text"], data
        errors += bool(refused)
    assert errors > 0.85 * count
    if tab is not None:
        tab.__exit__(None, None, None)


def send_requests(count: int, person: Person, foreign: str, look: Callable[[int], None]) -> None:
    """Each is refused with a status below 500, or answered where it happens to be right."""
    tables = [person.new_table("doudizhu"), foreign]
    wrong, statuses = Malformed(3, tables, list(map(finished, GAMES))), list[int]()
    for number in range(count):
        look(number)
        request = wrong.request(person.host, person.cookie)
        status, body = person.raw(request)
        if status is None:  # it was not whole
            continue
        assert status < 500, (request[:500], body)
        if status >= 400 and body.startswith(b"{"):
            error = json.loads(body)["error"]
            assert error["code"] in CODES and 0 < len(error["text"]) < 1000, (request[:500], body)
        statuses.append(status)
    assert len(statuses) > 0.8 * count and sum(map((400).__le__, statuses)) > 0.6 * count


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("send", [send_messages, send_requests])
def test_malformed(served: Served, send: Callable[..., None], count: int) -> None:
    """Others continue, memory does not grow, and the table of a stranger, which is named at times,
    stays as it was.
    """
    person, innocent, stranger = served.enter(), Innocent(served), served.enter()
    foreign, memory = stranger.new_table("kuhn"), 0
    before = stranger.http.get(f"/api/tables/{foreign}").json()

    def look(number: int) -> None:
        nonlocal memory
        if number == count // 10:
            memory = resident()
        if number % (count // 10) == 0:
            innocent.goes_on()

    send(count, person, foreign, look)
    innocent.goes_on()
    innocent.leaves()
    assert resident() - memory < MOST_GROWTH
    assert stranger.http.get(f"/api/tables/{foreign}").json() == before
