"""What a session has asked to be computed: one job runs, two wait, and each ends with exactly one final answer."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from web.engine.asking import EngineError
from web.errors import RefusedError

MOST_WAITING = 2
log = logging.getLogger(__name__)


@dataclass
class Job:
    """A job.

    Attributes:
        owner: Whose connection asked.
        number: The ``id`` of the message that asked; with the owner the name of the job.
        work: Computes; returns the fields of the final result.
        send: Sends a message to the owner.
        partial: Fields of the final result if it were cancelled now.
        task: While it runs.
        ended: Whether the final answer was sent.
    """

    owner: object
    number: int
    work: Callable[["Job"], Awaitable[dict[str, Any]]]
    send: Callable[[dict[str, Any]], None]
    partial: dict[str, Any] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    ended: bool = False

    def tell(self, kind: str, fields: dict[str, Any]) -> None:
        """Sends a partial ``result`` or ``progress``."""
        if not self.ended:
            final = {"final": False, "cancelled": False} if kind == "result" else {}
            self.send({"type": kind, "id": self.number, "job": self.number, **final, **fields})

    def end(self, fields: dict[str, Any], cancelled: bool = False) -> None:
        """Sends the final answer, once."""
        if not self.ended:
            self.ended = True
            head = {"type": "result", "id": self.number, "job": self.number}
            self.send({**head, **fields, "final": True, "cancelled": cancelled})


class Jobs:
    """The jobs of one session."""

    def __init__(self) -> None:
        self._running: Job | None = None
        self._waiting: deque[Job] = deque()

    def submit(self, job: Job) -> None:
        """Starts a job, or lets it wait.

        Raises:
            RefusedError: There are too many, or one of that name.
        """
        if self._find(job.owner, job.number) is not None:
            raise RefusedError("bad_message", f"id: {job.number} is the name of a job that is not over")
        if self._running is not None and len(self._waiting) >= MOST_WAITING:
            raise RefusedError("busy", "one job runs and two wait; cancel one")
        place = 0 if self._running is None else len(self._waiting) + 1
        job.send({"type": "queued", "id": job.number, "job": job.number, "place": place})
        self._waiting.append(job)
        self._next()

    def _find(self, owner: object, number: int) -> Job | None:
        jobs = [*self._waiting, *([] if self._running is None else [self._running])]
        return next((job for job in jobs if job.owner is owner and job.number == number), None)

    def _next(self) -> None:
        if self._running is None and self._waiting:
            self._running = job = self._waiting.popleft()
            job.task = asyncio.create_task(self._run(job))

    async def _run(self, job: Job) -> None:
        try:
            job.end(await job.work(job))
        except EngineError as error:
            job.end({"error": {"code": "engine", "text": str(error)}})
        except RefusedError as refused:
            job.end({"error": refused.fields()})
        except asyncio.CancelledError:
            pass  # ``_drop`` has said so
        finally:
            if not job.ended:  # a fault of ours, which the task's exception tells
                log.error("a job ended without an answer")
                job.end({"error": {"code": "engine", "text": "the job failed"}})
            if self._running is job:
                self._running = None
                self._next()

    def cancel(self, owner: object, number: int) -> None:
        """Ends a job, which says what it has. Raises RefusedError where there is none of the name."""
        job = self._find(owner, number)
        if job is None:
            raise RefusedError("unknown_job", f"job: {number} is unknown or over")
        self._drop(job)

    def _drop(self, job: Job) -> None:
        job.end(job.partial, cancelled=True)
        if job in self._waiting:
            self._waiting.remove(job)
        elif job.task is not None:
            job.task.cancel()
            if self._running is job:
                self._running = None
                self._next()

    def leave(self, owner: object) -> None:
        """Ends the jobs of a connection that is gone."""
        for job in [*self._waiting, *([] if self._running is None else [self._running])]:
            if job.owner is owner:
                self._drop(job)
