"""FPMCTS as a run: what it holds between two steps (``FPMCTS``), and the steps, one function a
stage: ``bootstrap_step``, ``search_step``, ``gradient_step``.

    play ─▶ reservoirs, windows ─▶ learn ─▶ evaluate ─▶ report

A step is the work between two checkpoints: heuristic games of the bootstrap, some games of an
iteration with searches, with learning and evaluation once it is complete, or a whole iteration of
policy gradient. Bootstrap: heuristic games, each learned from once. Source: DeltaDou, 5.1. Policy
gradient: games of the policies alone, each decision learned from once; the constants are ours
(docs/experiments.md), as are those of ``Learner.gradient_step``.
"""

import math
import time
from collections.abc import Iterator
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
from fpmcts.training.game_curves import policy_game_curves, search_curves
from fpmcts.training.interface import Report, Saved
from fpmcts.training.learner import REPLICAS, Learner, choose_rows, teaches_policy
from fpmcts.training.learning import (
    FilterLearner,
    Losses,
    Part,
    cosine,
    learn_filter,
    learn_side_by_side,
    load_parts,
    loss_curves,
    loss_text,
    numbered,
    part_arrays,
)
from fpmcts.training.policy_games import DECAY, PolicyDecisions, subtract_luck
from fpmcts.training.samples import Reservoir, Samples, Window, empty_samples
from fpmcts.training.weights import PlayingNetworks, Weights
from fpmcts.training.workers import POLICIES, SEARCHES, TEACHER, Batch, Workers
from games import with_defaults
from games.base.system import num_cores
from games.kernels import Stream, sources_digest
from games.kernels.rows import States, concatenate, num_rows, take
from games.play.interface import roles_to_move
from games.play.lockstep import Games
from networks.checkpoint import CheckpointError, check_compatible, load, naming
from networks.device import choose_device
from networks.evaluator import Evaluator
from networks.precision import is_fast_in_bfloat16, settled

