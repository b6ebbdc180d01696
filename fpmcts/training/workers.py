"""The workers of a run, which play its games, with or without searches, in threads or as actors of
a cluster.

    batch of games ─▶ units ─▶ workers, each with an evaluator and a search ─▶ results in the order
    of the units ─▶ one batch

A unit of games depends only on the weights, the settings, its deals and its random streams, so a
batch is the same for any number of workers and any size of units, including the order of its
samples (by deal, then by move). Only sums of statistics may differ in their last digits.

The kernels and the network release the GIL, so threads share nothing but the weights. A worker
computes on a single core: two cores that split every small convolution spend much of their time
waiting for each other, above all when the machine is busy.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from fpmcts.cluster.connect import connect
from fpmcts.cluster.pools import ThreadPool, Tick
from fpmcts.evaluation.duplicate import duplicate_games, part_seed
from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import games_per_deck
from fpmcts.players.lookup import PLAYERS, Entrant, Host
from fpmcts.players.policy import PolicyOptions
from fpmcts.players.search_agent import FPMCTSOptions
from fpmcts.players.trained import Trained
from fpmcts.progress import Progress
from fpmcts.search.search import Search, SearchCounters
from fpmcts.training.config import TrainConfig
from fpmcts.training.heuristic_games import generate_games
from fpmcts.training.learning import load_parts, part_arrays
from fpmcts.training.policy_games import play_policies
from fpmcts.training.selfplay import SelfPlay
from fpmcts.training.weights import PlayingNetworks
from games.kernels import Stream, deal_seeds, streams
from games.kernels.rows import States, concatenate, num_rows, take
from games.play.interface import Game
from games.play.lockstep import Games, joined
from inference.filter import FilterNet
from networks.device import choose_device
from networks.evaluator import Evaluator
from networks.resnet import build_networks

if TYPE_CHECKING:
    from fpmcts.cluster.ray_pool import RayCluster

POLICY_LANES = 2048
"""Games that advance together without searches: a game needs one evaluation at a time."""
POLICY_DECKS, SEARCH_DECKS = 100, 25
"""Decks of a unit of a match. Random numbers depend on it, so it does not depend on the number of
workers.
"""
SEARCHES, POLICIES, TEACHER = "self-play", "games of the policies", "heuristic games"
"""What plays a batch, as the progress display names it."""


class Batch(NamedTuple):
    """Games that are played together; their deals and random numbers follow from the seed of the
    run and from these numbers.

    Attributes:
        iteration: Iteration of the run.
        chunk: Index that makes its deals differ from those of other batches of the iteration.
        games: Number of games.
        by: SEARCHES: decisions are searched, by the settings of self-play; POLICIES: the policies
            play without search, with the parameters below; TEACHER: the heuristic player of the
            bootstrap.
        temperature, decay, exploration: See ``policy_games.play_policies``.
        replays: Consecutive games of the same deal, >= 1.
        precision: Of the networks; None: that of the configuration.
    """

    iteration: int
    chunk: int
    games: int
    by: str
    temperature: float = 1.0
    decay: float = 1.0
    exploration: float = 0.0
    replays: int = 1
    precision: str | None = None


class Share(NamedTuple):
    """A unit of a batch: n consecutive games.

    Attributes:
        batch: The batch.
        first: Index of the unit's first game in the batch.
        deals: uint64 ``[n]``, seeds of their deals.
    """

    batch: Batch
    first: int
    deals: np.ndarray


class Decks(NamedTuple):
    """A unit of a duplicate match against ``evaluation.baseline``.

    Attributes:
        decks: Consecutive decks.
        first: Number of the first deck, which seeds the players' random numbers.
        searches: Whether the networks search.
    """

    decks: States
    first: int
    searches: bool


class Worker:
    """One evaluator and one search.

    Args:
        config: Configuration of the run.
        game: Its game.
        players: The initial networks; changed in place by ``refresh``.
        device: Device of the networks.
        workers: Number of workers, which share the lanes.
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        players: PlayingNetworks,
        device: torch.device,
        workers: int,
    ) -> None:
        self.config, self.game, self.device, self._workers = config, game, device, workers
        self._players = players
        self._win_only = config.objective == "wp"
        self.evaluator = Evaluator(
            players.networks, config.precision, device, config.remembered, game
        )
        self._lanes = max(1, config.selfplay.lanes // workers)
        self.search = Search(
            game, self.evaluator.evaluate, config.search, self._lanes, self._win_only
        )

    def take_over(self, players: PlayingNetworks, precision: str | None = None) -> None:
        """Plays with the current weights of these networks from now on, in a precision (None: that
        of the configuration).
        """
        self._players = players
        self.evaluator.refresh(players.networks, precision or self.config.precision)

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        """Plays with the weights of ``PlayingNetworks.parts`` from now on."""
        load_parts(self._players.parts(), shared)
        self.take_over(self._players)

    def __call__(self, unit: Share | Decks, tick: Tick) -> Any:
        """Does a unit."""
        # Set per thread: oneDNN uses OpenMP, whose number of threads is a setting of each thread.
        torch.set_num_threads(1)
        return self._match(unit) if isinstance(unit, Decks) else self._play(unit, tick)

    def _play(self, unit: Share, tick: Tick) -> Games[Any]:
        """Plays games of the run; game k of a batch draws only from stream k."""
        self.evaluator.seconds, self.evaluator.num_evaluations = 0.0, 0
        self.search.counters = SearchCounters()
        batch, config, evaluate = unit.batch, self.config, self.evaluator.evaluate
        if batch.by == TEACHER:
            start = config.bootstrap
            return generate_games(self.game, unit.deals, start.epsilon, start.teacher, tick)
        last = unit.first + len(unit.deals)
        rng = streams(config.seed, last, Stream.PLAY, batch.iteration, batch.chunk)[unit.first :]
        if batch.by == SEARCHES:
            settings = replace(config.selfplay, lanes=self._lanes)
            determinizer = self._trained().determinizer_maker(config.inference)(len(unit.deals))
            player = SelfPlay(self.game, evaluate, determinizer, self.search, settings)
            games = player.play(unit.deals, rng, batch.iteration, tick)
            games.work.update(
                vars(self.search.counters),
                network_seconds=self.evaluator.seconds,
                network_evaluations=self.evaluator.num_evaluations,
            )
            return games
        return play_policies(
            self.game,
            evaluate,
            unit.deals,
            rng,
            batch.iteration,
            tick,
            lanes=max(1, POLICY_LANES // self._workers),
            win_only=self._win_only,
            decay=batch.decay,
            temperature=batch.temperature,
            exploration=batch.exploration,
            solve=config.search.solve,
        )

    def _trained(self) -> Trained:
        """Returns the playing networks, in the form that players take."""
        config, players = self.config, self._players
        return Trained(
            game=self.game,
            networks=players.networks,
            filter=players.filter,
            inference=config.inference,
            search=config.search,
            objective=config.objective,
            evaluator=self.evaluator,
        )

    def _match(self, unit: Decks) -> PlayedGames:
        """Plays decks of a match."""
        config, baseline = self.config, self.config.evaluation.baseline
        own = Entrant(PolicyOptions(), "policy")
        if unit.searches:  # as in training
            search = asdict(config.search) | {"playouts": config.evaluation.search_playouts}
            options = FPMCTSOptions(search=search, beliefs=asdict(config.inference))
            own = Entrant(options, "fpmcts")
        players = {"own": own, "baseline": Entrant(PLAYERS[baseline](), baseline)}
        host = Host(self.game, players, str(self.device), networks=self._trained())
        agents = host.make("own"), host.make("baseline")
        return duplicate_games(self.game, *agents, unit.decks, part_seed(config.seed, unit.first))


def make_worker(values: Mapping[str, Any]) -> Worker:
    """Returns a worker from the configuration of a run as plain values, for actors of a cluster."""
    config = TrainConfig.parse(values)
    torch.set_num_threads(1)
    device, game = choose_device(config.device), config.make_game()
    filter_net = FilterNet(game.spec).to(device) if config.inference.phase1 == "filter" else None
    networks = build_networks(game.spec, config.network, config.seed).to(device)
    return Worker(config, game, PlayingNetworks(networks, filter_net), device, 1)


class Workers:
    """A worker per thread, or actors of a cluster (``cluster.kind``). They run one call at a time.

    Attributes:
        local: The workers of this process.
        cluster: The workers of a cluster, None after ``close`` until the next call, or without one.
        size: Number of workers.
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        players: PlayingNetworks,
        device: torch.device,
        threads: int,
    ) -> None:
        self.config, self.game = config, game
        self.cluster: RayCluster | None = None
        self.local: list[Worker] = []
        if config.cluster.kind == "none":
            self.local = [Worker(config, game, players, device, threads) for _ in range(threads)]
        else:
            self.cluster = self._joined()
        self.size = len(self.local) if self.cluster is None else self.cluster.size

    def _joined(self) -> "RayCluster":
        """Returns the workers of a cluster, just started."""
        return connect(self.config.cluster, partial(make_worker, self.config.as_dict()))

    def _map(
        self,
        players: PlayingNetworks,
        units: Sequence[Any],
        sizes: list[int],
        what: str,
        progress: Progress,
        precision: str | None = None,
    ) -> list[Any]:
        """Returns the results of units in order.

        Args:
            players: The networks that play, with their current weights.
            units: The units.
            sizes: Games of each unit.
            what: Name of the games in the progress display.
            progress: Called with the number of finished games.
            precision: See ``Batch``; of the workers of this process.
        """

        def show(over: int) -> None:
            progress(what, over, sum(sizes), "games")

        if not self.local:
            self.cluster = self.cluster or self._joined()
            return self.cluster.pool(part_arrays(players.parts())).map(units, sizes, show)
        for one in self.local:
            one.take_over(players, precision)
        return ThreadPool(self.local).map(units, sizes, show)

    def play(self, players: PlayingNetworks, batch: Batch, progress: Progress) -> Games[Any]:
        """Returns the games of a batch; their work includes ``seconds`` by the wall clock."""
        started, config = time.perf_counter(), self.config
        path = [Stream.BOOTSTRAP] if batch.by == TEACHER else [Stream.TRAINING, batch.iteration]
        deals = deal_seeds(config.seed, batch.games // batch.replays, *path, batch.chunk)
        deals = np.repeat(deals, batch.replays)
        asked = 0 if self.local else config.cluster.unit_games
        size = asked or max(1, -(-batch.games // self.size))  # one unit per worker
        units = [Share(batch, k, deals[k : k + size]) for k in range(0, batch.games, size)]
        sizes = [len(unit.deals) for unit in units]
        games = joined(self._map(players, units, sizes, batch.by, progress, batch.precision))
        games.work["seconds"] = time.perf_counter() - started
        return games

    def match(
        self, players: PlayingNetworks, decks: States, searches: bool, progress: Progress
    ) -> PlayedGames:
        """Returns the games of a duplicate match of ``players`` against ``evaluation.baseline``,
        with or without searches.
        """
        count, each = num_rows(decks), games_per_deck(self.game.spec)
        size = SEARCH_DECKS if searches else POLICY_DECKS
        units = [Decks(take(decks, slice(k, k + size)), k, searches) for k in range(0, count, size)]
        what = "evaluation of the search" if searches else "evaluation"
        sizes = [each * num_rows(unit.decks) for unit in units]
        return concatenate(self._map(players, units, sizes, what, progress))

    def curves(self) -> dict[str, float]:
        """Returns the cluster's curves since the last call."""
        if self.cluster is None:
            return {}
        return self.cluster.curves() | {"cluster/lag": float(self.config.cluster.lag)}

    def close(self) -> None:
        """Stops the cluster's actors."""
        if self.cluster is not None:
            self.cluster.close()
            self.cluster = None
