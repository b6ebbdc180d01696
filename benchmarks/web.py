"""The browser table as its clients see it, alone and among a hundred others. Needs ``.[play]``.

The last rows start it again with empty kernel caches, in a temporary folder.
"""

import asyncio
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from games.base.files import ROOT

from .measure import Row

STATIC = ROOT / "fpmcts" / "web" / "static"
SESSIONS = 100
MOVES = 200
"""Own moves whose echo is timed."""
PAUSE = 3.0
"""Seconds between the moves of each of many sessions."""
DECISIONS = 12
"""Positions of a game at which a search is timed."""
PATIENCE = 600.0
"""Seconds for the first warm-up."""
LIMITS = {"over": 180.0, "review": 300.0}
"""Seconds for an answer by what is waited for, after which the benchmark ends and names it."""
LIMIT = 60.0
"""Seconds for every other answer."""


class Table:
    """A table server in a process of its own, with sessions that play at it."""

    def __init__(self, folder: str, cache: str | None = None) -> None:
        command = [
            sys.executable,
            *("-m", "fpmcts", "play"),
            "port=0",
            "browser=false",
            f"games={folder}/play.sqlite",
        ]
        self.began = time.perf_counter()
        environment = {**os.environ, **({} if cache is None else {"XDG_CACHE_HOME": cache})}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        self.place = urlsplit(self.address)
        self.origin = f"http://{self.place.netloc}"

    def seconds_until(self, state: str | None) -> float:
        """Returns the seconds from the start until health answers, with a state if one is given."""
        while time.perf_counter() - self.began < PATIENCE:
            try:
                with urllib.request.urlopen(f"{self.origin}/api/health", timeout=10) as answer:
                    if state in (None, json.load(answer)["state"]):
                        return time.perf_counter() - self.began
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the table was not {state} within {PATIENCE:g} s")

    def stop(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()

    def memory(self) -> float:
        """Returns the MiB of the server and its engine, shared pages counted once (Linux)."""
        total, processes = 0, [self.process.pid]
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(path.read_text().rsplit(")", 1)[1].split()[1]) == self.process.pid:
                    processes.append(int(path.parent.name))
            except OSError:
                continue
        for process in processes:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        return total / 1024


class Session:
    """One browser."""

    def __init__(self, table: Table) -> None:
        self.table, self._cookies, self._number = table, CookieJar(), 0
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        self._http.open(table.address).close()

    def new_table(self, game: str, seats: list[str], mode: str = "open") -> str:
        """Returns the id of a new table."""
        body = json.dumps({"game": game, "seats": seats, "mode": mode, "seed": 1}).encode()
        asked = urllib.request.Request(
            f"{self.table.origin}/api/tables", body, {"origin": self.table.origin}
        )
        return str(json.load(self._http.open(asked))["id"])

    def bytes_of(self, path: str) -> bytes:
        """Returns what the server sends for a path."""
        with self._http.open(self.table.origin + path) as answer:
            sent: bytes = answer.read()
        return sent

    def page(self) -> float:
        """Returns the seconds in which the page, its scripts and its styles are sent in turn."""
        began = time.perf_counter()
        for path in ("/", *(f"/static/{name}" for name in page_files())):
            self.bytes_of(path)
        return time.perf_counter() - began

    def connect(self) -> connect:
        """Returns the connection."""
        cookie = "; ".join(f"{found.name}={found.value}" for found in self._cookies)
        url = f"ws://{self.table.place.netloc}/ws"
        origin, headers = Origin(self.table.origin), {"cookie": cookie}
        return connect(url, origin=origin, additional_headers=headers, compression=None)

    async def say(self, socket: ClientConnection, kind: str, **fields: Any) -> int:
        """Sends a message and returns its number."""
        self._number += 1
        await socket.send(json.dumps({"type": kind, "id": self._number, **fields}))
        return self._number

    async def until(self, socket: ClientConnection, what: str, **wanted: Any) -> dict[str, Any]:
        """Returns the next message whose fields are as wanted.

        Args:
            socket: The connection.
            what: Is waited for: a key of ``LIMITS``, or any words for the error.
            wanted: Fields of the message.

        Raises:
            RuntimeError: It did not come in time, or the table reported an error.
        """
        limit = LIMITS.get(what, LIMIT)
        last: dict[str, Any] = {}
        try:
            async with asyncio.timeout(limit):
                while True:
                    message: dict[str, Any] = json.loads(await socket.recv())
                    last = message if message["type"] != "engine" else last
                    if message["type"] == "error" or "error" in message:
                        raise RuntimeError(f"{what}: the table said {message}")
                    if all(message.get(name) == value for name, value in wanted.items()):
                        return message
        except TimeoutError:
            heard = {
                name: value for name, value in last.items() if not isinstance(value, (dict, list))
            }
            raise RuntimeError(
                f"{what}: no {wanted} within {limit:g} s; last heard {heard}"
            ) from None

    async def search(self, socket: ClientConnection, **fields: Any) -> tuple[float, float]:
        """Returns the seconds to the first and to the final result of a search."""
        began = time.perf_counter()
        number = await self.say(socket, "analyse", **fields)
        message = await self.until(socket, f"first result of {fields}", job=number, type="result")
        first = time.perf_counter() - began
        if not message["final"]:
            await self.until(socket, f"final result of {fields}", job=number, final=True)
        return first, time.perf_counter() - began

    async def join(self, socket: ClientConnection, table: str) -> dict[str, Any]:
        """Returns the state of a table that is joined."""
        return await self.until(
            socket, "join", type="state", id=await self.say(socket, "join", table=table)
        )

    async def echoes(self, socket: ClientConnection, count: int, pause: float) -> list[float]:
        """Returns the seconds from an own move to its echo; each move is taken back."""
        taken = []
        for _ in range(count):
            began = time.perf_counter()
            number = await self.say(socket, "play", move="3")
            await self.until(socket, "own move", type="moved", id=number)
            taken.append(time.perf_counter() - began)
            await self.until(socket, "undo", type="state", id=await self.say(socket, "undo"))
            await asyncio.sleep(pause)
        return taken


def page_files() -> list[str]:
    """Returns the names of the scripts and styles of the page."""
    return sorted(
        str(path.relative_to(STATIC))
        for ending in ("js", "css")
        for path in STATIC.rglob(f"*.{ending}")
    )


async def measure_searches(session: Session, socket: ClientConnection) -> AsyncIterator[Row]:
    """Yields the rows of searches along a game, and of its review."""
    table = session.new_table("doudizhu", ["policy"] * 3)
    state = await session.join(socket, table)
    await session.say(socket, "speed", factor=4)
    if not state["view"]["over"]:
        await session.until(socket, "over", type="over")
    state = await session.join(socket, table)
    plies = np.linspace(0, state["view"]["ply"] - 1, DECISIONS).astype(int).tolist()
    first, whole = [], []
    for ply in plies:
        soon, late = await session.search(socket, playouts=64, ply=ply)
        first.append(soon)
        whole.append(late)
    middle = float(np.median(whole)) * 1000
    yield Row("first partial result, p95 along a game", p95(first), "ms", 300.0)
    yield Row("decision at 64 playouts, median along a game", middle, "ms", 500.0)
    yield Row("decision at 64 playouts, p95 along a game", p95(whole), "ms")
    began = time.perf_counter()
    number = await session.say(socket, "review", speed="normal", seats=[0])
    await session.until(socket, "review", job=number, final=True)
    yield Row("review of a game, one seat", time.perf_counter() - began, "s", 60.0)


def p95(seconds: list[float]) -> float:
    """Returns the 95th percentile in milliseconds."""
    return float(np.quantile(seconds, 0.95)) * 1000


async def measure(table: Table) -> AsyncIterator[Row]:
    """Yields the rows of a server that is warm."""
    one = Session(table)
    seats = ["you", "policy", "policy"]
    async with one.connect() as socket:
        await one.join(socket, one.new_table("doudizhu", seats))
        alone = p95(await one.echoes(socket, MOVES, 0.11))
        yield Row("echo of an own move, p95", alone, "ms", 50.0)
        async for row in measure_searches(one, socket):
            yield row
        await one.join(socket, one.new_table("doudizhu", seats))
        await one.search(socket, playouts=2)
        number = await one.say(socket, "analyse", playouts=4096)
        await one.until(
            socket, "first result of a long search", job=number, type="result", final=False
        )
        began = time.perf_counter()
        await one.say(socket, "cancel", job=number)
        await one.until(socket, "end of a cancelled search", job=number, final=True)
        await one.search(socket, playouts=2)
        freed = (time.perf_counter() - began) * 1000
        yield Row("cancel, until the engine answers again", freed, "ms", 200.0)
        number = await one.say(socket, "analyse", playouts=4096)
        sessions = [Session(table) for _ in range(SESSIONS)]

        async def play(number: int, session: Session) -> list[float]:
            async with session.connect() as tab:
                await session.join(tab, session.new_table("doudizhu", seats))
                await asyncio.sleep(PAUSE * number / SESSIONS)
                return await session.echoes(tab, 5, PAUSE)

        taken = await asyncio.gather(
            *(play(number, session) for number, session in enumerate(sessions))
        )
        crowd = p95([seconds for each in taken for seconds in each])
        name = f"echo of an own move, p95, {SESSIONS} sessions beside a search"
        yield Row(name, crowd, "ms", 100.0)
        yield Row("memory of server and engine", table.memory(), "MiB", 1536.0)


def one_by_one(rows: AsyncIterator[Row]) -> Iterator[Row]:
    """Yields rows as soon as they are there."""

    async def following() -> Row | None:
        return await anext(rows, None)

    with asyncio.Runner() as runner:
        while (row := runner.run(following())) is not None:
            yield row


def run() -> Iterator[Row]:
    """Yields how a table answers; its kernels are taken from the disk if they are there."""
    with tempfile.TemporaryDirectory() as folder:
        table = Table(folder)
        try:
            yield Row("health answers", table.seconds_until(None), "s", 10.0)
            yield Row("the page, all of it", Session(table).page(), "s", 1.0)
            size = (
                sum(len(gzip.compress((STATIC / name).read_bytes())) for name in page_files())
                / 1000
            )
            yield Row("scripts and styles, gzipped", size, "kB", 120.0)
            yield Row(
                "ready (kernels as they are on this machine)", table.seconds_until("ready"), "s"
            )
            yield from one_by_one(measure(table))
        finally:
            table.stop()
        table = Table(f"{folder}/empty", cache=f"{folder}/cache")
        try:
            yield Row("ready, from empty kernel caches", table.seconds_until("ready"), "s", 60.0)
        finally:
            table.stop()