BATCH_SIZE = 512
"""Decisions per step of policy gradient."""
AVERAGED = 4
"""The average of the weights covers 1 / ``AVERAGED`` of the steps taken, at most
``gradient.averaging``: at first an average over 600 would consist of the weights of the start.
"""
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
        weights: All copies of the networks.
        learning_threads: Number of networks that learn in parallel.
        learners: One per network.
        filter: Learner of the filter network of inference, if there is one.
        reservoirs: Samples for the policy of each network.
        windows: Samples for its value; if none, the reservoirs.
        workers: The workers that play the games.
        evaluation: Measures the averages.
        steps: Finished steps.
        iteration: Finished iterations, of self-play or policy gradient.
        bootstrap_done: Heuristic games learned from.
        episode_done: Self-play games of the current iteration.
        games_seen: Games of all iterations.
        offered: Searched decisions of the current iteration, by network.
        began_from: The checkpoint of the initial networks, instead of the bootstrap; None:
            untrained ones.
        playing: Precision of the networks in games of training.
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
        self.weights = Weights(config, self.game, self.device)
        nets = self.weights.nets
        precision = settled(config.precision, nets[0], self.device)
        # Policy gradient corrects for the precision of play: it notes the chances of drawn moves.
        # A cluster's processors may lack int8.
        int8 = config.cluster.kind == "none" and not is_fast_in_bfloat16(self.device)
        self.playing = settled(config.precision, nets[0], self.device, int8)
        self.config = config = replace(config, precision=precision)
        self.learning_threads = 1 if self.threads == 1 or self.device.type != "cpu" else len(nets)
        self.learners = [Learner(self.game, net, train, self.device, self.threads) for net in nets]
        self.filter = (
            None
            if self.weights.filter is None
            else FilterLearner(self.game, self.weights.filter, train, self.device)
        )
        count = len(nets)
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
        self.steps = self.iteration = self.bootstrap_done = self.episode_done = self.games_seen = 0
        self.offered = [0] * count
        self.began_from = config.init_from
        if config.init_from and is_new:
            with naming(f"init_from={config.init_from}"):
                self.load_networks(Saved(*load(checkpoint_file(config.init_from))))
        self.workers = Workers(config, self.game, self.generators(), self.device, self.threads)
        averages = self.weights.averages
        self.evaluation = Evaluation(
            self.game,
            config.seed,
            config.evaluation.baseline,
            averages,
            Evaluator(averages, config.precision, self.device, game=self.game),
            self.match,
        )
        self._ahead: Ahead | None = None

    @property
    def is_gradient(self) -> bool:
        """Whether the current iteration is one of policy gradient."""
        return self.config.is_gradient(self.iteration)

    def bootstrap_games(self) -> int:
        """Returns the number of heuristic games that the run learns from before self-play."""
        config = self.config.bootstrap
        return config.games if config.kind == "heuristic" and not self.began_from else 0

    def step(self, progress: Progress) -> Report:
        """Runs the next step: of the bootstrap, of policy gradient, or of searches."""
        stage = search_step
        if self.bootstrap_done < self.bootstrap_games():
            stage = bootstrap_step
        elif self.is_gradient:
            stage = gradient_step
        report = stage(self, progress)
        self.steps += 1
        return report

    def batches(self, iteration: int) -> list[Batch]:
        """Returns the games of an iteration in the order in which they are played."""
        episode, selfplay = self.config.episode, self.config.selfplay
        if self.config.is_gradient(iteration):
            settings = self.config.gradient
            batch = Batch(iteration, 0, settings.games, POLICIES, replays=settings.replays)
            batch = batch._replace(decay=DECAY, exploration=settings.exploration)
            return [batch._replace(precision=self.playing)]
        firsts = range(0, episode.games, episode.games_per_step)
        batches = [
            Batch(iteration, k, min(episode.games_per_step, episode.games - n), SEARCHES)
            for k, n in enumerate(firsts)
        ]
        if episode.value_games:
            shape = iteration, len(batches), episode.value_games, POLICIES
            batches.append(Batch(*shape, selfplay.temperature(iteration)))
        return [batch._replace(precision=self.playing) for batch in batches]

    def play(self, batch: Batch, progress: Progress) -> Games[Any]:
        """Returns the games of a batch."""
        if self._ahead is not None and self._ahead.has(batch):
            return self._ahead.take(batch, progress)
        return self.workers.play(self.generators(), batch, progress)

    def play_ahead(self) -> None:
        """With ``cluster.lag``: starts the games of the next iteration, played by the weights from
        before the learning.
        """
        last = self.config.budget.iterations
        if self.weights.lagging is not None:
            self.weights.catch_up(self.is_gradient)
            if last is None or self.iteration + 1 < last:
                if self._ahead is not None:
                    self._ahead.stop()
                play = partial(self.workers.play, self.generators())
                self._ahead = Ahead(self.batches(self.iteration + 1), play)

    def match(self, decks: States, searches: bool, progress: Progress) -> PlayedGames:
        """Returns the games of a match of the measured networks, with or without searches."""
        if self._ahead is not None:
            self._ahead.settle(progress)
        players = PlayingNetworks(self.weights.averages, self.weights.filter)
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

    def of_network(self, samples: Samples, k: int) -> Samples:
        """Returns the samples that network ``k`` learns from: those of its role, or all if one
        network serves every role.
        """
        return take(samples, self.rows_of_network(samples, k))

    def rows_of_network(self, samples: Samples, k: int) -> np.ndarray:
        """Returns the rows (int64) of the samples that network ``k`` learns from."""
        if len(self.learners) == 1:
            return np.arange(num_rows(samples))
        return np.flatnonzero(roles_to_move(self.game, samples.states) == k)

    def generators(self) -> PlayingNetworks:
        """Returns the networks that play the games of the current iteration, and the filter
        network.

        Iteration t is played by the weights that have learned from the iterations before t -
        ``cluster.lag``, so it depends only on the lag, never on timing.
        """
        return self.weights.lagging or self.weights.playing(self.is_gradient)

    @property
    def about(self) -> str:
        """Description of the networks, the search and the machine."""
        nets = self.weights.nets
        c, parameters = self.config, sum(p.numel() for p in nets[0].parameters())
        phase2 = "on" if c.inference.phase2 else "off"
        return (
            f"{c.game.name}: {len(nets)} networks of {c.network.channels} channels x "
            f"{c.network.blocks} blocks "
            f"({parameters:,} parameters each), {c.search.root} with {c.search.playouts} playouts, "
            f"inference: phase 1 {c.inference.phase1}, phase 2 {phase2}; "
            f"{self.device}, {self.threads} threads, precision {c.precision}, in training "
            f"{self.playing}\n{c.departures()}"
        ).rstrip()

    @property
    def spent(self) -> dict[str, int]:
        """Iterations finished."""
        return {"iterations": self.iteration}

    def state(self) -> Saved:
        """Returns the complete state for the next step."""
        meta = self._identity() | {"config": self.config.as_dict(), "code": sources_digest()}
        counters = {name: getattr(self, name) for name in COUNTERS}
        return Saved(part_arrays(self._parts()), meta | counters)

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``.

        Raises:
            CheckpointError: It is of another game, network shape, or setting of the stores; nothing
                is changed on disk.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        load_parts(self._parts(), saved.arrays)
        self.weights.lead()
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])

    def load_networks(self, saved: Saved) -> None:
        """Loads only the networks of a checkpoint: those that played there, grown if this run's are
        larger. Roles that a game lacks from which this one begins stay fresh.
        """
        meta, identity = with_defaults(saved.meta), self._identity()
        game = meta["game"]
        grows = any({**identity["game"], **other} == game for other in self.game.begins_from)
        grows &= identity["game"] != game
        if grows:
            identity["game"] = game
        network = identity["network"]
        sizes = {key: network.pop(key) for key in ("channels", "blocks")}
        check_compatible(meta, **identity)
        theirs = {key: meta["network"][key] for key in sizes}
        needed = [f"network.{key}={theirs[key]}" for key in sizes if theirs[key] > sizes[key]]
        if needed:
            raise CheckpointError(
                f"its networks are larger: networks only grow; set {' '.join(needed)}"
            )
        same = theirs == sizes
        self.weights.begin_from(saved.arrays, grows=not same, plays_more=grows)
        self.weights.catch_up(self.is_gradient)

    def _parts(self) -> dict[str, Part]:
        """Returns the parts of a checkpoint, by name."""
        found = self.weights.parts()
        found |= numbered("optimizer", (learner.optimizer for learner in self.learners))
        found |= numbered("reservoir", self.reservoirs) | numbered("window", self.windows)
        if self.filter is not None:
            found["filter_optimizer"] = self.filter.optimizer
        return found

    def _identity(self) -> dict[str, Any]:
        """Returns the metadata that a checkpoint must match."""
        network = asdict(self.config.network)
        return {
            "game": self.config.game.as_dict(),
            "network": {k: v for k, v in network.items() if k != "objective"},
            "filter": self.filter is not None,
        }


