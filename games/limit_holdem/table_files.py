"""Tables on the disk: one ``.npy`` file for each array, and a manifest that says what they are and
how they look.

The manifest is written last and the files appear under their names in one step each, so whatever
interrupts the writing, there is either a complete set or none. Arrays are read as memory maps,
which all processes share and the system drops where memory is short.
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
from typing import IO, Any

import numpy as np

MANIFEST = "manifest.json"


class TablesError(ValueError):
    """Tables that are not there or cannot be used; the message is one line that says which, why,
    and what to do.
    """


def cache_folder() -> Path:
    """Returns the folder of the user for things that can be made anew."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fpmcts"


@cache
def _mapped(path: Path, size: int, changed: int) -> tuple[mmap.mmap, str]:
    """Returns a map of a file and its SHA-256, read once for each state of it.

    Tables are read at random, which is faster with pages of 2 MB, where the system has them for
    files. They are made when a page is first read, so the map comes first and the checksum is taken
    through it.
    """
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            mapped.madvise(mmap.MADV_HUGEPAGE)
    return mapped, hashlib.sha256(mapped).hexdigest()


def _forget_pages(file: IO[bytes]) -> None:
    """Writes a file to the disk and lets the system drop its small pages from memory."""
    file.flush()
    os.fsync(file.fileno())
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def save(folder: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, object]) -> None:
    """Writes arrays and the facts about them, replacing what the folder held.

    Raises:
        TablesError: The system refused. Nothing complete is left then, unless a set was there
            before and none of it was replaced.
    """
    manifest: dict[str, Any] = {"facts": dict(facts), "files": {}}
    temporary = {name: folder / f".{name}.npy.{os.getpid()}" for name in arrays}
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, array in arrays.items():
                with temporary[name].open("wb") as file:
                    np.save(file, array, allow_pickle=False)
                    _forget_pages(file)
                state = temporary[name].stat()
                digest = _mapped(temporary[name], state.st_size, state.st_mtime_ns)[1]
                entry = {
                    "shape": list(array.shape),
                    "dtype": array.dtype.str,
                    "bytes": state.st_size,
                    "sha256": digest,
                }
                manifest["files"][name] = entry
            (folder / MANIFEST).unlink(missing_ok=True)
            for name in arrays:
                os.replace(temporary[name], folder / f"{name}.npy")
            last = folder / f".{MANIFEST}.{os.getpid()}"
            temporary[MANIFEST] = last
            last.write_text(json.dumps(manifest, indent=1) + "\n")
            os.replace(last, folder / MANIFEST)
        finally:
            for path in temporary.values():
                path.unlink(missing_ok=True)
    except OSError as error:
        raise TablesError(f"cannot write tables in {folder}: {error}") from error


def load(folder: Path, facts: Mapping[str, object], remedy: str) -> dict[str, np.ndarray]:
    """Returns the arrays in a folder as read-only memory maps, checked against the manifest,
    checksums included.

    Args:
        folder: Where they are.
        facts: What the manifest must say of them.
        remedy: What to do where they cannot be used; ends the message.

    Raises:
        TablesError: Missing, of other facts, truncated or damaged.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        found, files = manifest["facts"], manifest["files"]
    except FileNotFoundError as error:
        raise TablesError(f"there are no tables in {folder}; {remedy}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TablesError(
            f"tables in {folder}: {MANIFEST} cannot be read ({error}); {remedy}"
        ) from error
    if found != facts:
        wrong = next(key for key in [*facts, *found] if found.get(key) != facts.get(key))
        got, expected = found.get(wrong), facts.get(wrong)
        raise TablesError(
            f"tables in {folder} are others: {wrong} is {got}, expected {expected}; {remedy}"
        )
    arrays = {}
    for name, entry in files.items():
        path = folder / f"{name}.npy"
        try:
            state = path.stat()
            if state.st_size != entry["bytes"]:
                raise TablesError(
                    f"{path} has {state.st_size:,} bytes instead of {entry['bytes']:,}; {remedy}"
                )
            mapped, digest = _mapped(path, state.st_size, state.st_mtime_ns)
            if digest != entry["sha256"]:
                raise TablesError(f"{path} is damaged: it does not match its checksum; {remedy}")
            shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
            offset = state.st_size - dtype.itemsize * math.prod(shape)  # behind the header
            arrays[name] = np.frombuffer(mapped, dtype, offset=offset).reshape(shape)
        except OSError as error:
            raise TablesError(f"{path} cannot be read ({error.strerror}); {remedy}") from error
    return arrays
