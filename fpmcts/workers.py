"""Units of games: what a worker is told, and how the results of all workers become one batch.

A unit of games depends on the weights, the settings, its deals and its random streams alone, so the batch is the same for any
number of workers and any size of the units, down to the order of its samples: that of the deals, and of the moves in each game.
Only sums of statistics may differ in their last digits.

The kernels and the network run without the GIL, so threads share nothing but the weights. A worker computes on one core alone:
two cores that split every small convolution spend much of their time waiting for each other, above all when something else runs
on the machine.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from fpmcts.samples import Samples, join
from fpmcts.selfplay import Games, SelfPlayStatistics
from games.batches import concatenate
from games.interface import Game
from games.kernels import streams
from runtime.pools import Pool

Finished = tuple[Samples, Games, SelfPlayStatistics]
Part = TypeVar("Part")


class Unit(NamedTuple):
    """Some games: deals in a row, and where their random numbers come from."""

    deals: np.ndarray  # uint64 [n]: seeds of the deals
    seed: int  # of the random streams, with the path
    path: tuple[int, ...]
    first: int  # game k of the unit draws from stream first + k of the path, and from no other
    iteration: int  # sets temperatures and stamps samples


Play = Callable[[np.ndarray, np.ndarray, int], Iterator[tuple[int, Part | None]]]
"""(deals, streams, iteration) -> (games finished, None) on the way and (games, result) at the end; see ``SelfPlay.play``."""


def worker(play: Play[Part]) -> Callable[[Unit], Iterator[tuple[int, Part | None]]]:
    """Returns what a pool asks of a worker that plays."""

    def work(unit: Unit) -> Iterator[tuple[int, Part | None]]:
        torch.set_num_threads(1)  # of this thread: oneDNN asks OpenMP, whose number of threads each thread has for itself
        last = unit.first + len(unit.deals)
        return play(unit.deals, streams(unit.seed, last, *unit.path)[unit.first :], unit.iteration)

    return work


def unit_size(count: int, workers: int, asked: int = 0) -> int:
    """Returns the games of a unit, ``asked`` or, if that is 0, so many that each worker has one unit."""
    return asked or max(1, -(-count // workers))


def play_units(
    pool: Pool[Unit, tuple[int, Part | None]], deals: np.ndarray, size: int, seed: int, path: tuple[int, ...], iteration: int
) -> Iterator[tuple[int, list[Part] | None]]:
    """Plays one game per deal; yields (games finished, None) as it goes and (games, results of the units in order) at the end.

    Args:
        pool: Its workers play.
        deals: uint64 ``[G]`` seeds of the deals.
        size: Games of a unit, >= 1; the last unit may have fewer.
        seed, path: Of the random streams.
        iteration: See ``Unit``.

    Raises:
        Exception: What a worker raised; the others are stopped.
    """
    units = [Unit(deals[k : k + size], seed, path, k, iteration) for k in range(0, len(deals), size)]
    finished: dict[int, Part] = {}
    progress = [0] * len(units)
    for k, (done, result) in pool.run(units):
        progress[k] = done
        if result is not None:
            finished[k] = result
        yield sum(progress), None
    yield len(deals), [finished[k] for k in range(len(units))]


def join_finished(parts: list[Finished], game: Game, seconds: float) -> Finished:
    """Returns the samples, the games and the added statistics of units in order, which took ``seconds`` together."""
    statistics = SelfPlayStatistics()
    for _, _, numbers in parts:
        for f in fields(SelfPlayStatistics):
            setattr(statistics, f.name, getattr(statistics, f.name) + getattr(numbers, f.name))
    statistics.seconds = seconds
    return join([part[0] for part in parts], game), concatenate([part[1] for part in parts]), statistics
