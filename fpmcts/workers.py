"""Work on several cores: one thread per worker, each with its own share of the games, search and evaluator, or its own network.

The kernels and the network run without the GIL, so threads share nothing but the weights. A worker computes on one core alone:
two cores that split every small convolution spend much of their time waiting for each other, above all when something
else runs on the machine.
"""

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Protocol, TypeVar

import numpy as np

from fpmcts.samples import Samples, join
from fpmcts.selfplay import Games, SelfPlayStatistics
from games.interface import Game, put, take
from games.kernels import streams

Finished = tuple[Samples, Games, SelfPlayStatistics]
Item = TypeVar("Item")
Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)


def side_by_side(works: Sequence[Iterable[Item]]) -> Iterator[tuple[int, Item]]:
    """Goes through several iterables at once, each in a thread of its own; yields (which, item) as they come.

    Torch must have been told to use one thread per operation. If the caller stops early, so do the threads after their next
    item.

    Raises:
        Exception: What one of them raised; the others are stopped.
    """
    messages: queue.Queue[tuple[int, Item | BaseException | None, bool]] = queue.Queue()
    stop = threading.Event()

    def work(k: int) -> None:
        try:
            for item in works[k]:
                messages.put((k, item, False))
                if stop.is_set():
                    return
            messages.put((k, None, True))
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            messages.put((k, error, True))

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(len(works))]
    running = len(threads)
    try:
        for thread in threads:
            thread.start()
        while running:
            k, item, over = messages.get()
            if isinstance(item, BaseException):
                raise item
            if over:
                running -= 1
            else:
                assert item is not None
                yield k, item
    finally:
        stop.set()
        for thread in threads:
            thread.join()


class Plays(Protocol[Part_co]):
    """Plays one game per deal; see ``SelfPlay.play``."""

    def __call__(self, deals: np.ndarray, rng: np.ndarray, iteration: int) -> Iterator[tuple[int, Part_co | None]]:
        """Yields (games finished, None) as it goes and (games, result) at the end."""


def play_in_threads(
    plays: Sequence[Plays[Part]], deals: np.ndarray, seed: int, path: tuple[int, ...], iteration: int
) -> Iterator[tuple[int, list[Part] | None]]:
    """Plays one game per deal; yields (games finished, None) as it goes and (games, results by worker) at the end.

    Game k draws from stream k of ``streams(seed, G, *path)`` alone and is played by worker k mod W.

    Args:
        plays: ``play`` of W workers, which share no mutable state.
        deals: uint64 ``[G]`` seeds of the deals.
        seed, path: of the random streams.
        iteration: See ``SelfPlay.play``.

    Raises:
        Exception: What a worker raised; the others are stopped.
    """
    rng = streams(seed, len(deals), *path)
    workers = len(plays)
    finished: dict[int, Part] = {}
    progress = [0] * workers
    running = [play(deals[k::workers], rng[k::workers].copy(), iteration) for k, play in enumerate(plays)]
    for k, (done, result) in side_by_side(running):
        progress[k] = done
        if result is not None:
            finished[k] = result
        yield sum(progress), None
    yield len(deals), [finished[k] for k in range(workers)]


def join_finished(parts: list[Finished], game: Game) -> Finished:
    """Returns the samples worker by worker, the games in the order of the deals, and the statistics added up."""
    workers = len(parts)
    total = sum(part[2].games for part in parts)
    final = take(parts[0][1].final, np.zeros(total, np.int64))
    records = take(parts[0][1].records, np.zeros(total, np.int64))
    statistics = SelfPlayStatistics()
    for k, (_, games, numbers) in enumerate(parts):
        put(final, slice(k, None, workers), games.final)
        put(records, slice(k, None, workers), games.records)
        for f in fields(SelfPlayStatistics):
            setattr(statistics, f.name, getattr(statistics, f.name) + getattr(numbers, f.name))
    statistics.seconds = max(part[2].seconds for part in parts)
    return join([part[0] for part in parts], game), Games(final, records), statistics
