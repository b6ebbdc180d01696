"""The server's side of the engine: a process with the players in it, watched and started again when
it ends.

The players need numba and torch, seconds to import and longer to compile; a search keeps a core
busy. In a process of their own they slow nothing down here, and a crash there is not a crash here:
the question that was looked at fails with ``CrashError``, those that wait are asked of the next
process. A process that hangs (``fpmcts.web.engine.watch``) is ended by force, which is a crash like
others.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from fpmcts.web.engine.asking import Answer, CrashError, EngineError, EngineState, Hear, Question
from fpmcts.web.engine.process import main
from fpmcts.web.engine.watch import Patience, Watch

log = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
"""Seconds before a process that ended is started again; doubled each time that it ends before it
has answered.
"""
MOST_DEATHS = 5
"""Processes in a row that end before they have answered until nothing is asked again."""
PATIENCE = 2.0
"""Seconds that a process has to end by itself."""


class Asked(NamedTuple):
    """A question without an answer yet. Attributes: question; answer; hear: hears answers on the
    way.
    """

    question: Question
    answer: asyncio.Future[Answer]
    hear: Hear | None


class EngineProcess:
    """An engine in a process of its own (``fpmcts.web.engine.asking.Engine``).

    Args:
        warm_up: Questions whose answers nobody needs: they compile and load what the first ones
            need.
        target: What the process runs; tests give another one.
        patience: How long it may be silent before it counts as hanging.
    """

    def __init__(
        self, warm_up: Sequence[Question] = (), target: Any = main, patience: Patience | None = None
    ) -> None:
        self.status = EngineState()
        self._warm_up, self._target, self._patience = tuple(warm_up), target, patience or Patience()
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Connection | None = None
        self._why: str | None = None
        self._running: int | None = None
        self._number = 0
        self._asked: dict[int, Asked] = {}
        self._deaths = 0
        self._stopping = False
        self._restart: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """Returns the number of the process, None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Starts the process, which is asked what has no answer yet; call it in the event loop."""
        self._loop = asyncio.get_running_loop()
        ours, theirs = self._context.Pipe()
        with _interrupts_ignored():
            self._process = self._context.Process(
                target=self._target, args=(theirs, self._warm_up), daemon=True
            )
            self._process.start()
        theirs.close()
        self._pipe, self._why, self._running = ours, None, None
        self._watch = Watch(
            self._patience, lambda: bool(self._asked) or self.status.warm < 1.0, self._end_hanging
        )
        threading.Thread(target=self._listen, args=(ours, self._loop), daemon=True).start()
        for number, asked in self._asked.items():
            self._send("ask", number, asked.question)

    def _listen(self, pipe: Connection, loop: asyncio.AbstractEventLoop) -> None:
        """Passes on what the process says; runs in a thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            try:
                while True:
                    loop.call_soon_threadsafe(self._hear, pipe, pipe.recv())
            except (EOFError, OSError):
                loop.call_soon_threadsafe(self._died, pipe)

    def _hear(self, pipe: Connection, said: tuple[Any, ...]) -> None:
        if pipe is not self._pipe:
            return
        self._watch.hear()
        match said:
            case "warm", share:
                self.status.change("ready" if share >= 1.0 else "warming", share)
            case "begun", number, new:
                asked = self._asked.get(number)
                self._running = number
                self._watch.begin(new, None if asked is None else asked.question.seconds)
            case "report", number, answer:
                asked = self._asked.get(number)
                if asked is not None and asked.hear is not None and not asked.answer.done():
                    asked.hear(answer)
            case "waits" | "done" | "failed" as kind, number, what:
                self._running = None
                self._watch.rest()
                if kind != "waits":
                    self._answered(number, what)

    def _answered(self, number: int, what: Answer | str) -> None:
        """Gives an answer to whoever asked, or the fault in its place."""
        if number < 0 and isinstance(what, str):
            log.warning("while warming up: %s", what)
        asked = self._asked.pop(number, None)
        if asked is None:
            return
        self._deaths = 0
        if asked.answer.done():
            return
        if isinstance(what, Answer):
            asked.answer.set_result(what)
        else:
            asked.answer.set_exception(EngineError(what))

    def _end_hanging(self, why: str) -> None:
        """Ends a process that hangs; the listener hears of its end."""
        log.warning("the engine hangs (%s); it is started again", why)
        self._why = why
        if self._process is not None:
            _kill_group(self._process)
            self._process.kill()  # one that hangs before it leads a group

    def _died(self, pipe: Connection) -> None:
        """Fails what was looked at, and starts another process after a pause, which is asked the
        rest.
        """
        pipe.close()
        if pipe is not self._pipe:
            return
        self._watch.stop()
        process, self._process, self._pipe = self._process, None, None
        process.join(PATIENCE)  # its pipe is closed: it is ending
        _kill_group(process)  # what it had started
        pause = min(FIRST_PAUSE * 2.0**self._deaths, LONGEST_PAUSE)
        self._deaths += 1
        hopeless = self._stopping or self._deaths >= MOST_DEATHS
        why = f"ended (status {process.exitcode})" if self._why is None else f"hung: {self._why}"
        for number in [number for number in self._asked if hopeless or number == self._running]:
            answer = self._asked.pop(number).answer
            if not answer.done():
                answer.set_exception(CrashError(f"the engine {why}; it is started again"))
        if not self._stopping:
            self.status.change("restarting", 0.0)
            self._restart = self._loop.call_later(pause, self.start)

    def _send(self, *message: Any) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):  # it ended; the listener says so
                self._pipe.send(message)

    async def ask(self, question: Question, hear: Hear | None = None) -> Answer:
        """Returns the answer to a question, see ``fpmcts.web.engine.asking.Engine``."""
        self._number += 1
        number = self._number
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[number] = Asked(question, answer, hear)
        self._send("ask", number, question)
        try:
            return await answer
        finally:
            if self._asked.pop(number, None) is not None:
                self._send("cancel", number)

    async def stop(self) -> None:
        """Ends the process: by itself, else by force."""
        self._stopping = True
        if self._restart is not None:
            self._restart.cancel()
        process, pipe = self._process, self._pipe
        if process is None:
            return
        self._send("stop")
        await asyncio.to_thread(process.join, PATIENCE)
        if process.is_alive():
            process.kill()
            await asyncio.to_thread(process.join, PATIENCE)
        if pipe is not None:
            self._died(pipe)


def _kill_group(process: Any) -> None:
    """Kills the processes of the group that a process leads, if there are any."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Lets a process that is started meanwhile ignore Ctrl-C, which goes to every process of the
    terminal: we end it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
