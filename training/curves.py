"""The curves of a run, in the files that TensorBoard reads. Written without torch, which runs of tables do without."""

import time
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from training.reports import Report


class Curves:
    """Writes scalars by step.

    Args:
        folder: Of the run.
        purge_step: Points of this step and later ones, written before a stop, are no longer shown. None: there are none.
    """

    def __init__(self, folder: Path, purge_step: int | None) -> None:
        self._writer = EventFileWriter(str(folder))
        if purge_step is not None:
            self._add(Event(step=purge_step, file_version="brain.Event:2"))
            self._add(Event(step=purge_step, session_log=SessionLog(status=SessionLog.START)))

    def add(self, report: Report) -> None:
        """Writes the scalars of one step and flushes them."""
        for name, value in report.scalars.items():
            self._add(Event(step=report.step, summary=Summary(value=[Summary.Value(tag=name, simple_value=float(value))])))
        self._writer.flush()

    def _add(self, event: Event) -> None:
        event.wall_time = time.time()
        self._writer.add_event(event)

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()
