"""Ctrl-C for long work: the first requests a stop at a safe point, the second ends the program at
once.
"""

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType


class Interrupt(AbstractContextManager["Interrupt"]):
    """Turns the first Ctrl-C (or SIGTERM) into a request to stop. A second one leaves the ``with``
    block by SystemExit and then ends the program with status 130, without waiting for its threads.
    After the block the previous signal handlers are restored.

    Args:
        say: Shows a line.
        what: Text of the line, such as "stopping after the current step".
        clean_up: Called before the program ends at once.

    Attributes:
        requested: Whether to stop.
    """

    def __init__(
        self, say: Callable[[str], None], what: str, clean_up: Callable[[], None] = lambda: None
    ) -> None:
        self.requested = self._at_once = False
        self._say, self._what, self._clean_up = say, what, clean_up
        numbers = (signal.SIGINT, signal.SIGTERM)
        self._before = [(number, signal.signal(number, self._handle)) for number in numbers]

    def __exit__(self, *details: object) -> None:
        for number, handler in self._before:
            signal.signal(number, handler)
        if self._at_once:
            atexit._run_exitfuncs()  # they end child processes
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(130)  # sys.exit waits for threads, and a kernel may run for minutes

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._at_once = True
            self._clean_up()
            raise SystemExit(130)
        self.requested = True
        self._say(f"{self._what}; once more to stop at once")


@contextmanager
def unheard_by_children() -> Iterator[None]:
    """Processes started in this block ignore Ctrl-C from their first instruction on.

    A terminal sends Ctrl-C to all processes. One that it kills during imports, before it can ignore
    the signal, leaves its parent writing to a pipe that nobody reads. Processes inherit the mask of
    the thread that starts them. On Windows, without masks of signals, nothing changes.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
