"""The engine's process: answers one question after another.

The server sends a question, and "stop" if the answer is no longer wanted or a more urgent question
came. The process sends its answers, and a sign of life whenever the player at work asks whether it
may continue, between the rounds of a search. It leads its own process group, which includes its
compiling children, and the group ends with the pipe: nothing is left behind when the server is
killed.
"""

import contextlib
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue

from fpmcts.web.engine.asking import Answer, EngineQuestion, Hear

BEAT = 0.25
"""Minimum seconds between two signs of life of a player at work."""
Decide = Callable[[EngineQuestion, Hear, Callable[[], bool]], Answer]
"""Answers a question: (question, hear, cancel) -> answer."""


def listen(pipe: Connection, asked: SimpleQueue[EngineQuestion], stop: threading.Event) -> None:
    """Receives questions until the server ends, then ends this process.

    The server asks the next question after the answer to the last one, so "stop" always refers to
    the current question.
    """
    with contextlib.suppress(EOFError, OSError):
        while (message := pipe.recv()) != "end":
            if message == "stop":
                stop.set()
            else:
                stop.clear()
                asked.put(message)
    # The main thread may be deep in a search or waiting for compiling processes.
    os.killpg(os.getpgrp(), signal.SIGKILL)


def serve(pipe: Connection, decide: Decide) -> None:
    """Answers the questions that come through a pipe, forever."""
    os.setpgid(0, 0)
    asked: SimpleQueue[EngineQuestion] = SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=listen, args=(pipe, asked, stop), daemon=True).start()
    beat = 0.0

    def cancel() -> bool:
        nonlocal beat
        if time.monotonic() - beat >= BEAT:
            beat = time.monotonic()
            pipe.send(("beat", None))
        return stop.is_set()

    cancel()  # a first sign of life
    while True:
        question = asked.get()
        try:
            pipe.send(
                ("done", decide(question, lambda found: pipe.send(("report", found)), cancel))
            )
        except Exception as error:  # noqa: BLE001 (a fault of one question: reported to its asker)
            if not stop.is_set():
                traceback.print_exc()
            pipe.send(("failed", f"{type(error).__name__}: {error}"[:400]))


def main(pipe: Connection) -> None:
    """Answers questions with the players of the project."""
    from fpmcts.web.engine.answering import Answering

    serve(pipe, Answering().decide)
