"""The server's side of the engine: a process with the players in it, watched and started again when
it ends.

The players need numba and torch, seconds to import and longer to compile; a search keeps a core
busy. In a process of their own they slow nothing down here, and a crash there is not a crash here:
the question that was looked at fails with ``CrashError``, those that wait are asked of the next
process. A process that hangs (``fpmcts.web.engine.watch``) is ended by force, which is a crash like
others.

Questions wait here, and the most urgent one is sent when the process has nothing to do. A rehearsal
gives way to people where its player can stop, between the rounds of a search, and is begun again
later.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from fpmcts.web.engine.asking import (
    Answer,
    CrashError,
    EngineError,
    EngineState,
    Hear,
    Priority,
    Question,
)
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
SETTLED = 6
"""Answers after which a player has compiled what it needs: other positions may need other
kernels.
"""


@dataclass(eq=False)
class Asked:
    """A question without an answer yet.

    Attributes:
        number: In the order in which they were asked; rehearsals come first.
        question: What is asked.
        answer: None where nobody needs it.
        hear: Hears answers on the way.
    """

    number: int
    question: Question
    answer: asyncio.Future[Answer] | None = None
    hear: Hear | None = None

    @property
    def is_wanted(self) -> bool:
        """Returns whether it is to be answered still."""
        return self.answer is None or not self.answer.done()

    @property
    def player(self) -> tuple[str, ...]:
        """Returns what has to be loaded and compiled for it."""
        files = (value for value in self.question.options.values() if isinstance(value, str))
        return (self.question.game, self.question.kind, *files)

    def fail(self, error: EngineError) -> None:
        """Says that there is no answer."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)


