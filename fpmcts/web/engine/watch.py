"""Notices an engine that hangs: a process that lives and says nothing while it should.

The process says what it begins, and that it is alive whenever the player at work asks whether it
may (between the rounds of a search). Silence is counted in looks of the server and not in seconds
of a clock, so a server that stood still itself, stopped or on a machine that slept, blames nobody.
What is new to a process may be compiled first, which takes minutes on a slow machine; all else is
quick.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long an engine may be silent.

    Attributes:
        usual: Seconds in which a player that has answered a few times says something.
        first: The same for the start of the process, and for the first questions to a player.
    """

    usual: float = 90.0
    first: float = 900.0


class Watch:
    """Looks after one process from its start to its end.

    Args:
        patience: How long it may be silent.
        busy: Whether somebody waits for it.
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
        """Notes that the process begins, that a question is looked at, or that it was answered.

        Args:
            new: Whether it is one of the first to its player.
            seconds: It may take, None: no bound.
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
            self._hung(f"nothing was heard of it for {self._silent:.3g} s")
            return
        elif self._since >= self._allowed:
            self._hung(f"it thought for {self._since:.3g} s about one move")
            return
        self._silent += self._pause
        self._since += self._pause
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)
