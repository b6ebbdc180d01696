"""Computations of a session: one job runs, two may wait, and each ends with exactly one final
answer.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from fpmcts.web.engine.asking import EngineError
from fpmcts.web.errors import Json, RefusedError

MOST_WAITING = 2
log = logging.getLogger(__name__)
Send = Callable[[Json], None]
"""Sends a message to the connection that asked."""
Work = Callable[["Job"], Awaitable[Json]]
"""Computes and returns the fields of the final result."""


@dataclass
class Job:
    """A job.

    Attributes:
        send: Sends to the connection that asked.
        number: The ``id`` of the message that asked; identifies the job together with ``send``.
        work: Computes the result.
        partial: Fields of the final result if it were cancelled now.
        task: Waits for its turn and runs it.
        ended: Whether the final answer was sent.
    """

    send: Send
    number: int
    work: Work
    partial: Json = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    ended: bool = False

    def tell(self, kind: str, **fields: Any) -> None:
        """Sends a message about this job, the last one being the final answer."""
        if not self.ended:
            self.send({"type": kind, "id": self.number, "job": self.number, **fields})

    def end(self, fields: Json, cancelled: bool = False) -> None:
        """Sends the final answer, once."""
        self.tell("result", **fields, final=True, cancelled=cancelled)
        self.ended = True


class JobQueue:
    """The jobs of one session."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []
        self._turn = asyncio.Lock()

    def submit(self, job: Job) -> None:
        """Starts or queues a job.

        Raises:
            RefusedError: There are too many, or one with the same id.
        """
        if self._find(job.send, job.number) is not None:
            raise RefusedError("bad_message", f"id: {job.number} belongs to an unfinished job")
        if len(self._jobs) > MOST_WAITING:
            raise RefusedError("busy", "one job is running and two are waiting; cancel one")
        job.tell("queued", place=len(self._jobs))
        self._jobs.append(job)
        job.task = asyncio.create_task(self._run(job))

    def _find(self, send: Send, number: int) -> Job | None:
        return next((job for job in self._jobs if (job.send, job.number) == (send, number)), None)

    async def _run(self, job: Job) -> None:
        try:
            async with self._turn:
                job.end(await job.work(job))
        except RefusedError as refused:
            job.end({"error": refused.fields()})
        except asyncio.CancelledError:
            pass  # ``_remove`` has reported that
        finally:
            if not job.ended:  # an internal error, found in the task's exception
                log.error("a job ended without an answer")
                job.end({"error": EngineError("the job failed").fields()})
            self._remove(job)

    def _remove(self, job: Job) -> None:
        """Ends a job with its partial result, unless it has ended."""
        if job in self._jobs:
            self._jobs.remove(job)
        if not job.ended:
            job.end(job.partial, cancelled=True)
            if job.task is not None:
                job.task.cancel()

    def cancel(self, send: Send, number: int) -> None:
        """Ends a job of a connection. Raises RefusedError if there is none with that id."""
        job = self._find(send, number)
        if job is None:
            raise RefusedError("unknown_job", f"job: {number} is unknown or has ended")
        self._remove(job)

    def leave(self, send: Send) -> None:
        """Ends the jobs of a closed connection."""
        for job in [job for job in reversed(self._jobs) if job.send == send]:
            self._remove(job)
