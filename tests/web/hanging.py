"""Engines that hang or end, for processes that tests start: ``decide`` does what the kind of a
question says.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from fpmcts.web.engine.asking import Answer, EngineQuestion, Hear
from fpmcts.web.engine.process import serve
from games.play.decision import Decision

began: list[str] = []


def decide(asked: EngineQuestion, hear: Hear, cancel: Callable[[], bool]) -> Answer:
    """Does what its kind says, or answers at once."""
    step = asked.options.get("step", 0)
    if asked.options.get("quick"):
        pass
    elif asked.kind == "sleeps":
        threading.Event().wait()
    elif asked.kind == "spins":
        while True:
            pass
    elif asked.kind == "stops":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif asked.kind == "ends":
        os._exit(3)
    elif asked.kind == "works":
        for _ in range(12):
            time.sleep(0.1)
            cancel()
    elif asked.kind == "compiles":
        time.sleep(1.2)
    elif asked.kind == "rehearses":  # the first time it has no end
        began.append(asked.kind)
        while len(began) == 1 and not cancel():
            time.sleep(0.02)
    return Answer(Decision(f"{asked.kind} {step}", 0))


def engine_main(pipe: Connection) -> None:
    serve(pipe, decide)


def broken_main(pipe: Connection) -> None:
    os._exit(1)