def bootstrap_step(run: FPMCTS, progress: Progress) -> Report:
    """Plays some heuristic games, learns from them, and reports."""
    config, started, nets = run.config.bootstrap, time.perf_counter(), run.weights.nets
    total, seed, size = run.bootstrap_games(), run.config.seed, run.config.train.batch_size
    count = min(config.games_per_step, total - run.bootstrap_done)
    index = run.bootstrap_done // config.games_per_step
    samples = run.play(Batch(0, index, count, TEACHER), progress).decisions
    generation = time.perf_counter() - started
    shuffled = take(
        samples,
        np.random.default_rng([seed, Stream.BOOTSTRAP, index]).permutation(num_rows(samples)),
    )
    shared = config.shared and len(nets) > 1
    rows = [shuffled] if shared else [run.of_network(shuffled, k) for k in range(len(nets))]
    steps = [num_rows(r) // size for r in rows]
    found: list[list[Losses]] = []
    first, last = run.bootstrap_done / total, (run.bootstrap_done + count) / total
    for k, learner in enumerate(run.learners[: len(rows)]):
        found.append([])
        for b in range(steps[k]):
            at = first + (last - first) * b / steps[k]
            batch = take(rows[k], slice(b * size, (b + 1) * size))
            found[k].append(learner.step(batch, batch, config.lr * cosine(at, 0.05)))
            progress("learning from them", sum(map(len, found)), sum(steps), "steps")
    scalars = loss_curves(found) | learn_filter(run.filter, [seed, run.steps], samples, max(steps))
    if shared:
        for net in nets[1:]:
            net.load_state_dict(nets[0].state_dict())
    run.bootstrap_done += count
    if run.bootstrap_done >= total:
        for k, reservoir in enumerate(run.reservoirs):
            reservoir.add(take(run.of_network(shuffled, k), slice(0, config.kept)))
        for learner in run.learners:
            learner.forget()
    run.weights.restart_averages()
    run.weights.catch_up(run.is_gradient)
    learning = time.perf_counter() - started - generation
    line = f"bootstrap {run.bootstrap_done:,} of {total:,} games: " + loss_text(scalars)
    line += run.measured(scalars, progress)
    scalars |= {
        "time/generation_seconds": generation,
        "time/learning_seconds": learning,
    } | run.workers.curves()
    return Report(run.steps, line, scalars)


def search_step(run: FPMCTS, progress: Progress) -> Report:
    """Plays some games of an iteration; after the last ones, learns and evaluates."""
    config, episode, batches = run.config, run.config.episode, run.batches(run.iteration)
    batch = batches[run.episode_done // episode.games_per_step]
    played: Games[Samples] = run.play(batch, progress)
    samples = played.decisions
    scalars = search_curves(run.game, played, run.workers.size) | run.workers.curves()
    scalars |= {
        "data/reservoir_seen": float(sum(r.seen for r in run.reservoirs)),
        "data/games": float(run.games_seen),
    }
    run.keep(samples)
    # As often as each of the other networks.
    per_net = config.train.reuse * num_rows(samples) / len(run.learners)
    filter_steps = math.ceil(per_net / config.train.batch_size)
    scalars |= learn_filter(run.filter, [config.seed, run.steps], samples, filter_steps)
    run.episode_done += batch.games
    run.games_seen += batch.games
    rate = batch.games / played.work["seconds"]
    line = f"iteration {run.iteration}: {batch.games} games at {rate:.1f}/s"
    if run.episode_done < episode.games:
        return Report(run.steps, line, scalars)
    if episode.value_games:
        unsearched: Games[PolicyDecisions] = run.play(batches[-1], progress)
        run.keep(unsearched.decisions.samples)
        scalars["time/value_games_seconds"] = unsearched.work["seconds"]
    run.play_ahead()
    scalars |= learn(run, progress)
    line += ", " + loss_text(scalars)
    run.iteration += 1
    run.episode_done, run.offered = 0, [0] * len(run.learners)
    line += run.evaluated(scalars, progress)
    return Report(run.steps, line, scalars)


def learn(run: FPMCTS, progress: Progress) -> dict[str, float]:
    """Steps every network, the policy from the reservoir, the value from the window; returns
    curves.
    """
    train, started = run.config.train, time.perf_counter()
    half = train.batch_size // 2 if run.windows else train.batch_size
    steps, recency = learning_steps(run, half), train.recency_at(run.iteration)
    parts = max(1, REPLICAS // len(steps))

    def network(k: int) -> Iterator[Losses]:
        path = [run.config.seed, Stream.TRAINING, run.iteration, k]
        generator, learner = np.random.default_rng(path), run.learners[k]
        for _ in range(steps[k]):
            rows = values = run.reservoirs[k].draw(generator, half, recency)
            if run.windows and run.windows[k].size:
                values = run.windows[k].draw(generator, train.batch_size - half)
            losses = learner.step(rows, values, train.rate(run.iteration), parts)
            run.weights.average(k, train.averaging)
            yield losses

    curves = learn_side_by_side(
        run.learning_threads, [network(k) for k in range(len(steps))], steps, progress
    )
    run.weights.lead()
    curves["time/learning_seconds"] = time.perf_counter() - started
    for k, (reservoir, count) in enumerate(zip(run.reservoirs, steps, strict=True)):
        if reservoir.size:
            age = run.iteration - reservoir.rows.iteration[: reservoir.size]
            curves[f"data/reservoir_age_{k}"] = float(age.mean())
        curves[f"data/learning_steps_{k}"] = float(count)
    return curves


def learning_steps(run: FPMCTS, batch: int) -> list[int]:
    """Returns the steps of each network: a searched decision of the iteration is used
    ``train.reuse`` times on average.
    """
    train = run.config.train
    return [
        max(math.ceil(train.reuse * n / batch), train.least_steps if n else 0) for n in run.offered
    ]


def gradient_step(run: FPMCTS, progress: Progress) -> Report:
    """Plays the games of an iteration, learns from them, and evaluates."""
    settings = run.config.gradient
    if run.iteration == settings.start:  # starts from the weights that have played so far
        run.weights.latest.load_state_dict(run.weights.averages.state_dict())
        for learner in run.learners:
            learner.forget()
    played: Games[PolicyDecisions] = run.play(run.batches(run.iteration)[0], progress)
    decisions, seconds = played.decisions, played.work["seconds"]
    wp = run.config.objective == "wp"
    subtract_luck(run.game, played, settings.replays, teaches_policy(decisions), wp)
    # After those of the networks (``_learn_gradient``): a shorter path is that of the first.
    path = [run.config.seed, Stream.TRAINING, run.iteration, len(run.learners)]
    draws = np.random.default_rng(path).random(num_rows(decisions))
    parts = [
        choose_rows(take(decisions, own), draws[own])
        for own in (run.rows_of_network(decisions.samples, k) for k in range(len(run.learners)))
    ]
    scalars = policy_game_curves(run.game, played, wp)
    scalars |= run.workers.curves() | {
        "data/learned_decisions": float(sum(map(num_rows, parts))),
        "data/games": float(run.games_seen),
    }
    run.play_ahead()
    scalars |= _learn_gradient(run, parts, progress)
    rate = f"{settings.games:,} games of the policies at {settings.games / seconds:,.0f}/s"
    line = f"iteration {run.iteration}: {rate}, {loss_text(scalars)}"
    run.iteration += 1
    run.games_seen += settings.games
    line += run.evaluated(scalars, progress)
    return Report(run.steps, line, scalars)


def _learn_gradient(
    run: FPMCTS, parts: list[PolicyDecisions], progress: Progress
) -> dict[str, float]:
    """Steps every network along the advantages of its decisions; returns curves."""
    settings, started = run.config.gradient, time.perf_counter()
    done = run.iteration - (settings.start or 0)
    lr = settings.rate(done)
    thawed = settings.thaw is not None and done >= settings.thaw
    frozen = {run.weights.latest.net_of_role[role] for role in settings.frozen if not thawed}
    steps = [0 if k in frozen else num_rows(part) // BATCH_SIZE for k, part in enumerate(parts)]

    def network(k: int) -> Iterator[Losses]:
        generator = np.random.default_rng([run.config.seed, Stream.TRAINING, run.iteration, k])
        order = generator.permutation(num_rows(parts[k]))[: steps[k] * BATCH_SIZE]
        for taken, batch in enumerate(order.reshape(steps[k], BATCH_SIZE), done * steps[k] + 1):
            losses = run.learners[k].gradient_step(take(parts[k], batch), settings, lr)
            run.weights.average(k, min(settings.averaging, taken // AVERAGED))
            yield losses

    curves = learn_side_by_side(
        run.learning_threads, [network(k) for k in range(len(steps))], steps, progress
    )
    if run.filter is not None:
        samples = concatenate([part.samples for part in parts])
        curves |= learn_filter(run.filter, [run.config.seed, run.steps], samples, max(steps))
    curves |= {"time/learning_seconds": time.perf_counter() - started, "data/learning_rate": lr}
    return curves | {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
