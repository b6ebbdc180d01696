"""How often something may happen."""

from collections.abc import Callable


class Bucket:
    """A bucket of tokens: so many at once, and so many a second.

    Args:
        rate: Tokens a second.
        burst: The most that it holds.
        clock: Seconds that only grow.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._level, self._at = burst, clock()

    def take(self) -> bool:
        """Returns whether there was a token, and takes it."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True
