"""Units of work: finished results are stored in a file, and the remaining units run in processes or
on a cluster.

A unit's result depends on the unit and on what all units share, never on the worker. So results are
the same with any number of workers, and the same command resumes after any interruption.
"""

import base64
import io
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any, Generic, TypeVar
from zlib import crc32

import numpy as np

from fpmcts.cluster.connect import connect
from fpmcts.cluster.pools import Tick
from fpmcts.cluster.settings import ClusterSettings
from fpmcts.interrupt import unheard_by_children
from fpmcts.players.child_program import kill_programs
from games.kernels import PARSING
from games.settings import InputError
from games.system import Lock

POLL_SECONDS = 0.2


class StoreError(InputError):
    """Results cannot be stored or resumed; one line that names the file and says what to do."""


class WorkerKilledError(InputError):
    """A process ended abruptly; one line that says what to do."""


class Store(AbstractContextManager["Store"]):
    """Results of finished units in an append-only file: a line with the identity, then a line per
    unit.

    Every line has a checksum and is written at once. A truncated or damaged line is ignored: its
    unit is done again. Use as a context manager: only one process at a time has the file open, and
    a file without results is removed at the end.

    Args:
        path: The file; its folder is created.
        identity: Everything that results depend on, by name, as JSON.
        resume: Whether to use existing results; otherwise they are removed.

    Raises:
        StoreError: The file holds results of another identity, is in use, or cannot be written.
    """

    def __init__(self, path: Path, identity: Mapping[str, object], resume: bool = True) -> None:
        self.path, self._head = path, _line(identity)
        with self._refusals():
            try:
                self._lock = Lock(path)
            except BlockingIOError as error:
                raise StoreError(
                    f"{path}: the same command is running in another process; wait until it ends"
                ) from error
        try:
            with self._refusals():
                self._begin(resume)
            self._check_identity(identity)
        except BaseException:
            self.close()
            raise

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the file, and removes it if it holds no results."""
        if not self._lock.file.closed:
            self._lock.close(remove=self._is_bare())

    def _is_bare(self) -> bool:
        """Returns whether the file holds nothing but our identity, or the beginning of it."""
        start = os.pread(self._lock.file.fileno(), len(self._head) + 1, 0)
        return self._head.startswith(start)

    def _begin(self, resume: bool) -> None:
        """Writes the identity to a new file; terminates a truncated last line."""
        if not resume or self._is_bare():
            self._lock.file.truncate(0)
            self._append(self._head)
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            is_whole = file.read() == b"\n"
        if not is_whole:
            self._append(b"\n")

    def _check_identity(self, identity: Mapping[str, object]) -> None:
        """Raises StoreError if the file holds results of another identity."""
        path = self.path
        with self._refusals(), path.open("rb") as file:
            kept = _entry(file.readline())
        wanted = json.loads(json.dumps(identity))
        if kept != wanted:
            known = kept if isinstance(kept, dict) else {}
            names = [
                name for name in wanted.keys() | known.keys() if wanted.get(name) != known.get(name)
            ]
            raise StoreError(
                f"{path}: holds results with different settings ({', '.join(sorted(names))}); give "
                "another folder, or remove it"
            )

    def finished(self) -> Iterator[tuple[Any, Any]]:
        """Yields every finished unit, lists as tuples, with its result."""
        with self._refusals(), self.path.open("rb") as file:
            file.readline()
            for line in file:
                if (entry := _entry(line)) is not None:
                    unit, result = entry
                    yield tuple(unit), result

    def add(self, unit: Sequence[object], result: object) -> None:
        """Appends the result of a unit."""
        with self._refusals():
            self._append(_line([unit, result]))

    def _append(self, line: bytes) -> None:
        """Writes a whole line or, if the disk is full, nothing."""
        file = self._lock.file
        end = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            file.truncate(end)
            raise

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"{self.path.parent}: results cannot be saved ({error.strerror}); give another "
                "folder"
            ) from error


def _line(entry: object) -> bytes:
    text = json.dumps(entry).encode()
    return b"%08x %s\n" % (crc32(text), text)


def _entry(line: bytes) -> Any:
    """Returns the entry of a line, None if it is damaged."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    return json.loads(text) if checksum == b"%08x" % crc32(text) else None


def as_text(arrays: Mapping[str, np.ndarray]) -> str:
    """Returns named arrays as text, for a store."""
    data = io.BytesIO()
    np.savez(data, **arrays)  # type: ignore[arg-type]  # a bool is for allow_pickle
    return base64.b64encode(data.getvalue()).decode()


def as_arrays(text: str) -> dict[str, np.ndarray]:
    """Returns the arrays of ``as_text``."""
    with PARSING, np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as arrays:
        return dict(arrays)


Tell = Callable[[int], None]
"""Called by a worker with the amount of its unit done since the last call."""
Unit = TypeVar("Unit")
Result = TypeVar("Result")
Done = Iterator[tuple[int, Result]]
Worker = Callable[[Unit, Tell], Result]
"""Returns the results of units, one after another. A method ``close``, if any, stops the programs
it started.
"""


