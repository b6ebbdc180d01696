"""Tables on disk: arrays in one file, after a JSON header that describes them.

The file is written atomically: after an interruption it is complete or absent. The arrays are read
as one memory map, which all processes share and the system can evict.
"""

import contextlib
import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from games.files import replacing
from games.settings import InputError

ALIGNMENT = 64


class TablesError(InputError):
    """Tables that are missing or unusable; the message is one line that says which, why, and what
    to do.
    """


def _checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """Returns the SHA-256 of the values of arrays."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        found.update(arrays[name].data)
    return found.hexdigest()


@cache
def _read(path: Path, size: int, changed: int) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Returns the facts and the arrays of a file, cached until the file changes.

    Tables are read at random, which is faster with pages of 2 MB if the system has them for files.
    Pages are made on first access, so the checksum is computed through the map.

    Raises:
        ValueError: The file is damaged.
    """
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            mapped.madvise(mmap.MADV_HUGEPAGE)
    header, arrays = json.loads(mapped[: mapped.find(b"\n")]), {}
    start = mapped.find(b"\n") + 1
    for name, (dtype, shape, offset) in header["arrays"].items():
        found = np.frombuffer(mapped, dtype, math.prod(shape), start + offset)
        arrays[name] = found.reshape(shape)
    if header["sha256"] != _checksum(arrays):
        raise ValueError("it does not match its checksum")
    return header["facts"], arrays


def save(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, str]) -> None:
    """Writes C-contiguous arrays and the facts about them, replacing what the file held.

    Raises:
        TablesError: The system refused; the file is unchanged.
    """
    places, end = {}, 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, array.shape, end)
        end += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps({"facts": dict(facts), "sha256": _checksum(arrays), "arrays": places})
    header += " " * (-(len(header) + 1) % ALIGNMENT) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            file.write(header.encode())
            for array in arrays.values():
                file.write(array.data)
                file.write(bytes(-array.nbytes % ALIGNMENT))
            file.flush()
            os.fsync(file.fileno())  # lets the system drop its small pages from memory
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        raise TablesError(f"cannot write {path}: {error}") from error


def load(path: Path, facts: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Returns the arrays of a file as read-only memory maps, after verifying their checksum.

    Args:
        path: The file.
        facts: The facts that its header must state.

    Raises:
        TablesError: The file is missing, truncated, damaged, or states other facts.
    """
    try:
        state = path.stat()
        found, arrays = _read(path, state.st_size, state.st_mtime_ns)
    except FileNotFoundError as error:
        raise TablesError(f"there are no tables at {path}") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise TablesError(f"{path} cannot be used ({error})") from error
    for key, expected in facts.items():
        if found.get(key) != expected:
            raise TablesError(
                f"{path} holds other tables: {key} is {found.get(key)}, expected {expected}"
            )
    return arrays
