"""The server: requests over HTTP and the WebSocket, joined to the tables
(``docs/web-protocol.md``).
"""

import asyncio
import contextlib
import inspect
import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from fpmcts.web.errors import Json, RefusedError, parse_json
from fpmcts.web.review.comparing import SPEEDS
from fpmcts.web.review.jobs import JobQueue
from fpmcts.web.review.reviewer import Reviewer
from fpmcts.web.server.connection import PROTOCOL, Connection
from fpmcts.web.server.guard import Access, Guard, refusal
from fpmcts.web.server.messages import (
    DEAL,
    MAX_BODY,
    MAX_PLAYOUTS,
    MODES,
    NEW_TABLE,
    Fields,
    check_fields,
)
from fpmcts.web.tables.lobby import Lobby
from fpmcts.web.tables.preparing import position, prepared
from fpmcts.web.tables.room import Room, Services
from fpmcts.web.tables.views import view_of

STATIC = Path(__file__).resolve().parents[1] / "static"
MOST_CONNECTIONS, MOST_OF_SESSION = 400, 20
"""Maximum open WebSockets, in total and per session."""
AT_ONCE = 50
"""Tables listed before other tasks get a turn."""
MOST_PUZZLES = 100
"""Of one's own in one answer."""


class Server:
    """The handlers of the routes.

    Args:
        services: Services of the tables.
        records: Lines of records that everybody may read.
        progress: Returns the progress of preparing the games, as fields of the configuration.
    """

    def __init__(
        self,
        services: Services,
        records: str | None,
        progress: Callable[[], Json],
    ) -> None:
        self.services, self._records, self._progress = services, records, progress
        self.lobby = Lobby(services)
        self.reviewer = Reviewer(services.store)
        self._jobs: defaultdict[str, JobQueue] = defaultdict(JobQueue)
        self._connections: Counter[str] = Counter()

    async def open_shared(self) -> None:
        """Opens the records that everybody may read. Raises RefusedError for an invalid line."""
        if self._records is not None:
            await self.lobby.open_shared(self._records)

    # Requests. Results other than a ``Response`` are sent as JSON.

    def health(self, request: Request) -> object:
        """Returns whether the server works."""
        return self.services.engine.status.fields()

    def config(self, request: Request) -> object:
        """Returns the offers of the lobby, after preparing the requested game."""
        rulebook = self.services.rulebook
        if (game := request.query_params.get("game")) is not None:
            rulebook.info(game)
        infos = map(rulebook.info, rulebook.names())
        return {
            "protocol": PROTOCOL,
            "modes": MODES,
            "review_speeds": list(SPEEDS),
            "max_playouts": MAX_PLAYOUTS,
            "games": [self.services.catalogue.fields(info) for info in infos],
            **self._progress(),
        }

    async def tables(self, request: Request) -> object:
        """Lists tables."""
        found: list[Json] = []
        for summary in self.lobby.summaries(request.scope["session"]):
            found.append(summary)
            if len(found) % AT_ONCE == 0:
                await asyncio.sleep(0)  # others have their turn
        return {"tables": found}

    def new_table(self, request: Request) -> object:
        """Creates a table."""
        given = _fields(request, NEW_TABLE)
        return self.lobby.make(request.scope["session"], **given).summary()

    def table(self, request: Request) -> object:
        """Returns the view of a table."""
        room = self._room(request)
        return {"summary": room.summary(), "view": room.view()}

    def remove(self, request: Request) -> object:
        """Removes a table."""
        self.lobby.remove(request.scope["session"], request.path_params["table"])
        return {}

    def series(self, request: Request) -> object:
        """Answers what each player won in each game of a series so far."""
        return {"games": self._room(request).series_returns()}

    def record(self, request: Request) -> object:
        """Returns the record of a table as a file; for an opened record its original line."""
        room = self._room(request)
        headers = {"content-disposition": f'attachment; filename="{room.game}-{room.id}.jsonl"'}
        line = room.settings.line or json.dumps(room.record())
        return Response(f"{line}\n", media_type="application/x-ndjson", headers=headers)

    def replay(self, request: Request) -> object:
        """Returns all positions of a table."""
        return {"plies": self._room(request).replay()}

    def outside(self, request: Request) -> object:
        """Returns the view that an external player would get."""
        return self._room(request).outside(_ply(request))

    def puzzle(self, request: Request) -> object:
        """Returns a decision as its mover saw it."""
        return {"view": self._room(request).puzzle(_ply(request))}

    async def records(self, request: Request) -> object:
        """Opens records."""
        try:
            text = request.state.body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RefusedError("bad_record", "expected UTF-8") from error
        return await self.lobby.open_records(request.scope["session"], text)

    def deals(self, request: Request) -> object:
        """Returns whether a deal is valid."""
        given = _fields(request, DEAL)
        info = self.services.rulebook.info(given["game"])
        table = position(self.services.rulebook, **given)
        names = [name for name, _ in info.seats]
        return {"view": view_of(table, info, names, None, everything=True)}

    async def stats(self, request: Request) -> object:
        """Returns the results of a session, and what its decisions lost."""
        session = request.scope["session"]
        stats = self.lobby.statistics(session)
        return {"stats": stats, "skill": await self.reviewer.skill(session, self.services)}

    async def puzzles(self, request: Request) -> object:
        """Lists decisions for which to find the best move: a session's own mistakes, then those
        that were judged beforehand.
        """
        game, found = request.query_params.get("game"), list[Json]()
        async for one in self.reviewer.puzzles(request.scope["session"]):
            if game in (None, one["game"]):
                found.append(one)
            if len(found) == MOST_PUZZLES:
                break
        found += (
            {"table": name, "ply": len(row["record"]["moves"])}
            | {key: row[key] for key in ("game", "theme")}
            for name, row in self.services.puzzles.items()
            if game in (None, row["game"])
        )
        for name in {one["game"] for one in found}:
            try:
                await prepared(partial(self.services.rulebook.info, name))
            except RefusedError:  # it has left the lobby
                found = [one for one in found if one["game"] != name]
        return {"puzzles": found}

    def _room(self, request: Request) -> Room:
        return self.lobby.get(request.scope["session"], request.path_params["table"])

    async def socket(self, socket: WebSocket) -> None:
        """Serves a browser tab."""
        session, open_ones = socket.scope["session"], self._connections
        if open_ones.total() >= MOST_CONNECTIONS or open_ones[session] >= MOST_OF_SESSION:
            await socket.close(1013)
            return
        open_ones[session] += 1
        jobs = self._jobs[session]
        try:
            await Connection(socket, session, self.lobby, self.reviewer, jobs).serve()
        finally:
            open_ones[session] -= 1
            open_ones += Counter()  # drops zero counts

    def route(
        self, path: str, work: Callable[[Request], object], method: str = "GET", status: int = 200
    ) -> Route:
        """Returns a route to one of the requests above, which waits until its games are
        prepared.
        """

        async def answer(request: Request) -> Response:
            request.state.body = await _body(request)
            found = await prepared(lambda: work(request))
            found = await found if inspect.isawaitable(found) else found
            return found if isinstance(found, Response) else JSONResponse(found, status)

        return Route(path, answer, methods=[method])


