"""The card abstraction of Heinrich & Silver 2015 for limit Hold'em: buckets of E[HS^2] for all
boards and holdings up to suits.

``python -m games.limit_holdem.abstraction [PLAYERS ...]`` computes the tables once, within seconds,
and keeps them in the user's cache folder. Buckets are those of ``squared_strength`` on the grids of
the paper's table 1; before the flop each of the 169 starting hands has its own. Players do not
remember the buckets of earlier rounds ("imperfect recall").
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.limit_holdem import squared_strength, table_files
from games.limit_holdem.boards import (
    NUM_BOARDS,
    NUM_HOLDINGS,
    board_tables,
    canonical_boards,
    moved_holdings,
    start_hands,
)
from games.limit_holdem.table_files import TablesError
from games.poker import hands

GRIDS = {2: (169, 1000, 500, 200), 3: (169, 1000, 100, 20)}
"""Buckets in each round by the number of players (table 1)."""
ROUNDS = ("preflop", "flop", "turn", "river")
VERSION = 1
"""Of the tables; a change of boards, holdings or buckets needs another."""
_CHUNK = 256

Progress = Callable[[str, int, int], None]
"""Told how far it is: of what, how many are done, of how many."""


class Abstraction(NamedTuple):
    """Buckets by canonical board (``boards.canonical``) and holding (``boards.holding``); uint8 or,
    for larger grids, uint16.

    Attributes:
        preflop: ``[1326]``.
        flop: ``[1755, 1326]``. Where a holding shares a card with the board, the bucket has no
            meaning.
        turn: ``[16432, 1326]``.
        river: ``[134459, 1326]``.
    """

    preflop: np.ndarray
    flop: np.ndarray
    turn: np.ndarray
    river: np.ndarray


def _in_chunks(
    stage: str, count: int, threads: int, progress: Progress, work: Callable[[slice], Any]
) -> None:
    """Does the work for the rows 0 to ``count``, some at a time; the kernels hold no lock, so
    threads go side by side.
    """
    done = 0
    pool = ThreadPoolExecutor(threads)
    try:
        chunks = {
            pool.submit(work, slice(k, k + _CHUNK)): min(_CHUNK, count - k)
            for k in range(0, count, _CHUNK)
        }
        for chunk in as_completed(chunks):
            chunk.result()
            done += chunks[chunk]
            progress(stage, done, count)
    finally:
        pool.shutdown(cancel_futures=True)


def compute(
    grid: Sequence[int], threads: int = 2, progress: Progress = lambda stage, done, total: None
) -> Abstraction:
    """Returns the buckets for a grid of four sizes; takes seconds and about 0.8 GB.

    Args:
        grid: Buckets in each round; the first is 169.
        threads: At least 1.
        progress: Told how far it is.
    """
    tables = hands.tables()
    points = np.empty((NUM_BOARDS[3], NUM_HOLDINGS), dtype=np.int16)
    river = np.empty(points.shape, dtype=np.uint8 if grid[3] <= 256 else np.uint16)
    masks = canonical_boards(3)[0]

    def river_rows(rows: slice) -> None:
        squared_strength.rivers(tables, masks[rows], points[rows])
        river[rows] = squared_strength.buckets(points[rows].astype(np.int64) ** 2, 3, grid[3])

    _in_chunks("rivers", len(masks), threads, progress, river_rows)
    following, found = points, [river]
    for number in (2, 1):
        sums = _expected(number, following, threads, progress)
        found.append(squared_strength.buckets(sums, number, grid[number]))
        following = sums
    return Abstraction(start_hands(), found[2], found[1], river)


def _expected(number: int, following: np.ndarray, threads: int, progress: Progress) -> np.ndarray:
    """Returns the sums of squared points on the canonical boards of a round, from the values of the
    next round.
    """
    tables, boards, moved = hands.tables(), board_tables(), moved_holdings()
    masks = canonical_boards(number)[0]
    sums = np.empty((len(masks), NUM_HOLDINGS), dtype=np.int64)

    def rows_of_sums(rows: slice) -> None:
        squared_strength.expected_squares(
            tables, boards, moved, masks[rows], following, number == 2, sums[rows]
        )

    _in_chunks(f"{ROUNDS[number]}s", len(masks), threads, progress, rows_of_sums)
    return sums


def folder(players: int) -> Path:
    """Returns where the tables for a number of players are kept."""
    return table_files.cache_folder() / "poker" / f"limit_holdem-{players}"


def _facts(players: int) -> dict[str, Any]:
    """Returns what the manifest says of the tables."""
    return {
        "game": "limit_holdem",
        "players": players,
        "grid": list(GRIDS[players]),
        "version": VERSION,
    }


def load(players: int) -> Abstraction:
    """Returns the tables as memory maps.

    Raises:
        TablesError: They are not there, or not those of this program, or damaged; names the command
            that makes them.
    """
    remedy = f"'python -m games.limit_holdem.abstraction {players}' makes them, within a minute"
    return Abstraction(**table_files.load(folder(players), _facts(players), remedy))


class _Line:
    """One line on the standard error that says how far it is; where that is no terminal, a line for
    each stage.
    """

    def __init__(self) -> None:
        self._stage, self._started, self._shown = "", 0.0, 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._started, self._shown = stage, now, 0.0
        if done < total and (now - self._shown < 0.1 or not sys.stderr.isatty()):
            return
        self._shown = now
        rate = done / max(now - self._started, 1e-3)
        bar = "#" * (24 * done // total)
        text = f"{stage:<8} [{bar:<24}] {done:,}/{total:,}  {rate:,.0f}/s  {(total - done) / max(rate, 1e-3):.0f} s left"
        sys.stderr.write(f"\r{text:<79}" if sys.stderr.isatty() else f"{text}\n")
        if done == total and sys.stderr.isatty():
            sys.stderr.write("\n")
        sys.stderr.flush()


def _make(players: int, again: bool, threads: int) -> Iterator[str]:
    """Makes the tables unless they are there; yields what it does."""
    if not again:
        try:
            load(players)
        except TablesError as error:
            yield str(error).partition(";")[0]
        else:
            yield f"{folder(players)}: there already, and whole; --again makes them anew"
            return
    started = time.monotonic()
    table_files.save(
        folder(players), compute(GRIDS[players], threads, _Line())._asdict(), _facts(players)
    )
    size = sum(path.stat().st_size for path in folder(players).glob("*.npy"))
    yield f"{folder(players)}: {size / 1e6:.0f} MB in {time.monotonic() - started:.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the tables that the command line names."""
    name = "python -m games.limit_holdem.abstraction"
    parser = argparse.ArgumentParser(prog=name, description="Card buckets for limit Hold'em.")
    parser.add_argument(
        "players", nargs="*", type=int, metavar="PLAYERS", help="2 or 3 (default: both)"
    )
    parser.add_argument("--again", action="store_true", help="make tables anew that are there")
    parser.add_argument("--threads", type=int, default=2, help="side by side (default: 2)")
    options = parser.parse_args(arguments)
    for players in options.players or GRIDS:
        if players not in GRIDS:
            parser.error(
                f"no tables for {players} players; expected {' or '.join(map(str, GRIDS))}"
            )
    if options.threads < 1:
        parser.error(f"--threads {options.threads}: expected at least 1")
    try:
        for players in options.players or GRIDS:
            for line in _make(players, options.again, options.threads):
                sys.stderr.write(f"{line}\n")
    except TablesError as error:
        sys.exit(f"games.limit_holdem.abstraction: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped; nothing was stored of the tables that were being made")


if __name__ == "__main__":
    main()
