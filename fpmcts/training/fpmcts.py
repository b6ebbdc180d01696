"""FPMCTS as a run: iterations with searches, in one function (``FPMCTS.search_iteration``).

    play ─▶ reservoirs, windows ─▶ learn ─▶ evaluate ─▶ report

A step is the work between two checkpoints: some games of self-play, with learning and evaluation
once an iteration is complete. ``fpmcts.training.stages`` adds the bootstrap before and policy
gradient after.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import torch

from fpmcts.evaluation.match import PlayedGames
from fpmcts.memory import check_fits
from fpmcts.players.trained import checkpoint_file
from fpmcts.progress import Progress
from fpmcts.training.ahead import Ahead
from fpmcts.training.config import TrainConfig
from fpmcts.training.evaluation import Evaluation
from fpmcts.training.expected import Watch
from fpmcts.training.game_curves import search_curves
from fpmcts.training.interface import Report, Saved
from fpmcts.training.learner import REPLICAS, Learner
from fpmcts.training.learning import (
    FilterLearner,
    Losses,
    Part,
    learn_filter,
    learn_side_by_side,
    load_parts,
    loss_text,
    numbered,
    part_arrays,
)
from fpmcts.training.policy_games import DECAY, Played
from fpmcts.training.samples import Reservoir, Samples, Window, empty_samples
from fpmcts.training.selfplay import Finished
from fpmcts.training.workers import AnyGames, Batch, Generated, Players, Workers
from games import with_defaults
from games.interface import roles_to_move
from games.kernels import Stream, sources_digest
from games.rows import States, num_rows, take
from games.system import num_cores
from inference.filter import FilterNet
from networks.checkpoint import check_compatible, load, naming
from networks.device import choose_device
from networks.evaluator import Evaluator
from networks.precision import settled
from networks.resnet import PolicyValueNet, build_networks
from networks.weights import extrapolate, grow, load_module, move_towards

COUNTERS = (
    "steps",
    "iteration",
    "bootstrap_done",
    "episode_done",
    "games_seen",
    "offered",
    "began_from",
)
"""Attributes that a checkpoint stores unchanged. With the seed they determine all random states."""


class FPMCTS:
    """Networks that learn from searches with them; see ``fpmcts.training.interface.Algorithm``.

    Attributes:
        config: Configuration of the run.
        game: The game.
        device: Device of the networks.
        threads: Workers of self-play, and threads of learning on CPUs.
        networks: The networks that learn.
        averages: Averages of their weights (``train.averaging``, ``gradient.averaging``), which are
            measured and saved; the same networks if none are kept.
        leading: The networks that play the games of searches: with ``train.lead`` ahead of the
            latest weights, else the averages.
        learning_threads: Number of networks that learn in parallel.
        learners: One per network.
        filter: Learner of the filter network of inference, if there is one.
        reservoirs: Samples for the policy of each network.
        windows: Samples for its value; if none, the reservoirs.
        lagging: With ``cluster.lag``: copies of the networks, and of the filter network, that play
            the current iteration.
        workers: The workers that play the games.
        evaluation: Measures the averages.
        watch: Compares the results with expected ones and warns.
        steps: Finished steps.
        iteration: Finished iterations, of self-play or policy gradient.
        bootstrap_done: Heuristic games learned from.
        episode_done: Self-play games of the current iteration.
        games_seen: Games of all iterations.
        offered: Searched decisions of the current iteration, by network.
        began_from: The checkpoint of the initial networks, instead of the bootstrap; None:
            untrained ones.
    """

    saves_each_step = True

    def __init__(self, config: TrainConfig, is_new: bool = True) -> None:
        """Makes the networks and their workers; see ``RunConfig.start``."""
        train = config.train
        self.device = choose_device(config.device)
        self.threads = config.threads or num_cores()
        # Threads per operation: we run our own threads, see workers.py and learner.py.
        torch.set_num_threads(1)
        self.game = config.make_game()
        self.networks = build_networks(self.game.spec, config.network, config.seed).to(self.device)
        precision = settled(config.precision, self.nets[0], self.device)
        self.config = config = replace(config, precision=precision)
        averages = train.averaging or (
            config.gradient.start is not None and config.gradient.averaging
        )
        self.averages = copy.deepcopy(self.networks) if averages else self.networks
        self.leading = copy.deepcopy(self.networks) if train.lead else self.averages
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
            Reservoir(empty_samples(self.game, train.reservoir), 2 * config.seed + 1 + 1000 * k)
            for k in range(count)
        ]
        self.windows = [
            Window(empty_samples(self.game, train.value_window))
            for _ in range(count if train.value_window else 0)
        ]
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
        if config.init_from and is_new:
            with naming(f"init_from={config.init_from}"):
                self.load_networks(Saved(*load(checkpoint_file(config.init_from))))
        self.workers = Workers(config, self.game, self.generators(), self.device, self.threads)
        self.evaluation = Evaluation(
            self.game,
            config.seed,
            config.evaluation.baseline,
            self.averages,
            Evaluator(self.averages, config.precision, self.device, game=self.game),
            self.match,
        )
        self.watch = Watch(config.as_dict(), config.evaluation.baseline)
        self._ahead: Ahead | None = None

    def stage(self) -> Callable[[Progress], Report]:
        """Returns the function of the next step; ``fpmcts.training.stages`` adds the stages before
        and after.
        """
        return self.search_iteration

    def step(self, progress: Progress) -> Report:
        """Runs the next step."""
        report = self.stage()(progress)
        report.line += self.watch.text(self.steps, report.scalars)
        self.steps += 1
        return report

    def search_iteration(self, progress: Progress) -> Report:
        """Plays some games of an iteration; after the last ones, learns and evaluates."""
        episode, batches = self.config.episode, self.batches(self.iteration)
        batch = batches[self.episode_done // episode.games_per_step]
        played: Generated[Finished] = self.play(batch, progress)
        scalars = search_curves(self.game, played, self.workers.size) | self.workers.curves()
        scalars |= {
            "data/reservoir_seen": float(sum(r.seen for r in self.reservoirs)),
            "data/games": float(self.games_seen),
        }
        self.keep(played.games.samples)
        scalars |= self.learn_filter(played.games.samples)
        self.episode_done += batch.games
        self.games_seen += batch.games
        line = (
            f"iteration {self.iteration}: {batch.games} games at "
            f"{batch.games / played.seconds:.1f}/s"
        )
        if self.episode_done < episode.games:
            return Report(self.steps, line, scalars)
        if episode.value_games:
            unsearched: Generated[Played] = self.play(batches[-1], progress)
            self.keep(unsearched.games.decisions.samples)
            scalars["time/value_games_seconds"] = unsearched.seconds
        self.play_ahead()
        scalars |= self.learn(progress)
        line += ", " + loss_text(scalars)
        self.iteration += 1
        self.episode_done, self.offered = 0, [0] * len(self.nets)
        line += self.evaluated(scalars, progress)
        return Report(self.steps, line, scalars)

    def batches(self, iteration: int) -> list[Batch]:
        """Returns the games of an iteration in the order in which they are played."""
        episode, selfplay = self.config.episode, self.config.selfplay
        if self.config.is_gradient(iteration):
            settings = self.config.gradient
            shape = iteration, 0, settings.games, False
            return [Batch(*shape, decay=DECAY, exploration=settings.exploration)]
        firsts = range(0, episode.games, episode.games_per_step)
        batches = [
            Batch(iteration, k, min(episode.games_per_step, episode.games - n), True)
            for k, n in enumerate(firsts)
        ]
        if episode.value_games:
            shape = iteration, len(batches), episode.value_games, False
            batches.append(Batch(*shape, selfplay.temperature(iteration)))
        return batches

    def play(self, batch: Batch, progress: Progress) -> AnyGames:
        """Returns the games of a batch, ``Finished`` or ``Played``."""
        if self._ahead is not None and self._ahead.has(batch):
            return self._ahead.take(batch, progress)
        return self.workers.play(self.generators(), batch, progress)

    def play_ahead(self) -> None:
        """With ``cluster.lag``: starts the games of the next iteration, played by the weights from
        before the learning.
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
        """Returns the games of a match of the measured networks, with or without searches."""
        if self._ahead is not None:
            self._ahead.settle(progress)
        players = Players(self.averages, self.filter_net)
        return self.workers.match(players, decks, searches, progress)

    def measured(self, scalars: dict[str, float], progress: Progress) -> str:
        """Measures the policy without searches; adds the curves and returns the text."""
        return self.evaluation.match(False, self.config.evaluation.decks, scalars, progress)

    def evaluated(self, scalars: dict[str, float], progress: Progress) -> str:
        """Runs the measurements due after an iteration; adds the curves and returns the text."""
        due, line = self.config.evaluation, self.measured(scalars, progress)
        if self.iteration % due.search_every == 0:
            line += self.evaluation.match(True, due.search_decks, scalars, progress)
        if due.exact_every and self.iteration % due.exact_every == 0:
            line += self.evaluation.exact(scalars)
        return line

    def close(self) -> None:
        """Stops background games and the cluster's actors; the next step starts them again."""
        if self._ahead is not None:
            self._ahead.stop()
            self._ahead = None
        self.workers.close()

    def keep(self, samples: Samples) -> None:
        """Adds samples to the stores of their networks: searched ones teach the policy, those with
        a result the value.
        """
        for k, reservoir in enumerate(self.reservoirs):
            part = self.of_network(samples, k)
            searched = np.flatnonzero(part.policy_weight > 0)
            reservoir.add(take(part, searched))
            self.offered[k] += len(searched)
            if self.windows:
                self.windows[k].add(take(part, np.flatnonzero(np.isfinite(part.result))))

    def learn_filter(self, samples: Samples) -> dict[str, float]:
        """Steps the filter network, if there is one, on the decisions of ``samples``, as often as
        each of the other networks; returns curves.
        """
        train = self.config.train
        steps = math.ceil(train.reuse * num_rows(samples) / len(self.nets) / train.batch_size)
        return learn_filter(self.filter, [self.config.seed, self.steps], samples, steps)

    def learn(self, progress: Progress) -> dict[str, float]:
        """Steps every network, the policy from the reservoir, the value from the window; returns
        curves.
        """
        train, started = self.config.train, time.perf_counter()
        half = train.batch_size // 2 if self.windows else train.batch_size
        steps, parts = self.learning_steps(half), max(1, REPLICAS // len(self.nets))
        recency = train.recency_at(self.iteration)

        def network(k: int) -> Iterator[Losses]:
            path = [self.config.seed, Stream.TRAINING, self.iteration, k]
            generator, learner = np.random.default_rng(path), self.learners[k]
            for _ in range(steps[k]):
                rows = values = self.reservoirs[k].draw(generator, half, recency)
                if self.windows and self.windows[k].size:
                    values = self.windows[k].draw(generator, train.batch_size - half)
                losses = learner.step(rows, values, train.rate(self.iteration), parts)
                self.average(k, train.averaging)
                yield losses

        curves = learn_side_by_side(
            self.learning_threads, [network(k) for k in range(len(steps))], steps, progress
        )
        self.lead()
        curves["time/learning_seconds"] = time.perf_counter() - started
        for k, (reservoir, count) in enumerate(zip(self.reservoirs, steps, strict=True)):
            if reservoir.size:
                age = self.iteration - reservoir.rows.iteration[: reservoir.size]
                curves[f"data/reservoir_age_{k}"] = float(age.mean())
            curves[f"data/learning_steps_{k}"] = float(count)
        return curves

    def average(self, k: int, steps: int) -> None:
        """Updates the averaged weights of network ``k``, if they are kept, after one of its steps.

        Args:
            steps: Steps over which weights are averaged.
        """
        if self.averages is not self.networks:
            move_towards(self.averages.distinct()[k], self.nets[k], 1.0 / max(1, steps))

    def lead(self) -> None:
        """Moves the leading networks ahead of the latest weights."""
        if self.leading is not self.averages:
            extrapolate(self.leading, self.averages, self.networks, self.config.train.lead)

    def restart_averages(self) -> None:
        """Sets the averages, and the leading networks, to the latest weights."""
        self.averages.load_state_dict(self.networks.state_dict())
        self.lead()

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
        """The distinct networks that learn."""
        return self.networks.distinct()

    @property
    def filter_net(self) -> FilterNet | None:
        """The filter network of inference, if there is one."""
        return None if self.filter is None else self.filter.net

    def of_network(self, samples: Samples, k: int) -> Samples:
        """Returns the samples that network ``k`` learns from: those of its role, or all if one
        network serves every role.
        """
        return take(samples, self.rows_of_network(samples, k))

    def rows_of_network(self, samples: Samples, k: int) -> np.ndarray:
        """Returns the rows (int64) of the samples that network ``k`` learns from."""
        if len(self.nets) == 1:
            return np.arange(num_rows(samples))
        return np.flatnonzero(roles_to_move(self.game, samples.states) == k)

    def latest(self) -> Players:
        """Returns the networks that would play without a lag (those that learn, in policy
        gradient), and the filter network.
        """
        return Players(
            self.networks if self.config.is_gradient(self.iteration) else self.leading,
            self.filter_net,
        )

    def generators(self) -> Players:
        """Returns the networks that play the games of the current iteration, and the filter
        network.

        Iteration t is played by the weights that have learned from the iterations before t -
        ``cluster.lag``, so it depends only on the lag, never on timing.
        """
        return self.latest() if self.lagging is None else self.lagging

    def catch_up(self) -> None:
        """Copies the current weights, from before learning from this iteration, to the lagging
        networks.
        """
        if self.lagging is None:
            return
        for own, latest in zip(self.lagging, self.latest(), strict=True):
            if own is not None and latest is not None:
                own.load_state_dict(latest.state_dict())

    @property
    def about(self) -> str:
        """Description of the networks, the search and the machine."""
        c, parameters = self.config, sum(p.numel() for p in self.nets[0].parameters())
        phase2 = "on" if c.inference.phase2 and c.selfplay.posterior else "off"
        return (
            f"{c.game.name}: {len(self.nets)} networks of {c.network.channels} channels x "
            f"{c.network.blocks} blocks "
            f"({parameters:,} parameters each), {c.search.root} with {c.search.playouts} playouts, "
            f"inference: phase 1 {c.inference.phase1}, phase 2 {phase2}; "
            f"{self.device}, {self.threads} threads, precision {c.precision}\n{c.departures()}"
        ).rstrip()

    @property
    def spent(self) -> dict[str, int]:
        """Iterations finished."""
        return {"iterations": self.iteration}

    def state(self) -> Saved:
        """Returns the complete state for the next step."""
        meta = self._identity() | {"config": self.config.as_dict(), "code": sources_digest()}
        counters = {name: getattr(self, name) for name in COUNTERS}
        return Saved(part_arrays(self._parts()), meta | counters | {"best": self.watch.best})

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``.

        Raises:
            CheckpointError: It is of another game, network shape, or setting of the stores; nothing
                is changed on disk.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        load_parts(self._parts(), saved.arrays)
        self.lead()
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])
        self.watch.best = dict(saved.meta.get("best", {}))

    def load_networks(self, saved: Saved) -> None:
        """Loads only the networks of a checkpoint: those that played there, grown if this run's are
        larger. Roles that a game lacks from which this one begins stay fresh.
        """
        identity, game = self._identity(), with_defaults(saved.meta)["game"]
        grows = any({**identity["game"], **other} == game for other in self.game.begins_from)
        grows &= identity["game"] != game
        if grows:
            identity["game"] = game
        network = identity["network"]
        sizes = {key: network.pop(key) for key in ("channels", "blocks")}
        check_compatible(with_defaults(saved.meta), **identity)
        same = all(saved.meta["network"].get(key) == size for key, size in sizes.items())
        for k, net in enumerate(self.nets):
            if grows and f"network.{k}.stem.conv.weight" not in saved.arrays:
                continue
            if same and not grows:
                load_module(net, saved.arrays, f"network.{k}")
            else:
                grow(net, saved.arrays, f"network.{k}")
        self.restart_averages()
        if self.filter is not None:
            load_module(self.filter.net, saved.arrays, "filter.net")
        self.catch_up()

    def _parts(self) -> dict[str, Part]:
        """Returns the parts of a checkpoint, by name."""
        found = numbered("network", self.averages.distinct())
        if self.averages is not self.networks:
            found |= numbered("learning", self.nets)
        found |= numbered("optimizer", (learner.optimizer for learner in self.learners))
        found |= numbered("reservoir", self.reservoirs) | numbered("window", self.windows)
        if self.filter is not None:
            found |= {"filter.net": self.filter.net, "filter_optimizer": self.filter.optimizer}
        if self.lagging is not None:
            found |= numbered("lagging", self.lagging.networks.distinct())
            if self.lagging.filter is not None:
                found["lagging_filter"] = self.lagging.filter
        return found

    def _identity(self) -> dict[str, Any]:
        """Returns the metadata that a checkpoint must match."""
        network = asdict(self.config.network)
        return {
            "game": self.config.game.as_dict(),
            "network": {k: v for k, v in network.items() if k != "objective"},
            "filter": self.filter is not None,
        }
