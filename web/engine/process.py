"""The process of the engine: hears questions, asks the players, most urgent question first.

One thread hears; the main thread works. A rehearsal gives way to people where its player can stop, between the rounds of a
search, and is begun again later. The process leads a group of its own, with those that compile for it, and the group ends with
the pipe: none is left behind when the server is killed.
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

from web.engine.asking import Answer, Priority, Question
from web.engine.watch import BEAT

SETTLED = 6
"""Answers after which a player has compiled what it needs: other positions may need other kernels."""
Decide = Callable[[Question, Callable[[Answer], None], Callable[[], bool]], Answer]
"""Answers a question: (question, report, cancel) -> answer."""


class Desk:
    """The questions that wait.

    Args:
        pipe: To the server.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._waiting: list[tuple[int, int, Question]] = []
        self._cancelled: set[int] = set()
        self._running: int | None = None
        self._change = threading.Condition()

    def put(self, number: int, question: Question) -> None:
        """Adds a question."""
        with self._change:
            heapq.heappush(self._waiting, (int(question.priority), number, question))
            self._change.notify()

    def cancel(self, number: int) -> None:
        """Drops a question."""
        with self._change:
            if number == self._running or any(number == waiting for _, waiting, _ in self._waiting):
                self._cancelled.add(number)

    def take(self) -> tuple[int, Question]:
        """Returns the most urgent question, once there is one."""
        with self._change:
            while True:
                while self._waiting:
                    _, number, question = heapq.heappop(self._waiting)
                    if number not in self._cancelled:
                        self._running = number
                        return number, question
                    self._cancelled.discard(number)
                self._change.wait()

    def is_cancelled(self, number: int) -> bool:
        """Returns whether nobody waits for a question any more."""
        return number in self._cancelled

    def has_more_urgent(self, priority: Priority) -> bool:
        """Returns whether a question waits that comes before those of a priority."""
        waiting = self._waiting
        return bool(waiting) and waiting[0][0] < priority

    def finish(self, number: int) -> None:
        """Forgets a question."""
        with self._change:
            self._running = None
            self._cancelled.discard(number)

    def listen(self) -> None:
        """Hears questions until the server ends."""
        try:
            while True:
                said = self._pipe.recv()
                if said[0] == "ask":
                    self.put(said[1], said[2])
                elif said[0] == "cancel":
                    self.cancel(said[1])
                else:
                    break
        except (EOFError, OSError):
            pass
        os.killpg(os.getpgrp(), signal.SIGKILL)  # the main thread may be deep in a search, or wait for processes that compile


def serve(pipe: Connection, warm_up: Sequence[Question], decide: Decide) -> None:
    """Answers questions for ever.

    Args:
        pipe: To the server.
        warm_up: Questions to begin with, whose answers are thrown away.
        decide: Answers one.
    """
    os.setpgid(0, 0)
    desk = Desk(pipe)
    for k, question in enumerate(warm_up):
        desk.put(k - len(warm_up), question)  # numbers below those of the server, which begin at 1
    threading.Thread(target=desk.listen, daemon=True).start()
    answers: Counter[tuple[str, ...]] = Counter()
    warmed, needed = 0, sum(question.priority is Priority.WARM_UP for question in warm_up)
    pipe.send(("warm", 0.0 if needed else 1.0))
    while True:
        number, question = desk.take()
        player = _player(question)
        pipe.send(("begun", number, answers[player] < SETTLED))
        last = time.monotonic()

        def report(answer: Answer, number: int = number) -> None:
            if number > 0:
                pipe.send(("report", number, answer))

        gave_way = False

        def cancel(number: int = number, priority: Priority = question.priority) -> bool:
            nonlocal last, gave_way
            if time.monotonic() - last >= BEAT:
                last = time.monotonic()
                pipe.send(("beat",))
            gave_way = gave_way or (priority >= Priority.WARM_UP and desk.has_more_urgent(Priority.WARM_UP))
            return gave_way or desk.is_cancelled(number)

        try:
            said = ("done", number, decide(question, report, cancel))
        except Exception as error:  # noqa: BLE001 (a fault of one question; whoever asked is told, the next one may do)
            traceback.print_exc()
            said = ("failed", number, f"{type(error).__name__}: {error}"[:400])  # type: ignore[assignment]
        answers[player] += 1
        cancelled = desk.is_cancelled(number)
        desk.finish(number)
        if gave_way and not cancelled:  # a rehearsal that people did not wait for: it is begun again after them
            desk.put(number, question)
            pipe.send(("waits", number))
            continue
        if number > 0:
            pipe.send(said)
        else:
            fault = f"{question.game}: {said[2]}" if said[0] == "failed" else None
            pipe.send(("rehearsed", number, fault))
            if question.priority is Priority.WARM_UP:
                warmed += 1
                pipe.send(("warm", warmed / needed))


def _player(question: Question) -> tuple[str, ...]:
    """Returns what has to be loaded and compiled for a question."""
    files = (value for value in question.options.values() if isinstance(value, str))
    return (question.game, question.kind, *files)


def main(pipe: Connection, warm_up: Sequence[Question]) -> None:
    """Answers questions with the players of the project."""
    from web.engine.answering import Players  # with numba and torch: here, and not in the server

    serve(pipe, warm_up, Players().decide)
