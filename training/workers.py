"""The workers of a run: they play its games, with searches or by the policies alone."""

import time
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from fpmcts.policy_games import Played, PolicyGames, join_played
from fpmcts.search import Search, SearchCounters
from fpmcts.selfplay import SelfPlay
from fpmcts.workers import Finished, join_finished, play_units, unit_size, worker
from games.kernels import Stream, deal_seeds
from inference.determinizer import Determinizer
from networks.engine import FilterEngine
from networks.evaluator import Evaluator
from networks.resnet import Networks
from runtime.pools import ThreadPool
from training.play_curves import self_play_curves
from training.reports import Event
from training.state import RunState

POLICY_LANES = 2048
"""Games that advance together where nobody searches: a game asks for one evaluation at a time."""


class Workers:
    """One worker per thread, each with an evaluator and a search of its own.

    Attributes:
        evaluators: Of the workers.
        searches: Of the workers; their counters tell of the last self-play.
    """

    def __init__(self, state: RunState) -> None:
        config, self.state = state.config, state
        self.evaluators = [
            Evaluator(state.playing, config.precision, state.device, config.remembered) for _ in range(state.threads)
        ]
        lanes = max(1, config.selfplay.lanes // state.threads)
        self.searches = [Search(state.game, e.evaluate, config.search, lanes, state.win_only) for e in self.evaluators]

    def make_determinizer(self, num_lanes: int, evaluator: Evaluator, posterior: bool = True) -> Determinizer:
        """Returns a determinizer with the present networks for games played side by side; without phase 2 if so asked."""
        state, inference = self.state, self.state.config.inference
        score = None if state.filter is None else FilterEngine(state.filter.net, state.config.precision, state.device)
        return Determinizer(state.game, evaluator, replace(inference, phase2=inference.phase2 and posterior), num_lanes, score)

    def self_play(self, deals: np.ndarray, path: tuple[int, ...]) -> Generator[Event, None, Finished]:
        """Plays one game per deal (uint64 ``[G]``), with searches, by the networks that play.

        Args:
            deals, path: See ``play_units``; the path begins after the kind of stream.
        """
        state, count, workers = self.state, len(deals), len(self.searches)
        settings = replace(state.config.selfplay, lanes=max(1, state.config.selfplay.lanes // workers))
        size = unit_size(count, workers, settings.unit_games)
        plays = []
        for evaluator, search in zip(self.evaluators, self.searches, strict=True):
            evaluator.refresh(state.playing)
            evaluator.seconds, evaluator.num_evaluations, search.counters = 0.0, 0, SearchCounters()
            determinizer = self.make_determinizer(size, evaluator, settings.posterior)
            plays.append(worker(SelfPlay(state.game, evaluator.evaluate, determinizer, search, settings).play))
        finished, started = [], time.perf_counter()
        for done, parts in play_units(ThreadPool(plays), deals, size, state.config.seed, (Stream.PLAY, *path), state.iteration):
            finished = parts or []
            yield Event("self-play", done, count, "games")
        return join_finished(finished, state.game, time.perf_counter() - started)

    def curves(self, finished: Finished) -> dict[str, float]:
        """Returns the curves of the last self-play."""
        return self_play_curves(self.state.game, *finished, [search.counters for search in self.searches], self.evaluators)

    def policy_games(
        self, networks: Networks, count: int, chunk: int, temperature: float = 1.0, exploration: float = 0.0, decay: float = 1.0
    ) -> Generator[Event, None, Played]:
        """Plays games of the policies alone; ``chunk`` tells their deals from other ones of the iteration, the rest is that of
        ``PolicyGames``.
        """
        state, config, plays = self.state, self.state.config, []
        for evaluator in self.evaluators:
            evaluator.refresh(networks)
            games = PolicyGames(
                state.game, evaluator.evaluate, lanes=max(1, POLICY_LANES // state.threads), win_only=state.win_only,
                decay=decay, temperature=temperature, exploration=exploration, solve=config.search.solve,
            )  # fmt: skip
            plays.append(worker(games.play))
        deals = deal_seeds(config.seed, count, Stream.TRAINING, state.iteration, chunk)
        path = (Stream.PLAY, state.iteration, chunk)
        finished, started = [], time.perf_counter()
        for done, parts in play_units(ThreadPool(plays), deals, unit_size(count, len(plays)), config.seed, path, state.iteration):
            finished = parts or []
            yield Event("games of the policies", done, count, "games")
        return join_played(finished, state.game, time.perf_counter() - started)
