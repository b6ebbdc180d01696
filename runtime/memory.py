"""Memory: what is there, and whether settings fit into it, before work begins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runtime.settings import ConfigError

_LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
"""Files that say how much a container may use, and uses."""


class Need(NamedTuple):
    """What a key asks for.

    Attributes:
        key: Its name.
        value: What it was given.
        size: Bytes.
    """

    key: str
    value: Any
    size: int


def available_bytes() -> int | None:
    """Returns how much memory is free for this process, None where the system does not say."""
    found = []
    for line in _text("/proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            found.append(1024 * int(rest.split()[0]))
    for limit, used in _LIMITS:
        if _text(limit).isdigit() and _text(used).isdigit():
            found.append(int(_text(limit)) - int(_text(used)))
    return max(0, min(found)) if found else None


def check_fits(needs: Sequence[Need], available: int | None = None) -> None:
    """Checks that what the keys ask for fits into memory, each alone and all together.

    Args:
        needs: Of the keys.
        available: Bytes; None: what the system says is free.

    Raises:
        ConfigError: Naming the key that needs most, what it would need and what there is.
    """
    free = available_bytes() if available is None else available
    total = sum(need.size for need in needs)
    if free is None or total <= free:
        return
    most = max(needs, key=lambda need: need.size)
    together = "" if most.size > free else f", {_gigabytes(total)} with the other keys,"
    value = f"{most.value:,}" if isinstance(most.value, int) else most.value
    raise ConfigError(f"{most.key}={value}: needs {_gigabytes(most.size)}{together} of memory; {_gigabytes(free)} are free")


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.3g} GB" if size < 1e12 else f"{size / 1e9:,.0f} GB"


def _text(path: str) -> str:
    """Returns what a file of the system says, "" where there is none."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
