"""The server's side of the engine: the process that runs the players, watched and restarted when it
ends.

The players need numba and torch, which take seconds to import and longer to compile, and a search
keeps a core busy. In their own process they do not slow the server down, and a crash there does not
crash the server: the question being answered fails with ``CrashError``, and those that wait go to
the next process. A process that hangs (``fpmcts.web.engine.watch``) is killed, which counts as a
crash.

Questions wait here; the most urgent one is sent when the process is idle. A rehearsal yields to
people's questions when its player can stop, between the rounds of a search, and restarts later.
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
    EngineQuestion,
    EngineState,
    Hear,
    Priority,
)
from fpmcts.web.engine.process import main
from fpmcts.web.engine.watch import Patience, Watch

log = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
"""Seconds before an ended process is restarted; doubled each time it ends without an answer."""
MOST_DEATHS = 5
"""Consecutive processes that end without an answer, after which no more questions are asked."""
PATIENCE = 2.0
"""Seconds that a process has to end by itself before it is killed."""
SETTLED = 6
"""Answers after which a player is assumed to have compiled all its kernels: each new position may
need more.
"""


@dataclass(eq=False)
class Asked:
    """A question without an answer yet.

    Attributes:
        number: Number in the order of asking; rehearsals come first.
        question: The question.
        answer: Future of the answer; None if nobody needs it.
        hear: Called with intermediate answers.
    """

    number: int
    question: EngineQuestion
    answer: asyncio.Future[Answer] | None = None
    hear: Hear | None = None

    @property
    def is_wanted(self) -> bool:
        """Returns whether an answer is still wanted."""
        return self.answer is None or not self.answer.done()

    @property
    def player(self) -> tuple[str, ...]:
        """Returns the key of what must be loaded and compiled for it."""
        files = (value for value in self.question.options.values() if isinstance(value, str))
        return (self.question.game, self.question.kind, *files)

    def fail(self, error: EngineError) -> None:
        """Fails the question with an error."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)


class EngineProcess:
    """An engine in its own process (``fpmcts.web.engine.asking.Engine``).

    Args:
        warm_up: Questions whose answers are discarded: they compile and load what the first real
            ones need. They are sent when ``warm_up`` is called.
        target: Function that the process runs; tests pass another one.
        patience: Time it may be silent before it counts as hanging.
    """

    def __init__(
        self,
        warm_up: Sequence[EngineQuestion] = (),
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
        """Starts the process and sends it the unanswered questions; call this in the event loop of
        the main thread.
        """
        self._loop = asyncio.get_running_loop()
        try:
            self._process, self._pipe = self._spawned()
        except OSError as error:  # no memory, or too many processes or files
            log.warning("the engine cannot be started (%s); trying again", error)
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
        """Lets the process warm up; call this once nothing else compiles the same kernels."""
        self._may_warm_up = True
        self._go_on()

    def _spawned(self) -> tuple[BaseProcess, Connection]:
        """Returns a new process, and the pipe to it. Raises OSError."""
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(target=self._target, args=(theirs,), daemon=True)
        # Ctrl-C reaches every process of the terminal; the server ends this one.
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
        """Returns the number of unanswered warm-up questions."""
        return sum(asked.question.priority is Priority.WARM_UP for asked in self._asked)

    def _is_awaited(self) -> bool:
        people = (asked for asked in self._asked if asked.answer is not None)
        return self.status.warm < 1.0 or any(asked.is_wanted for asked in people)

    def _go_on(self) -> None:
        """Sends the most urgent question, or stops one that is no longer wanted or a rehearsal that
        blocks it.
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
        """Passes on the messages of the process; runs in a thread."""
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
        # A sign of life does not end a question; its answer does.
        asked, waits = self._running, self.status.waits if kind == "beat" else None
        if asked is not None and kind in ("done", "failed"):
            self._running = None
            self._watch.begin()
            self._answers[asked.player] += 1
            if not (self._stopped and asked.is_wanted):  # else it is restarted
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
        """Gives the answer, or the error, to the caller."""
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
        """Kills a process that hangs; the listener notices its end."""
        log.warning("the engine hangs (%s); restarting it", why)
        self._why = why
        if self._process is not None:
            _kill_group(self._process)
            self._process.kill()  # it may hang before it leads a group

    def _died(self, pipe: Connection) -> None:
        """Fails the current question and starts another process, after a pause, for the rest."""
        pipe.close()
        process = self._process
        if pipe is not self._pipe or process is None:
            return
        self._watch.stop()
        lost, self._running, self._is_here = self._running, None, False
        self._process = self._pipe = None
        _kill_group(process)  # its children
        why = f"ended (status {process.exitcode})" if self._why is None else f"hung: {self._why}"
        self._start_later(why, lost)

    def _start_later(self, why: str, lost: Asked | None) -> None:
        """Starts another process after a pause; fails the current question, or all of them after
        too many crashes.
        """
        pause = min(FIRST_PAUSE * 2.0 ** min(self._deaths, 10), LONGEST_PAUSE)
        self._deaths += 1
        hopeless = self._ending or self._deaths >= MOST_DEATHS
        for asked in self._asked:
            if hopeless or asked is lost:
                asked.fail(CrashError(f"the engine {why}; it is being restarted"))
        self._asked = [asked for asked in self._asked if asked.is_wanted]
        if not self._ending:
            self.status.change("restarting", 0.0)
            self._restart = self._loop.call_later(pause, self.start)

    def _send(self, message: EngineQuestion | str) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):  # it ended; the listener reports that
                self._pipe.send(message)

    async def ask(self, question: EngineQuestion, hear: Hear | None = None) -> Answer:
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
        """Asks the process to end, and kills it if it does not."""
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
    """Kills the process group that a process leads, if there is one."""
    assert process.pid is not None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
