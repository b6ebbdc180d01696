"""Runs of neural fictitious self-play: ``python train.py game=leduc algorithm=nfsp``.

A step plays some games, in which each seat follows its best response or its average policy, and
learns from them. The average policies are the run's players (``a=policy a.checkpoint=RUN``).
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import Any, Self

import numpy as np
import torch

from fpmcts.evaluation.duplicate import duplicate_games
from fpmcts.evaluation.match import PlayedGames
from fpmcts.memory import check_fits
from fpmcts.nfsp.games import Transitions, draw_seats, empty_transitions, play
from fpmcts.nfsp.learners import AverageLearner, NFSPSettings, QLearner
from fpmcts.players.policy import PolicyAgent
from fpmcts.players.random_agent import Random
from fpmcts.progress import Progress
from fpmcts.training.config import NetworksConfig, check_game
from fpmcts.training.evaluation import Evaluation
from fpmcts.training.interface import EpisodeBudget, Report, Saved
from fpmcts.training.learner_settings import falling
from fpmcts.training.learning import (
    Losses,
    Part,
    load_parts,
    loss_curves,
    numbered,
    part_arrays,
)
from fpmcts.training.samples import Reservoir, Samples, Window, empty_samples
from games import Choice, with_defaults
from games.base.settings import ConfigError, setting
from games.kernels import Stream, deal_seeds, sources_digest, streams
from games.kernels.rows import States, num_rows, take
from games.play.interface import roles_to_move
from networks.checkpoint import check_compatible
from networks.evaluator import Evaluator
from networks.precision import settled
from networks.resnet import build_networks

MATCH_EVERY = 10
"""Iterations between matches if NashConv is never computed."""


@dataclass(frozen=True)
class NFSPEvaluation:
    """Measurement of the average policies.

    Attributes:
        decks: Decks of a duplicate match against the random player, as often as NashConv; 0 = none.
        exact_every: Iterations between computations of NashConv, in games where this is possible; 0
            = never.
    """

    decks: int = setting(500, least=0, most=1_000_000_000)
    exact_every: int = setting(10, least=0, most=1_000_000_000)


@dataclass(frozen=True)
class NFSPConfig(NetworksConfig):
    """A run of neural fictitious self-play.

    Attributes:
        network: Size of the networks; those of the best responses have the same.
        algorithm: See NFSPSettings.
        evaluation: Measurement of the average policies.
    """

    learned_by = "fpmcts.nfsp.trainer:NFSP"
    ignored = tuple(
        f"evaluation.{key}"
        for key in ("baseline", "search_decks", "search_every", "search_playouts")
    )
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    algorithm: NFSPSettings = field(default_factory=NFSPSettings)
    evaluation: NFSPEvaluation = field(default_factory=NFSPEvaluation)
    budget: EpisodeBudget = field(default_factory=EpisodeBudget)

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Returns the checked configuration; settings of searches from the games' files are
        ignored. Raises ConfigError.
        """
        evaluation = {
            key: value
            for key, value in values.get("evaluation", {}).items()
            if f"evaluation.{key}" not in cls.ignored
        }
        return super().parse(dict(values) | {"evaluation": evaluation})

    def check(self) -> None:
        """Raises ConfigError if values contradict each other."""
        check_game(self.game, self.network)
        for key, expected, why in (
            ("shared", False, "learns a best response for each seat"),
            ("dense", True, "steps fully connected networks only"),
            ("blocks", 0, "steps networks of one hidden layer only"),
        ):
            if (given := getattr(self.network, key)) != expected:
                raise ConfigError(
                    f"network.{key}={str(given).lower()}: algorithm=nfsp {why}; "
                    f"expected {str(expected).lower()}"
                )
        if self.device == "cuda":
            raise ConfigError("device=cuda: algorithm=nfsp learns on the processor; expected cpu")


