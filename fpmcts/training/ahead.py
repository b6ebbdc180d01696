"""Plays the games of the next iteration while the current one is being learned
(``cluster.lag=1``).
"""

import atexit
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, TimeoutError
from typing import Any

from fpmcts.cluster.pools import StoppedError
from fpmcts.progress import Progress
from fpmcts.training.workers import Batch
from games.play.lockstep import Games

POLL_SECONDS = 0.5
STOP_SECONDS = 10.0
Play = Callable[[Batch, Progress], Games[Any]]


class Ahead:
    """Plays batches in order, in a thread that does not outlive the interpreter.

    Args:
        batches: The batches.
        play: Plays a batch.
    """

    def __init__(self, batches: Sequence[Batch], play: Play) -> None:
        self._games: dict[Batch, Future[Games[Any]]] = {batch: Future() for batch in batches}
        self._news: tuple[str, int, int, str] | None = None
        self._stopped = False
        self._thread = threading.Thread(
            target=self._play, args=(dict(self._games), play), daemon=True
        )
        self._thread.start()
        atexit.register(self.stop, STOP_SECONDS)

    def _play(self, games: dict[Batch, "Future[Games[Any]]"], play: Play) -> None:
        error: BaseException | None = None
        for batch, future in games.items():
            try:
                if error is None:
                    future.set_result(play(batch, self._note))
            except BaseException as raised:  # noqa: BLE001 - raised where the games are waited for
                error = raised
            if error is not None:
                future.set_exception(error)

    def _note(self, what: str, done: int, total: int, unit: str) -> None:
        self._news = what, done, total, unit
        if self._stopped:
            raise StoppedError

    def has(self, batch: Batch) -> bool:
        """Returns whether a batch is being played, or was played and not yet taken."""
        return batch in self._games

    def take(self, batch: Batch, progress: Progress) -> Games[Any]:
        """Returns the games of a batch, once. Raises the error of playing it, if any."""
        self._wait(batch, progress)
        return self._games.pop(batch).result()

    def settle(self, progress: Progress) -> None:
        """Waits until all playing has finished. Raises its error, if any."""
        for batch in self._games:
            self._wait(batch, progress)

    def _wait(self, batch: Batch, progress: Progress) -> None:
        while True:
            try:
                self._games[batch].result(POLL_SECONDS)
                return
            except TimeoutError:
                if self._games[batch].done():  # the games raised it, or were finished just now
                    self._games[batch].result()
                    return
            if (news := self._news) is not None:
                progress(*news)
                self._news = None

    def stop(self, seconds: float | None = None) -> None:
        """Stops playing; unfinished games are lost.

        Args:
            seconds: Time to wait until nothing is played; None: any, so that no other thread enters
                the workers before.
        """
        self._stopped = True
        self._thread.join(seconds)
        atexit.unregister(self.stop)
