"""Compiles kernels ahead in parallel processes, once for the present sources on a machine.

Numba compiles a kernel when it is first called, and keeps it on disk. A script that needs many would compile them one after the
other on one core. ``compile_ahead`` starts *rehearsals* instead: commands that do a small piece of the script's work and so
leave their kernels on disk. A rehearsal that fails or is killed costs time only: what it did not leave there is compiled when it
is called. A file in the folder of the compiled kernels says that a rehearsal is done; edited sources have another folder.
"""

import atexit
import fcntl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import sched_getaffinity
from pathlib import Path
from threading import Thread

import numba
from llvmlite.binding import get_host_cpu_name

ROOT = Path(__file__).resolve().parent.parent

Rehearsal = Sequence[str]
"""Arguments of the Python interpreter, such as ``("-m", "agents.rehearsal", "search", "doudizhu")``."""


def say_on_stderr(text: str) -> None:
    """Writes a line to the standard error stream."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _done_file(folder: Path, rehearsal: Rehearsal) -> Path:
    """Returns the file that says that a rehearsal is done. Numba keeps kernels apart by processor, and a home may be shared."""
    return folder / "rehearsed" / f"{'_'.join(rehearsal).replace('/', '_')}-{get_host_cpu_name()}"


def is_compiled(folder: Path, rehearsals: Sequence[Rehearsal]) -> bool:
    """Returns whether all of the rehearsals were done with the kernels of a folder."""
    return all(_done_file(folder, rehearsal).exists() for rehearsal in rehearsals)


@contextmanager
def _one_process_at_a_time(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock of a folder; the system lets go of it when the process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rehearsing.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is compiling: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compile_ahead(
    folder: Path, rehearsals: Sequence[Rehearsal], say: Callable[[str], None] = say_on_stderr, processes: int | None = None
) -> None:
    """Runs those rehearsals that were not done yet, in parallel, and waits for them.

    Args:
        folder: Of the compiled kernels, named by their sources.
        rehearsals: The longest first.
        say: Shows a line: one at the start, one for each rehearsal that is done, where there is anything to do.
        processes: At once; None: as many as this process may use cores.
    """
    if numba.config.DISABLE_JIT or is_compiled(folder, rehearsals):
        return
    try:
        with _one_process_at_a_time(folder, say):
            _run(folder, [r for r in rehearsals if not _done_file(folder, r).exists()], say, processes)
    except OSError as error:  # a cache that cannot be written: kernels are compiled when they are called
        say(f"compiling when needed: {error}")


def compile_beside(folder: Path, rehearsals: Sequence[Rehearsal], say: Callable[[str], None] = say_on_stderr) -> None:
    """Does what ``compile_ahead`` does, on all cores but one and without waiting: for a script that has other work first."""
    cores = max(1, len(sched_getaffinity(0)) - 1)
    if not numba.config.DISABLE_JIT and not is_compiled(folder, rehearsals):
        Thread(target=compile_ahead, args=(folder, rehearsals, say, cores), daemon=True).start()


def _run(folder: Path, rehearsals: Sequence[Rehearsal], say: Callable[[str], None], processes: int | None) -> None:
    """Runs rehearsals, at most ``processes`` at once."""
    if not rehearsals:
        return
    cores = min(processes or len(sched_getaffinity(0)), len(rehearsals))
    began = time.monotonic()
    say(f"compiling, once on this machine: {len(rehearsals)} parts, {cores} at a time, about a minute in all")
    waiting, running, done = list(rehearsals), list[_Running](), 0
    try:
        while waiting or running:
            while waiting and len(running) < cores:
                running.append(_Running(waiting.pop(0)))
                atexit.register(running[-1].end)  # a script that ends takes its rehearsals with it
            time.sleep(0.05)
            for one in [one for one in running if one.child.poll() is not None]:
                running.remove(one)
                atexit.unregister(one.end)
                error = one.error()
                if error is None:
                    file = _done_file(folder, one.rehearsal)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.touch()
                done += 1
                told = f"compiled {done} of {len(rehearsals)} parts, {time.monotonic() - began:.0f} s"
                say(told if error is None else f"{told}, one of them not to its end: {error}")
    finally:
        for one in running:
            one.end()


class _Running:
    """A rehearsal in a process of its own, whose errors go to a file, so that it never waits for a reader."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self.rehearsal = rehearsal
        self._errors = tempfile.TemporaryFile()
        command = [sys.executable, *rehearsal]
        self.child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=self._errors)

    def end(self) -> None:
        """Ends the process."""
        self.child.kill()
        self.child.wait()

    def error(self) -> str | None:
        """Returns the last line that the process wrote where it failed, None where it did not; it must have ended."""
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        self._errors.close()
        return None if self.child.returncode == 0 else last or f"status {self.child.returncode}"
