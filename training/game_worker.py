"""A worker that plays the games of a run: one of several threads, or an actor's own.

Games with searches, or of the policies alone; decks of the matches that measure the networks; games of the teacher.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np
import torch

from agents.general.policy import PolicyOptions
from agents.general.search_agent import FPMCTSOptions
from agents.heuristic_games import generate_games
from agents.players import PLAYERS, Entrant, Host
from agents.trained import Trained
from evaluation.duplicate import duplicate_games, part_seed
from evaluation.match import PlayedGames
from fpmcts.policy_games import Played, PolicyGames
from fpmcts.samples import Samples
from fpmcts.search import Search, SearchCounters
from fpmcts.selfplay import SelfPlay
from fpmcts.workers import Finished, Unit, worker
from games.batches import States
from games.interface import Game
from inference.determinizer import Determinizer
from inference.filter import FilterEngine, FilterNet
from networks.evaluator import Evaluator
from networks.resnet import build_networks
from networks.weights import load_module, module_arrays
from runtime.device import choose_device
from training.batches import Players
from training.config import TrainConfig, parse_config
from training.heuristic_samples import heuristic_samples

POLICY_LANES = 2048
"""Games that advance together where nobody searches: a game asks for one evaluation at a time."""
POLICY_DECKS, SEARCH_DECKS = 100, 25
"""Decks of a unit of a match; their random numbers depend on it, so it is the same for any number of workers."""


class Task(NamedTuple):
    """What is done with the units of a batch.

    Attributes:
        searches: Whether decisions are searched; the settings of self-play then say how. If not, the policies play alone:
        temperature, exploration, decay: See ``PolicyGames``.
        size: The most games of a unit.
    """

    searches: bool
    size: int
    temperature: float = 1.0
    exploration: float = 0.0
    decay: float = 1.0


class Work(NamedTuple):
    """What playing a unit cost. Attributes: counters: Of the search. seconds, evaluations: Of the networks."""

    counters: SearchCounters
    seconds: float
    evaluations: int


class MatchTask(NamedTuple):
    """A duplicate match against ``evaluation.baseline``. Attributes: searches: Whether the networks search."""

    searches: bool


class Decks(NamedTuple):
    """A unit of a match: decks in a row, and the number of the first, from which the players' random numbers come."""

    decks: States
    first: int


class TeacherTask(NamedTuple):
    """Games of the teacher; a unit is the seeds of its games, uint64 ``[n]``."""


Outcome = tuple[Finished | Played, Work]
"""What a unit gives."""


