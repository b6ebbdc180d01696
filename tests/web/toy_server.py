"""A whole server over the toy game, with an engine process that answers at once, or as its moves
say: a program for tests.

python toy_server.py FOLDER [PORT]
"""

import asyncio
import contextlib
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "web")]

import fake  # noqa: E402

from fpmcts.web.clock import Chance, Clock  # noqa: E402
from fpmcts.web.engine.asking import Answer, Hear, Question  # noqa: E402
from fpmcts.web.engine.client import EngineProcess  # noqa: E402
from fpmcts.web.engine.process import serve as answer_questions  # noqa: E402
from fpmcts.web.server.access import Access, read_token  # noqa: E402
from fpmcts.web.server.app import Server  # noqa: E402
from fpmcts.web.server.main import listen, serve, token_file  # noqa: E402
from fpmcts.web.tables.kept import Services  # noqa: E402
from fpmcts.web.tables.store import Store  # noqa: E402


def decide(question: Question, hear: Hear, cancel: Callable[[], bool]) -> Answer:
    """Passes. With 4,096 playouts it takes a minute; with 13 it ends the process; with 666 it
    raises.
    """
    answer = fake.first_legal(question)
    playouts = question.options.get("playouts", 0)
    if playouts == 13:
        os._exit(3)
    if playouts == 666:
        raise ArithmeticError("it went wrong")
    if playouts == 4096:
        for done in range(600):
            if cancel():
                break
            hear(replace(answer, done=done))
            time.sleep(0.1)
    return replace(answer, move="pass" if question.moves is None else answer.move)


def engine_main(pipe: Connection) -> None:
    """Runs the engine's process."""
    answer_questions(pipe, decide)


def main(folder: Path, port: int) -> None:
    """Serves until Ctrl-C."""
    games = folder / "play.sqlite"
    token = read_token(token_file(games))
    listening = listen("127.0.0.1", port)
    engine = EngineProcess(target=engine_main)
    services = Services(None, fake.CATALOGUE, engine, Store(games), Clock(), Chance())  # type: ignore[arg-type]
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}", flush=True)
    random.seed(0)
    asyncio.run(
        serve(Server(services), engine, Access(token), "127.0.0.1", listening, fake.ToyGames)
    )


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
