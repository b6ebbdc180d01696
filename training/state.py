"""All that a run of FPMCTS is made of, and what a checkpoint keeps of it."""

import copy
import os
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from fpmcts.filter_learner import FilterLearner
from fpmcts.learner import Learner
from fpmcts.samples import Reservoir, Samples, Store, Window
from games import with_defaults
from games.batches import num_rows, take
from games.interface import Game, seats_to_move
from games.kernels import sources_digest
from inference.filter import FilterNet
from networks.checkpoint import check_compatible
from networks.resnet import Networks, PolicyValueNet, build_networks
from networks.weights import grow, load_module, load_optimizer, module_arrays, optimizer_arrays
from runtime.device import choose_device
from runtime.memory import check_fits
from training.batches import Players, is_gradient
from training.config import TrainConfig
from training.reports import Report
from training.run_folder import Saved

COUNTERS = ("step", "iteration", "bootstrap_done", "episode_done", "games_seen", "seconds")
"""Attributes of a RunState that a checkpoint keeps as they are. With the seed they stand for all random states."""


@dataclass
class RunState:
    """Everything that the next step of a run depends on.

    Attributes:
        config: Of the run.
        game: The game.
        device: Of the networks.
        threads: Workers of self-play, and threads of learning on CPUs.
        networks: Those that learn.
        playing: Those that play and are measured: the same, or averages of their weights (``train.averaging``,
            ``gradient.averaging``).
        learners: One per network.
        filter: Learner of the filter network of inference, if there is one.
        reservoirs: What the policy of each network learns from.
        windows: What its value learns from; none: the reservoirs.
        step: Steps finished.
        iteration: Self-play iterations finished.
        bootstrap_done: Heuristic games learned from.
        episode_done: Self-play games of the present iteration.
        offered: Searched decisions of the present iteration, by network.
        games_seen: Games of all iterations.
        seconds: Wall clock spent in steps, over all sessions.
        last_report: What the last step said.
        lagging: With ``cluster.lag``: copies of the networks, and of the filter network, that play the present iteration.
        began_from: The checkpoint whose networks it began from, in place of the bootstrap; None: from untrained ones.
    """

    config: TrainConfig
    game: Game
    device: torch.device
    threads: int
    networks: Networks
    playing: Networks
    learners: list[Learner]
    filter: FilterLearner | None
    reservoirs: list[Store]
    windows: list[Window]
    step: int = 0
    iteration: int = 0
    bootstrap_done: int = 0
    episode_done: int = 0
    offered: list[int] = field(default_factory=list)
    games_seen: int = 0
    seconds: float = 0.0
    last_report: Report | None = None
    lagging: Players | None = None
    began_from: str | None = None

    @classmethod
    def new(cls, config: TrainConfig) -> Self:
        """Returns the state before the first step, the networks untrained."""
        device, threads = choose_device(config.device), config.threads or len(os.sched_getaffinity(0))
        torch.set_num_threads(1)  # per operation: the threads are ours, see fpmcts.workers, fpmcts.learner
        game = config.game.make()
        networks = build_networks(game.spec, config.network, config.seed).to(device)
        nets = networks.distinct()
        averages = config.train.averaging or (config.gradient.start is not None and config.gradient.averaging)
        filter_learner = None
        if config.inference.phase1 == "filter":
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.seed)
                filter_learner = FilterLearner(game, FilterNet(game.spec).to(device), config.train, device)
        train, filter_net = config.train, None if filter_learner is None else filter_learner.net
        state = cls(
            config=config,
            game=game,
            device=device,
            threads=threads,
            networks=networks,
            playing=copy.deepcopy(networks) if averages else networks,
            learners=[Learner(game, net, train, device, threads) for net in nets],
            filter=filter_learner,
            reservoirs=[
                Reservoir(game, train.reservoir, 2 * config.seed + 1 + 1000 * k)
                if train.store == "reservoir"
                else Window(game, train.reservoir)
                for k in range(len(nets))
            ],
            windows=[Window(game, train.value_window) for _ in nets] if train.value_window else [],
            offered=[0] * len(nets),
            lagging=copy.deepcopy(Players(networks, filter_net)) if config.cluster.lag else None,
            began_from=config.init_from,
        )
        check_fits({
            "train.reservoir": sum(store.nbytes for store in state.reservoirs),
            "train.value_window": sum(store.nbytes for store in state.windows),
        })  # fmt: skip
        return state

    @property
    def nets(self) -> list[PolicyValueNet]:
        """The networks that learn, each once."""
        return self.networks.distinct()

    @property
    def bootstrap_games(self) -> int:
        """Heuristic games that the run learns from before self-play."""
        return self.config.bootstrap.games if self.config.bootstrap.kind == "heuristic" and not self.began_from else 0

    @property
    def win_only(self) -> bool:
        """Whether the objective is to win (±1), not points."""
        return self.config.objective == "wp"

    @property
    def filter_net(self) -> FilterNet | None:
        """The filter network of inference, if there is one."""
        return None if self.filter is None else self.filter.net

    def of_network(self, samples: Samples, k: int) -> Samples:
        """Returns the samples that network ``k`` learns from: those of its seat, or all where one network serves every seat."""
        return samples if len(self.nets) == 1 else take(samples, self.rows_of_network(samples, k))

    def rows_of_network(self, samples: Samples, k: int) -> np.ndarray:
        """Returns the rows (int64) of the samples that network ``k`` learns from."""
        every = len(self.nets) == 1
        return np.arange(num_rows(samples)) if every else np.flatnonzero(seats_to_move(self.game, samples.states) == k)

    def latest(self) -> Players:
        """Returns the networks that play without a lag, and the filter network: in policy gradient those that learn."""
        networks = self.networks if is_gradient(self.config, self.iteration) else self.playing
        return Players(networks, self.filter_net)

    def generators(self) -> Players:
        """Returns the networks that play the games of the present iteration, and the filter network.

        Iteration t is played by the weights that have learned from the iterations before t - ``cluster.lag``, so it depends on
        the lag and never on the time that anything takes.
        """
        return self.latest() if self.lagging is None else self.lagging

    def catch_up(self) -> None:
        """Gives the networks that play with a lag the present weights, which have not learned from this iteration yet."""
        if self.lagging is None:
            return
        for own, latest in zip(self.lagging, self.latest(), strict=True):
            if own is not None and latest is not None:
                own.load_state_dict(latest.state_dict())

    def get_state(self) -> Saved:
        """Returns all that the next step depends on, as named arrays and metadata."""
        arrays: dict[str, np.ndarray] = {}
        for k, (playing, learner) in enumerate(zip(self.playing.distinct(), self.learners, strict=True)):
            arrays |= module_arrays(playing, f"network.{k}") | optimizer_arrays(learner.optimizer, f"optimizer.{k}")
            if self.playing is not self.networks:
                arrays |= module_arrays(learner.net, f"learning.{k}")
        if self.filter is not None:
            arrays |= module_arrays(self.filter.net, "filter.net") | optimizer_arrays(self.filter.optimizer, "filter_optimizer")
        for name, module in self._lagging():
            arrays |= module_arrays(module, name)
        for name, store in self._stores():
            arrays |= {f"{name}.{key}": array for key, array in store.get_state().items()}
        counters = {name: getattr(self, name) for name in COUNTERS}
        report = None if self.last_report is None else self.last_report.__dict__
        code = sources_digest()
        meta = self._identity() | {"config": self.config.as_dict(), "code": code, "report": report} | counters
        meta |= {"began_from": self.began_from, "offered": self.offered}
        return Saved(arrays, meta)

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave.

        Raises:
            CheckpointError: It is of another game, network shape, or setting of the stores; nothing is changed on disk.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        self.load_networks(saved)
        for k, learner in enumerate(self.learners):
            load_optimizer(learner.optimizer, saved.arrays, f"optimizer.{k}")
            if self.playing is not self.networks:
                load_module(learner.net, saved.arrays, f"learning.{k}")
        if self.filter is not None:
            load_optimizer(self.filter.optimizer, saved.arrays, "filter_optimizer")
        for name, module in self._lagging():
            load_module(module, saved.arrays, name)
        for name, store in self._stores():
            prefix = name + "."
            store.set_state({key.removeprefix(prefix): a for key, a in saved.arrays.items() if key.startswith(prefix)})
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])
        self.offered = list(saved.meta.get("offered", [0] * len(self.nets)))  # of earlier versions: not known
        self.began_from = saved.meta.get("began_from", saved.meta["config"]["init_from"])
        report = saved.meta["report"]
        self.last_report = None if report is None else Report(**report)

    def load_networks(self, saved: Saved) -> None:
        """Takes the networks of a checkpoint and nothing else: those that played there, grown where this run's are larger."""
        identity = self._identity()
        network = identity["network"]
        sizes = {key: network.pop(key) for key in ("channels", "blocks")}
        check_compatible(with_defaults(saved.meta), **identity)
        same = all(saved.meta["network"][key] == size for key, size in sizes.items())
        for k, net in enumerate(self.nets):
            if same:
                load_module(net, saved.arrays, f"network.{k}")
            else:
                grow(net, saved.arrays, f"network.{k}")
        self.playing.load_state_dict(self.networks.state_dict())
        if self.filter is not None:
            load_module(self.filter.net, saved.arrays, "filter.net")
        self.catch_up()

    def _lagging(self) -> list[tuple[str, nn.Module]]:
        """Returns the networks that play with a lag, by their names in a checkpoint."""
        if self.lagging is None:
            return []
        networks, filter_net = self.lagging
        named: list[tuple[str, nn.Module]] = [(f"lagging.{k}", net) for k, net in enumerate(networks.distinct())]
        return named if filter_net is None else [*named, ("lagging_filter", filter_net)]

    def _identity(self) -> dict[str, Any]:
        """Returns what a checkpoint must agree with."""
        network = asdict(self.config.network)
        return {
            "game": self.config.game.as_dict(),
            "network": {k: v for k, v in network.items() if k != "objective"},
            "filter": self.filter is not None,
        }

    def _stores(self) -> list[tuple[str, Store]]:
        named: list[tuple[str, Store]] = [(f"reservoir.{k}", store) for k, store in enumerate(self.reservoirs)]
        return named + [(f"window.{k}", store) for k, store in enumerate(self.windows)]
