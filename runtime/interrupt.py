"""Ctrl-C for long work: the first asks it to stop where nothing is lost, the second ends it at once."""

import signal
from collections.abc import Callable
from types import FrameType


class Interrupt:
    """Turns the first Ctrl-C (or SIGTERM) into a request to stop; a second one ends the program with status 130.

    Args:
        say: Shows a line.
        what: What the line tells the user, such as "stopping after the current step".
        clean_up: Called before the program ends at once.

    Attributes:
        requested: Whether to stop.
    """

    def __init__(self, say: Callable[[str], None], what: str, clean_up: Callable[[], None] = lambda: None) -> None:
        self.requested = False
        self._say, self._what, self._clean_up = say, what, clean_up
        signal.signal(signal.SIGINT, self._handle)
        signal.signal(signal.SIGTERM, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._clean_up()
            raise SystemExit(130)
        self.requested = True
        self._say(f"{self._what}; once more to stop at once")