class GameWorker:
    """One evaluator and one search.

    Args:
        config: Of the run.
        game: Its game.
        players: The networks that play at first; changed in place where weights arrive by ``refresh``.
        device: Of the networks.
        workers: How many there are, who share the lanes.
    """

    def __init__(self, config: TrainConfig, game: Game, players: Players, device: torch.device, workers: int) -> None:
        self.config, self.game, self.device, self._workers = config, game, device, workers
        self._players = players
        self._win_only = config.objective == "wp"
        self.evaluator = Evaluator(players.networks, config.precision, device, config.remembered, game)
        self._lanes = max(1, config.selfplay.lanes // workers)
        self.search = Search(game, self.evaluator.evaluate, config.search, self._lanes, self._win_only)

    def take_over(self, players: Players) -> None:
        """Plays with these networks from now on, as they are now."""
        self._players = players
        self.evaluator.refresh(players.networks)

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        """Plays with the weights of ``shared_weights`` from now on; where nothing is shared, they stay."""
        if not shared:
            return
        networks, filter_net = self._players
        for k, net in enumerate(networks.distinct()):
            load_module(net, shared, f"network.{k}")
        if filter_net is not None:
            load_module(filter_net, shared, "filter")
        self.take_over(self._players)

    def make_determinizer(self, num_lanes: int, posterior: bool = True) -> Determinizer:
        """Returns a determinizer with the present networks for games played side by side; without phase 2 if so asked."""
        inference, precision = self.config.inference, self.config.precision
        filter_net = self._players.filter
        score = None if filter_net is None else FilterEngine(filter_net, precision, self.device)
        return Determinizer(
            self.game, self.evaluator, replace(inference, phase2=inference.phase2 and posterior), num_lanes, score
        )

    def work(self, task: Task | MatchTask | TeacherTask) -> Callable[[Any], Iterator[tuple[int, Any]]]:
        """Returns what a pool asks of a worker."""
        if isinstance(task, Task):
            return self._games(task)
        return self._match(task) if isinstance(task, MatchTask) else self._teach

    def _match(self, task: MatchTask) -> Callable[[Decks], Iterator[tuple[int, PlayedGames]]]:
        """Returns what plays decks of a match."""
        config, trained = self.config, trained_of(self.config, self.game, self._players, self.evaluator)
        kind = "fpmcts" if task.searches else "policy"
        baseline = config.evaluation.baseline
        players = {
            "own": Entrant(search_options(config) if task.searches else PolicyOptions(), kind),
            "baseline": Entrant(PLAYERS[baseline](), baseline),
        }
        host = Host(self.game, players, str(self.device), networks=trained)

        def play(unit: Decks) -> Iterator[tuple[int, PlayedGames]]:
            torch.set_num_threads(1)  # of this thread, as in ``fpmcts.workers.worker``
            agents = host.make("own"), host.make("baseline")
            games = duplicate_games(self.game, *agents, unit.decks, part_seed(config.seed, unit.first))
            yield len(games.seating), games

        return play

    def _teach(self, seeds: np.ndarray) -> Iterator[tuple[int, Samples]]:
        """Plays games of the teacher, one per seed."""
        settings = self.config.bootstrap
        played = generate_games(self.game, seeds, threads=1, epsilon=settings.epsilon, teacher=settings.teacher)
        yield len(seeds), heuristic_samples(self.game, played.deals, played.records, played.choices)

    def _games(self, task: Task) -> Callable[[Unit], Iterator[tuple[int, Outcome | None]]]:
        """Returns what plays games of the run."""
        if task.searches:
            settings = replace(self.config.selfplay, lanes=self._lanes)
            determinizer = self.make_determinizer(task.size, settings.posterior)
            play: Any = SelfPlay(self.game, self.evaluator.evaluate, determinizer, self.search, settings).play
        else:
            play = PolicyGames(
                self.game, self.evaluator.evaluate, lanes=max(1, POLICY_LANES // self._workers), win_only=self._win_only,
                decay=task.decay, temperature=task.temperature, exploration=task.exploration, solve=self.config.search.solve,
            ).play  # fmt: skip
        plays = worker(play)

        def counted(unit: Unit) -> Iterator[tuple[int, Outcome | None]]:
            self.evaluator.seconds, self.evaluator.num_evaluations, self.search.counters = 0.0, 0, SearchCounters()
            for done, part in plays(unit):
                cost = Work(self.search.counters, self.evaluator.seconds, self.evaluator.num_evaluations)
                yield done, None if part is None else (part, cost)

        return counted


def shared_weights(players: Players) -> dict[str, np.ndarray]:
    """Returns the weights that workers elsewhere play with (``GameWorker.refresh``), by name."""
    arrays = {} if players.filter is None else module_arrays(players.filter, "filter")
    for k, net in enumerate(players.networks.distinct()):
        arrays |= module_arrays(net, f"network.{k}")
    return arrays


def trained_of(config: TrainConfig, game: Game, players: Players, evaluator: Evaluator) -> Trained:
    """Returns the networks as players know them (``agents.registry.Host``); ``evaluator`` holds their weights."""
    return Trained(
        game=game, rules=config.game.options.get("rules", ""),
        networks=players.networks, filter=players.filter, inference=config.inference,
        search=config.search, objective=config.objective, evaluator=evaluator,
    )  # fmt: skip


def search_options(config: TrainConfig) -> FPMCTSOptions:
    """Returns the options of the search that is measured: as it is in training, but without noise."""
    changes = {"playouts": config.evaluation.search_playouts, "gumbel_noise": 0.0}
    return FPMCTSOptions(search=asdict(config.search) | changes, beliefs=asdict(config.inference))


def make_worker(values: Mapping[str, Any]) -> GameWorker:
    """Returns a worker from the configuration of a run as plain values, as actors of a cluster make it."""
    config = parse_config(values)
    torch.set_num_threads(1)
    device, game = choose_device(config.device), config.game.make()
    filter_net = FilterNet(game.spec).to(device) if config.inference.phase1 == "filter" else None
    networks = build_networks(game.spec, config.network, config.seed).to(device)
    return GameWorker(config, game, Players(networks, filter_net), device, 1)
