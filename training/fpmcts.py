"""FPMCTS as a run: iterations with searches, in one function (``FPMCTS.search_iteration``).

    play ─▶ reservoirs, windows ─▶ learn ─▶ evaluate ─▶ report

A step is what lies between two checkpoints: some games of self-play, with learning and evaluation
once an iteration is complete. ``training.stages`` adds the bootstrap before and policy gradient after.
"""

import copy
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.trained import checkpoint_file
from evaluation.match import PlayedGames
from fpmcts.filter_learner import FilterLearner
from fpmcts.learner import REPLICAS, Learner
from fpmcts.policy_games import DECAY
from fpmcts.samples import Reservoir, Samples, Store, Window, load_stores, stored_arrays
from games import with_defaults
from games.batches import States, num_rows, take
from games.interface import seats_to_move
from games.kernels import Stream, sources_digest
from inference.filter import FilterNet
from networks.checkpoint import CheckpointError, check_compatible, load
from networks.precision import settled
from networks.resnet import PolicyValueNet, build_networks
from networks.weights import (
    grow,
    load_module,
    load_optimizer,
    module_arrays,
    move_towards,
    optimizer_arrays,
)
from runtime.device import choose_device
from runtime.memory import check_fits
from runtime.progress import Progress
from training.ahead import Ahead
from training.config import TrainConfig
from training.evaluation import Evaluation
from training.game_curves import search_curves
from training.interface import Report, Saved
from training.learning import Losses, learn_filter, learn_side_by_side, loss_text
from training.workers import Batch, Players, Workers

COUNTERS = (
    "steps",
    "iteration",
    "bootstrap_done",
    "episode_done",
    "games_seen",
    "offered",
    "began_from",
)
"""Attributes that a checkpoint keeps as they are. With the seed they stand for all random states.
"""