def calls(function: Callable[..., Result]) -> Worker[Any, Result]:
    """Returns a worker that calls a module-level function with the items of each unit, and ``Tell``
    last.
    """

    def worker(unit: tuple[object, ...], tell: Tell) -> Result:
        return function(*unit, tell)

    return worker


@dataclass(frozen=True)
class Watch:
    """An observer of units being done.

    Attributes:
        count: Called several times a second with the amount done, summed over workers.
        stopping: Whether to start no more units.
    """

    count: Callable[[int], None] = lambda done: None
    stopping: Callable[[], bool] = lambda: False


def run_units(
    make: Callable[[], Worker[Unit, Result]],
    units: Sequence[Unit],
    processes: int,
    cluster: ClusterSettings,
    watch: Watch = Watch(),  # noqa: B008 (it is frozen)
) -> Generator[tuple[int, Result], None, None]:
    """Yields (number of the unit, its result) as units end; closing it early stops the processes at
    once.

    Args:
        make: Makes a worker; must be picklable.
        units: The units, started in this order.
        processes: Number of processes; 1: this process only.
        cluster: Cluster workers to use instead of processes.
        watch: See ``Watch``.

    Raises:
        ClusterError: The cluster cannot be used.
        WorkerKilledError: A process was killed.
        Exception: Raised by a worker; the others are stopped.
    """
    if not units:
        return
    if cluster.kind != "none":
        yield from _in_cluster(make, units, cluster, watch)
    elif min(processes, len(units)) > 1:
        yield from _in_processes(make, units, min(processes, len(units)), watch)
    else:
        yield from _here(make, units, watch)


def _here(
    make: Callable[[], Worker[Unit, Result]], units: Sequence[Unit], watch: Watch
) -> Done[Result]:
    done, reported, worker = 0, 0.0, make()

    def tell(more: int) -> None:
        nonlocal done, reported
        done += more
        if (now := time.monotonic()) - reported > POLL_SECONDS:
            reported = now
            watch.count(done)

    try:
        for k, unit in enumerate(units):
            if watch.stopping():
                return
            result = worker(unit, tell)
            watch.count(done)
            yield k, result
    finally:
        getattr(worker, "close", lambda: None)()


_worker: Worker[Any, Any]
_tell: Tell


def _start_process(
    make: Callable[[], Worker[Any, Any]], counter: "Synchronized[int]", life: Connection
) -> None:
    """Prepares a process of the pool: the parent handles Ctrl-C. The process ends, with the
    programs that it started, on SIGTERM or when the parent closes the other end of ``life`` or
    dies.
    """
    global _worker, _tell

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

    def tell(more: int) -> None:
        with counter.get_lock():
            counter.value += more

    threading.Thread(target=follow, daemon=True).start()
    _tell, _worker = tell, make()


def _play_here(unit: Any) -> Any:
    return _worker(unit, _tell)


def _in_processes(
    make: Callable[[], Worker[Unit, Result]], units: Sequence[Unit], processes: int, watch: Watch
) -> Done[Result]:
    context = get_context("spawn")
    counter, (life, holder) = context.Value("q", 0), context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, _start_process, (make, counter, life))
    try:
        waiting, running = list(range(len(units))), dict[Future[Result], int]()
        while running or (waiting and not watch.stopping()):
            while waiting and len(running) < processes and not watch.stopping():
                k = waiting.pop(0)
                with unheard_by_children():  # processes start here
                    running[pool.submit(_play_here, units[k])] = k
            done, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            watch.count(counter.value)
            for future in done:
                yield running.pop(future), future.result()
    except BrokenProcessPool as error:
        holder.close()
        raise WorkerKilledError(
            f"one of {processes} processes ended abruptly, for example because the system ran out "
            "of memory and killed it; what is finished is kept, and the same command continues; "
            "fewer processes need less memory"
        ) from error
    except BaseException:  # nobody waits for the other results
        holder.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        holder.close()
        life.close()


class Actor(Generic[Unit, Result]):
    """The code of a cluster's actor."""

    def __init__(self, make: Callable[[], Worker[Unit, Result]]) -> None:
        self._worker = make()

    def __call__(self, unit: Unit, tick: Tick) -> tuple[int, Result]:
        """Returns the amount of a unit, and its result."""
        done = 0

        def tell(more: int) -> None:
            nonlocal done
            done += more
            tick(done)

        result = self._worker(unit, tell)
        return done, result


def _in_cluster(
    make: Callable[[], Worker[Unit, Result]],
    units: Sequence[Unit],
    settings: ClusterSettings,
    watch: Watch,
) -> Done[Result]:
    actor, environment = "fpmcts.evaluation.units:Actor", "fpmcts.environment:environment"
    cluster, done = connect(settings, actor, {"make": make}, environment), 0
    try:
        for k, (more, result) in cluster.pool({}, watch.stopping).run(units):
            done += more
            watch.count(done)
            yield k, result
    finally:
        cluster.close()
