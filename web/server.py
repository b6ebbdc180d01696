"""The process of the server: where it listens, what it begins with, how it ends."""

import asyncio
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from web.access import Access, read_token
from web.app import Server, make_app
from web.catalogue import Catalogue
from web.clock import Chance, Clock
from web.engine import EngineProcess
from web.errors import RefusedError
from web.messages import MAX_BODY, MAX_BYTES
from web.offers import offers, warm_up
from web.room import Services
from web.rulebook import Games
from web.store import Store, StoreError

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
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        raise ServerError(f"host={host} port={port}: cannot listen there ({error})") from error
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
        config.games.parent.mkdir(parents=True, exist_ok=True)
        token = read_token(token_file(config.games))
        store = Store(config.games)
    except (OSError, ValueError, StoreError) as error:
        raise ServerError(str(error)) from error
    catalogue = Catalogue(offers(config.checkpoints))
    listening = listen(config.host, config.port)
    port = listening.getsockname()[1]
    engine = EngineProcess(warm_up(catalogue))
    asyncio.run(_serve(config, store, catalogue, engine, Access(token), listening, port, records, say, browser, token))


async def _serve(
    config: ServerConfig,
    store: Store,
    catalogue: Catalogue,
    engine: EngineProcess,
    access: Access,
    listening: socket.socket,
    port: int,
    records: str | None,
    say: Callable[[str], None],
    browser: bool,
    token: str,
) -> None:
    services = Services(rulebook=None, catalogue=catalogue, engine=engine, store=store, clock=Clock(), chance=Chance())  # type: ignore[arg-type]
    server = Server(services, records)
    faults: list[str] = []

    async def start(server: Server) -> None:
        engine.start()
        server.loading = asyncio.create_task(load(server))

    async def load(server: Server) -> None:
        """Imports the games and tries each of them once, in a thread, while the page already shows."""
        services.rulebook = await asyncio.to_thread(load_games)
        try:
            server.open_shop()
        except RefusedError as refused:
            faults.append(f"review={config.review}: {refused.text}")
            web.should_exit = True

    async def stop(server: Server) -> None:
        await engine.stop()

    app = make_app(server, access, config.host, port, start, stop)
    web = uvicorn.Server(
        uvicorn.Config(
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
    )
    shown = "127.0.0.1" if config.host in ("0.0.0.0", "::") else f"[{config.host}]" if ":" in config.host else config.host
    address = f"http://{shown}:{port}/?token={token}"
    say(address)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    await web.serve(sockets=[listening])
    if faults:
        raise ServerError(faults[0])


def load_games() -> Games:
    """Returns the games, each of them tried once: what has to be compiled is compiled here."""
    games = Games()
    for name in games.names():
        games.info(name)
        table = games.table(name, seed=0)
        table.play(table.legal()[0].text)
        table.describe(0)
        table.copy().undo()
    return games
