"""The workers of a run: they play its games, with searches or by the policies alone, here or in a cluster.

What an iteration plays (``batches_of``) is played by the networks of ``RunState.generators``. With ``cluster.lag=1`` the games of
the next one are begun before the learning, in the background (``begin``), so that players and learners work at the same time.
"""

import atexit
import time
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.duplicate import games_per_deck
from evaluation.match import PlayedGames, joined_games
from fpmcts.policy_games import Played, join_played
from fpmcts.samples import Samples, join
from fpmcts.workers import Finished, join_finished, play_units, unit_size
from games.batches import States, num_rows, take
from games.kernels import Stream, deal_seeds
from runtime.cluster import Cluster
from runtime.connect import connect
from runtime.pools import Pool, ThreadPool
from training.ahead import Ahead
from training.batches import Batch, Players
from training.game_worker import (
    POLICY_DECKS,
    SEARCH_DECKS,
    Decks,
    GameWorker,
    MatchTask,
    Outcome,
    Task,
    TeacherTask,
    Work,
    shared_weights,
)  # fmt: skip
from training.play_curves import self_play_curves
from training.reports import Event
from training.state import RunState


class Done(NamedTuple):
    """A batch that was played. Attributes: result: Of its games. work: What its units cost."""

    result: Finished | Played
    work: list[Work]


class Workers:
    """A worker per thread, or actors of a cluster (``cluster.kind``). They do one thing at a time.

    Attributes:
        local: Those of this process.
        cluster: The others; None: there are none.
        work: What the units of the last batch cost.
    """

    def __init__(self, state: RunState) -> None:
        config, self.state = state.config, state
        self.cluster: Cluster | None = None
        self.local: list[GameWorker] = []
        if config.cluster.kind == "none":
            players = state.generators()
            self.local = [GameWorker(config, state.game, players, state.device, state.threads) for _ in range(state.threads)]
        else:
            values = {"values": config.as_dict()}
            self.cluster = connect(config.cluster, "training.game_worker:make_worker", values, "games.environment:environment")
        self.work: list[Work] = []
        self._ahead: Ahead[Done] | None = None

    def close(self) -> None:
        """Ends what is played in the background, and the cluster's actors."""
        if self._ahead is not None:
            atexit.unregister(self.close)
            self._ahead.stop()
            self._ahead = None
        if self.cluster is not None:
            self.cluster.close()

    def _pool(self, players: Players | None, task: Any) -> Pool[Any, tuple[int, Any]]:
        """Returns who does the units of a task with some networks, as they are now; None: it needs no networks."""
        if self.cluster is not None:
            return self.cluster.pool({} if players is None else shared_weights(players), task)
        for one in self.local:
            if players is not None:
                one.take_over(players)
        return ThreadPool([one.work(task) for one in self.local])

    def _unit_size(self, count: int, asked: int = 0) -> int:
        """Returns the games of a unit."""
        if self.cluster is not None:
            return unit_size(count, self.cluster.size, self.state.config.cluster.unit_games or asked)
        return unit_size(count, len(self.local), asked)

    def begin(self, batches: Sequence[Batch]) -> None:
        """Begins to play batches in the background; ``play`` waits for them. The networks that play must not change meanwhile."""
        if self._ahead is None:
            atexit.register(self.close)  # threads that compute must not outlive the interpreter
        self._ahead = Ahead([(batch, self._play(batch)) for batch in batches])

    def settle(self) -> Generator[Event, None, None]:
        """Waits until nothing is played in the background."""
        if self._ahead is not None:
            yield from self._ahead.settle()

    def play(self, batch: Batch) -> Generator[Event, None, Finished | Played]:
        """Returns the games of a batch."""
        ahead = self._ahead is not None and batch in self._ahead.batches
        done = yield from (self._ahead.take(batch) if ahead and self._ahead is not None else self._play(batch))
        self.work = done.work
        return done.result

    def self_play(self, batch: Batch) -> Generator[Event, None, Finished]:
        """Returns the games of a batch with searches."""
        result = yield from self.play(batch)
        assert not isinstance(result, Played)
        return result

    def policy_games(self, batch: Batch) -> Generator[Event, None, Played]:
        """Returns the games of a batch of the policies alone."""
        result = yield from self.play(batch)
        assert isinstance(result, Played)
        return result

    def _play(self, batch: Batch) -> Generator[Event, None, Done]:
        """Plays a batch with the networks that play (``RunState.generators``)."""
        state, started = self.state, time.perf_counter()
        deals = deal_seeds(state.config.seed, batch.games, Stream.TRAINING, batch.iteration, batch.chunk)
        size = self._unit_size(batch.games, state.config.selfplay.unit_games if batch.searches else 0)
        task = Task(batch.searches, size, batch.temperature, batch.exploration, batch.decay, batch.forks)
        pool: Pool[Any, tuple[int, Outcome | None]] = self._pool(state.generators(), task)
        path, finished = (Stream.PLAY, batch.iteration, batch.chunk), []
        for done, outcomes in play_units(pool, deals, size, state.config.seed, path, batch.iteration):
            finished = outcomes or []
            yield Event("self-play" if batch.searches else "games of the policies", done, batch.games, "games")
        parts: list[Any] = [part for part, _ in finished]
        seconds = time.perf_counter() - started
        join_parts = join_finished if batch.searches else join_played
        return Done(join_parts(parts, state.game, seconds), [work for _, work in finished])

    def curves(self, finished: Finished) -> dict[str, float]:
        """Returns the curves of the last self-play."""
        workers = len(self.local) if self.cluster is None else self.cluster.size
        return self_play_curves(self.state.game, *finished, self.work, workers) | self.cluster_curves()

    def cluster_curves(self) -> dict[str, float]:
        """Returns what happened in the cluster since the last call."""
        return {} if self.cluster is None else self.cluster.curves() | {"cluster/lag": float(self.state.config.cluster.lag)}

    def match(self, decks: States, searches: bool) -> Generator[Event, None, PlayedGames]:
        """Returns the games of a duplicate match of the networks that are measured against ``evaluation.baseline``.

        Args:
            decks: A row a deck.
            searches: Whether they search.
        """
        yield from self.settle()
        state, count, each = self.state, num_rows(decks), games_per_deck(self.state.game.spec)
        size = SEARCH_DECKS if searches else POLICY_DECKS
        units = [Decks(take(decks, slice(k, k + size)), k) for k in range(0, count, size)]
        pool = self._pool(Players(state.playing, state.filter_net), MatchTask(searches))
        what = "evaluation of the search" if searches else "evaluation"
        yield Event(what, 0, each * count, "games")
        found: dict[int, PlayedGames] = {}
        for k, (_, games) in pool.run(units):
            found[k] = games
            yield Event(what, each * sum(num_rows(units[done].decks) for done in found), each * count, "games")
        return joined_games([found[k] for k in range(len(units))])

    def teach(self, seeds: np.ndarray) -> Generator[Event, None, Samples]:
        """Returns the samples of games of the teacher (``bootstrap.teacher``), one game per seed (uint64 ``[G]``)."""
        count = len(seeds)
        size = self._unit_size(count)
        units, found = [seeds[k : k + size] for k in range(0, count, size)], dict[int, Samples]()
        yield Event("heuristic games", 0, count, "games")
        for k, (_, samples) in self._pool(None, TeacherTask()).run(units):
            found[k] = samples
            yield Event("heuristic games", sum(len(units[done]) for done in found), count, "games")
        return join([found[k] for k in range(len(units))], self.state.game)
