"""The connection of one browser tab: checks and executes its messages, and sends events as fast as
it reads.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from fpmcts.web.clock import Bucket
from fpmcts.web.errors import Json, RefusedError, parse_json
from fpmcts.web.review.jobs import Job, JobQueue, Work
from fpmcts.web.review.reviewer import Reviewer, analysis, position_analysis
from fpmcts.web.server.messages import MAX_BYTES, id_of, parse_message
from fpmcts.web.tables.lobby import Lobby
from fpmcts.web.tables.preparing import prepared
from fpmcts.web.tables.room import Room

PROTOCOL = 1
RATE, BURST = 20.0, 40.0
"""Messages of a client per second, and in a burst."""
PATIENCE = 100
"""Excess messages before the connection is closed."""
MOST_QUEUED, MOST_BYTES = 512, 4 * 1024 * 1024
"""Messages and bytes queued for a slow client before its connection ends."""
TOO_FAST, TOO_SLOW = 1008, 1013
"""Codes of closed connections."""
MERGED = ("thinking", "engine")
"""Server messages that replace a queued older one of the same type; partial results likewise."""


class Outbox:
    """The queue of messages to a client."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str | None, str]] = deque()
        self._filled = asyncio.Event()
        self.overflow = asyncio.Event()

    def put(self, message: Json) -> None:
        """Adds a message; a progress report replaces an unsent one of its kind."""
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        key = None
        if message["type"] in MERGED and "id" not in message:
            key = f"{message['type']} {message.get('seat')}"
        elif message["type"] == "result" and not message["final"]:
            key = f"result {message['job']}"
        if key is not None and self._waiting and self._waiting[-1][0] == key:
            self._waiting.pop()
        self._waiting.append((key, text))
        size = sum(len(waiting) for _, waiting in self._waiting)
        if len(self._waiting) > MOST_QUEUED or size > MOST_BYTES:
            self.overflow.set()
            self._waiting.clear()
        self._filled.set()

    async def get(self) -> str:
        """Returns the next message."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        return self._waiting.popleft()[1]


class Connection:
    """A tab.

    The first message sent while a client's message is executed carries that message's id.

    Args:
        socket: The browser's socket, not yet accepted.
        session: Its session.
        lobby: The tables.
        reviewer: Reviews of their games.
        jobs: Jobs of the session.
    """

    def __init__(
        self,
        socket: WebSocket,
        session: str,
        lobby: Lobby,
        reviewer: Reviewer,
        jobs: JobQueue,
    ) -> None:
        self._socket, self._session = socket, session
        self._lobby, self._reviewer, self._jobs = lobby, reviewer, jobs
        self._status = lobby.services.engine.status
        self._room: Room | None = None
        self._outbox = Outbox()
        self._bucket = Bucket(RATE, BURST, lobby.services.clock.now)
        self._refused = 0
        self._goodbye: int | None = None
        self._answers: int | None = None
        self._handlers: dict[str, Callable[..., None]] = {
            "join": self._join,
            "leave": self._leave,
            "next": self._next,
            "analyse": self._analyse,
            "line": self._line,
            "review": lambda **fields: self._submit(
                reviewer.review(self._joined(), session, **fields)
            ),
            "try": lambda **fields: self._submit(
                reviewer.try_move(self._joined(), session, **fields)
            ),
            "reveal": self._reveal,
            "cancel": lambda job: self._jobs.cancel(self.send, job),
        }

    def send(self, message: Json) -> None:
        """Queues a message behind those that the client has yet to read."""
        if self._answers is not None:
            message = {"id": self._answers, **message}
            self._answers = None
        self._outbox.put(message)

    async def serve(self) -> None:
        """Serves the tab until it is closed."""
        await self._socket.accept()
        self.send({"type": "welcome", "protocol": PROTOCOL, **self._status.fields()})
        self._status.listeners.append(self._tell_engine)
        try:
            async with anyio.create_task_group() as group:

                async def until_closed(work: Callable[[], Awaitable[object]]) -> None:
                    await work()
                    group.cancel_scope.cancel()

                group.start_soon(until_closed, self._read)
                group.start_soon(until_closed, self._write)
                group.start_soon(until_closed, self._outbox.overflow.wait)
            code = TOO_SLOW if self._outbox.overflow.is_set() else self._goodbye
            if code is not None:
                with anyio.move_on_after(1.0):  # a client that never reads misses this, too
                    await self._socket.close(code)
        finally:
            self._status.listeners.remove(self._tell_engine)
            self._jobs.leave(self.send)
            if self._room is not None:
                self._room.leave(self.send)

    def _tell_engine(self) -> None:
        self.send({"type": "engine", **self._status.fields()})

    async def _write(self) -> None:
        """Sends queued messages until the socket is closed, which the reader notices as well."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                await self._socket.send_text(await self._outbox.get())

    async def _read(self) -> None:
        """Reads and executes the client's messages."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            data = message.get("text") if message.get("text") is not None else message.get("bytes")
            if not await prepared(partial(self.hear, data or "")):
                self._goodbye = TOO_FAST
                return

    def hear(self, data: str | bytes) -> bool:
        """Executes a message and answers; returns False if the client must be disconnected. Raises
        NotReadyError.
        """
        if not self._bucket.take():
            self._refused += 1
            self.send(
                {
                    "type": "error",
                    "code": "too_fast",
                    "text": f"limit: {RATE:g} messages per second",
                }
            )
            return self._refused < PATIENCE
        try:
            if len(data) > MAX_BYTES:
                raise RefusedError("too_large", f"a message has at most {MAX_BYTES:,} bytes")
            if isinstance(data, bytes):
                raise RefusedError("bad_message", "expected text")
            value = parse_json(data)
            self._answers = id_of(value)
            kind, fields = parse_message(value)
            if kind != "join":
                self._refuse_elsewhere(fields.pop("table", None))
            # The room handles the rest: play, undo, step, pause and speed.
            handler = self._handlers.get(kind) or getattr(self._own(), kind)
            handler(**fields)
        except RefusedError as refused:
            self.send({"type": "error", **refused.fields()})
        finally:
            self._answers = None
        return True

    def _joined(self) -> Room:
        if self._room is None:
            raise RefusedError("not_joined", "join a table first")
        return self._room

    def _refuse_elsewhere(self, table: str | None) -> None:
        """Raises RefusedError if a change is for another table than the one joined."""
        if table is not None and table != self._joined().id:
            raise RefusedError("stale", f"this tab is at table {self._joined().id}")

    def _own(self) -> Room:
        room = self._joined()
        if room.session != self._session:
            raise RefusedError("not_allowed", "this table can only be read")
        return room

    def _join(self, table: str) -> None:
        room = self._lobby.get(self._session, table)
        if self._room is not None:
            self._room.leave(self.send)
        self._room = room
        self.send(room.state())
        room.listen(self.send)

    def _leave(self) -> None:
        self._joined().leave(self.send)
        self._room = None
        self.send({"type": "left"})

    def _next(self) -> None:
        room = self._own()
        self.send(room.message("next", next=self._lobby.next_of(room).id))

    def _submit(self, work: Work) -> None:
        assert self._answers is not None
        self._jobs.submit(Job(self.send, self._answers, work))

    def _analyse(
        self, game: str | None = None, position: Json | None = None, **fields: Any
    ) -> None:
        if (game is None) != (position is None) or (position is not None and "ply" in fields):
            raise RefusedError("bad_message", "expected game and position without ply, or neither")
        if game is None or position is None:
            self._submit(analysis(self._joined(), self._session, **fields))
        else:
            services = self._lobby.services
            self._submit(position_analysis(services, self._session, game, position, **fields))

    def _line(self, ply: int, line: list[str]) -> None:
        room = self._joined()
        view = room.line_view(ply, line)
        self.send(room.message("line", ply=ply, line=line, view=view))

    def _reveal(self, ply: int | None = None) -> None:
        room = self._joined()
        decisions = self._reviewer.reveal(room, self._session, ply)
        self.send(room.message("revealed", decisions=decisions))