class FPMCTS:
    """Networks that learn from searches with them; see ``training.run.Algorithm``.

    Attributes:
        config: Of the run.
        game: The game.
        device: Of the networks.
        threads: Workers of self-play, and threads of learning on CPUs.
        networks: Those that learn.
        playing: Those that play and are measured: the same, or averages of their weights
            (``train.averaging``, ``gradient.averaging``).
        learning_threads: Networks that learn at the same time.
        learners: One per network.
        filter: Learner of the filter network of inference, if there is one.
        reservoirs: What the policy of each network learns from.
        windows: What its value learns from; none: the reservoirs.
        lagging: With ``cluster.lag``: copies of the networks, and of the filter network, that play
            the present iteration.
        workers: Play the games.
        evaluation: Measures the networks that play.
        steps: Finished.
        iteration: Iterations finished, of self-play or policy gradient.
        bootstrap_done: Heuristic games learned from.
        episode_done: Self-play games of the present iteration.
        games_seen: Games of all iterations.
        offered: Searched decisions of the present iteration, by network.
        began_from: The checkpoint whose networks it began from, in place of the bootstrap; None:
            from untrained ones.
    """

    saves_each_step = True

    def __init__(self, config: TrainConfig) -> None:
        train = config.train
        self.device, self.threads = (
            choose_device(config.device),
            config.threads or len(os.sched_getaffinity(0)),
        )
        torch.set_num_threads(
            1
        )  # per operation: the threads are ours, see training.workers, fpmcts.learner
        self.game = config.make_game()
        self.networks = build_networks(self.game.spec, config.network, config.seed).to(self.device)
        precision = settled(config.precision, self.nets[0], self.device)
        self.config = config = replace(config, precision=precision)
        averages = train.averaging or (
            config.gradient.start is not None and config.gradient.averaging
        )
        self.playing = copy.deepcopy(self.networks) if averages else self.networks
        self.learning_threads = (
            1 if self.threads == 1 or self.device.type != "cpu" else len(self.nets)
        )
        self.learners = [
            Learner(self.game, net, train, self.device, self.threads) for net in self.nets
        ]
        self.filter: FilterLearner | None = None
        if config.inference.phase1 == "filter":
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.seed)
                self.filter = FilterLearner(
                    self.game, FilterNet(self.game.spec).to(self.device), train, self.device
                )
        count = len(self.nets)
        self.reservoirs = [
            Reservoir(self.game, train.reservoir, 2 * config.seed + 1 + 1000 * k)
            for k in range(count)
        ]
        self.windows = (
            [Window(self.game, train.value_window) for _ in range(count)]
            if train.value_window
            else []
        )
        check_fits(
            {
                "train.reservoir": sum(store.nbytes for store in self.reservoirs),
                "train.value_window": sum(store.nbytes for store in self.windows),
            }
        )
        self.lagging = (
            copy.deepcopy(Players(self.networks, self.filter_net)) if config.cluster.lag else None
        )
        self.steps = self.iteration = self.bootstrap_done = self.episode_done = self.games_seen = 0
        self.offered = [0] * count
        self.began_from = config.init_from
        if config.init_from:
            try:
                self.load_networks(Saved(*load(checkpoint_file(config.init_from))))
            except CheckpointError as error:
                raise CheckpointError(f"init_from={config.init_from}: {error}") from error
        self.workers = Workers(config, self.game, self.generators(), self.device, self.threads)
        self.evaluation = Evaluation(config, self.game, self.playing, self.device, self.match)
        self._ahead: Ahead | None = None

    def stage(self) -> Callable[[Progress], Report]:
        """Returns what the next step is; ``training.stages`` has what comes before and after."""
        return self.search_iteration

    def step(self, progress: Progress) -> Report:
        """Runs the next step."""
        report = self.stage()(progress)
        self.steps += 1
        return report

    def search_iteration(self, progress: Progress) -> Report:
        """Plays some games of an iteration; after the last ones it learns and evaluates."""
        episode, batches = self.config.episode, self.batches(self.iteration)
        batch = batches[self.episode_done // episode.games_per_step]
        games, work = self.play(batch, progress)
        scalars = search_curves(self.game, games, work, self.workers.size) | self.workers.curves()
        scalars |= {
            "data/reservoir_seen": float(sum(r.seen for r in self.reservoirs)),
            "data/games": float(self.games_seen),
        }
        self.keep(games.samples)
        self.episode_done += batch.games
        self.games_seen += batch.games
        line = f"iteration {self.iteration}: {batch.games} games at {batch.games / games.statistics.seconds:.1f}/s"
        if self.episode_done < episode.games:
            return Report(self.steps, line, scalars)
        if episode.value_games:
            played, _ = self.play(batches[-1], progress)
            for k, window in enumerate(self.windows):
                window.add(self.of_network(played.decisions.samples, k))
            scalars["time/value_games_seconds"] = played.seconds
        self.play_ahead()
        scalars |= self.learn(games.samples, progress)
        line += ", " + loss_text(scalars)
        self.iteration += 1
        self.episode_done, self.offered = 0, [0] * len(self.nets)
        line += self.evaluation.after_iteration(self.iteration, scalars, progress)
        return Report(self.steps, line, scalars)

    def batches(self, iteration: int) -> list[Batch]:
        """Returns the games of an iteration in the order in which they are played."""
        episode, selfplay = self.config.episode, self.config.selfplay
        if self.config.is_gradient(iteration):
            return [Batch(iteration, 0, self.config.gradient.games, searches=False, decay=DECAY)]
        firsts = range(0, episode.games, episode.games_per_step)
        batches = [
            Batch(iteration, k, min(episode.games_per_step, episode.games - n), True)
            for k, n in enumerate(firsts)
        ]
        if episode.value_games:
            temperature = selfplay.temperature(iteration)
            batches.append(
                Batch(
                    iteration,
                    len(batches),
                    episode.value_games,
                    False,
                    temperature,
                    selfplay.exploration,
                )
            )
        return batches

    def play(self, batch: Batch, progress: Progress) -> Any:
        """Returns the games of a batch, ``Finished`` or ``Played``, and what its units cost
        (``Work``).
        """
        if self._ahead is not None and self._ahead.has(batch):
            return self._ahead.take(batch, progress)
        return self.workers.play(self.generators(), batch, progress)

    def play_ahead(self) -> None:
        """With ``cluster.lag``: begins the games of the next iteration, which the weights from
        before the learning play.
        """
        last = self.config.budget.iterations
        if self.lagging is not None:
            self.catch_up()
            if last is None or self.iteration + 1 < last:
                if self._ahead is not None:
                    self._ahead.stop()
                play = partial(self.workers.play, self.generators())
                self._ahead = Ahead(self.batches(self.iteration + 1), play)

    def match(self, decks: States, searches: bool, progress: Progress) -> PlayedGames:
        """Returns the games of a match of the networks that are measured, with or without searches."""
        if self._ahead is not None:
            self._ahead.settle(progress)
        players = Players(self.playing, self.filter_net)
        return self.workers.match(players, decks, searches, progress)

    def close(self) -> None:
        """Ends what is played in the background, and the cluster's actors."""
        if self._ahead is not None:
            self._ahead.stop()
        self.workers.close()

    def keep(self, samples: Samples) -> None:
        """Puts samples into the stores of their networks: searched ones teach the policy, those
        with a result the value.
        """
        for k, reservoir in enumerate(self.reservoirs):
            part = self.of_network(samples, k)
            searched = np.flatnonzero(part.policy_weight > 0)
            reservoir.add(take(part, searched))
            self.offered[k] += len(searched)
            if self.windows:
                self.windows[k].add(take(part, np.flatnonzero(np.isfinite(part.result))))

    def learn(self, samples: Samples, progress: Progress) -> dict[str, float]:
        """Steps every network, the policy from the reservoir, the value from the window; returns
        curves.

        Args:
            samples: Of the last games, which the filter network learns from.
            progress: Called with the steps.
        """
        train, started = self.config.train, time.perf_counter()
        half = train.batch_size // 2 if self.windows else train.batch_size
        steps, parts = self.learning_steps(half), max(1, REPLICAS // len(self.nets))

        def network(k: int) -> Iterator[Losses]:
            generator = np.random.default_rng(
                [self.config.seed, Stream.TRAINING, self.iteration, k]
            )
            learner, averages = self.learners[k], self.playing.distinct()[k]
            for _ in range(steps[k]):
                policy_rows = self.reservoirs[k].draw(generator, half, train.recency)
                value_rows = (
                    self.windows[k].draw(generator, train.batch_size - half)
                    if self.windows
                    else policy_rows
                )
                given = policy_rows if self.windows else None
                losses = learner.step(given, value_rows, train.rate(self.iteration), parts)
                if averages is not learner.net:
                    move_towards(averages, learner.net, 1.0 / max(1, train.averaging))
                yield losses

        curves = learn_side_by_side(
            self.learning_threads, [network(k) for k in range(len(steps))], steps, progress
        )
        curves |= learn_filter(self.filter, [self.config.seed, self.steps], samples, max(steps)) | {
            "time/learning_seconds": time.perf_counter() - started
        }
        for k, (reservoir, count) in enumerate(zip(self.reservoirs, steps, strict=True)):
            curves[f"data/reservoir_age_{k}"] = float(
                (self.iteration - reservoir.rows.iteration[: reservoir.size]).mean()
            )
            curves[f"data/learning_steps_{k}"] = float(count)
        return curves

    def learning_steps(self, batch: int) -> list[int]:
        """Returns the steps of each network: a searched decision of the iteration is used
        ``train.reuse`` times on average.
        """
        train = self.config.train
        return [
            max(math.ceil(train.reuse * n / batch), train.least_steps if n else 0)
            for n in self.offered
        ]

    @property
    def nets(self) -> list[PolicyValueNet]:
        """The networks that learn, each once."""
        return self.networks.distinct()

    @property
    def filter_net(self) -> FilterNet | None:
        """The filter network of inference, if there is one."""
        return None if self.filter is None else self.filter.net

    def of_network(self, samples: Samples, k: int) -> Samples:
        """Returns the samples that network ``k`` learns from: those of its seat, or all where one
        network serves every seat.
        """
        return samples if len(self.nets) == 1 else take(samples, self.rows_of_network(samples, k))

    def rows_of_network(self, samples: Samples, k: int) -> np.ndarray:
        """Returns the rows (int64) of the samples that network ``k`` learns from."""
        every = len(self.nets) == 1
        return (
            np.arange(num_rows(samples))
            if every
            else np.flatnonzero(seats_to_move(self.game, samples.states) == k)
        )

    def latest(self) -> Players:
        """Returns the networks that play without a lag, and the filter network: in policy gradient
        those that learn.
        """
        return Players(
            self.networks if self.config.is_gradient(self.iteration) else self.playing,
            self.filter_net,
        )

    def generators(self) -> Players:
        """Returns the networks that play the games of the present iteration, and the filter
        network.

        Iteration t is played by the weights that have learned from the iterations before t -
        ``cluster.lag``, so it depends on the lag and never on the time that anything takes.
        """
        return self.latest() if self.lagging is None else self.lagging

    def catch_up(self) -> None:
        """Gives the networks that play with a lag the present weights, which have not learned from
        this iteration yet.
        """
        if self.lagging is None:
            return
        for own, latest in zip(self.lagging, self.latest(), strict=True):
            if own is not None and latest is not None:
                own.load_state_dict(latest.state_dict())

    @property
    def about(self) -> str:
        """What is trained, and on what."""
        c, parameters = self.config, sum(p.numel() for p in self.nets[0].parameters())
        return (
            f"{c.game.name}: {len(self.nets)} networks of {c.network.channels} channels x {c.network.blocks} blocks "
            f"({parameters:,} parameters each), {c.search.root} with {c.search.playouts} playouts, "
            f"inference {c.inference.phase1}, on {self.device} with {self.threads} threads, precision {c.precision}"
        )

    @property
    def spent(self) -> dict[str, int]:
        """Iterations finished."""
        return {"iterations": self.iteration}

    def state(self) -> Saved:
        """Returns all that the next step depends on."""
        arrays = stored_arrays(self._stores())
        for name, module in self._modules().items():
            arrays |= module_arrays(module, name)
        for name, optimizer in self._optimizers().items():
            arrays |= optimizer_arrays(optimizer, name)
        meta = self._identity() | {"config": self.config.as_dict(), "code": sources_digest()}
        return Saved(arrays, meta | {name: getattr(self, name) for name in COUNTERS})

    def load(self, saved: Saved) -> None:
        """Takes what ``state`` gave.

        Raises:
            CheckpointError: It is of another game, network shape, or setting of the stores; nothing
                is changed on disk.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        for name, module in self._modules().items():
            load_module(module, saved.arrays, name)
        for name, optimizer in self._optimizers().items():
            load_optimizer(optimizer, saved.arrays, name)
        load_stores(self._stores(), saved.arrays)
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])

    def load_networks(self, saved: Saved) -> None:
        """Takes the networks of a checkpoint and nothing else: those that played there, grown where
        this run's are larger.
        """
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

    def _modules(self) -> dict[str, nn.Module]:
        """Returns all networks by their names in a checkpoint."""
        found: dict[str, nn.Module] = {
            f"network.{k}": net for k, net in enumerate(self.playing.distinct())
        }
        if self.playing is not self.networks:
            found |= {f"learning.{k}": net for k, net in enumerate(self.nets)}
        if self.filter is not None:
            found["filter.net"] = self.filter.net
        if self.lagging is not None:
            found |= {f"lagging.{k}": net for k, net in enumerate(self.lagging.networks.distinct())}
            if self.lagging.filter is not None:
                found["lagging_filter"] = self.lagging.filter
        return found

    def _optimizers(self) -> dict[str, torch.optim.Optimizer]:
        found = {f"optimizer.{k}": learner.optimizer for k, learner in enumerate(self.learners)}
        return found if self.filter is None else found | {"filter_optimizer": self.filter.optimizer}

    def _stores(self) -> dict[str, Store]:
        found: dict[str, Store] = {
            f"reservoir.{k}": store for k, store in enumerate(self.reservoirs)
        }
        return found | {f"window.{k}": store for k, store in enumerate(self.windows)}

    def _identity(self) -> dict[str, Any]:
        """Returns what a checkpoint must agree with."""
        network = asdict(self.config.network)
        return {
            "game": self.config.game.as_dict(),
            "network": {k: v for k, v in network.items() if k != "objective"},
            "filter": self.filter is not None,
        }
