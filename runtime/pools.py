"""Pools of workers that do units of work: threads here; processes and other machines answer to the same protocol.

A unit is a description of work. Its result depends on the unit and on what all workers share, such as weights and settings, and
never on which worker does it, nor on what else that worker did. So results joined by the numbers of the units are the same for
any number of workers, and a unit that was lost can be done again.
"""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

Unit = TypeVar("Unit")
Unit_contra = TypeVar("Unit_contra", contravariant=True)
Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Pool(Protocol[Unit_contra, Item_co]):
    """Workers that do units of one kind."""

    size: int
    """Number of workers."""

    def run(self, units: Sequence[Unit_contra]) -> Iterator[tuple[int, Item_co]]:
        """Does all units, each by one worker; yields (number of the unit, item) as the items come, those of a unit in order.

        Raises:
            Exception: What a worker raised; the others are stopped.
        """


class ThreadPool(Generic[Unit, Item]):
    """Threads, for work without the GIL.

    If the caller stops early, so do the threads after their next item.

    Args:
        workers: One per thread: given a unit, each does it and yields items on the way. They share no mutable state.
    """

    def __init__(self, workers: Sequence[Callable[[Unit], Iterable[Item]]]) -> None:
        self._workers, self.size = workers, len(workers)

    def run(self, units: Sequence[Unit]) -> Iterator[tuple[int, Item]]:
        """See ``Pool``; units are begun in their order."""
        messages: queue.Queue[tuple[int, Item | BaseException | None, bool]] = queue.Queue()
        stop = threading.Event()
        left = iter(range(len(units)))
        taking = threading.Lock()

        def work(worker: Callable[[Unit], Iterable[Item]]) -> None:
            k = -1
            try:
                while not stop.is_set():
                    with taking:
                        k = next(left, -1)
                    if k < 0:
                        break
                    for item in worker(units[k]):
                        messages.put((k, item, False))
                        if stop.is_set():
                            return
                messages.put((k, None, True))
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
                messages.put((k, error, True))

        threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in self._workers[: len(units)]]
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


def side_by_side(works: Sequence[Iterable[Item]]) -> Iterator[tuple[int, Item]]:
    """Goes through several iterables at once, each in a thread of its own; yields (which, item) as they come."""

    def through(work: Iterable[Item]) -> Iterable[Item]:
        return work

    return ThreadPool([through] * len(works)).run(works)
