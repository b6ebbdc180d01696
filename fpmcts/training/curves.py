"""The curves of a run in TensorBoard's files, without torch, which tabular runs do not need.

Points are written at once, in this thread: TensorBoard's own writer uses another thread, whose
errors would appear as tracebacks.
"""

import io
import logging
import os
import socket
import time
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from fpmcts.training.interface import Report
from fpmcts.training.run_folder import RunFolderError

VERSION = "brain.Event:2"


def points(folder: Path, name: str) -> list[tuple[int, float]]:
    """Returns the steps and values of a curve, over all sessions of a run; [] without such a
    curve.
    """
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), {"scalars": 0})  # 0: all of them
    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # a resumed run repeats its last step
    events.Reload()
    if name not in events.Tags()["scalars"]:
        return []
    return [(event.step, event.value) for event in events.Scalars(name)]


class Curves:
    """Writes scalars by step.

    Args:
        folder: Folder of the run.
        purge_step: Hides points of this and later steps that were written before a stop; None:
            there are none.

    Raises:
        RunFolderError: The file cannot be written, here and in ``add``.
    """

    def __init__(self, folder: Path, purge_step: int | None) -> None:
        self._path = (
            folder
            / f"events.out.tfevents.{time.time_ns():020d}.{socket.gethostname()}.{os.getpid()}"
        )
        events = [Event(file_version=VERSION)]
        if purge_step is not None:
            events.append(Event(step=purge_step, file_version=VERSION))
            events.append(Event(step=purge_step, session_log=SessionLog(status=SessionLog.START)))
        self._write(events)

    def add(self, report: "Report") -> None:
        """Writes the scalars of one step."""
        values = [
            Summary.Value(tag=name, simple_value=float(value))
            for name, value in report.scalars.items()
        ]
        self._write([Event(step=report.step, summary=Summary(value=[value])) for value in values])

    def _write(self, events: list[Event]) -> None:
        """Appends events to the file and flushes them to the system."""
        written = io.BytesIO()
        records = RecordWriter(written)
        for event in events:
            event.wall_time = time.time()
            records.write(event.SerializeToString())
        try:
            with self._path.open("ab") as file:
                file.write(written.getvalue())
        except OSError as error:
            raise RunFolderError(
                f"run_dir={self._path.parent}: the curves cannot be written ({error.strerror})"
            ) from error
