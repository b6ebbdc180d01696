"""Where the files of the project are, and how files are written: beside the old one, to the disk,
and then under its name in one step.

Whatever interrupts the writing, the old file or the new one is there, and whole. A process that is
killed meanwhile leaves a hidden file, which ``sweep`` removes.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of the packages: the top of a clone, or site-packages."""


def shipped(folder: str) -> Path:
    """Returns where ``conf``, ``models`` or ``benchmarks`` is: in ``fpmcts`` where the wheel is
    installed, else at the top of the clone.
    """
    installed = ROOT / "fpmcts" / folder
    return installed if installed.is_dir() else ROOT / folder


LEFT_BEHIND = (".*.partial", ".tmp??????")
"""Names of hidden files: those of ``replacing``, and those that safetensors puts beside them."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the name of a new file, which replaces ``path`` at the end of the block; after an
    error ``path`` is as it was, and nothing else is left.

    Raises:
        OSError: The system refused; it names ``path``.
    """
    # In the same folder: a rename is atomic within one file system only. Two processes may write
    # the same file.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        yield temporary
        to_disk(temporary)
        os.replace(temporary, path)
        with suppress(OSError):  # some file systems cannot; the new file is there
            to_disk(path.parent)
    except OSError as error:
        error.filename = str(path)  # the system names no file where the disk is full
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write(path: Path, content: str | bytes) -> None:
    """Writes a file. Raises OSError, see ``replacing``."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def sweep(folder: Path) -> None:
    """Removes what processes left that were killed while they wrote files of a folder. The caller
    holds a lock on the folder, so that nobody is writing.
    """
    for pattern in LEFT_BEHIND:
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


def to_disk(path: Path) -> None:
    """Waits until a file, or the entries of a folder, have reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
