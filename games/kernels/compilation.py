"""Compiles kernels in advance, in parallel processes, once per machine and version of the sources.

Numba compiles a kernel on its first call, and stores it on disk. A script that needs many kernels
would compile them one after the other on one core. ``compile_ahead`` starts *warm-up runs* instead:
commands that do a small piece of the script's work and so leave their kernels on disk. One that
fails or is killed costs only time: missing kernels are compiled when called. An empty file, in a
folder named by the sources, marks a finished run; after an edit the runs are repeated, and compile
what the edit changed.
"""

import atexit
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import Lock as ThreadLock
from threading import Thread
from typing import IO

import numba
from llvmlite.binding import get_host_cpu_name
from numba.core import event

from games.base.files import ROOT
from games.base.help import say_on_stderr
from games.base.system import Lock, num_cores

Command = Sequence[str]
"""Arguments of the Python interpreter, such as ``("-m", "fpmcts.players.warmup", "search",
"doudizhu")``.
"""


class CompileClock(event.Listener):  # type: ignore[misc]
    """The time that this process spends compiling kernels, from the creation of the clock on.

    Attributes:
        seconds: Wall-clock time during which any thread compiled, up to the last finished kernel.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock, self._compiling, self._began = ThreadLock(), 0, 0.0
        event.register("numba:compile", self)

    def on_start(self, event: event.Event) -> None:
        """Records the start of the first of several compilations."""
        with self._lock:
            if self._compiling == 0:
                self._began = time.monotonic()
            self._compiling += 1

    def on_end(self, event: event.Event) -> None:
        """Adds the time once the last of several compilations ends."""
        with self._lock:
            self._compiling -= 1
            if self._compiling == 0:
                self.seconds += time.monotonic() - self._began


def _done_file(folder: Path, command: Command) -> Path:
    """Returns the file that marks a finished warm-up run. It names the processor, since kernels
    depend on it and a home folder may be shared.
    """
    name = hashlib.sha256(repr(tuple(command)).encode()).hexdigest()[:16]  # options may be long
    return folder / "warmed-up" / f"{name}-{get_host_cpu_name()}"


def is_compiled(folder: Path, commands: Sequence[Command]) -> bool:
    """Returns whether all of the warm-up runs are done."""
    return all(_done_file(folder, command).exists() for command in commands)


def compile_ahead(
    folder: Path,
    commands: Sequence[Command],
    say: Callable[[str], None] = say_on_stderr,
    processes: int | None = None,
) -> None:
    """Does the unfinished warm-up runs in parallel, and waits for them.

    Args:
        folder: Folder of the marking files, named by the sources.
        commands: Commands of the runs, the longest first.
        say: Shows a line: one at the start and one per finished run, if there is anything to do.
        processes: Parallel processes; None: one per core available to this process.
    """
    if numba.config.DISABLE_JIT or is_compiled(folder, commands):
        return
    try:
        try:
            lock = Lock(folder / "compiling.lock")
        except BlockingIOError:
            say("another process is compiling: waiting for it")
            lock = Lock(folder / "compiling.lock", wait=True)
        with closing(lock):
            _run(
                folder, [c for c in commands if not _done_file(folder, c).exists()], say, processes
            )
    except OSError as error:  # the cache cannot be written: kernels are compiled when called
        say(f"compiling when needed: {error}")


def compile_beside(
    folder: Path, commands: Sequence[Command], say: Callable[[str], None] = say_on_stderr
) -> None:
    """Like ``compile_ahead``, but on all cores but one and without waiting: for a script that has
    other work first.
    """
    cores = max(1, num_cores() - 1)
    if not numba.config.DISABLE_JIT and not is_compiled(folder, commands):
        Thread(target=compile_ahead, args=(folder, commands, say, cores), daemon=True).start()


def _run(
    folder: Path, commands: Sequence[Command], say: Callable[[str], None], processes: int | None
) -> None:
    """Does warm-up runs, at most ``processes`` at once."""
    if not commands:
        return
    cores = min(processes or num_cores(), len(commands))
    began = time.monotonic()
    say(
        f"compiling, once on this machine: {len(commands)} parts, {cores} at a time, about a "
        "minute in all"
    )
    waiting, done = list(commands), 0
    # Modules are found as by this process: beside its script, in a relative PYTHONPATH.
    found = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    # By process its command, and a file for its errors, so that it never waits for a reader.
    running: dict[Popen[bytes], tuple[Command, IO[bytes]]] = {}

    def end() -> None:
        for child in running:
            child.kill()
            child.wait()

    atexit.register(end)  # a script that ends takes its warm-up runs with it
    try:
        while waiting or running:
            while waiting and len(running) < cores:
                command, errors = waiting.pop(0), tempfile.TemporaryFile()
                arguments = [sys.executable, *command]
                child = Popen(arguments, cwd=ROOT, env=found, stdout=DEVNULL, stderr=errors)
                running[child] = command, errors
            time.sleep(0.05)
            for child in [child for child in running if child.poll() is not None]:
                command, log = running.pop(child)
                done += 1
                line = f"compiled {done} of {len(commands)} parts, {time.monotonic() - began:.0f} s"
                with log:
                    log.seek(0)
                    last = log.read().decode(errors="replace").strip().rpartition("\n")[2]
                if child.returncode == 0:
                    file = _done_file(folder, command)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.touch()
                else:
                    last = last or f"status {child.returncode}"
                    line = f"{line}, one of them not to its end: {last}"
                say(line)
    finally:
        end()
        atexit.unregister(end)
