"""The server's side of the engine: a process with the players in it, watched and started again when it ends.

The players need numba and torch, seconds to import and longer to compile; a search keeps a core busy. In a process of their
own they do neither to the page, and a crash there is no crash here: the question that was looked at fails with ``CrashError``,
those that wait are asked of the next process. A process that hangs
(``web.engine.watch``) is ended by force, which is a crash like others.
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
from typing import Any

from web.engine import process
from web.engine.asking import Answer, CrashError, EngineError, EngineState, Question, Report
from web.engine.watch import Patience, Watch

log = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
"""Seconds before a process that ended is started again; doubled each time that it ends before it has answered."""
MOST_DEATHS = 5
"""Processes in a row that end before they have answered until nothing is asked again."""
PATIENCE = 2.0
"""Seconds that a process has to end by itself."""


class EngineProcess:
    """An engine in a process of its own.

    Args:
        warm_up: Questions whose answers nobody needs: they compile and load what the first ones need.
        target: What the process runs; tests give another one.
        patience: How long it may be silent before it counts as hanging.
    """

    def __init__(
        self, warm_up: Sequence[Question] = (), target: Any = process.main, patience: Patience | None = None
    ) -> None:
        self.status = EngineState()
        self._warm_up, self._target = tuple(warm_up), target
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Connection | None = None
        self._patience = patience or Patience()
        self._watch: Watch | None = None
        self._why: str | None = None
        self._running: int | None = None
        self._number = 0
        self._asked: dict[int, tuple[Question, asyncio.Future[Answer], Report | None]] = {}
        self._unsent: list[int] = []
        self._pause = FIRST_PAUSE
        self._deaths = 0
        self._stopping = False
        self._restart: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def pid(self) -> int | None:
        """Returns the number of the process, None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Starts the process; call it in the event loop."""
        self._loop = asyncio.get_running_loop()
        ours, theirs = self._context.Pipe()
        with _interrupts_ignored():
            self._process = self._context.Process(target=self._target, args=(theirs, self._warm_up), daemon=True)
            self._process.start()
        theirs.close()
        self._pipe, self._why, self._running = ours, None, None
        self._watch = Watch(self._patience, lambda: bool(self._asked) or self.status.warm < 1.0, self._end_hanging)
        threading.Thread(target=self._listen, args=(ours, self._loop), daemon=True).start()
        unsent, self._unsent = self._unsent, []
        for number in unsent:
            if number in self._asked:
                self._send(("ask", number, self._asked[number][0]))

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
        kind = said[0]
        assert self._watch is not None
        self._watch.hear()
        if kind == "begun":
            number, new = said[1], said[2]
            self._running = number
            self._watch.begin(new, self._asked[number][0].seconds if number in self._asked else None)
            return
        if kind == "beat":
            return
        if kind == "warm":
            self.status.change("ready" if said[1] >= 1.0 else "warming", said[1])
            return
        if kind == "waits":
            self._running = None
            self._watch.rest()
            return
        number, what = said[1], said[2]
        if kind == "rehearsed" and what is not None:
            log.warning("while warming up: %s", what)
        if kind != "report":
            self._running = None
            self._watch.rest()
        if number not in self._asked:
            return
        _, future, report = self._asked[number]
        if kind == "report":
            if report is not None and not future.done():
                report(what)
            return
        del self._asked[number]
        self._pause, self._deaths = FIRST_PAUSE, 0
        if future.done():
            return
        if kind == "done":
            future.set_result(what)
        else:
            future.set_exception(EngineError(what))

    def _end_hanging(self, why: str) -> None:
        """Ends a process that hangs; the listener hears of its end."""
        log.warning("the engine hangs (%s); it is started again", why)
        self._why = why
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()  # one that hangs before it leads a group

    def _died(self, pipe: Connection) -> None:
        """Fails what was looked at, and starts another process after a pause, which is asked the rest."""
        pipe.close()
        if pipe is not self._pipe:
            return
        self._pipe = None
        assert self._watch is not None
        self._watch.stop()
        process, self._process = self._process, None
        process.join(PATIENCE)  # its pipe is closed: it is ending
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # what it had started
        self._deaths += 1
        hopeless = self._stopping or self._deaths >= MOST_DEATHS
        failed = [number for number in self._asked if hopeless or number == self._running]
        why = f"ended (status {process.exitcode})" if self._why is None else f"hung: {self._why}"
        for number in failed:
            future = self._asked.pop(number)[1]
            if not future.done():
                future.set_exception(CrashError(f"the engine {why}; it is started again"))
        self._unsent = list(self._asked)
        if self._stopping:
            return
        self.status.change("restarting", 0.0)
        assert self._loop is not None
        self._restart = self._loop.call_later(self._pause, self.start)
        self._pause = min(2.0 * self._pause, LONGEST_PAUSE)

    def _send(self, message: tuple[Any, ...]) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):  # it ended; the listener says so
                self._pipe.send(message)

    async def ask(self, question: Question, report: Report | None = None) -> Answer:
        """Returns the answer to a question, see ``web.engine.asking.Engine``."""
        self._number += 1
        number = self._number
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[number] = question, future, report
        if self._pipe is None:
            self._unsent.append(number)
        else:
            self._send(("ask", number, question))
        try:
            return await future
        finally:
            if not future.done() or future.cancelled():
                self._asked.pop(number, None)
                self._send(("cancel", number))

    async def stop(self) -> None:
        """Ends the process: by itself, else by force."""
        self._stopping = True
        if self._restart is not None:
            self._restart.cancel()
        process, pipe = self._process, self._pipe
        if process is None:
            return
        self._send(("stop",))
        await asyncio.to_thread(process.join, PATIENCE)
        if process.is_alive():
            process.kill()
            await asyncio.to_thread(process.join, PATIENCE)
        if pipe is not None:
            self._died(pipe)


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Lets a process that is started meanwhile ignore Ctrl-C, which goes to every process of the terminal: we end it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
