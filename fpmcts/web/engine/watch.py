"""Detects an engine that hangs: a process that is alive but silent when it should speak.

The process reports what it begins, and sends a sign of life whenever the player at work asks
whether it may continue (between the rounds of a search). Silence is counted in polls by the server,
not in seconds of a clock, so a server that was itself stopped or asleep does not blame the process.
The first questions may compile kernels, which takes minutes on a slow machine; all else is quick.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long an engine may be silent.

    Attributes:
        usual: Seconds for a player that has answered a few times already.
        first: The same for the start of the process, and for the first questions to a player.
    """

    usual: float = 90.0
    first: float = 900.0


class Watch:
    """Watches one process from its start to its end.

    Args:
        patience: Time it may be silent.
        busy: Returns whether somebody waits for it.
        hung: Called once, with the reason.
    """

    def __init__(
        self, patience: Patience, busy: Callable[[], bool], hung: Callable[[str], None]
    ) -> None:
        self._patience, self._busy, self._hung = patience, busy, hung
        self._pause = min(1.0, patience.usual / 8)
        self._silent = 0.0
        self.begin(new=True)
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)

    def begin(self, new: bool = False, seconds: float | None = None) -> None:
        """Notes that the process started, that a question was begun, or that one was answered.

        Args:
            new: Whether it is one of the first questions to its player.
            seconds: Time limit for the question; None: no limit.
        """
        self._limit = self._patience.first if new else self._patience.usual
        self._allowed = math.inf if seconds is None else seconds + self._limit
        self._since = 0.0

    def hear(self) -> None:
        """Notes a sign of life."""
        self._silent = 0.0

    def stop(self) -> None:
        """Ends the watch."""
        self._timer.cancel()

    def _look(self) -> None:
        if not self._busy():
            self._silent = self._since = 0.0
        elif self._silent >= self._limit:
            self._hung(f"it was silent for {self._silent:.3g} s")
            return
        elif self._since >= self._allowed:
            self._hung(f"it thought for {self._since:.3g} s about one move")
            return
        self._silent += self._pause
        self._since += self._pause
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)
