"""Time, chance and names, as the server takes them: tests give their own."""

import asyncio
import hashlib
import secrets
import time


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
    """Numbers and names that nobody can guess."""

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
