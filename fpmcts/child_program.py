"""A child program that exchanges lines over pipes, with a time limit on every exchange.

Nothing here blocks: one loop writes input, reads the program's output and error streams, and checks
the clock. So a program that hangs, dies, stops reading, or writes half a line, too much or nonsense
causes an error instead of a wait.

The program and all processes that it started (its process group) are killed at ``close``, when the
object is garbage collected, and when the interpreter exits; a process that a signal ends calls
``kill_programs``. Pipes are polled with ``selectors``, which works only on Unix.
"""

import codecs
import os
import selectors
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress

MAX_LINE = 65_536
"""Maximum bytes of a line."""
_CHUNK = 65_536
_GRACE_SECONDS = 1.0
"""Seconds that a program may take to end after its input was closed, or after it closed its
output.
"""
_KEPT_CHARACTERS = 2_000
"""Characters of the error stream kept for messages."""


_RUNNING = weakref.WeakSet["ChildProgram"]()


class ChildProgramError(RuntimeError):
    """The program failed; the message says how, as the second half of a sentence."""


class ChildProgram:
    """A running program. After a ChildProgramError it can only be closed."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts the program, without a shell, in the current working directory.

        Args:
            command: The program and its arguments.

        Raises:
            ChildProgramError: It cannot be started.
        """
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # its own process group, to be killed as a whole
            )
        except (OSError, ValueError) as error:
            raise ChildProgramError(f"it cannot be started: {error}") from error
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._input, self._output, self._errors = (
            pipe.fileno() for pipe in pipes if pipe is not None
        )
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe, False)
        self._received = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._error_text = ""
        self._errors_ended = False
        self._end = weakref.finalize(self, _kill_group, self._process)
        _RUNNING.add(self)

    def ask(self, line: str, seconds: float, answered: bool = True) -> str:
        """Sends a line and returns the answer, without the line ending.

        Args:
            line: The text, without the end of the line.
            seconds: Time limit, from now to the end of the answer.
            answered: Whether to expect an answer; if not, "" is returned once the pipe holds the
                line.

        Raises:
            ChildProgramError: No complete line came in time, the program ended or closed a pipe,
                its line is too long or not UTF-8, or it wrote unrequested lines.
        """
        self._exchange(line, seconds, answered)
        if not answered:
            return ""
        answer, _, rest = bytes(self._received).partition(b"\n")
        if rest:
            raise ChildProgramError(
                f"it wrote more than one line: {shortened(bytes(self._received))}"
            )
        self._received.clear()
        try:
            return answer.decode()
        except UnicodeDecodeError as error:
            raise ChildProgramError(f"its answer is not UTF-8: {shortened(answer)}") from error

    def last_errors(self) -> str:
        """Returns the last lines that the program wrote to its error stream, at most 2,000
        characters.
        """
        self._read_errors()
        return self._error_text.strip()

    def close(self) -> None:
        """Closes the program's input, its signal to end, waits up to a second, and kills what is
        left.
        """
        if not self._end.alive:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._wait()
        self._read_errors()
        self._end()

    def kill(self) -> None:
        """Kills the program and its process group at once."""
        self._end()

    def _exchange(self, line: str, seconds: float, answered: bool) -> None:
        """Sends a line and, if ``answered``, reads until ``_received`` holds a line."""
        deadline = time.monotonic() + seconds
        if not self._end.alive:
            raise ChildProgramError("it is closed")
        self._read_output()
        if self._received:
            raise ChildProgramError(
                f"it wrote without being asked: {shortened(bytes(self._received))}"
            )
        waiting = memoryview(line.encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            if not self._errors_ended:
                selector.register(self._errors, selectors.EVENT_READ)
            while waiting or (answered and b"\n" not in self._received):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise ChildProgramError(self._too_late(seconds, bool(waiting)))
                for key, _ in selector.select(left):
                    if key.fd == self._input:
                        waiting = self._write(waiting)
                        if not waiting:
                            selector.unregister(self._input)
                    elif key.fd == self._output:
                        self._read_output()
                    else:
                        self._read_errors()
                        if self._errors_ended:
                            selector.unregister(self._errors)

    def _write(self, waiting: memoryview) -> memoryview:
        """Returns the bytes that the program has not taken yet."""
        try:
            return waiting[os.write(self._input, waiting) :]
        except BlockingIOError:
            return waiting
        except BrokenPipeError as error:
            raise ChildProgramError(self._ending("closed its input")) from error

    def _read_output(self) -> None:
        """Appends the program's output to ``_received``."""
        try:
            chunk = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            raise ChildProgramError(self._ending("closed its output"))
        self._received += chunk
        if b"\n" not in self._received[: MAX_LINE + 1] and len(self._received) > MAX_LINE:
            raise ChildProgramError(
                f"it wrote a line of more than {MAX_LINE:,} bytes: "
                f"{shortened(bytes(self._received))}"
            )

    def _read_errors(self) -> None:
        """Forwards the program's error stream to ours, and keeps its end."""
        if self._errors_ended or not self._end.alive:
            return
        try:
            chunk = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return
        text = self._decoder.decode(chunk, final=not chunk)
        self._errors_ended = not chunk
        self._error_text = (self._error_text + text)[-_KEPT_CHARACTERS:]
        sys.stderr.write(text)

    def _too_late(self, seconds: float, unread: bool) -> str:
        """Returns the message for an exchange that took too long."""
        if unread:
            return f"it did not read what it was sent within {seconds:g} s"
        if self._received:
            wrote = shortened(bytes(self._received))
            return f"no end of the line within {seconds:g} s: it wrote {wrote}"
        return f"no answer within {seconds:g} s (does it flush its output?)"

    def _ending(self, what: str) -> str:
        """Returns the message for a closed pipe: how the program ended, if it did."""
        self._wait()
        status = self._process.returncode
        if status is None:
            text = f"the program {what}"
        elif status < 0:
            text = f"the program was ended by signal {-status} ({signal.strsignal(-status)})"
        else:
            text = f"the program ended with status {status}"
        return text + (
            f", having written {shortened(bytes(self._received))}" if self._received else ""
        )

    def _wait(self) -> None:
        """Waits briefly for the program to end."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)


def kill_programs() -> None:
    """Kills all programs of this process, for a process that ends without running finalizers."""
    for program in list(_RUNNING):
        program.kill()


def shortened(text: str | bytes) -> str:
    """Returns a quoted text for messages, shortened in the middle."""
    kept = 300
    if len(text) <= 2 * kept:
        return repr(text)
    return f"{text[:kept]!r} ... {text[-kept:]!r} ({len(text):,} in all)"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a process group, and closes the pipes to it."""
    # It is already gone; macOS raises the second error.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()
