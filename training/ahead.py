"""Games of the next iteration that are played while the present one is learned from (``cluster.lag=1``)."""

import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from training.batches import Batch
from training.reports import Event

POLL_SECONDS = 0.5
STOP_SECONDS = 10.0
Done = TypeVar("Done")


class Ahead(Generic[Done]):
    """Plays batches in order, in a thread of its own.

    Args:
        plays: Batches, and what plays each.

    Attributes:
        batches: Those that nobody has taken.
    """

    def __init__(self, plays: Sequence[tuple[Batch, Generator[Event, None, Done]]]) -> None:
        self.batches = {batch for batch, _ in plays}
        self._changed = threading.Condition()
        self._done: dict[Batch, Done] = {}
        self._event: Event | None = None
        self._error: BaseException | None = None
        self._over = self._stopped = False
        self._thread = threading.Thread(target=self._play, args=(plays,), daemon=True)
        self._thread.start()

    def _play(self, plays: Sequence[tuple[Batch, Generator[Event, None, Done]]]) -> None:
        error = None
        try:
            for batch, play in plays:
                done = self._finished(play)
                if self._stopped:
                    break
                with self._changed:
                    self._done[batch] = done
                    self._changed.notify_all()
        except BaseException as raised:  # noqa: BLE001 - handed to who waits
            error = raised
        with self._changed:
            self._over, self._error = True, error
            self._changed.notify_all()

    def _finished(self, play: Generator[Event, None, Done]) -> Done:
        """Returns what a generator returns; nothing of use where it was stopped on the way."""
        while True:
            try:
                event = next(play)
            except StopIteration as end:
                done: Done = end.value
                return done
            with self._changed:
                self._event = event
                self._changed.notify_all()
            if self._stopped:
                play.close()

    def _until(self, batch: Batch | None) -> Generator[Event, None, None]:
        """Waits for a batch, or for all; yields how far they are. Raises what playing raised."""
        while True:
            with self._changed:
                if self._error is not None:
                    raise self._error
                if self._over or batch in self._done:
                    return
                self._changed.wait(POLL_SECONDS)
                event, self._event = self._event, None
            if event is not None:
                yield event

    def take(self, batch: Batch) -> Generator[Event, None, Done]:
        """Returns what a batch gave, once. Raises what playing it raised."""
        yield from self._until(batch)
        self.batches.remove(batch)
        return self._done.pop(batch)

    def settle(self) -> Generator[Event, None, None]:
        """Waits until nothing is played any more."""
        yield from self._until(None)

    def stop(self) -> None:
        """Stops playing; what is not finished is lost."""
        self._stopped = True
        with suppress(RuntimeError):
            self._thread.join(STOP_SECONDS)
