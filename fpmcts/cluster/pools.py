"""Pools of workers that process units of work: threads here, actors of a cluster in
``fpmcts.cluster.ray_pool``.

A unit describes work. Its result depends on the unit and on data that all workers share, such as
weights and settings, and never on the worker that runs it or on what that worker did before. So the
results, in the order of the units, are the same for any number of workers, and a lost unit can be
run again.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")
Tick = Callable[[int], None]
"""Called by a worker with the amount of its unit that is done; may raise StoppedError."""


class StoppedError(Exception):
    """The work is no longer wanted."""


def ignore(k: int, done: int) -> None:
    """Shows nothing."""


class Pool(ABC, Generic[Unit, Result]):
    """Workers for units of one kind.

    Attributes:
        size: Number of workers.
    """

    size: int

    @abstractmethod
    def run(
        self, units: Sequence[Unit], tick: Callable[[int, int], None] = ignore
    ) -> Iterator[tuple[int, Result]]:
        """Runs all units, each on one worker; yields (number of the unit, result) as they finish.

        Args:
            units: The units, started in this order.
            tick: Called with the number of a unit and the amount done, if the workers report it.

        Raises:
            Exception: A worker raised it; the others are stopped.
        """

    def map(self, units: Sequence[Unit], sizes: Sequence[int], progress: Tick) -> list[Result]:
        """Returns the results in the order of the units.

        Args:
            units: See ``run``.
            sizes: The size of each unit.
            progress: Called with the total amount done.
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
        except SystemExit:  # at once: a tick may be minutes away
            threads.clear()
            raise
        finally:
            stop.set()
            for thread in threads:
                thread.join()
