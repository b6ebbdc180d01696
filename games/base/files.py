"""The location of the project's files, and atomic writing: to a new file beside the old one, to
disk, then renamed.

After any interruption, either the old file or the new one exists, complete. A process that is
killed while writing leaves a hidden file, which ``sweep`` removes.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the packages: the top of a clone, or site-packages."""


def shipped(folder: str) -> Path:
    """Returns the path of ``conf``, ``models`` or ``benchmarks``: in ``fpmcts`` for an installed
    wheel, else at the top of the clone.
    """
    installed = ROOT / "fpmcts" / folder
    return installed if installed.is_dir() else ROOT / folder


LEFT_BEHIND = (".*.partial", ".tmp??????")
"""Patterns of hidden files: those of ``replacing``, and those of safetensors beside them."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the name of a new file, which replaces ``path`` at the end of the block; after an
    error ``path`` is unchanged, and nothing else is left.

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
        error.filename = str(path)  # the system names no file if the disk is full
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write(path: Path, content: str | bytes) -> None:
    """Writes a file. Raises OSError, see ``replacing``."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def sweep(folder: Path) -> None:
    """Removes the remains of killed processes that were writing files of a folder. The caller must
    hold a lock on the folder, so that nobody is writing.
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
