import asyncio
import contextlib
import json
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="pip install -e '.[play]'")
pytest.importorskip("httpx2", reason="pip install -e '.[dev]'")

from starlette.testclient import TestClient  # noqa: E402
from websockets.sync.client import ClientConnection

from fpmcts.web.clock import Chance, Clock
from fpmcts.web.errors import Json  # noqa: E402
from fpmcts.web.server.app import Server, make_app
from fpmcts.web.server.guard import Access
from tests.web.fake import FakeEngine, ToyGames, services  # noqa: E402

TOKEN = "t" * 32
HOST = "127.0.0.1:8000"
SOCKET = f"ws://{HOST}/ws"
ORIGIN = {"origin": f"http://{HOST}"}
HANDS = [[f"{rank}{suit}" for rank in "abc"] for suit in "123"]


class QuickClock(Clock):
    """Real time in which players need a hundredth of it."""

    pace = 100.0

    async def sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self.now()) / self.pace)


@pytest.fixture(autouse=True)
def _no_test_waits_for_ever() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TimeoutError("the test waits for something that does not come")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(600)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


class Site:
    """A whole server over a fake game and engine."""

    def __init__(self) -> None:
        self.engine = FakeEngine()
        self.services = services(self.engine, QuickClock(), Chance())
        self.access = Access(TOKEN)
        self.server: Any = None
        self.prepare: Any = lambda: ToyGames().prepare(self.engine.status, lambda: None)

    def client(self) -> TestClient:
        """Returns a client that has not shown the token."""
        self.server = Server(self.services, None, self.services.rulebook.progress)  # type: ignore[attr-defined]

        @contextlib.asynccontextmanager
        async def running() -> AsyncIterator[None]:
            preparing = asyncio.create_task(self.prepare())
            yield
            await preparing

        app = make_app(self.server, self.access, "127.0.0.1", 8000, running)
        return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    with site.client() as made:
        assert made.get(f"/?token={TOKEN}").status_code == 303
        made.headers.update(ORIGIN)
        yield made


def ask_for_table(client: TestClient, **fields: Any) -> Any:
    given = {"game": "toy", "seats": ["you", "quick", "quick"], "mode": "hints", "seed": 3} | fields
    return client.post(
        "/api/tables", json={name: value for name, value in given.items() if value is not None}
    )


def new_table(client: TestClient, **fields: Any) -> Json:
    answer = ask_for_table(client, **fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def opened(client: TestClient, *moves: str) -> str:
    """Opens a record of the toy game; returns the id of its table."""
    record = json.dumps({"game": "toy", "hands": HANDS, "moves": moves})
    return str(client.post("/api/records", content=record).json()["tables"][0]["id"])


class Tab:
    """A WebSocket that counts its messages; at a table it has joined, whose state it keeps."""

    _number = 0
    _table: str | None = None

    def __init__(self, client: TestClient, table: str | None = None) -> None:
        self._socket: Any = client.websocket_connect(SOCKET, headers=ORIGIN)
        self._table = table

    def __enter__(self) -> "Tab":
        self.socket = self._socket.__enter__()
        assert self.get()["type"] == "welcome"
        if self._table is not None:
            self.state = self.join(self._table)
        return self

    def __exit__(self, *error: Any) -> None:
        self._socket.__exit__(*error)

    def say(self, kind: str, **fields: Any) -> int:
        self._number += 1
        self.send({"type": kind, "id": self._number, **fields})
        return self._number

    def send(self, message: Json) -> None:
        self.socket.send_json(message)

    def get(self) -> Json:
        return self.socket.receive_json()

    def until(self, kind: str, **wanted: Any) -> Json:
        """Returns the next message of a type whose fields are as wanted, all others being passed
        over.
        """
        for _ in range(1000):
            message = self.get()
            if message["type"] == kind and all(
                message.get(name) == value for name, value in wanted.items()
            ):
                return message
            assert message["type"] != "error" or kind == "error", message
        raise AssertionError(f"no {kind} in 1,000 messages")

    def refused(self, kind: str, **fields: Any) -> str:
        """Returns the code of the error that answers what is said."""
        return str(self.ask(kind, "error", **fields)["code"])

    def join(self, table: str) -> Json:
        return self.ask("join", "state", table=table)

    def final(self, kind: str, **fields: Any) -> Json:
        """Returns the last result of a job."""
        return self.until("result", id=self.say(kind, **fields), final=True)

    def ask(self, kind: str, answer: str, **fields: Any) -> Json:
        number = self.say(kind, **fields)
        return self.until(answer, id=number)


class Line(Tab):
    """A WebSocket of a server that listens."""

    def __init__(self, opened: ClientConnection) -> None:
        self._socket = opened

    def send(self, message: Json) -> None:
        self.socket.send(json.dumps(message))

    def get(self) -> Json:
        return dict(json.loads(self.socket.recv(timeout=15)))
