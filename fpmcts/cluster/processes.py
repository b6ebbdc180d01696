"""Processes of this machine that do units of work, started for a call of ``run``."""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from fpmcts.child_program import kill_programs
from fpmcts.cluster.connect import connect
from fpmcts.cluster.pools import (
    Count,
    Done,
    Pool,
    Result,
    Stopping,
    Tick,
    Unit,
    Worker,
    ignore,
    never,
)
from fpmcts.cluster.settings import ClusterSettings
from fpmcts.interrupt import unheard_by_children
from games.base.settings import InputError

POLL_SECONDS = 0.2


class WorkerKilledError(InputError):
    """A process ended abruptly; one line that says what to do."""


def calls(function: Callable[..., Result]) -> Worker[Any, Result]:
    """Returns a worker that calls a module-level function with the items of each unit, and ``Tick``
    last.
    """

    def worker(unit: tuple[object, ...], tick: Tick) -> Result:
        return function(*unit, tick)

    return worker


_worker: Worker[Any, Any]
_done: Any


def _start_process(make: Callable[[], Worker[Any, Any]], done: Any, life: Connection) -> None:
    """Prepares a process of the pool: the parent handles Ctrl-C. The process ends, with the
    programs that it started, on SIGTERM or when the parent closes the other end of ``life`` or
    dies.
    """
    global _worker, _done

    ending = threading.Lock()

    def end(*signal_and_frame: object) -> None:
        if ending.acquire(blocking=False):  # else it is being done
            kill_programs()  # finalizers are not run
            os._exit(1)

    def follow() -> None:
        life.poll(None)
        end()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=follow, daemon=True).start()
    _worker, _done = make(), done


def _work(k: int, unit: Any) -> Any:
    return _worker(unit, partial(_done.__setitem__, k))


class ProcessPool(Pool[Unit, Result]):
    """Processes, for any work, or the actors of a cluster; they end with the call of ``run``, at
    once if it is closed.

    Args:
        make: Makes a worker; must be picklable. A method ``close`` of the worker, if any, stops the
            programs it started.
        processes: Number of processes; 1: this process only.
        cluster: Cluster workers to use instead.
    """

    def __init__(
        self,
        make: Callable[[], Worker[Unit, Result]],
        processes: int,
        cluster: ClusterSettings = ClusterSettings(),  # noqa: B008 (it is frozen)
    ) -> None:
        self._make, self._processes, self._cluster = make, processes, cluster

    def run(
        self, units: Sequence[Unit], tick: Count = ignore, stopping: Stopping = never
    ) -> Done[Result]:
        """See ``Pool``.

        Raises:
            ClusterError: The cluster cannot be used.
            WorkerKilledError: A process was killed.
        """
        processes = min(self._processes, len(units))
        if units and self._cluster.kind != "none":
            cluster = connect(self._cluster, self._make)
            try:
                yield from cluster.pool({}).run(units, tick, stopping)
            finally:
                cluster.close()
        elif processes > 1:
            yield from self._spawned(units, processes, tick, stopping)
        elif units:
            worker = self._make()
            try:
                for k, unit in enumerate(units):
                    if stopping():
                        return
                    yield k, worker(unit, partial(tick, k))
            finally:
                getattr(worker, "close", lambda: None)()

    def _spawned(
        self, units: Sequence[Unit], processes: int, tick: Count, stopping: Stopping
    ) -> Done[Result]:
        context = get_context("spawn")
        done, (life, holder) = context.RawArray("q", len(units)), context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(processes, context, _start_process, (self._make, done, life))
        try:
            waiting, running = list(range(len(units))), dict[Future[Result], int]()
            while running or (waiting and not stopping()):
                while waiting and len(running) < processes and not stopping():
                    k = waiting.pop(0)
                    with unheard_by_children():  # processes start here
                        running[pool.submit(_work, k, units[k])] = k
                finished, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
                for k in running.values():
                    tick(k, done[k])
                for future in finished:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            holder.close()
            raise WorkerKilledError(
                f"one of {processes} processes ended abruptly, for example because the system ran "
                "out of memory and killed it; what is finished is kept, and the same command "
                "continues; fewer processes need less memory"
            ) from error
        except BaseException:  # nobody waits for the other results
            holder.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            holder.close()
            life.close()
