"""The display of a training run: a progress bar with rate and time left on a terminal, else plain
lines.
"""

import time
from collections import deque

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def in_notebook() -> bool:
    """Returns whether output goes to a notebook."""
    return Console().is_jupyter


class Terminal:
    """Shows the progress and the messages of a run."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self._bars = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        self._task: TaskID | None = None
        self._stage = ""
        self._last_line = 0.0
        self._is_live = self.console.is_terminal or self.console.is_jupyter
        self._marks: deque[tuple[float, int]] = deque(maxlen=7)

    def close(self) -> None:
        """Restores the terminal."""
        self._bars.stop()

    def note(self, text: str) -> None:
        """Prints a line."""
        self.console.print(text, markup=False)

    def progress(self, what: str, done: int, total: int, unit: str) -> None:
        """Shows the progress of a stage (``fpmcts.progress.Progress``); on plain output a line
        every 10 seconds. The rate is over the last minute.
        """
        if self._is_live:
            self._bars.start()
        now = time.monotonic()
        if what != self._stage:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._stage, self._last_line = what, now
            self._marks.clear()
            self._task = self._bars.add_task(what, total=total, rate="")
        assert self._task is not None
        if not self._marks or now - self._marks[-1][0] > 10:
            self._marks.append((now, done))
        since, before = self._marks[0]
        rate = (done - before) / max(1e-6, now - since)
        text = f"{rate:,.1f} {unit}/s"
        self._bars.update(self._task, completed=done, total=total, rate=text)
        if not self._is_live and rate > 0 and now - self._last_line > 10:
            self._last_line = now
            left = f"{(total - done) / rate:.0f} s left"
            self.note(f"  {what}: {done:,} of {total:,} {unit}, {text}, {left}")

    def report(self, line: str, seconds: float) -> None:
        """Prints the line of a finished step with the time of the run."""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        self._stage = ""
        self.note(f"[{seconds / 60:6.1f} min] {line}")
