"""Sources of time, randomness and names, which tests replace, and a rate limiter."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable


class Clock:
    """The time of this machine."""

    def now(self) -> float:
        """Returns seconds that only grow."""
        return time.monotonic()

    def wall(self) -> float:
        """Returns seconds since 1970."""
        return time.time()

    async def sleep_until(self, when: float) -> None:
        """Waits until ``now`` is at least ``when``."""
        await asyncio.sleep(max(0.0, when - self.now()))


class Chance:
    """Unpredictable numbers and names."""

    def new_id(self) -> str:
        """Returns a new name for a table."""
        return secrets.token_urlsafe(12)

    def new_seed(self) -> int:
        """Returns a number below 2^53."""
        return secrets.randbelow(2**53)


def derived_seed(*parts: object) -> int:
    """Returns a number below 2^53 that depends on all parts, the same on every machine."""
    digest = hashlib.sha256("\0".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 11


class Bucket:
    """A token bucket, which limits a rate.

    Args:
        rate: Tokens a second.
        burst: Capacity in tokens.
        now: Returns seconds that only grow.
    """

    def __init__(self, rate: float, burst: float, now: Callable[[], float]) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._level, self._at = burst, now()

    def take(self) -> bool:
        """Takes a token; returns whether there was one."""
        now = self._now()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True
