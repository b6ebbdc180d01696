"""The process of the server: where it listens, what it begins with, how it ends."""

import asyncio
import contextlib
import errno
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from web.clock import Chance, Clock
from web.engine.asking import EngineError
from web.engine.client import EngineProcess
from web.errors import RefusedError
from web.server.access import Access, read_token
from web.server.app import Server, make_app
from web.server.messages import MAX_BODY, MAX_BYTES
from web.tables.catalogue import Catalogue
from web.tables.offers import OTHERS, of_rooms, offers, warm_up
from web.tables.pace import measure
from web.tables.room import Services
from web.tables.rulebook import Games, Rulebook
from web.tables.store import Store, StoreError

MOST_REVIEWED = 16 * MAX_BODY
"""Bytes of a file given to review."""
log = logging.getLogger("web")


class ServerError(RuntimeError):
    """A server that cannot be started; the message says why."""


@dataclass(frozen=True)
class ServerConfig:
    """How a server is started.

    Attributes:
        host: Where it listens.
        port: Its port, 0: a free one.
        games: File of the games; the token lies beside it.
        checkpoints: Folders of runs, whose players stand in the lobby.
        review: A file of records that everybody may read; None: none.
    """

    host: str
    port: int
    games: Path
    checkpoints: tuple[Path, ...] = ()
    review: Path | None = None


def token_file(games: Path) -> Path:
    """Returns the file of the token that belongs to a file of games."""
    return games.with_name(games.name + ".token")


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens. Raises ServerError."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise ServerError(f"host={host}: there is no such address ({error})") from error
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except OSError as error:
        made.close()
        other = "; port=0 takes a free one" if error.errno == errno.EADDRINUSE else ""
        raise ServerError(f"host={host} port={port}: cannot listen there ({error.strerror}){other}") from error
    return made


def read_review(path: Path | None) -> str | None:
    """Returns the text of a file of records. Raises ServerError."""
    if path is None:
        return None
    try:
        if path.stat().st_size > MOST_REVIEWED:
            raise ServerError(f"review={path}: more than {MOST_REVIEWED:,} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ServerError(f"review={path}: cannot be read ({error})") from error


def run(config: ServerConfig, say: Callable[[str], None], browser: bool) -> None:
    """Serves until Ctrl-C.

    Args:
        config: How.
        say: Is told the address.
        browser: Whether to open it in a browser.

    Raises:
        ServerError: It cannot start.
    """
    records = read_review(config.review)
    try:
        catalogue = Catalogue(offers(config.checkpoints), OTHERS)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServerError(f"checkpoint: {error}") from error
    listening = listen(config.host, config.port)
    try:
        config.games.parent.mkdir(parents=True, exist_ok=True)
        token = read_token(token_file(config.games))
        store = Store(config.games)
    except (OSError, ValueError, StoreError) as error:
        listening.close()
        raise ServerError(str(error)) from error
    port = listening.getsockname()[1]
    engine = EngineProcess(warm_up(catalogue))
    services = Services(None, catalogue, engine, store, Clock(), Chance())  # type: ignore[arg-type]
    shown = "127.0.0.1" if config.host in ("0.0.0.0", "::") else f"[{config.host}]" if ":" in config.host else config.host
    address = f"http://{shown}:{port}/?token={token}"
    say(address)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    load = partial(load_games, catalogue.games(), catalogue)
    asyncio.run(serve(Server(services, records), engine, Access(token), config.host, listening, load))


async def serve(
    server: Server, engine: EngineProcess, access: Access, host: str, listening: socket.socket, load: Callable[[], Rulebook]
) -> None:
    """Serves until Ctrl-C.

    Args:
        server: What; its rulebook is put in when it is loaded.
        engine: Started and ended here.
        access: Who may come in.
        host: Where it listens.
        listening: The socket.
        load: Returns the games; it runs in a thread, while the page already shows.

    Raises:
        ServerError: The records that everybody may read are none, or a game is not there.
    """
    faults: list[str] = []

    async def load_and_open() -> None:
        try:
            server.services.rulebook = await asyncio.to_thread(load)
            server.open_shop()
        except RefusedError as refused:
            faults.append(f"review: {refused.text}")
        except (ValueError, ImportError) as error:  # a run of a game that is not here
            faults.append(f"checkpoint: {error}")
        if faults:
            web.should_exit = True
            return
        with contextlib.suppress(EngineError):  # the delays of the catalogue stay
            await measure(engine, server.services.catalogue, tuple(server.services.rulebook.names()))

    async def start(server: Server) -> None:
        engine.start()
        server.loading = asyncio.create_task(load_and_open())

    async def stop(server: Server) -> None:
        await engine.stop()

    web = uvicorn.Server(uvicorn_config(make_app(server, access, host, listening.getsockname()[1], start, stop)))
    await web.serve(sockets=[listening])
    if faults:
        raise ServerError(faults[0])


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """Returns how uvicorn serves: small messages, no compression of them, nothing believed that a proxy says, no access log."""
    return uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,  # addresses carry tokens
        server_header=False,
        proxy_headers=False,
        ws="websockets-sansio",
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=2,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=32 * 1024,
    )


def load_games(others: Sequence[str] = (), catalogue: Catalogue | None = None) -> Games:
    """Returns the games of the project and others, each of them tried once: what has to be compiled is compiled here.

    Args:
        others: Names of games besides.
        catalogue: Is given the players that ``agents`` has for the games.
    """
    games = Games(others)
    for name in games.names():
        if catalogue is not None:
            catalogue.add(name, of_rooms(name, games.game(name)))
        games.info(name)
        table = games.table(name, seed=0)
        table.play(table.legal()[0].text)
        table.describe(0)
        table.copy().undo()
    return games
