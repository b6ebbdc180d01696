"""The server as a process: kills, crashes, Ctrl-C, slow and dropped sockets. Game and engine are
toys, all else is real.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.web.browser import Site
from tests.web.conftest import Line


class Toy(Site):
    """A running toy server with one browser."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "toy")
        self.place = urlsplit(self.address)
        self.http = httpx2.Client(
            base_url=self.origin, headers={"origin": self.origin}, follow_redirects=True, timeout=15
        )
        self.http.get(self.address)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        for _ in range(400):
            if self.http.get("/api/health").json()["state"] == "ready":
                return
            time.sleep(0.05)
        raise AssertionError("the server is never ready")

    def new_table(self, **fields: Any) -> str:
        seats = ["you", "quick", "quick"]
        given = {"game": "toy", "seats": seats, "mode": "hints", "seed": 3} | fields
        return str(self.http.post("/api/tables", json=given).json()["id"])

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def tab(self) -> Line:
        return Line(self.connect())

    def connect(self, **options: Any) -> ClientConnection:
        return connect(
            f"ws://{self.place.netloc}/ws",
            origin=self.origin,
            additional_headers={"cookie": self.cookie},
            compression=None,
            **options,
        )

    def close(self) -> None:
        self.http.close()
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with contextlib.closing(Toy(tmp_path_factory.mktemp("toy"))) as made:
        yield made


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Toy]:
    """A server for one test, which ends it."""
    with contextlib.closing(Toy(tmp_path)) as made:
        yield made


def children(process: int) -> list[int]:
    """Returns the processes of the session that a process leads."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == process and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wait_for_nobody(site: Site) -> None:
    for _ in range(200):
        if not children(site.process.pid):
            return
        time.sleep(0.1)
    raise AssertionError(children(site.process.pid))


def test_a_killed_server_goes_on(mortal: Toy) -> None:
    table = mortal.new_table()
    finished = mortal.new_table(seats=["quick", "you", "quick"])
    with mortal.tab() as tab:
        tab.join(table)
        tab.say("play", move="pass")
        before = tab.until("moved", seat=2)["view"]
    mortal.process.kill()
    mortal.process.wait()
    wait_for_nobody(mortal)  # the engine ends with its pipe
    again = Site(mortal.folder, "toy", str(mortal.place.port))
    mortal.wait_until_ready()
    listed = mortal.http.get("/api/tables").json()["tables"]
    assert {row["id"] for row in listed} == {table, finished}
    with mortal.tab() as tab:  # the cookie is still good
        assert tab.join(table)["view"] == before
        tab.say("play", move=before["legal"][1])
        tab.until("moved", seat=2)
    again.stop(signal.SIGTERM)
    wait_for_nobody(again)
    assert "Traceback" not in again.errors.read_text()


def test_ctrl_c_leaves_no_process_behind(mortal: Toy) -> None:
    with mortal.tab() as tab:
        tab.join(mortal.new_table(mode="open"))
        tab.say("analyse", playouts=4096)
        tab.until("result", job=2)
        assert len(children(mortal.process.pid)) >= 2
        mortal.stop()
    wait_for_nobody(mortal)
    assert "Traceback" not in mortal.errors.read_text()


def test_a_crash_of_the_engine_is_seen_and_mended(toy: Toy) -> None:
    with toy.tab() as tab:
        tab.join(toy.new_table(mode="open"))
        tab.say("analyse", playouts=13)
        result = tab.until("result", job=2)
        assert result["final"] and result["error"]["code"] == "engine"
        tab.until("engine", state="ready")
        tab.say("analyse", playouts=666)
        assert "it went wrong" in tab.until("result", job=3)["error"]["text"]
        tab.say("play", move="pass")
        tab.until("moved", seat=2)
    (engine,) = (child for child in children(toy.process.pid) if is_engine(child))
    with toy.tab() as tab:
        tab.join(toy.new_table())
        os.kill(engine, signal.SIGKILL)
        tab.say("play", move="pass")
        tab.until("moved", seat=2)
    toy.wait_until_ready()


def is_engine(process: int) -> bool:
    return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()


def test_cancel_and_what_nobody_waits_for(toy: Toy) -> None:
    with toy.tab() as tab:
        tab.join(toy.new_table(mode="open"))
        for number in (2, 3, 4):
            tab.say("analyse", playouts=4096)
            assert tab.until("queued", job=number)["place"] == number - 2
        assert tab.refused("analyse", playouts=4096) == "busy"
        tab.until("result", job=2, final=False)
        tab.say("cancel", job=3)
        assert tab.until("result", job=3)["cancelled"]
        began = time.monotonic()
        tab.say("cancel", job=2)
        result = tab.until("result", job=2, final=True)
        assert result["cancelled"] and result["rows"]
        assert time.monotonic() - began < 5.0  # 0.2 s on a quiet machine
        tab.until("result", job=4, final=False)
    with toy.tab() as tab:  # the tab was closed: its search ended, the engine is free
        tab.join(toy.new_table(mode="open"))
        assert not tab.final("analyse", playouts=64)["cancelled"]
        assert tab.refused("cancel", job=2) == "unknown_job"


def test_large_messages_and_dropped_sockets(toy: Toy) -> None:
    table = toy.new_table()
    with toy.tab() as tab:
        tab.socket.send(" " * 70_000)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                tab.get()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    for _ in range(10):
        dropped = toy.connect(legacy=True)
        dropped.send(json.dumps({"type": "join", "id": 1, "table": table}))
        dropped.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
        )  # reset, not closed
        dropped.socket.close()
    with toy.tab() as tab:
        assert tab.join(table)["table"] == table
    with pytest.raises(InvalidStatus), connect(f"ws://{toy.place.netloc}/ws", origin=toy.origin):
        pass


def test_the_client_in_python(toy: Toy) -> None:
    program = Path(__file__).resolve().parents[2] / "examples" / "web_client.py"
    played = subprocess.run(
        [sys.executable, str(program), toy.address, "toy", "quick"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert played.returncode == 0 and "returns: [2.0, -1.0, -1.0]" in played.stdout, played.stderr
