"""The server: requests over HTTP and the WebSocket, joined to the tables (``docs/web-protocol.md``)."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from web.errors import RefusedError
from web.review.jobs import Jobs
from web.review.reviewer import Reviews, puzzles
from web.server.access import Access
from web.server.connection import PROTOCOL, Connection
from web.server.guard import Guard
from web.server.messages import (
    DEAL,
    MAX_BODY,
    MAX_PLAYOUTS,
    MODES,
    NEW_TABLE,
    REVIEW_SPEEDS,
    check_fields,
    parse_json,
)
from web.tables.lobby import Rooms
from web.tables.room import Services
from web.tables.views import view_of

STATIC = Path(__file__).resolve().parents[1] / "static"
MOST_CONNECTIONS, MOST_OF_SESSION = 400, 20
"""Open WebSockets, in all and of a session."""
log = logging.getLogger(__name__)


class Server:
    """Everything that the routes need.

    Args:
        services: What the tables stand on; its rulebook may be put in later, before ``ready`` is set.
        records: Records that everybody may read, by line.
    """

    def __init__(self, services: Services, records: str | None = None) -> None:
        self.services, self.rooms, self.reviews = services, Rooms(services), Reviews()
        self.ready = asyncio.Event()
        self.fault: str | None = None
        self._records, self._jobs = records, dict[str, Jobs]()
        self._connections: dict[str, int] = {}
        self.loading: asyncio.Task[None] | None = None

    def open_shop(self) -> None:
        """Lets requests in that need the games."""
        if self._records is not None:
            self.rooms.open_shared(self._records)
        self.ready.set()

    def jobs(self, session: str) -> Jobs:
        """Returns the jobs of a session."""
        return self._jobs.setdefault(session, Jobs())

    # Requests.

    async def health(self, request: Request) -> Response:
        """Answers whether the server works."""
        status = self.services.engine.status
        state = status.state if self.ready.is_set() or status.state != "ready" else "warming"
        return JSONResponse({"state": state, "warm": round(status.warm, 3)})

    async def config(self, request: Request) -> Response:
        """Answers what the lobby offers."""
        await self.ready.wait()
        games = [self.services.rulebook.info(name) for name in self.services.rulebook.names()]
        return JSONResponse(
            {
                "protocol": PROTOCOL,
                "modes": list(MODES),
                "review_speeds": list(REVIEW_SPEEDS),
                "max_playouts": MAX_PLAYOUTS,
                "games": [self.services.catalogue.fields(info) for info in games],
            }
        )

    async def tables(self, request: Request) -> Response:
        """Lists tables, or makes one."""
        await self.ready.wait()
        session = request.scope["session"]
        if request.method == "GET":
            return JSONResponse({"tables": self.rooms.summaries(session)})
        given = check_fields(parse_json(await _body(request)), NEW_TABLE)
        return JSONResponse(self.rooms.make(session, given).summary(), status_code=201)

    async def table(self, request: Request) -> Response:
        """Answers what is seen of a table."""
        await self.ready.wait()
        room = self._room(request)
        return JSONResponse({"summary": room.summary(), "view": room.view()})

    async def record(self, request: Request) -> Response:
        """Answers the record of a table, as a file."""
        await self.ready.wait()
        room = self._room(request)
        headers = {"content-disposition": f'attachment; filename="{room.game}-{room.id}.jsonl"'}
        return Response(self.rooms.record_text(room), media_type="application/x-ndjson", headers=headers)

    async def replay(self, request: Request) -> Response:
        """Answers all positions of a table."""
        await self.ready.wait()
        return JSONResponse({"plies": self._room(request).replay()})

    async def outside(self, request: Request) -> Response:
        """Answers what a player outside would be sent."""
        await self.ready.wait()
        text = request.query_params.get("ply")
        if text is not None and not (text.isascii() and text.isdigit() and len(text) < 7):
            raise RefusedError("bad_message", "ply: expected a whole number")
        return JSONResponse(self._room(request).outside(None if text is None else int(text)))

    async def records(self, request: Request) -> Response:
        """Opens records."""
        await self.ready.wait()
        body = await _body(request)
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RefusedError("bad_record", "expected UTF-8") from error
        rooms, failed = await self.rooms.open_records(request.scope["session"], text)
        return JSONResponse({"tables": [room.summary() for room in rooms], "failed": failed}, status_code=201)

    async def deals(self, request: Request) -> Response:
        """Answers whether a deal is one."""
        await self.ready.wait()
        given = check_fields(parse_json(await _body(request)), DEAL)
        info = self.services.rulebook.info(given["game"])
        table, movers = self.rooms.position(info.name, given["deal"], given.get("moves", []))
        names = [name for name, _ in info.seats]
        view = view_of(table, None, everything=True, movers=movers, players=names, names=info.seats, game=info.name)
        return JSONResponse({"view": view})

    async def stats(self, request: Request) -> Response:
        """Answers the results of a session."""
        await self.ready.wait()
        return JSONResponse({"stats": self.rooms.statistics(request.scope["session"])})

    async def puzzles(self, request: Request) -> Response:
        """Answers mistakes to find the better move of."""
        await self.ready.wait()
        session, game = request.scope["session"], request.query_params.get("game")
        found = []
        for table, ply, seat in puzzles(self.services.store.reviewed(session)):
            room = self.rooms.get(session, table)
            if game in (None, room.game):
                found.append({"table": table, "ply": ply, "seat": seat, "view": room.puzzle(ply)})
        return JSONResponse({"puzzles": found[:100]})

    def _room(self, request: Request) -> Any:
        return self.rooms.get(request.scope["session"], request.path_params["table"])

    async def socket(self, socket: WebSocket) -> None:
        """Serves a tab."""
        session = socket.scope["session"]
        if sum(self._connections.values()) >= MOST_CONNECTIONS or self._connections.get(session, 0) >= MOST_OF_SESSION:
            await socket.close(1013)
            return
        self._connections[session] = self._connections.get(session, 0) + 1
        try:
            await Connection(socket, session, self.rooms, self.reviews, self.jobs(session), self.ready).serve()
        finally:
            self._connections[session] -= 1
            if not self._connections[session]:
                del self._connections[session]

    async def page(self, request: Request) -> Response:
        """Answers the page."""
        return FileResponse(STATIC / "index.html")

    async def icon(self, request: Request) -> Response:
        """Answers the icon of the page."""
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")


async def _body(request: Request) -> bytes:
    """Returns the body of a request. Raises RefusedError where it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise RefusedError("too_large", f"at most {MAX_BODY:,} bytes")
        parts.append(part)
    return b"".join(parts)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return JSONResponse({"error": error.fields()}, status_code=error.status, headers={"cache-control": "no-store"})


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = "there is no such page" if error.status_code == 404 else str(error.detail)
    code = "unknown_path" if error.status_code == 404 else "bad_message"
    return JSONResponse({"error": {"code": code, "text": text}}, status_code=error.status_code)