def _ply(request: Request) -> int | None:
    """Returns the ply that a request names, or None. Raises RefusedError."""
    text = request.query_params.get("ply")
    if text is not None and not (text.isascii() and text.isdigit() and len(text) < 7):
        raise RefusedError("bad_message", "ply: expected a whole number")
    return None if text is None else int(text)


async def _body(request: Request) -> bytes:
    """Returns the body of a request. Raises RefusedError if it is too large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise RefusedError("too_large", f"at most {MAX_BODY:,} bytes")
    return bytes(body)


def _fields(request: Request, fields: Fields) -> Json:
    """Returns the checked fields of the body of a request. Raises RefusedError."""
    return check_fields(parse_json(request.state.body), fields)


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, RefusedError):
        return refusal(error)
    assert isinstance(error, HTTPException)
    code, text = "bad_message", str(error.detail)
    if error.status_code == 404:
        code, text = "unknown_path", "there is no such page"
    return refusal(RefusedError(code, text), error.status_code)


def make_app(
    server: Server,
    access: Access,
    host: str,
    port: int,
    running: Callable[[], contextlib.AbstractAsyncContextManager[None]],
) -> ASGIApp:
    """Returns the application.

    Args:
        server: The handlers.
        access: Decides which requests are admitted.
        host: The host it listens on.
        port: Its port.
        running: Starts and ends background tasks.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with running():
                try:
                    yield
                finally:
                    server.lobby.close()
        finally:
            server.services.store.close()

    routes = [
        Route("/", _page),
        server.route("/api/health", server.health),
        server.route("/api/config", server.config),
        server.route("/api/tables", server.tables),
        server.route("/api/tables", server.new_table, "POST", 201),
        server.route("/api/tables/{table}", server.table),
        server.route("/api/tables/{table}", server.remove, "DELETE"),
        server.route("/api/tables/{table}/series", server.series),
        server.route("/api/tables/{table}/record", server.record),
        server.route("/api/tables/{table}/replay", server.replay),
        server.route("/api/tables/{table}/outside", server.outside),
        server.route("/api/tables/{table}/puzzle", server.puzzle),
        server.route("/api/records", server.records, "POST", 201),
        server.route("/api/deals", server.deals, "POST"),
        server.route("/api/stats", server.stats),
        server.route("/api/puzzles", server.puzzles),
        WebSocketRoute("/ws", server.socket),
        Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC, check_dir=False))),
    ]
    handlers = dict.fromkeys((RefusedError, HTTPException), _refused)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)  # type: ignore[arg-type]
    return Guard(app, access, host, port)
