"""Runs of neural fictitious self-play: ``python train.py game=leduc algorithm=nfsp``.

A step plays some games, in which each seat follows its best response or its average policy, and learns from them. What plays
elsewhere (``a=policy a.checkpoint=RUN``) is the average.
"""

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch

from agents.general.policy import PolicyAgent
from agents.general.random_agent import Random
from evaluation.duplicate import duplicate_match
from evaluation.policy_table import ExactMeasure
from fpmcts.learner import Learner
from fpmcts.learner_settings import LearnerSettings
from fpmcts.samples import Reservoir, Store
from games import Choice, with_defaults
from games.batches import num_rows, take
from games.interface import seats_to_move
from games.kernels import Stream, deal_seeds, sources_digest, streams
from networks.checkpoint import check_compatible
from networks.evaluator import Evaluator
from networks.precision import settled
from networks.resnet import NetworkConfig, build_networks
from networks.weights import load_module, load_optimizer, module_arrays, optimizer_arrays
from nfsp.games import Played, play, responders
from nfsp.q_learner import NFSPSettings, QLearner
from nfsp.transitions import CircularMemory
from runtime.device import choose_device
from runtime.memory import check_fits
from runtime.settings import ConfigError, build, setting
from training.budget import EpisodeBudget
from training.learning import Totals
from training.reports import Event, Report
from training.run_folder import Saved

COUNTERS = ("step", "episodes", "seconds")
"""Attributes of a trainer that a checkpoint keeps as they are."""


@dataclass(frozen=True)
class NFSPEvaluation:
    """How the average policies are measured.

    Attributes:
        decks: Decks of a duplicate match against the random player, at every measurement; 0 = none.
        exact_every: NashConv every so many iterations, in games where it can be computed; 0 = never.
    """

    decks: int = setting(0, least=0, most=1_000_000_000)
    exact_every: int = setting(10, least=0, most=1_000_000_000)


@dataclass(frozen=True)
class NFSPConfig:
    """A run of neural fictitious self-play.

    Attributes:
        run_dir: Folder of the run; None makes ``runs/<game>-nfsp-<seed>``.
        seed: Of all random numbers, >= 0.
        device: "auto", "cpu" or "cuda".
        precision: Of the networks in play: "float32", "bfloat16", "int8" (CPUs with AVX-512 VNNI); "auto": float32 or bfloat16,
            by the processor and the size of the networks (``networks/precision.py``).
        remembered: Observations whose answers are kept until the networks change, >= 0.
        resume: Whether an existing run is continued; if not, it is an error to meet one.
        game: ``name``, and the options of the game.
        network: Size of the networks; those of the best responses have the same.
        algorithm: See NFSPSettings.
        evaluation: How the average policies are measured.
        budget: When to stop.
    """

    run_dir: str | None = None
    seed: int = setting(0, least=0, most=2**31)
    device: str = setting("auto", choices=("auto", "cpu", "cuda"))
    precision: str = setting("auto", choices=("auto", "float32", "bfloat16", "int8"))
    remembered: int = setting(0, least=0, most=100_000_000)
    resume: bool = True
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    network: NetworkConfig = field(default_factory=lambda: NetworkConfig(value_head="scalar", hidden_head=False))
    algorithm: NFSPSettings = field(default_factory=NFSPSettings)
    evaluation: NFSPEvaluation = field(default_factory=NFSPEvaluation)
    budget: EpisodeBudget = field(default_factory=EpisodeBudget)

    def run_name(self) -> str:
        """Returns the name of the folder of a run that was given none."""
        return f"{self.game.name}-nfsp-{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self) | {"game": self.game.as_dict()}


def parse_nfsp(values: Mapping[str, Any]) -> NFSPConfig:
    """Returns the checked configuration.

    Raises:
        ConfigError: An unknown key, a wrong type, a value out of its range, or a game that networks cannot learn.
    """
    kept = dict(values) | {"evaluation": _own_keys(values.get("evaluation", {}))}
    config: NFSPConfig = build(NFSPConfig, kept)
    try:
        game = config.game.make()
        game.check_for_networks()
    except ValueError as error:
        raise ConfigError(f"game={config.game.name}: {error}") from error
    if config.network.shared:
        raise ConfigError("network.shared=true: algorithm=nfsp learns a best response for each seat; expected false")
    if config.network.value_head == "win_stakes" and not game.spec.stake_factors:
        raise ConfigError(f"network.value_head=win_stakes: game={game.spec.name} has no classes of stakes; set it to scalar")
    return config