def make_app(
    server: Server,
    access: Access,
    host: str,
    port: int,
    start: Callable[[Server], Awaitable[None]],
    stop: Callable[[Server], Awaitable[None]],
) -> ASGIApp:
    """Returns the application.

    Args:
        server: Its insides.
        access: Who may come in.
        host: Where it listens.
        port: Its port.
        start: Is run when the application starts.
        stop: Is run when it ends.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await start(server)
        try:
            yield
        finally:
            server.rooms.close()
            await stop(server)
            server.services.store.close()

    routes = [
        Route("/", server.page),
        Route("/favicon.ico", server.icon),
        Route("/api/health", server.health),
        Route("/api/config", server.config),
        Route("/api/tables", server.tables, methods=["GET", "POST"]),
        Route("/api/tables/{table}", server.table),
        Route("/api/tables/{table}/record", server.record),
        Route("/api/tables/{table}/replay", server.replay),
        Route("/api/tables/{table}/outside", server.outside),
        Route("/api/records", server.records, methods=["POST"]),
        Route("/api/deals", server.deals, methods=["POST"]),
        Route("/api/stats", server.stats),
        Route("/api/puzzles", server.puzzles),
        WebSocketRoute("/ws", server.socket),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
    ]
    handlers = {RefusedError: _refused, HTTPException: _http_error}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)  # type: ignore[arg-type]
    return Guard(app, access, host, port)