class NFSP:
    """Networks of best responses and of their averages, a ``fpmcts.training.interface.Algorithm``.

    Attributes:
        game: The game.
        average: Networks of the average policies.
        q: Networks of the best responses.
        steps: Finished iterations.
        episodes: Games played.
        saves_each_step: Memories of many megabytes are not written after every step.
    """

    saves_each_step = False

    def __init__(self, config: NFSPConfig, is_new: bool = True) -> None:
        settings, device = config.algorithm, torch.device("cpu")
        torch.set_num_threads(1)
        self.game = config.game.make()
        roles = range(self.game.spec.num_roles)
        self.average = build_networks(self.game.spec, config.network, config.seed)
        self.q = build_networks(self.game.spec, config.network, config.seed + 1)
        precision = settled(config.precision, self.average.distinct()[0], device)
        self.config = config = replace(config, precision=precision)
        self.learners = [
            AverageLearner(self.game, net, settings) for net in self.average.distinct()
        ]
        self.q_learners = [QLearner(self.game, net, settings) for net in self.q.distinct()]
        self.reservoirs = [
            Reservoir(empty_samples(self.game, settings.reservoir), 2 * config.seed + 1 + 1000 * k)
            for k in roles
        ]
        self.memories = [Window(empty_transitions(self.game, settings.memory)) for _ in roles]
        check_fits(
            {
                "algorithm.reservoir": sum(store.nbytes for store in self.reservoirs),
                "algorithm.memory": sum(store.nbytes for store in self.memories),
            }
        )
        self._averages = Evaluator(
            self.average, config.precision, device, config.remembered, self.game
        )
        self._responses = Evaluator(self.q, "float32", device, config.remembered)
        self.evaluation = Evaluation(
            self.game, config.seed, "random", self.average, self._averages, self._match
        )
        self.steps = self.episodes = 0

    @property
    def about(self) -> str:
        """Description of the networks and the machine."""
        c, net = self.config, self.average.distinct()[0]
        parameters = sum(p.numel() for p in net.parameters())
        return (
            f"{c.game.name}: neural fictitious self-play, {2 * self.game.spec.num_roles} networks "
            f"of {c.network.channels} channels x {c.network.blocks} blocks ({parameters:,} "
            f"parameters each), precision {c.precision}"
        )

    @property
    def spent(self) -> dict[str, int]:
        """Games played."""
        return {"episodes": self.episodes}

    def step(self, progress: Progress) -> Report:
        """Runs the next iteration: plays games, learns, and measures the averages."""
        began = time.perf_counter()
        played = self._play(progress)
        started = time.perf_counter()
        curves = self._learn(*played)
        count = self.config.algorithm.games
        rate = count / (started - began)
        self.episodes += count
        self.steps += 1
        scalars = curves | {
            "throughput/games_per_second": rate,
            "time/learning_seconds": time.perf_counter() - started,
            "data/games": float(self.episodes),
        }
        line = f"iteration {self.steps}: {self.episodes:,} games, {rate:,.0f}/s"
        measured = self.config.evaluation
        if measured.exact_every and self.steps % measured.exact_every == 0:
            line += self.evaluation.exact(scalars)
        if self.steps % (measured.exact_every or MATCH_EVERY) == 0:
            line += self.evaluation.match(False, measured.decks, scalars, progress)
        return Report(self.episodes, line, scalars)

    def _play(self, progress: Progress) -> tuple[Transitions, Samples]:
        """Plays the games of an iteration."""
        settings, seed, seats = self.config.algorithm, self.config.seed, self.game.spec.num_seats
        deals = deal_seeds(seed, settings.games, Stream.TRAINING, self.steps, 0)
        rng = streams(seed, settings.games, Stream.PLAY, self.steps, 0)
        responds, explores = (
            draw_seats(seed, settings.games, seats, chance, Stream.PLAY, self.steps, k)
            for k, chance in ((1, settings.anticipatory), (2, settings.exploration))
        )
        self._averages.refresh(self.average)
        self._responses.refresh(self.q)
        return play(
            self.game,
            self._responses.evaluate,
            self._averages.evaluate,
            deals,
            responds,
            explores,
            rng,
            self.steps,
            settings.lanes,
            lambda over: progress("games", over, settings.games, "games"),
        )

    def _learn(self, transitions: Transitions, responses: Samples) -> dict[str, float]:
        """Steps the networks of every role; returns the mean losses as curves."""
        settings = self.config.algorithm
        found: list[list[Losses]] = []
        movers, answering = (
            roles_to_move(self.game, part.states) for part in (transitions, responses)
        )
        for role, (memory, reservoir) in enumerate(
            zip(self.memories, self.reservoirs, strict=True)
        ):
            new = take(transitions, np.flatnonzero(movers == role))
            memory.add(new)
            reservoir.add(take(responses, np.flatnonzero(answering == role)))
            # Decisions that do not fill a step are carried over to the next iteration.
            steps = self._steps(memory.seen) - self._steps(memory.seen - num_rows(new))
            generator = np.random.default_rng([self.config.seed, Stream.TRAINING, self.steps, role])
            if not steps:
                found.append([])
                continue
            lr, average_lr = (
                falling(rate, self.steps, settings.lr_halving)
                for rate in (settings.lr, settings.average_lr)
            )
            q = self.q_learners[role].learn(
                memory.draw(generator, steps * settings.batch_size, settings.recency),
                self.q_learners,
                lr,
            )
            answers = steps * settings.batch_size if reservoir.size else 0
            average = self.learners[role].learn(reservoir.draw(generator, answers), average_lr)
            nothing: Losses = {}
            found.append([one | other for one, other in zip_longest(q, average, fillvalue=nothing)])
        self._publish()
        return loss_curves(found)

    def _publish(self) -> None:
        """Writes the weights into the networks."""
        nets = [*self.average.distinct(), *self.q.distinct()]
        for learner, net in zip([*self.learners, *self.q_learners], nets, strict=True):
            learner.layers.publish(net)

    def _steps(self, decisions: int) -> int:
        """Returns the number of steps for ``decisions`` decisions in a role."""
        return int(self.config.algorithm.reuse * decisions) // self.config.algorithm.batch_size

    def _match(self, decks: States, searches: bool, progress: Progress) -> PlayedGames:
        """Returns the games of a match of the average policies against random moves."""
        self._averages.refresh(self.average)
        players = PolicyAgent(self.game, self._averages.evaluate, 1.0), Random().at(self.game)
        return duplicate_games(self.game, *players, decks, self.config.seed)

    def state(self) -> Saved:
        """Returns the complete state for the next step, as named arrays and metadata."""
        meta = self._identity() | {
            "config": self.config.as_dict(),
            "code": sources_digest(),
            "filter": False,
            "iteration": self.steps,
            "games_seen": self.episodes,
        }
        return Saved(part_arrays(self._parts()), meta)

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``. Raises CheckpointError if it is of another game, network
        or algorithm.
        """
        check_compatible(with_defaults(saved.meta), **self._identity())
        load_parts(self._parts(), saved.arrays)
        self._publish()
        self.steps, self.episodes = saved.meta["iteration"], saved.meta["games_seen"]

    def _parts(self) -> dict[str, Part]:
        """Returns the parts of a checkpoint, by name."""
        return {
            **numbered("network", self.average.distinct()),
            **numbered("layers", (learner.layers for learner in self.learners)),
            **numbered("q_layers", (learner.layers for learner in self.q_learners)),
            **numbered("reservoir", self.reservoirs),
            **numbered("memory", self.memories),
        }

    def _identity(self) -> dict[str, object]:
        """Returns the metadata that a checkpoint must match."""
        return {
            "game": self.config.game.as_dict(),
            "network": asdict(self.config.network),
            "algorithm": asdict(self.config.algorithm),
        }
