"""Pools of workers that process units of work: threads here, processes in
``fpmcts.cluster.processes``, actors of a cluster in ``fpmcts.cluster.ray_pool``.

A unit describes work. Its result depends on the unit and on data that all workers share, such as
weights and settings, and never on the worker that runs it or on what that worker did before. So the
results, in the order of the units, are the same for any number of workers, and a lost unit can be
run again.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, Generic, Protocol, TypeVar

Key = TypeVar("Key")
Unit = TypeVar("Unit")
Result = TypeVar("Result")
Tick = Callable[[int], None]
"""Called by a worker with the amount of its unit that is done; may raise StoppedError."""
Worker = Callable[[Unit, Tick], Result]
"""Returns the results of units, one after another."""
Count = Callable[[int, int], None]
"""Called with the number of a unit and the amount of it that is done."""
Stopping = Callable[[], bool]
"""Returns whether to stop."""
Done = Generator[tuple[int, Result], None, None]
"""(number of a unit, its result), as they finish."""


class StoppedError(Exception):
    """The work is no longer wanted."""


def ignore(*done: int) -> None:
    """Shows nothing."""


def never() -> bool:
    """Returns that work goes on."""
    return False


class ResultStore(Protocol[Key, Result]):
    """Results of finished units, such as ``fpmcts.cluster.store.ResultFile``."""

    def finished(self) -> Iterable[tuple[Key, Result]]:
        """Yields every finished unit with its result."""
        ...

    def add(self, unit: Key, result: Result) -> None:
        """Stores the result of a unit."""
        ...


class Pool(ABC, Generic[Unit, Result]):
    """Workers for units of one kind."""

    @abstractmethod
    def run(
        self, units: Sequence[Unit], tick: Count = ignore, stopping: Stopping = never
    ) -> Done[Result]:
        """Runs all units, each on one worker; yields (number of the unit, result) as they finish.
        Closing it early stops the workers.

        Args:
            units: The units, started in this order.
            tick: See ``Count``; only called if the workers report what is done.
            stopping: Whether to start no more units.

        Raises:
            Exception: A worker raised it; the others are stopped.
        """

    def results(
        self,
        units: Mapping[Key, Unit],
        sizes: Mapping[Key, int],
        progress: Tick,
        store: ResultStore[Key, Result] | None = None,
        stopping: Stopping = never,
    ) -> Generator[tuple[Key, Result], None, None]:
        """Yields all results of a store, then those of the missing units as they finish, which are
        stored.

        Args:
            units: The units, started in this order, by what the store calls them.
            sizes: The size of each unit.
            progress: Called with the total amount done, that of the store included.
            store: See ``ResultStore``.
            stopping: Whether to start no more units.
        """
        kept = dict(() if store is None else store.finished())
        yield from kept.items()
        missing = [key for key in units if key not in kept]
        done = [0] * len(missing)
        total = sum(sizes[key] for key in units if key in kept)

        def tick(k: int, much: int) -> None:
            nonlocal total
            total, done[k] = total + much - done[k], much
            progress(total)

        progress(total)
        with closing(self.run([units[key] for key in missing], tick, stopping)) as running:
            for k, result in running:
                if store is not None:
                    store.add(missing[k], result)
                tick(k, sizes[missing[k]])
                yield missing[k], result

    def map(self, units: Sequence[Unit], sizes: Sequence[int], progress: Tick) -> list[Result]:
        """Returns the results in the order of the units; the arguments are those of ``results``."""
        found = dict(self.results(dict(enumerate(units)), dict(enumerate(sizes)), progress))
        return [found[k] for k in range(len(units))]


class ThreadPool(Pool[Unit, Result]):
    """Threads, for work without the GIL. If the caller stops early, so do the threads at their next
    tick.

    Args:
        workers: One per thread. They share no mutable state.
    """

    def __init__(self, workers: Sequence[Worker[Unit, Result]]) -> None:
        self._workers = workers

    def run(
        self, units: Sequence[Unit], tick: Count = ignore, stopping: Stopping = never
    ) -> Done[Result]:
        """See ``Pool``."""
        messages: queue.Queue[tuple[int, str, Any]] = queue.Queue()
        stop, taking, left = threading.Event(), threading.Lock(), iter(range(len(units)))

        def work(worker: Worker[Unit, Result]) -> None:
            k = -1

            def report(done: int) -> None:
                messages.put((k, "tick", done))
                if stop.is_set():
                    raise StoppedError

            try:
                while not stop.is_set():
                    with taking:
                        k = -1 if stopping() else next(left, -1)
                    if k < 0:
                        break
                    messages.put((k, "result", worker(units[k], report)))
                messages.put((k, "end", None))
            except BaseException as error:  # noqa: BLE001 - raised by the caller
                messages.put((k, "error", error))

        threads = [
            threading.Thread(target=work, args=(one,), daemon=True)
            for one in self._workers[: len(units)]
        ]
        try:
            for thread in threads:
                thread.start()
            working = len(threads)
            while working:
                k, kind, value = messages.get()
                if kind == "error":
                    raise value
                if kind == "tick":
                    tick(k, value)
                elif kind == "result":
                    yield k, value
                else:
                    working -= 1
        except SystemExit:  # at once: a tick may be minutes away
            threads.clear()
            raise
        finally:
            stop.set()
            for thread in threads:
                thread.join()