def _own_keys(evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of evaluation without those that the files of games set for searches."""
    searched = ("baseline", "search_decks", "search_every", "search_playouts")
    return {key: value for key, value in evaluation.items() if key not in searched}


class NFSPTrainer:
    """Moves a run on, one iteration at a time, from a checkpoint or from its beginning.

    Attributes:
        game: The game.
        average: Networks of the average policies.
        q: Those of the best responses.
        step: Iterations finished.
        episodes: Games played.
        seconds: Wall clock spent in steps, over all sessions.
        last_report: What the last step said.
        saves_each_step: Memories of many megabytes are not written after every step.
    """

    saves_each_step = False

    def __init__(self, config: NFSPConfig, saved: Saved | None = None) -> None:
        settings, self.device = config.algorithm, choose_device(config.device)
        torch.set_num_threads(1)
        self.game = config.game.make()
        spec, learning = self.game.spec, _supervised(settings)
        self.average = build_networks(spec, config.network, config.seed).to(self.device)
        self.q = build_networks(spec, config.network, config.seed + 1).to(self.device)
        precision = settled(config.precision, self.average.distinct()[0], self.device)
        self.config = config = replace(config, precision=precision)
        self.learners = [Learner(self.game, net, learning, self.device) for net in self.average.distinct()]
        self.q_learners = [QLearner(self.game, net, settings, self.device) for net in self.q.distinct()]
        seats, room = range(spec.num_seats), settings.reservoir
        self.reservoirs = [Reservoir(self.game, room, 2 * config.seed + 1 + 1000 * k) for k in seats]
        self.memories = [CircularMemory(self.game, settings.memory) for _ in seats]
        check_fits({
            "algorithm.reservoir": sum(store.nbytes for store in self.reservoirs),
            "algorithm.memory": sum(store.nbytes for store in self.memories),
        })  # fmt: skip
        self._averages = Evaluator(self.average, config.precision, self.device, config.remembered, self.game)
        self._responses = Evaluator(self.q, "float32", self.device, config.remembered)
        self._measure = ExactMeasure(self.game)
        self.step = self.episodes = 0
        self.seconds = 0.0
        self.last_report: Report | None = None
        if saved is not None:
            self.set_state(saved)

    def description(self) -> str:
        """Returns what is trained, and on what."""
        c, net = self.config, self.average.distinct()[0]
        parameters = sum(p.numel() for p in net.parameters())
        size, count = f"{c.network.channels} channels x {c.network.blocks} blocks", 2 * self.game.spec.num_seats
        text = f"{count} networks of {size} ({parameters:,} parameters each), on {self.device}, precision {c.precision}"
        return f"{c.game.name}: neural fictitious self-play, {text}"

    def where(self) -> str:
        """Returns how far the run is."""
        return f"step {self.step} ({self.episodes:,} games, {self.seconds / 60:.1f} min)"

    def is_finished(self, budget: EpisodeBudget) -> bool:
        """Returns whether the budget is used up."""
        return budget.is_used_up(self.seconds, self.episodes)

    def run_step(self) -> Iterator[Event]:
        """Runs the next iteration; yields how far it is. Afterwards ``last_report`` is its report."""
        played = yield from self._play()
        started, totals = time.perf_counter(), Totals()
        yield from self._learn(played, totals)
        count = num_rows(played.final)
        self.episodes += count
        self.step += 1
        scalars = totals.scalars() | {
            "throughput/games_per_second": count / played.seconds,
            "time/learning_seconds": time.perf_counter() - started,
            "data/games": float(self.episodes),
            "data/exploration": self.config.algorithm.exploration(self.step - 1),
        }
        line = f"iteration {self.step}: {self.episodes:,} games, {count / played.seconds:,.0f}/s"
        line += "".join(self._measured(scalars))
        self.last_report = Report(self.episodes, line, scalars)

    def _play(self) -> Generator[Event, None, Played]:
        """Plays the games of an iteration."""
        settings, seed, seats = self.config.algorithm, self.config.seed, self.game.spec.num_seats
        deals = deal_seeds(seed, settings.games, Stream.TRAINING, self.step, 0)
        rng = streams(seed, settings.games, Stream.PLAY, self.step, 0)
        responds = responders(seed, settings.games, seats, settings.anticipatory, Stream.PLAY, self.step, 1)
        self._averages.refresh(self.average)
        self._responses.refresh(self.q)
        told = play(
            self.game, self._responses.evaluate, self._averages.evaluate, deals, responds, rng,
            settings.exploration(self.step), self.step, settings.lanes,
        )  # fmt: skip
        for one in told:
            if isinstance(one, Played):
                return one
            yield Event("games", one, settings.games, "games")
        raise AssertionError("games without an end")

    def _learn(self, played: Played, totals: Totals) -> Iterator[Event]:
        """Steps the networks of every seat."""
        settings = self.config.algorithm
        movers, answering = (seats_to_move(self.game, part.states) for part in (played.transitions, played.responses))
        for seat, (memory, reservoir) in enumerate(zip(self.memories, self.reservoirs, strict=True)):
            new: Any = take(played.transitions, np.flatnonzero(movers == seat))
            memory.add(new)
            reservoir.add(take(played.responses, np.flatnonzero(answering == seat)))
            # Decisions that do not fill a step count for the next iteration.
            steps = self._steps(memory.seen) - self._steps(memory.seen - num_rows(new))
            generator = np.random.default_rng([self.config.seed, Stream.TRAINING, self.step, seat])
            for k in range(steps):
                totals.add(self.q_learners[seat].step(memory.draw_transitions(generator, settings.batch_size)), seat)
                if reservoir.size:
                    rows = reservoir.draw(generator, settings.batch_size)
                    totals.add(self.learners[seat].step(None, rows, settings.average_lr), seat)
                if k % 8 == 7:
                    yield Event("learning", k + 1, steps, "steps")

    def _steps(self, decisions: int) -> int:
        """Returns the steps that so many decisions of a seat are worth."""
        return int(self.config.algorithm.reuse * decisions) // self.config.algorithm.batch_size

    def _measured(self, scalars: dict[str, float]) -> Iterator[str]:
        """Yields what the average policies are worth, where it is due; adds the curves."""
        settings = self.config.evaluation
        if not settings.exact_every or self.step % settings.exact_every:
            return
        self._averages.refresh(self.average)
        exact = self._measure.nash_conv(self._averages.evaluate)
        if exact is not None:
            scalars["nash_conv/average_policy"] = exact
            yield f"; NashConv (both players' gains together) {exact:.4f}"
        if settings.decks:
            players = PolicyAgent(self.game, self._averages.evaluate, 1.0), Random().at(self.game)
            score = duplicate_match(self.game, *players, settings.decks, self.config.seed).total.adp
            unit = self.game.spec.score
            scalars[f"policy_against_random/{unit.key}_all"] = score.mean
            yield f"; against random {score.mean:+.{unit.digits}f} ± {score.error:.{unit.digits}f} {unit.name}"

    def get_state(self) -> Saved:
        """Returns all that the next step depends on, as named arrays and metadata."""
        arrays: dict[str, np.ndarray] = {}
        for k, (learner, q) in enumerate(zip(self.learners, self.q_learners, strict=True)):
            arrays |= module_arrays(learner.net, f"network.{k}") | optimizer_arrays(learner.optimizer, f"optimizer.{k}")
            arrays |= module_arrays(q.net, f"q.{k}") | optimizer_arrays(q.optimizer, f"q_optimizer.{k}")
            arrays |= module_arrays(q.target, f"target.{k}")
        for name, store in self._stores():
            arrays |= {f"{name}.{key}": array for key, array in store.get_state().items()}
        report = None if self.last_report is None else self.last_report.__dict__
        meta = self._identity() | {"config": self.config.as_dict(), "code": sources_digest(), "report": report}
        meta |= {name: getattr(self, name) for name in COUNTERS} | {"q_steps": [q.steps for q in self.q_learners]}
        return Saved(arrays, meta | {"iteration": self.step, "games_seen": self.episodes, "filter": False})

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave. Raises CheckpointError where it is of another game, network or algorithm."""
        check_compatible(with_defaults(saved.meta), **self._identity())
        for k, (learner, q) in enumerate(zip(self.learners, self.q_learners, strict=True)):
            load_module(learner.net, saved.arrays, f"network.{k}")
            load_optimizer(learner.optimizer, saved.arrays, f"optimizer.{k}")
            load_module(q.net, saved.arrays, f"q.{k}")
            load_optimizer(q.optimizer, saved.arrays, f"q_optimizer.{k}")
            load_module(q.target, saved.arrays, f"target.{k}")
            q.steps = saved.meta["q_steps"][k]
        for name, store in self._stores():
            prefix = name + "."
            store.set_state({key.removeprefix(prefix): a for key, a in saved.arrays.items() if key.startswith(prefix)})
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])
        report = saved.meta["report"]
        self.last_report = None if report is None else Report(**report)

    def _identity(self) -> dict[str, Any]:
        """Returns what a checkpoint must agree with."""
        return {
            "game": self.config.game.as_dict(),
            "network": asdict(self.config.network),
            "algorithm": asdict(self.config.algorithm),
        }

    def _stores(self) -> list[tuple[str, Store]]:
        named: list[tuple[str, Store]] = [(f"reservoir.{k}", store) for k, store in enumerate(self.reservoirs)]
        return named + [(f"memory.{k}", store) for k, store in enumerate(self.memories)]


def _supervised(settings: NFSPSettings) -> LearnerSettings:
    """Returns how the average policies learn: the moves alone, by cross entropy, all decisions of the reservoir alike."""
    return LearnerSettings(
        batch_size=settings.batch_size, lr=settings.average_lr, lr_halving=0.0, weight_decay=0.0, divergence="forward",
        value_weight=0.0, hidden_weight=0.0, recency=0.0, replicas=1, averaging=0, reservoir=settings.reservoir,
    )  # fmt: skip
