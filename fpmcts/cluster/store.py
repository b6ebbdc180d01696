"""A file of the results of finished units (``fpmcts.cluster.pools``).

The same command resumes after any interruption: the remaining units run, with the same results.
"""

import base64
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from games.base.settings import InputError
from games.base.system import Lock
from games.kernels import PARSING


class ResultFileError(InputError):
    """Results cannot be stored or resumed; one line that names the file and says what to do."""


class ResultFile(AbstractContextManager["ResultFile"]):
    """Results of finished units in an append-only file: a line with the identity, then a line per
    unit.

    Every line has a checksum and is written at once. A truncated or damaged line is ignored: its
    unit is done again. Use as a context manager: only one process at a time has the file open, and
    a file without results is removed at the end.

    Args:
        path: The file; its folder is created.
        identity: Everything that results depend on, by name, as JSON.
        resume: Whether to use existing results; otherwise they are removed.

    Raises:
        ResultFileError: The file holds results of another identity, is in use, or cannot be
            written.
    """

    def __init__(self, path: Path, identity: Mapping[str, object], resume: bool = True) -> None:
        self.path, self._head = path, _line(identity)
        with self._refusals():
            try:
                self._lock = Lock(path)
            except BlockingIOError as error:
                raise ResultFileError(
                    f"{path}: the same command is running in another process; wait until it ends"
                ) from error
        try:
            with self._refusals():
                self._begin(resume)
            self._check_identity(identity)
        except BaseException:
            self.close()
            raise

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the file, and removes it if it holds no results."""
        if not self._lock.file.closed:
            self._lock.close(remove=self._is_bare())

    def _is_bare(self) -> bool:
        """Returns whether the file holds nothing but our identity, or the beginning of it."""
        start = os.pread(self._lock.file.fileno(), len(self._head) + 1, 0)
        return self._head.startswith(start)

    def _begin(self, resume: bool) -> None:
        """Writes the identity to a new file; terminates a truncated last line."""
        if not resume or self._is_bare():
            self._lock.file.truncate(0)
            self._append(self._head)
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            is_whole = file.read() == b"\n"
        if not is_whole:
            self._append(b"\n")

    def _check_identity(self, identity: Mapping[str, object]) -> None:
        """Raises ResultFileError if the file holds results of another identity."""
        path = self.path
        with self._refusals(), path.open("rb") as file:
            kept = _entry(file.readline())
        wanted = json.loads(json.dumps(identity))
        if kept != wanted:
            known = kept if isinstance(kept, dict) else {}
            names = [
                name for name in wanted.keys() | known.keys() if wanted.get(name) != known.get(name)
            ]
            raise ResultFileError(
                f"{path}: holds results with different settings ({', '.join(sorted(names))}); give "
                "another folder, or remove it"
            )

    def finished(self) -> Iterator[tuple[Any, Any]]:
        """Yields every finished unit, lists as tuples, with its result."""
        with self._refusals(), self.path.open("rb") as file:
            file.readline()
            for line in file:
                if (entry := _entry(line)) is not None:
                    unit, result = entry
                    yield tuple(unit), result

    def add(self, unit: Sequence[object], result: object) -> None:
        """Appends the result of a unit."""
        with self._refusals():
            self._append(_line([unit, result]))

    def _append(self, line: bytes) -> None:
        """Writes a whole line or, if the disk is full, nothing."""
        file = self._lock.file
        end = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            file.truncate(end)
            raise

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ResultFileError(
                f"{self.path.parent}: results cannot be saved ({error.strerror}); give another "
                "folder"
            ) from error


def _line(entry: object) -> bytes:
    text = json.dumps(entry).encode()
    return b"%08x %s\n" % (crc32(text), text)


def _entry(line: bytes) -> Any:
    """Returns the entry of a line, None if it is damaged."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    return json.loads(text) if checksum == b"%08x" % crc32(text) else None


def as_text(arrays: Mapping[str, np.ndarray]) -> str:
    """Returns named arrays as text, for a store."""
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)  # type: ignore[arg-type]  # a bool is for allow_pickle
    return base64.b64encode(data.getvalue()).decode()


def as_arrays(text: str) -> dict[str, np.ndarray]:
    """Returns the arrays of ``as_text``."""
    with PARSING, np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as arrays:
        return dict(arrays)
