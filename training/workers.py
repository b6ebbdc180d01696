"""The workers of a run: they play its games, with searches or by the policies alone, here or in a cluster."""

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from fpmcts.policy_games import Played, join_played
from fpmcts.workers import Finished, join_finished, play_units, unit_size
from games.kernels import Stream, deal_seeds
from networks.resnet import Networks
from runtime.cluster import Cluster
from runtime.connect import connect
from runtime.pools import Pool, ThreadPool
from training.game_worker import GameWorker, Outcome, Task, Work, shared_weights
from training.play_curves import self_play_curves
from training.reports import Event
from training.state import RunState


class Workers:
    """A worker per thread, or actors of a cluster (``cluster.kind``).

    Attributes:
        local: Those of this process.
        cluster: The others; None: there are none.
    """

    def __init__(self, state: RunState) -> None:
        config, self.state = state.config, state
        self.cluster: Cluster | None = None
        self.local: list[GameWorker] = []
        if config.cluster.kind == "none":
            filter_net = None if state.filter is None else state.filter.net
            self.local = [
                GameWorker(config, state.game, state.playing, filter_net, state.device, state.threads)
                for _ in range(state.threads)
            ]
        else:
            values = {"values": config.as_dict()}
            self.cluster = connect(config.cluster, "training.game_worker:make_worker", values, "games.environment:environment")
        self.work: list[Work] = []

    def close(self) -> None:
        """Ends the cluster's actors."""
        if self.cluster is not None:
            self.cluster.close()

    def _pool(self, networks: Networks, task: Task) -> Pool[Any, tuple[int, Outcome | None]]:
        """Returns who does the units of a task with some networks, as they are now."""
        if self.cluster is not None:
            filter_net = None if self.state.filter is None else self.state.filter.net
            return self.cluster.pool(shared_weights(networks, filter_net), task)
        for one in self.local:
            one.take_over(networks)
        return ThreadPool([one.work(task) for one in self.local])

    def _unit_size(self, count: int, asked: int) -> int:
        """Returns the games of a unit."""
        if self.cluster is not None:
            return unit_size(count, self.cluster.size, self.state.config.cluster.unit_games or asked)
        return unit_size(count, len(self.local), asked)

    def _play(
        self, networks: Networks, task: Task, deals: np.ndarray, path: tuple[int, ...], what: str
    ) -> Generator[Event, None, list[Any]]:
        """Plays a game per deal (uint64 ``[G]``); returns the results of the units in order and keeps what they cost."""
        state, finished = self.state, []
        units = play_units(self._pool(networks, task), deals, task.size, state.config.seed, path, state.iteration)
        for done, parts in units:
            finished = parts or []
            yield Event(what, done, len(deals), "games")
        self.work = [work for _, work in finished]
        return [part for part, _ in finished]

    def self_play(self, deals: np.ndarray, path: tuple[int, ...]) -> Generator[Event, None, Finished]:
        """Plays one game per deal (uint64 ``[G]``), with searches, by the networks that play.

        Args:
            deals, path: See ``play_units``; the path begins after the kind of stream.
        """
        state, started = self.state, time.perf_counter()
        task = Task(searches=True, size=self._unit_size(len(deals), state.config.selfplay.unit_games))
        parts = yield from self._play(state.playing, task, deals, (Stream.PLAY, *path), "self-play")
        return join_finished(parts, state.game, time.perf_counter() - started)

    def curves(self, finished: Finished) -> dict[str, float]:
        """Returns the curves of the last self-play."""
        workers = len(self.local) if self.cluster is None else self.cluster.size
        return self_play_curves(self.state.game, *finished, self.work, workers) | self.cluster_curves()

    def cluster_curves(self) -> dict[str, float]:
        """Returns what happened in the cluster since the last call."""
        return {} if self.cluster is None else self.cluster.curves()

    def policy_games(
        self, networks: Networks, count: int, chunk: int, temperature: float = 1.0, exploration: float = 0.0, decay: float = 1.0
    ) -> Generator[Event, None, Played]:
        """Plays games of the policies alone; ``chunk`` tells their deals from other ones of the iteration, the rest is that of
        ``PolicyGames``.
        """
        state, started = self.state, time.perf_counter()
        deals = deal_seeds(state.config.seed, count, Stream.TRAINING, state.iteration, chunk)
        task = Task(False, self._unit_size(count, 0), temperature, exploration, decay)
        parts = yield from self._play(networks, task, deals, (Stream.PLAY, state.iteration, chunk), "games of the policies")
        return join_played(parts, state.game, time.perf_counter() - started)
