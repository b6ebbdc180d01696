"""What operating systems do differently, or not at all: cores, and locks between processes."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO


def num_cores() -> int:
    """Returns how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Lock:
    """A file that one process has open at a time. The system releases it when the process ends,
    however it ends.

    Args:
        path: The file; it and its folders are made where they are missing.
        wait: Whether to wait for another process that holds it.

    Attributes:
        file: Open to read and to append.

    Raises:
        BlockingIOError: Another process holds it.
        OSError: It cannot be made.
    """

    def __init__(self, path: Path, wait: bool = False) -> None:
        self._path, how = path, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)
        self._made = [folder for folder in path.parents if not folder.exists()]
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self.file: IO[bytes] = path.open("ab+", buffering=0)
            except OSError:
                self._remove_folders()
                raise
            try:
                fcntl.flock(self.file, how)
                with suppress(FileNotFoundError):  # the holder removed it meanwhile
                    if os.path.samestat(os.fstat(self.file.fileno()), path.stat()):
                        return
            except OSError:
                self.file.close()
                raise
            self.file.close()

    def close(self, remove: bool = True) -> None:
        """Releases it.

        Args:
            remove: Whether to remove the file, and the folders that were made for it if nothing
                else is in them.
        """
        if remove and not self.file.closed:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)  # while it is still held
            self._remove_folders()
        self.file.close()

    def _remove_folders(self) -> None:
        with suppress(OSError):  # something else is in the folder
            for folder in self._made:
                folder.rmdir()
