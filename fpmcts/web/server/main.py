"""The server process: listening, start-up and shutdown."""

import asyncio
import contextlib
import errno
import logging
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from fpmcts.web.clock import Chance, Clock
from fpmcts.web.config import PlayConfig
from fpmcts.web.engine.asking import EngineError
from fpmcts.web.engine.client import EngineProcess
from fpmcts.web.errors import RefusedError, parse_json
from fpmcts.web.server.app import Server, make_app
from fpmcts.web.server.guard import EVERYWHERE, Access, read_token, write_private
from fpmcts.web.server.messages import MAX_BODY, MAX_BYTES
from fpmcts.web.tables.catalogue import Catalogue
from fpmcts.web.tables.lobby import numbered_lines
from fpmcts.web.tables.offers import OTHERS, measure, offers, warm_up
from fpmcts.web.tables.preparing import PreparedGames
from fpmcts.web.tables.puzzles import named, read
from fpmcts.web.tables.room import Services
from fpmcts.web.tables.rulebook import Rulebook
from fpmcts.web.tables.store import Store, StoreError
from games.base.files import shipped
from games.base.settings import ConfigError

log = logging.getLogger(__name__)
SHIPPED = shipped("models") / "puzzles.jsonl"
MOST_REVIEWED = 16 * MAX_BODY
"""Maximum bytes of a file given to review."""


def token_file(games: Path) -> Path:
    """Returns the token's file for a file of games."""
    return games.with_name(games.name + ".token")


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket. Raises ConfigError."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise ConfigError(f"host={host}: there is no such address ({error})") from error
    try:
        listening = socket.create_server((host, port), family=family, backlog=128)
        # Inherited by connections: small messages are sent at once. asyncio sets this only for
        # sockets that name their protocol, which this one does not.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        other = "; port=0 picks a free port" if error.errno == errno.EADDRINUSE else ""
        raise ConfigError(
            f"host={host} port={port}: cannot listen there ({error.strerror}){other}"
        ) from error


def own_address() -> str:
    """Returns the address of this machine in its network; its name without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # chooses an interface; nothing is sent
        return str(probe.getsockname()[0])
    return socket.gethostname()


def read_review(path: Path) -> str:
    """Returns the text of a file of records; the games check them once they are loaded. Raises
    ConfigError.
    """
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise ConfigError(f"review={path}: not a file")
        if path.stat().st_size > MOST_REVIEWED:
            raise ConfigError(f"review={path}: more than {MOST_REVIEWED:,} bytes")
        text = path.read_text(encoding="utf-8")
        for number, line in numbered_lines(text):
            try:
                parse_json(line)
            except RefusedError as refused:
                raise ConfigError(f"review={path}: line {number}: {refused.text}") from refused
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"review={path}: cannot be read ({error})") from error
    return text


@contextlib.contextmanager
def opened_browser(address: str, games: Path) -> Iterator[None]:
    """Shows the page in a browser.

    The browser gets a file, readable only by its owner, that redirects to the address: the list of
    processes would show the token to everybody on the machine.
    """
    page = games.resolve().with_name(games.name + ".html")
    page.unlink(missing_ok=True)
    write_private(page, f'<meta http-equiv="refresh" content="0; url={address}">\n')
    threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
    try:
        yield
    finally:
        page.unlink(missing_ok=True)


def run(config: PlayConfig, say: Callable[[str], None]) -> None:
    """Serves until Ctrl-C.

    Args:
        config: The settings.
        say: Called with lines about the addresses.

    Raises:
        ConfigError: It cannot start.
    """
    records = None if config.review is None else read_review(Path(config.review))
    files = [SHIPPED, *([] if config.puzzles is None else [Path(config.puzzles)])]
    puzzles = named([row for file in files for row in read(file)])
    try:
        catalogue = Catalogue(offers([Path(path) for path in config.checkpoint]), OTHERS)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"checkpoint: {error}") from error
    listening, games = listen(config.host, config.port), Path(config.games)
    try:
        games.parent.mkdir(parents=True, exist_ok=True)
        store = Store(games)
        token = read_token(token_file(games))
    except (OSError, ValueError, StoreError) as error:
        listening.close()
        raise ConfigError(str(error)) from error
    engine = EngineProcess(warm_up(catalogue))
    rulebook = PreparedGames(catalogue, lambda: Rulebook(catalogue.games()))
    services = Services(rulebook, catalogue, engine, store, Clock(), Chance(), puzzles)
    name = f"[{config.host}]" if ":" in config.host else config.host
    page = f"{listening.getsockname()[1]}/?token={token}"
    address = f"http://{'127.0.0.1' if config.host in EVERYWHERE else name}:{page}"
    say(f"the table is at {address}")
    if config.host in EVERYWHERE:
        say(f"other devices open http://{own_address()}:{page}")
    server = Server(services, records, rulebook.progress)
    prepare = partial(rulebook.prepare, engine.status, engine.warm_up)
    with opened_browser(address, games) if config.browser else contextlib.nullcontext():
        asyncio.run(serve(server, engine, Access(token), config.host, listening, prepare))


async def serve(
    server: Server,
    engine: EngineProcess,
    access: Access,
    host: str,
    listening: socket.socket,
    prepare: Callable[[], Awaitable[None]],
) -> None:
    """Serves until Ctrl-C.

    Args:
        server: The handlers.
        engine: The engine, started and stopped here.
        access: Decides which requests are admitted.
        host: The host it listens on.
        listening: The socket.
        prepare: Prepares the games, while the page is already shown.

    Raises:
        ConfigError: The shared records are invalid, or a game is missing.
    """
    faults: list[str] = []

    async def open_shop() -> None:
        try:
            await asyncio.gather(prepare(), server.open_shared())
        except RefusedError as refused:
            faults.append(f"review: {refused.text}")
        except (ValueError, ImportError) as error:  # a run of a missing game
            faults.append(f"checkpoint: {error}")
        except Exception as error:
            log.exception("the games cannot be loaded")
            faults.append(f"the games cannot be loaded: {type(error).__name__}: {error}")
        if faults:
            web.should_exit = True
            return
        with contextlib.suppress(EngineError):  # keep the catalogue's delays
            await measure(engine, server.services.catalogue, server.services.rulebook.names())

    @contextlib.asynccontextmanager
    async def running() -> AsyncIterator[None]:
        engine.start()
        opening = asyncio.create_task(open_shop())
        yield
        opening.cancel()
        await engine.stop()

    app = make_app(server, access, host, listening.getsockname()[1], running)
    web = uvicorn.Server(uvicorn_config(app))
    await web.serve(sockets=[listening])
    if faults:
        raise ConfigError(faults[0])


def _is_no_fault_of_a_client(record: logging.LogRecord) -> bool:
    """Returns False for uvicorn's traceback about a client whose text is not UTF-8; it is
    disconnected.
    """
    return not record.getMessage().startswith("Invalid UTF-8")


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """Returns the configuration of uvicorn: small uncompressed messages, no trust in proxy headers,
    no access log.
    """
    logging.getLogger("uvicorn.error").addFilter(_is_no_fault_of_a_client)
    return uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,  # addresses contain tokens
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
