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
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

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
VERSION = 1
"""Of the tables; a change of boards, holdings or buckets needs another."""
_CHUNK = 256


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


def _in_chunks(count: int, threads: int, work: Callable[[slice], None]) -> None:
    """Does the work for the rows 0 to ``count``, some at a time; the kernels hold no lock, so
    threads go side by side.
    """
    pool = ThreadPoolExecutor(threads)
    try:
        list(pool.map(work, [slice(k, k + _CHUNK) for k in range(0, count, _CHUNK)]))
    finally:
        pool.shutdown(cancel_futures=True)


def compute(grid: Sequence[int], threads: int = 2) -> Abstraction:
    """Returns the buckets for a grid of four sizes; takes seconds and about 0.8 GB.

    Args:
        grid: Buckets in each round; the first is 169.
        threads: At least 1.
    """
    tables, boards, moved = hands.tables(), board_tables(), moved_holdings()
    points = np.empty((NUM_BOARDS[3], NUM_HOLDINGS), dtype=np.int16)
    river = np.empty(points.shape, dtype=np.uint8 if grid[3] <= 256 else np.uint16)
    masks = canonical_boards(3)[0]

    def rivers(rows: slice) -> None:
        squared_strength.rivers(tables, masks[rows], points[rows])
        river[rows] = squared_strength.buckets(points[rows].astype(np.int64) ** 2, 3, grid[3])

    def sums_of(number: int, following: np.ndarray) -> np.ndarray:
        masks = canonical_boards(number)[0]
        sums = np.empty((len(masks), NUM_HOLDINGS), dtype=np.int64)

        def work(rows: slice) -> None:
            squared_strength.expected_squares(
                tables, boards, moved, masks[rows], following, number == 2, sums[rows]
            )

        _in_chunks(len(masks), threads, work)
        return sums

    _in_chunks(len(masks), threads, rivers)
    turns = sums_of(2, points)
    flop, turn = (
        squared_strength.buckets(sums, number, grid[number])
        for number, sums in ((1, sums_of(1, turns)), (2, turns))
    )
    return Abstraction(start_hands(), flop, turn, river)


def folder(players: int) -> Path:
    """Returns where the tables for a number of players are kept."""
    return table_files.cache_folder() / "poker" / f"limit_holdem-{players}"


def _facts(players: int) -> dict[str, object]:
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


def _make(players: int, again: bool, threads: int) -> None:
    """Makes the tables unless they are there; says what it does on the standard error."""
    if not again:
        try:
            load(players)
        except TablesError as error:
            sys.stderr.write(f"{str(error).partition(';')[0]}; being made, within a minute\n")
        else:
            said = "there already, and whole; --again makes them anew"
            sys.stderr.write(f"{folder(players)}: {said}\n")
            return
    started = time.monotonic()
    tables = compute(GRIDS[players], threads)
    table_files.save(folder(players), tables._asdict(), _facts(players))
    size = sum(path.stat().st_size for path in folder(players).glob("*.npy"))
    seconds = time.monotonic() - started
    sys.stderr.write(f"{folder(players)}: {size / 1e6:.0f} MB in {seconds:.1f} s\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the tables that the command line names."""
    name = "python -m games.limit_holdem.abstraction"
    parser = argparse.ArgumentParser(prog=name, description="Card buckets for limit Hold'em.")
    parser.add_argument(
        "players",
        nargs="*",
        type=int,
        metavar="PLAYERS",
        default=list(GRIDS),
        choices=list(GRIDS),
        help="2 or 3 (default: both)",
    )
    parser.add_argument("--again", action="store_true", help="make tables anew that are there")
    parser.add_argument("--threads", type=int, default=2, help="side by side (default: 2)")
    options = parser.parse_args(arguments)
    if options.threads < 1:
        parser.error(f"--threads {options.threads}: expected at least 1")
    try:
        for players in options.players:
            _make(players, options.again, options.threads)
    except TablesError as error:
        sys.exit(f"games.limit_holdem.abstraction: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped; nothing was stored of the tables that were being made")


if __name__ == "__main__":
    main()
