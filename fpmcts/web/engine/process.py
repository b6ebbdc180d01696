"""The process of the engine: hears questions, asks the players, most urgent question first.

One thread hears; the main thread works. A rehearsal gives way to people where its player can stop,
between the rounds of a search, and is begun again later. The process leads a group of its own, with
those that compile for it, and the group ends with the pipe: none is left behind when the server is
killed.
"""

import heapq
import os
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

from fpmcts.web.engine.asking import Answer, Hear, Priority, Question

BEAT = 0.25
"""Seconds between two signs of life of a player at work, at least."""
SETTLED = 6
"""Answers after which a player has compiled what it needs: other positions may need other
kernels.
"""
Decide = Callable[[Question, Hear, Callable[[], bool]], Answer]
"""Answers a question: (question, hear, cancel) -> answer."""


class Desk:
    """The questions that wait."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Priority, int, Question]] = []
        self._wanted: set[int] = set()
        self._change = threading.Condition()

    def put(self, number: int, question: Question) -> None:
        """Adds a question."""
        with self._change:
            heapq.heappush(self._waiting, (question.priority, number, question))
            self._wanted.add(number)
            self._change.notify()

    def take(self) -> tuple[int, Question]:
        """Returns the most urgent question that is wanted, once there is one."""
        with self._change:
            while True:
                while self._waiting:
                    _, number, question = heapq.heappop(self._waiting)
                    if number in self._wanted:
                        return number, question
                self._change.wait()

    def drop(self, number: int) -> None:
        """Notes that nobody waits for a question any more."""
        self._wanted.discard(number)

    def is_wanted(self, number: int) -> bool:
        """Returns whether somebody waits for a question."""
        return number in self._wanted

    def has_more_urgent(self, priority: Priority) -> bool:
        """Returns whether a question waits that comes before those of a priority."""
        waiting = self._waiting
        return bool(waiting) and waiting[0][0] < priority


def listen(pipe: Connection, desk: Desk) -> None:
    """Hears questions until the server ends, and then ends this process."""
    try:
        while True:
            match pipe.recv():
                case "ask", number, question:
                    desk.put(number, question)
                case "cancel", number:
                    desk.drop(number)
                case _:
                    break
    except (EOFError, OSError):
        pass
    # The main thread may be deep in a search, or wait for processes that compile.
    os.killpg(os.getpgrp(), signal.SIGKILL)


def serve(pipe: Connection, warm_up: Sequence[Question], decide: Decide) -> None:
    """Answers questions for ever.

    Args:
        pipe: To the server.
        warm_up: Questions to begin with, whose answers nobody needs.
        decide: Answers one.
    """
    os.setpgid(0, 0)
    desk = Desk()
    for k, question in enumerate(warm_up):
        desk.put(k - len(warm_up), question)  # numbers below those of the server, which begin at 1
    threading.Thread(target=listen, args=(pipe, desk), daemon=True).start()
    answers: Counter[tuple[str, ...]] = Counter()
    warmed, needed = 0, sum(question.priority is Priority.WARM_UP for question in warm_up)
    pipe.send(("warm", 0.0 if needed else 1.0))
    while True:
        number, question = desk.take()
        player = _player(question)
        pipe.send(("begun", number, answers[player] < SETTLED))
        beat, gave_way = time.monotonic(), False

        def hear(answer: Answer, number: int = number) -> None:
            if number > 0:
                pipe.send(("report", number, answer))

        def cancel(number: int = number, priority: Priority = question.priority) -> bool:
            nonlocal beat, gave_way
            if time.monotonic() - beat >= BEAT:
                beat = time.monotonic()
                pipe.send(("beat",))
            urgent = priority >= Priority.WARM_UP and desk.has_more_urgent(Priority.WARM_UP)
            gave_way = gave_way or urgent
            return gave_way or not desk.is_wanted(number)

        try:
            said: tuple[str, int, Answer | str] = "done", number, decide(question, hear, cancel)
        except Exception as error:  # noqa: BLE001 (a fault of one question: whoever asked hears of it)
            traceback.print_exc()
            said = "failed", number, f"{type(error).__name__}: {error}"[:400]
        answers[player] += 1
        if gave_way and desk.is_wanted(
            number
        ):  # a rehearsal: it is begun again after what people ask
            desk.put(number, question)
            pipe.send(("waits", number, ""))
            continue
        desk.drop(number)
        pipe.send(said)
        if number < 0 and question.priority is Priority.WARM_UP:
            warmed += 1
            pipe.send(("warm", warmed / needed))


def _player(question: Question) -> tuple[str, ...]:
    """Returns what has to be loaded and compiled for a question."""
    files = (value for value in question.options.values() if isinstance(value, str))
    return (question.game, question.kind, *files)


def main(pipe: Connection, warm_up: Sequence[Question]) -> None:
    """Answers questions with the players of the project."""
    from fpmcts.web.engine.answering import Answering

    serve(pipe, warm_up, Answering().decide)
