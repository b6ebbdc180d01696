"""Pools of workers that do units of work: threads here; actors of a cluster
(``fpmcts.cluster.ray_pool``).

A unit is a description of work. Its result depends on the unit and on what all workers share, such
as weights and settings, and never on which worker does it, nor on what else that worker did. So
results in the order of the units are the same for any number of workers, and a unit that was lost
can be done again.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")
Tick = Callable[[int], None]
"""Called by a worker with how much of its unit is done; may raise StoppedError."""


class StoppedError(Exception):
    """Nobody waits for this work any more."""


def ignore(k: int, done: int) -> None:
    """Shows nothing."""


class Pool(ABC, Generic[Unit, Result]):
    """Workers that do units of one kind.

    Attributes:
        size: Number of workers.
    """

    size: int

    @abstractmethod
    def run(
        self, units: Sequence[Unit], tick: Callable[[int, int], None] = ignore
    ) -> Iterator[tuple[int, Result]]:
        """Does all units, each by one worker; yields (number of the unit, result) as they are
        finished.

        Args:
            units: They are begun in this order.
            tick: Called with the number of a unit and how much of it is done, where the workers say
                so.

        Raises:
            Exception: What a worker raised; the others are stopped.
        """

    def map(self, units: Sequence[Unit], sizes: Sequence[int], progress: Tick) -> list[Result]:
        """Returns the results in the order of the units.

        Args:
            units: See ``run``.
            sizes: How much each unit is.
            progress: Called with how much is done of all units together.
        """
        done, found = [0] * len(units), dict[int, Result]()

        def tick(k: int, much: int) -> None:
            done[k] = much
            progress(sum(done))

        for k, result in self.run(units, tick):
            found[k] = result
            tick(k, sizes[k])
        return [found[k] for k in range(len(units))]


class ThreadPool(Pool[Unit, Result]):
    """Threads, for work without the GIL. If the caller stops early, so do the threads at their next
    tick.

    Args:
        workers: One per thread: given a unit and a tick, each returns a result. They share no
            mutable state.
    """

    def __init__(self, workers: Sequence[Callable[[Unit, Tick], Result]]) -> None:
        self._workers, self.size = workers, len(workers)

    def run(
        self, units: Sequence[Unit], tick: Callable[[int, int], None] = ignore
    ) -> Iterator[tuple[int, Result]]:
        """See ``Pool``."""
        messages: queue.Queue[tuple[int, str, Any]] = queue.Queue()
        stop, taking, left = threading.Event(), threading.Lock(), iter(range(len(units)))

        def work(worker: Callable[[Unit, Tick], Result]) -> None:
            k = -1

            def report(done: int) -> None:
                messages.put((k, "tick", done))
                if stop.is_set():
                    raise StoppedError

            try:
                while not stop.is_set():
                    with taking:
                        k = next(left, -1)
                    if k < 0:
                        return
                    messages.put((k, "result", worker(units[k], report)))
            except BaseException as error:  # noqa: BLE001 - raised by the caller
                messages.put((k, "error", error))

        threads = [
            threading.Thread(target=work, args=(one,), daemon=True)
            for one in self._workers[: len(units)]
        ]
        try:
            for thread in threads:
                thread.start()
            waiting = len(units)
            while waiting:
                k, kind, value = messages.get()
                if kind == "error":
                    raise value
                if kind == "tick":
                    tick(k, value)
                else:
                    waiting -= 1
                    yield k, value
        finally:
            stop.set()
            for thread in threads:
                thread.join()
