"""Checks that the memory for settings is available.

numpy allocates more memory than exists, since pages are provided on first write; the system would
then kill the run hours later.
"""

from collections.abc import Mapping
from pathlib import Path

from games.base.settings import ConfigError


def check_fits(sizes: Mapping[str, int]) -> None:
    """Raises ConfigError, which names the largest key, if keys together need more bytes than are
    free.
    """
    free, total = available_bytes(), sum(sizes.values())
    if free is not None and total > free:
        largest = max(sizes, key=lambda key: sizes[key])
        needed = f"{total / 1e9:,.3g} GB of memory are needed, {free / 1e9:,.3g} GB are free"
        raise ConfigError(f"{largest} does not fit: {needed}; give it a smaller number")


GROUP = Path("/sys/fs/cgroup")
"""Linux's files about the container of this process."""
FILE_PAGES = ("active_file ", "inactive_file ")


def available_bytes() -> int | None:
    """Returns the free memory for this process, or None if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(
            1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")
        )
    except (OSError, StopIteration):
        return None
    try:  # the limit of a container
        limit, used = (int((GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        lines = (GROUP / "memory.stat").read_text().splitlines()
        # Cached file pages count as used but can be evicted.
        files = [int(line.split()[1]) for line in lines if line.startswith(FILE_PAGES)]
        return min(free, limit - used + sum(files))
    except (OSError, ValueError):
        return free
