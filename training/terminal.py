"""What a training run shows: a progress bar with rate and time left on a terminal, plain lines elsewhere."""

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from training.reports import Event, Report


class Terminal:
    """Shows the events of a training run."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self._bars = Progress(
            TextColumn("{task.description:<24}"), BarColumn(24), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=self.console, transient=True,
        )  # fmt: skip
        self._task: TaskID | None = None
        self._stage = ""
        self._started = 0.0
        self._last_line = 0.0
        if self.console.is_terminal:
            self._bars.start()

    def close(self) -> None:
        """Leaves the terminal as it was."""
        if self.console.is_terminal:
            self._bars.stop()

    def note(self, text: str) -> None:
        """Prints a line."""
        self.console.print(text, markup=False)

    def progress(self, event: Event) -> None:
        """Shows how far a stage is; on a plain output a line every 10 seconds."""
        if event.stage != self._stage:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._stage, self._started, self._last_line = event.stage, time.monotonic(), time.monotonic()
            self._task = self._bars.add_task(event.stage, total=event.total, rate="")
        assert self._task is not None
        rate = event.done / max(1e-6, time.monotonic() - self._started)
        text = f"{rate:,.1f} {event.unit}/s"
        self._bars.update(self._task, completed=event.done, total=event.total, rate=text)
        if not self.console.is_terminal and event.done > 0 and time.monotonic() - self._last_line > 10:
            self._last_line = time.monotonic()
            left = (event.total - event.done) / max(rate, 1e-6)
            self.note(f"  {event.stage}: {event.done:,} of {event.total:,} {event.unit}, {text}, {left:.0f} s left")

    def report(self, report: Report, seconds: float) -> None:
        """Prints the line of a finished step."""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        self._stage = ""
        self.note(f"[{seconds / 60:6.1f} min] {report.line}")