class EngineProcess:
    """An engine in a process of its own (``fpmcts.web.engine.asking.Engine``).

    Args:
        warm_up: Questions whose answers nobody needs: they compile and load what the first ones
            need. They are asked when ``warm_up`` is called.
        target: What the process runs; tests give another one.
        patience: How long it may be silent before it counts as hanging.
    """

    def __init__(
        self,
        warm_up: Sequence[Question] = (),
        target: Callable[[Connection], None] = main,
        patience: Patience | None = None,
    ) -> None:
        self.status = EngineState()
        self._warm_up, self._target, self._patience = warm_up, target, patience or Patience()
        self._may_warm_up = False
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._numbers = count()
        self._asked: list[Asked] = []
        self._running: Asked | None = None
        self._is_here = self._stopped = False
        self._deaths = 0
        self._ending = False
        self._restart: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Starts the process, which is asked what has no answer yet; call it in the event loop of
        the main thread.
        """
        self._loop = asyncio.get_running_loop()
        try:
            self._process, self._pipe = self._spawned()
        except OSError as error:  # no memory, or too many processes or files
            log.warning("the engine cannot be started (%s); it is tried again", error)
            self._start_later(f"cannot be started ({error})", None)
            return
        self._why: str | None = None
        self._answers: Counter[tuple[str, ...]] = Counter()
        people = [asked for asked in self._asked if asked.answer is not None]
        self._asked = [*(Asked(-1, question) for question in self._warm_up), *people]
        self._needed = self._cold()
        self._watch = Watch(self._patience, self._is_awaited, self._end_hanging)
        ours = self._process, self._pipe
        threading.Thread(target=self._listen, args=ours, daemon=True).start()

    def warm_up(self) -> None:
        """Lets the process warm up: what it compiles for is compiled nowhere else now."""
        self._may_warm_up = True
        self._go_on()

    def _spawned(self) -> tuple[BaseProcess, Connection]:
        """Returns a new process, and the pipe to it. Raises OSError."""
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(target=self._target, args=(theirs,), daemon=True)
        # Ctrl-C goes to every process of the terminal; this one is ended by us.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process.start()
        except OSError:
            pipe.close()
            raise
        finally:
            signal.signal(signal.SIGINT, before)
            theirs.close()
        return process, pipe

    def _cold(self) -> int:
        """Returns how many of the first questions have no answer yet."""
        return sum(asked.question.priority is Priority.WARM_UP for asked in self._asked)

    def _is_awaited(self) -> bool:
        people = (asked for asked in self._asked if asked.answer is not None)
        return self.status.warm < 1.0 or any(asked.is_wanted for asked in people)

    def _go_on(self) -> None:
        """Sends the most urgent question, or stops one that nobody waits for, or a rehearsal in its
        way.
        """
        able = (one for one in self._asked if self._may_warm_up or one.answer is not None)
        first = min(able, key=lambda one: (one.question.priority, one.number), default=None)
        running = self._running
        if first is None or not self._is_here:
            return
        if running is None:
            self._running, self._stopped = first, False
            self._watch.begin(self._answers[first.player] < SETTLED, first.question.seconds)
            self._send(first.question)
        elif not self._stopped and (
            not running.is_wanted
            or first.question.priority < Priority.WARM_UP <= running.question.priority
        ):
            self._stopped = True
            self._send("stop")

    def _listen(self, process: BaseProcess, pipe: Connection) -> None:
        """Passes on what the process says; runs in a thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            try:
                while True:
                    self._loop.call_soon_threadsafe(self._hear, pipe, *pipe.recv())
            except (EOFError, OSError):
                process.join(PATIENCE)  # its pipe is closed: it is ending
                self._loop.call_soon_threadsafe(self._died, pipe)

    def _hear(self, pipe: Connection, kind: str, what: Answer | str | None) -> None:
        if pipe is not self._pipe:
            return
        self._is_here = True
        self._watch.hear()
        # A sign of life says nothing of it; it is over when its question has an answer.
        asked, waits = self._running, self.status.waits if kind == "beat" else None
        if asked is not None and kind in ("done", "failed"):
            self._running = None
            self._watch.begin()
            self._answers[asked.player] += 1
            if not (self._stopped and asked.is_wanted):  # else it is begun again
                self._asked.remove(asked)
                self._answered(asked, what)
        elif isinstance(what, Answer) and what.waits is not None:
            waits = what.waits
        elif asked is not None and asked.hear is not None and isinstance(what, Answer):
            if asked.is_wanted:
                asked.hear(what)
        warm = 1.0 - self._cold() / max(self._needed, 1)
        if warm == 1.0:
            self.status.change("ready", warm)
        else:
            self.status.change("warming", warm, waits)
        self._go_on()

    def _answered(self, asked: Asked, what: Answer | str | None) -> None:
        """Gives an answer to the caller that asked, or the fault instead."""
        if asked.answer is None:
            if isinstance(what, str):
                log.warning("while warming up: %s", what)
            return
        self._deaths = 0
        if not isinstance(what, Answer):
            asked.fail(EngineError(str(what)))
        elif asked.is_wanted:
            asked.answer.set_result(what)

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
        process = self._process
        if pipe is not self._pipe or process is None:
            return
        self._watch.stop()
        lost, self._running, self._is_here = self._running, None, False
        self._process = self._pipe = None
        _kill_group(process)  # what it had started
        why = f"ended (status {process.exitcode})" if self._why is None else f"hung: {self._why}"
        self._start_later(why, lost)

    def _start_later(self, why: str, lost: Asked | None) -> None:
        """Starts another process after a pause, and fails what was looked at, or everything where
        that happened too often.
        """
        pause = min(FIRST_PAUSE * 2.0**self._deaths, LONGEST_PAUSE)
        self._deaths += 1
        hopeless = self._ending or self._deaths >= MOST_DEATHS
        for asked in self._asked:
            if hopeless or asked is lost:
                asked.fail(CrashError(f"the engine {why}; it is started again"))
        self._asked = [asked for asked in self._asked if asked.is_wanted]
        if not self._ending:
            self.status.change("restarting", 0.0)
            self._restart = self._loop.call_later(pause, self.start)

    def _send(self, message: Question | str) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):  # it ended; the listener says so
                self._pipe.send(message)

    async def ask(self, question: Question, hear: Hear | None = None) -> Answer:
        """Returns the answer to a question, see ``fpmcts.web.engine.asking.Engine``."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        asked = Asked(next(self._numbers), question, answer, hear)
        self._asked.append(asked)
        self._go_on()
        try:
            return await answer
        finally:
            if asked in self._asked and asked is not self._running:
                self._asked.remove(asked)
            self._go_on()

    async def stop(self) -> None:
        """Ends the process: by itself, else by force."""
        self._ending = True
        if self._restart is not None:
            self._restart.cancel()
        process, pipe = self._process, self._pipe
        if process is None or pipe is None:
            return
        self._send("end")
        await asyncio.to_thread(process.join, PATIENCE)
        if process.is_alive():
            process.kill()
            await asyncio.to_thread(process.join, PATIENCE)
        self._died(pipe)


def _kill_group(process: BaseProcess) -> None:
    """Kills the processes of the group that a process leads, if there are any."""
    assert process.pid is not None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
