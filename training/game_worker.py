"""A worker that plays the games of a run, with searches or by the policies alone: one of several threads, or an actor's own."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch

from fpmcts.policy_games import Played, PolicyGames
from fpmcts.search import Search, SearchCounters
from fpmcts.selfplay import SelfPlay
from fpmcts.workers import Finished, Unit, worker
from games import make
from games.interface import Game
from inference.determinizer import Determinizer
from networks.engine import FilterEngine
from networks.evaluator import Evaluator
from networks.filter import FilterNet
from networks.resnet import Networks, build_networks
from networks.weights import load_module, module_arrays
from runtime.device import choose_device
from training.config import TrainConfig, parse_config

POLICY_LANES = 2048
"""Games that advance together where nobody searches: a game asks for one evaluation at a time."""


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


Outcome = tuple[Finished | Played, Work]
"""What a unit gives."""


class GameWorker:
    """One evaluator and one search.

    Args:
        config: Of the run.
        game: Its game.
        networks: Those that play at first.
        filter_net: The filter network of inference, if there is one; changed in place where weights arrive by ``refresh``.
        device: Of the networks.
        workers: How many there are, who share the lanes.
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        networks: Networks,
        filter_net: FilterNet | None,
        device: torch.device,
        workers: int,
    ) -> None:
        self.config, self.game, self.device, self._workers = config, game, device, workers
        self._networks, self._filter = networks, filter_net
        self._win_only = config.objective == "wp"
        self.evaluator = Evaluator(networks, config.precision, device, config.remembered)
        self._lanes = max(1, config.selfplay.lanes // workers)
        self.search = Search(game, self.evaluator.evaluate, config.search, self._lanes, self._win_only)

    def take_over(self, networks: Networks) -> None:
        """Plays with these networks from now on, as they are now."""
        self.evaluator.refresh(networks)

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        """Plays with the weights of ``shared_weights`` from now on."""
        for k, net in enumerate(self._networks.distinct()):
            load_module(net, shared, f"network.{k}")
        if self._filter is not None:
            load_module(self._filter, shared, "filter")
        self.take_over(self._networks)

    def make_determinizer(self, num_lanes: int, posterior: bool = True) -> Determinizer:
        """Returns a determinizer with the present networks for games played side by side; without phase 2 if so asked."""
        inference, precision = self.config.inference, self.config.precision
        score = None if self._filter is None else FilterEngine(self._filter, precision, self.device)
        return Determinizer(
            self.game, self.evaluator, replace(inference, phase2=inference.phase2 and posterior), num_lanes, score
        )

    def work(self, task: Task) -> Callable[[Unit], Iterator[tuple[int, Outcome | None]]]:
        """Returns what a pool asks of a worker."""
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


def shared_weights(networks: Networks, filter_net: FilterNet | None) -> dict[str, np.ndarray]:
    """Returns the weights that workers elsewhere play with (``GameWorker.refresh``), by name."""
    arrays = {} if filter_net is None else module_arrays(filter_net, "filter")
    for k, net in enumerate(networks.distinct()):
        arrays |= module_arrays(net, f"network.{k}")
    return arrays


def make_worker(values: Mapping[str, Any]) -> GameWorker:
    """Returns a worker from the configuration of a run as plain values, as actors of a cluster make it."""
    config = parse_config(values)
    torch.set_num_threads(1)
    device, game = choose_device(config.device), make(config.game.name, **config.game.options())
    filter_net = FilterNet(game.spec).to(device) if config.inference.phase1 == "filter" else None
    return GameWorker(config, game, build_networks(game.spec, config.network, config.seed).to(device), filter_net, device, 1)
