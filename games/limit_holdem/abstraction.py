"""The card abstraction of Heinrich & Silver 2015 for limit Hold'em: buckets of E[HS^2] for all
boards and holdings up to suits.

The tables are made when a game first needs them, within a minute, and stored in the user's cache
folder. Buckets are those of ``squared_strength`` on the grids
of the paper's table 1; before the flop each of the 169 starting hands has its own. Players do not
remember the buckets of earlier rounds ("imperfect recall").
"""

import hashlib
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.base.files import replacing
from games.base.help import say_on_stderr
from games.base.settings import InputError
from games.kernels import PARSING
from games.kernels.cache import cache_folder
from games.limit_holdem import squared_strength
from games.limit_holdem.boards import (
    NUM_BOARDS,
    NUM_HOLDINGS,
    board_tables,
    canonical_boards,
    moved_holdings,
    start_hands,
)
from games.poker import hands

GRIDS = {2: (169, 1000, 500, 200), 3: (169, 1000, 100, 20)}
"""Buckets in each round by the number of players (table 1)."""
VERSION = 3
"""Version of the tables; increase it when grids, boards, holdings or buckets change."""
_CHUNK = 256
THREADS = 2
"""Of ``compute``: the kernels release the GIL."""


class TablesError(InputError):
    """Tables that are missing or unusable; the message is one line that says which, why, and what
    to do.
    """


class Abstraction(NamedTuple):
    """Buckets by canonical board (``boards.canonical``) and holding (``boards.holding``); uint8 or,
    for larger grids, uint16.

    Attributes:
        preflop: ``[1326]``.
        flop: ``[1755, 1326]``. Buckets of holdings that share a card with the board are
            meaningless.
        turn: ``[16432, 1326]``.
        river: ``[134459, 1326]``.
    """

    preflop: np.ndarray
    flop: np.ndarray
    turn: np.ndarray
    river: np.ndarray


def _show(what: str, done: int, total: int) -> None:
    """Shows progress as one line on standard error; if that is not a terminal, only at the end."""
    if sys.stderr.isatty() or done == total:
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r{what}: {done:,} of {total:,} boards{end}")
        sys.stderr.flush()


def compute(grid: Sequence[int]) -> Abstraction:
    """Returns the buckets for a grid of four sizes; takes seconds and about 0.8 GB.

    Args:
        grid: Buckets in each round; the first is 169.
    """
    tables, boards, moved = hands.tables(), board_tables(), moved_holdings()
    points = np.empty((NUM_BOARDS[3], NUM_HOLDINGS), dtype=np.int16)
    river = np.empty(points.shape, dtype=np.uint8 if grid[3] <= 256 else np.uint16)

    def of_all_boards(number: int, work: Callable[[np.ndarray, slice], None]) -> None:
        masks, what = canonical_boards(number), ("flops", "turns", "rivers")[number - 1]
        rows = [slice(k, k + _CHUNK) for k in range(0, len(masks), _CHUNK)]
        pool = ThreadPoolExecutor(THREADS)
        try:
            for k, _ in enumerate(pool.map(lambda some: work(masks[some], some), rows), 1):
                _show(what, min(k * _CHUNK, len(masks)), len(masks))
        finally:
            pool.shutdown(cancel_futures=True)

    def rivers(masks: np.ndarray, rows: slice) -> None:
        squared_strength.rivers(tables, masks, points[rows])
        river[rows] = squared_strength.buckets(points[rows].astype(np.int64) ** 2, 3, grid[3])

    def sums_of(number: int, following: np.ndarray) -> np.ndarray:
        sums = np.empty((NUM_BOARDS[number], NUM_HOLDINGS), dtype=np.int64)

        def work(masks: np.ndarray, rows: slice) -> None:
            squared_strength.expected_squares(
                tables, boards, moved, masks, following, number == 2, sums[rows]
            )

        of_all_boards(number, work)
        return sums

    of_all_boards(3, rivers)
    turns = sums_of(2, points)
    flop, turn = (
        squared_strength.buckets(sums, number, grid[number])
        for number, sums in ((1, sums_of(1, turns)), (2, turns))
    )
    return Abstraction(start_hands(), flop, turn, river)


def file(players: int) -> Path:
    """Returns the file of the tables for a number of players."""
    return cache_folder() / "poker" / f"limit_holdem-{players}-{VERSION}.npy"


def load(players: int) -> Abstraction:
    """Returns the tables as memory maps, made first unless they are there. Raises TablesError if
    they cannot be written.
    """
    path = file(players)
    try:
        return read(path)
    except TablesError as error:
        say_on_stderr(f"{error}; making them, within a minute")
    save(path, compute(GRIDS[players]))
    return read(path)


def _checksum(record: np.ndarray) -> bytes:
    """Returns the SHA-256 of a record of tables, but for its last field, where it stands."""
    return hashlib.sha256(record.view(np.uint8)[:-64].data).hexdigest().encode()


def save(path: Path, tables: Abstraction) -> None:
    """Writes tables atomically, as one record. Raises TablesError if the system refuses; the file
    is then unchanged.
    """
    kinds = [(name, array.dtype, array.shape) for name, array in tables._asdict().items()]
    record = np.empty(1, [*kinds, ("sha256", "S64")])
    for name, array in tables._asdict().items():
        record[name] = array
    record["sha256"] = _checksum(record)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, record)
            file.flush()
            os.fsync(file.fileno())  # lets the system drop its small pages from memory
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        raise TablesError(f"cannot write {path}: {error}") from error


def read(path: Path) -> Abstraction:
    """Returns the tables of a file as one read-only memory map, which all processes share and the
    system can evict. Raises TablesError if it is missing or damaged.
    """
    try:
        state = path.stat()
        return _read(path, state.st_size, state.st_mtime_ns)
    except FileNotFoundError as error:
        raise TablesError(f"there are no tables at {path}") from error
    except (OSError, ValueError, EOFError, LookupError, AttributeError) as error:
        raise TablesError(f"{path} cannot be used ({error})") from error


@cache
def _read(path: Path, size: int, changed: int) -> Abstraction:
    """Returns the tables of a file, cached until the file changes. Raises ValueError if it is
    damaged.

    Tables are read at random, which is faster with pages of 2 MB if the system has them for files.
    Pages are made on first access, so the checksum is computed through the map.
    """
    with PARSING:
        record: Any = np.load(path, mmap_mode="r")
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without them
            record._mmap.madvise(mmap.MADV_HUGEPAGE)
    if record["sha256"][0] != _checksum(record):
        raise ValueError("it does not match its checksum")
    return Abstraction(*(np.asarray(record[name][0]) for name in Abstraction._fields))
