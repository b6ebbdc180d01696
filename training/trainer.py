"""The stages of a run: bootstrap → (self-play ↔ learning ↔ evaluation) → policy gradient, one step at a time.

A step is what lies between two checkpoints: some heuristic games learned from once; some self-play games, with learning and
evaluation once an iteration is complete; or an iteration of policy gradient, where the run has such a stage. What a step does
depends on the state before it and on nothing else: its random streams are derived from the seed and the position of the step, so
a run that was killed and resumed equals one that was not.
"""

import copy
import math
import os
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch

from agents.agent import Agent
from agents.doudizhu.heuristic_games import generate_games
from agents.doudizhu.rhcp import RHCPAgent
from agents.doudizhu.rlcard_rule import RLCardRuleAgent
from agents.general.policy import PolicyAgent
from agents.general.random_agent import RandomAgent
from agents.general.search_agent import SearchAgent
from agents.poker.always_call import AlwaysCallAgent
from evaluation.duplicate import MatchResult, duplicate_match
from evaluation.policy_table import policy_table
from fpmcts.filter_learner import ROWS, FilterLearner
from fpmcts.learner import Learner
from fpmcts.policy_games import Played, PolicyGames, join_played
from fpmcts.samples import Reservoir, Samples, Store, Window
from fpmcts.search import Search, SearchCounters, SearchSettings
from fpmcts.selfplay import Games, SelfPlay, SelfPlayStatistics
from fpmcts.workers import join_finished, play_in_threads, side_by_side
from games import make
from games.interface import num_rows, seats_to_move, take
from games.kernels import LAYERS, Stream, deal_seeds, sources_digest
from games.poker.game import LimitPoker
from inference.factory import AnyDeterminizer, make_determinizer
from networks.averaging import move_towards
from networks.checkpoint import check_compatible, load
from networks.engine import FilterEngine
from networks.evaluator import Evaluator
from networks.filter import FilterNet
from networks.resnet import Networks, build_networks
from networks.weights import load_module, load_optimizer, module_arrays, optimizer_arrays
from runtime.device import choose_device
from tabular.best_response import nash_conv
from training.bootstrap import heuristic_samples
from training.config import BudgetSettings, TrainConfig
from training.play_curves import policy_game_curves, self_play_curves
from training.reports import Event, Report
from training.run_folder import Saved

COUNTERS = ("step", "iteration", "bootstrap_done", "episode_done", "games_seen", "seconds")
"""Attributes of a Trainer that a checkpoint keeps as they are. With the seed they stand for all random states."""

POLICY_LANES = 2048
"""Games that advance together where nobody searches: a game asks for one evaluation at a time."""


def cosine(progress: float, end: float) -> float:
    """Returns the factor of the learning rate: 1 at progress 0, falling to ``end`` at 1 by a half cosine."""
    return end + (1.0 - end) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


class Trainer:
    """Holds everything that a run is made of and moves it on by one step at a time.

    Attributes:
        step: Steps finished.
        iteration: Self-play iterations finished.
        seconds: Wall clock spent in steps, over all sessions.
        last_report: What the last step said.
        networks: Those that learn.
        playing: Those that play and are measured: the same, or averages of their weights (``train.averaging``,
            ``gradient.averaging``).
        saves_each_step: A checkpoint is written after every step.
    """

    saves_each_step = True

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self.device = choose_device(config.device)
        self.threads = config.threads or len(os.sched_getaffinity(0))
        torch.set_num_threads(1)  # per operation: the threads are ours, see fpmcts.workers and fpmcts.learner
        self.game = make(config.game.name, **config.game.options())
        self.step = self.iteration = self.bootstrap_done = self.episode_done = self.games_seen = 0
        self.seconds = 0.0
        self.last_report: Report | None = None
        self.learning_steps: list[int] = []
        self.played: tuple[Samples, Games, SelfPlayStatistics] | None = None
        self.networks = build_networks(self.game.spec, config.network, config.seed).to(self.device)
        self.nets = self.networks.distinct()
        averages = config.train.averaging or (config.gradient.start is not None and config.gradient.averaging)
        self.playing = copy.deepcopy(self.networks) if averages else self.networks
        count = len(self.nets)
        replicas = self.threads if self.device.type == "cpu" else 1
        self.learners = [Learner(self.game, net, config.train, self.device, replicas) for net in self.nets]
        self.filter: FilterLearner | None = None
        if config.inference.phase1 == "filter":
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.seed)
                self.filter = FilterLearner(self.game, FilterNet(self.game.spec).to(self.device), config.train, self.device)
        train = config.train
        self.reservoirs: list[Store] = [
            Reservoir(self.game, train.reservoir, 2 * config.seed + 1 + 1000 * s)
            if train.store == "reservoir"
            else Window(self.game, train.reservoir)
            for s in range(count)
        ]
        self.windows = [Window(self.game, train.value_window) for _ in range(count)] if train.value_window else []
        self.evaluator = Evaluator(self.playing, config.precision, self.device)
        self.worker_evaluators = [
            Evaluator(self.playing, config.precision, self.device, config.remembered) for _ in range(self.threads)
        ]
        self.searches = [
            Search(self.game, e.evaluate, config.search, max(1, config.selfplay.lanes // self.threads), config.objective == "wp")
            for e in self.worker_evaluators
        ]
        if config.init_from:
            self.load_networks(Saved(*load(config.init_from)))

    def make_determinizer(self, num_lanes: int, evaluator: Evaluator | None = None, posterior: bool = True) -> AnyDeterminizer:
        """Returns a determinizer with the present networks for games played side by side; without phase 2 if so asked."""
        score = None if self.filter is None else FilterEngine(self.filter.net, self.config.precision, self.device)
        settings = replace(self.config.inference, phase2=self.config.inference.phase2 and posterior)
        return make_determinizer(self.game, evaluator or self.evaluator, settings, num_lanes, score)

    def _learn_filter(self, rows: Samples, steps: int, totals: dict[str, list[float]]) -> None:
        """Steps the filter network, if there is one, on rows drawn from the given ones."""
        if self.filter is None:
            return
        generator = np.random.default_rng([self.config.seed, 1, self.step])
        for b in range(steps):
            drawn = take(rows, generator.integers(0, num_rows(rows), ROWS))
            _collect(totals, self.filter.step(drawn, self.config.seed, (1, self.step, b)), 0)

    @property
    def bootstrap_games(self) -> int:
        """Heuristic games that the run learns from before self-play."""
        return self.config.bootstrap.games if self.config.bootstrap.kind == "heuristic" and not self.config.init_from else 0

    def description(self) -> str:
        """Returns what is trained, and on what."""
        parameters = sum(p.numel() for p in self.nets[0].parameters())
        c = self.config
        return (
            f"{c.game.name}: {len(self.nets)} networks of {c.network.channels} channels x {c.network.blocks} blocks "
            f"({parameters:,} parameters each), {c.search.root} with {c.search.playouts} playouts, "
            f"inference {c.inference.phase1}, on {self.device} with {self.threads} threads"
        )

    def where(self) -> str:
        """Returns how far the run is."""
        return f"step {self.step} (iteration {self.iteration}, {self.seconds / 60:.1f} min)"

    def is_finished(self, budget: BudgetSettings) -> bool:
        """Returns whether the budget is used up."""
        late = budget.minutes is not None and self.seconds >= 60 * budget.minutes
        return late or (budget.iterations is not None and self.iteration >= budget.iterations)

    def run_step(self) -> Iterator[Event]:
        """Runs the next step; yields how far it is. Afterwards ``last_report`` is its report."""
        if self.bootstrap_done < self.bootstrap_games:
            yield from self._bootstrap_step()
        elif self.config.gradient.start is not None and self.iteration >= self.config.gradient.start:
            yield from self._gradient_step()
        else:
            yield from self._self_play_step()
        self.step += 1

    def _bootstrap_step(self) -> Iterator[Event]:
        config, started = self.config.bootstrap, time.perf_counter()
        count = min(config.games_per_step, self.bootstrap_games - self.bootstrap_done)
        index = self.bootstrap_done // config.games_per_step
        yield Event("heuristic games", 0, count, "games")
        seeds = deal_seeds(self.config.seed, count, Stream.BOOTSTRAP, index)
        played = generate_games(self.game, seeds, threads=self.threads, epsilon=config.epsilon, teacher=config.teacher)
        samples = heuristic_samples(self.game, played.deals, played.records, played.choices)
        generation = time.perf_counter() - started
        progress_start = self.bootstrap_done / self.bootstrap_games
        progress_end = (self.bootstrap_done + count) / self.bootstrap_games
        generator = np.random.default_rng([self.config.seed, Stream.BOOTSTRAP, index])
        shuffled = take(samples, generator.permutation(num_rows(samples)))
        totals: dict[str, list[float]] = {}
        shared, size = config.shared and len(self.nets) > 1, self.config.train.batch_size
        rows = [shuffled] if shared else [self.of_network(shuffled, k) for k in range(len(self.nets))]
        steps = [num_rows(r) // size for r in rows]
        done = 0
        for k, learner in enumerate(self.learners[: len(rows)]):
            for b in range(steps[k]):
                progress = progress_start + (progress_end - progress_start) * b / steps[k]
                parts = learner.step(None, take(rows[k], slice(b * size, (b + 1) * size)), config.lr * cosine(progress, 0.05))
                _collect(totals, parts, k)
                done += 1
                if done % 8 == 0:
                    yield Event("learning from them", done, sum(steps), "steps")
        self._learn_filter(samples, max(steps), totals)
        self.bootstrap_done += count
        if self.bootstrap_done >= self.bootstrap_games:
            for k, reservoir in enumerate(self.reservoirs):
                reservoir.add(take(self.of_network(shuffled, k), slice(0, config.kept)))
            if shared:
                for net in self.nets[1:]:
                    net.load_state_dict(self.nets[0].state_dict())
            for learner in self.learners:
                learner.forget()
        self.playing.load_state_dict(self.networks.state_dict())
        scalars = self._learning_scalars(totals)
        learning = time.perf_counter() - started - generation
        line = f"bootstrap {self.bootstrap_done:,} of {self.bootstrap_games:,} games: " + _loss_text(scalars)
        if self.bootstrap_done >= self.bootstrap_games:
            line += "; " + self._evaluate_policy(scalars)
        scalars |= {"time/generation_seconds": generation, "time/learning_seconds": learning}
        self.last_report = Report(self.step, line, scalars)

    def self_play(self, deals: np.ndarray, path: tuple[int, ...]) -> Iterator[Event]:
        """Plays one game per deal (uint64 ``[G]``) on all workers, with searches; afterwards ``played`` holds the result.

        Args:
            deals, path: See ``play_in_threads``.
        """
        workers, count = len(self.searches), len(deals)
        settings = replace(self.config.selfplay, lanes=max(1, self.config.selfplay.lanes // self.threads))
        plays = []
        for k, (evaluator, search) in enumerate(zip(self.worker_evaluators, self.searches, strict=True)):
            evaluator.refresh(self.playing)
            evaluator.seconds, evaluator.num_evaluations, search.counters = 0.0, 0, SearchCounters()
            lanes = max(1, len(range(k, count, workers)))
            determinizer = self.make_determinizer(lanes, evaluator, settings.posterior)
            plays.append(SelfPlay(self.game, evaluator.evaluate, determinizer, search, settings).play)
        for done, parts in play_in_threads(plays, deals, self.config.seed, (Stream.PLAY, *path), self.iteration):
            if parts is not None:
                self.played = join_finished(parts, self.game)
            yield Event("self-play", done, count, "games")

    def _policy_games(
        self, networks: Networks, count: int, chunk: int, temperature: float = 1.0, exploration: float = 0.0, decay: float = 1.0
    ) -> Generator[Event, None, Played]:
        """Plays games of the policies alone on all workers and returns them; ``chunk`` tells their deals from other ones of the
        iteration, the rest is that of ``PolicyGames``.
        """
        config, plays = self.config, []
        for evaluator in self.worker_evaluators:
            evaluator.refresh(networks)
            games = PolicyGames(
                self.game, evaluator.evaluate, lanes=max(1, POLICY_LANES // self.threads), win_only=config.objective == "wp",
                decay=decay, temperature=temperature, exploration=exploration, solve=config.search.solve,
            )  # fmt: skip
            plays.append(games.play)
        deals = deal_seeds(config.seed, count, Stream.TRAINING, self.iteration, chunk)
        path = (Stream.PLAY, self.iteration, chunk)
        finished: list[Played] = []
        for done, parts in play_in_threads(plays, deals, config.seed, path, self.iteration):
            finished = parts or []
            yield Event("games of the policies", done, count, "games")
        return join_played(finished, self.game)

    def _gradient_step(self) -> Iterator[Event]:
        """One iteration of policy gradient: games of the policies, each decision learned from once."""
        settings = self.config.gradient
        if self.iteration == settings.start:  # from the weights that played so far
            self.networks.load_state_dict(self.playing.state_dict())
            for learner in self.learners:
                learner.forget()
        played = yield from self._policy_games(self.networks, settings.games, 0, decay=settings.decay)
        decisions, started = played.decisions, time.perf_counter()
        keep = np.random.default_rng([self.config.seed, Stream.TRAINING, self.iteration]).random(num_rows(decisions))
        rows = take(decisions, np.flatnonzero((decisions.certainty < settings.certain) | (keep < settings.certain_share)))
        scalars = policy_game_curves(self.game, played, settings.certain, self.config.objective == "wp")
        scalars |= {"data/learned_decisions": float(num_rows(rows)), "data/games": float(self.games_seen)}
        totals: dict[str, list[float]] = {}
        parts = [take(rows, self._rows_of_network(rows.samples, k)) for k in range(len(self.nets))]
        steps = [num_rows(part) // settings.batch_size for part in parts]

        def learn(k: int) -> Iterator[dict[str, float]]:
            generator = np.random.default_rng([self.config.seed, Stream.TRAINING, self.iteration, k])
            teaching = parts[k].advantage[parts[k].certainty < settings.certain]
            mean, deviation = (float(teaching.mean()), float(teaching.std()) + 1e-6) if teaching.size else (0.0, 1.0)
            scaled = parts[k]._replace(advantage=(parts[k].advantage - np.float32(mean)) / np.float32(deviation))
            order = generator.permutation(num_rows(scaled))[: steps[k] * settings.batch_size]
            for batch in order.reshape(steps[k], settings.batch_size):
                numbers = self.learners[k].gradient_step(take(scaled, batch), settings)
                if self.playing is not self.networks:
                    move_towards(self.playing.distinct()[k], self.learners[k].net, 1.0 / max(1, settings.averaging))
                yield numbers

        yield from self._learn_side_by_side([learn(k) for k in range(len(self.nets))], sum(steps), totals)
        self._learn_filter(rows.samples, max(steps), totals)
        scalars |= self._learning_scalars(totals) | {"time/learning_seconds": time.perf_counter() - started}
        scalars |= {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
        rate = f"{settings.games:,} games of the policies at {settings.games / played.seconds:,.0f}/s"
        line = f"iteration {self.iteration}: {rate}, {_loss_text(scalars)}"
        self.iteration += 1
        self.games_seen += settings.games
        if self.config.evaluation.decks:
            yield Event("evaluation", 0, 1, "matches")
            line += "; " + self._evaluate_policy(scalars)
        self.last_report = Report(self.step, line, scalars)

    def _self_play_step(self) -> Iterator[Event]:
        config = self.config
        count = min(config.episode.games_per_step, config.episode.games - self.episode_done)
        chunk = self.episode_done // config.episode.games_per_step
        yield from self.self_play(deal_seeds(config.seed, count, Stream.TRAINING, self.iteration, chunk), (self.iteration, chunk))
        assert self.played is not None
        samples, _, statistics = self.played
        scalars = self.self_play_scalars()
        self.played = None
        for k in range(len(self.nets)):
            part = self.of_network(samples, k)
            self.reservoirs[k].add(take(part, np.flatnonzero(part.policy_weight > 0)))
            if self.windows:
                self.windows[k].add(part)
        self.episode_done += count
        self.games_seen += count
        line = f"iteration {self.iteration}: {count} games at {count / statistics.seconds:.1f}/s"
        if self.episode_done >= config.episode.games:
            if config.episode.value_games:
                scalars["time/value_games_seconds"] = yield from self._play_value_games(chunk + 1)
            started = time.perf_counter()
            totals: dict[str, list[float]] = {}
            yield from self._learn(samples, totals)
            scalars |= self._learning_scalars(totals) | {"time/learning_seconds": time.perf_counter() - started}
            for k, (reservoir, steps) in enumerate(zip(self.reservoirs, self.learning_steps, strict=True)):
                age = self.iteration - reservoir.rows.iteration[: reservoir.size]
                scalars[f"data/reservoir_age_{k}"] = float(age.mean())
                scalars[f"data/learning_steps_{k}"] = float(steps)
            self.iteration += 1
            self.episode_done = 0
            line += ", " + _loss_text(scalars)
            if config.evaluation.decks:
                yield Event("evaluation", 0, 1, "matches")
                line += "; " + self._evaluate_policy(scalars)
            if config.evaluation.search_decks and self.iteration % config.evaluation.search_every == 0:
                yield Event("evaluation of the search", 0, 1, "matches")
                line += "; " + self._evaluate_search(scalars)
            if config.evaluation.exact_every and self.iteration % config.evaluation.exact_every == 0:
                line += self._evaluate_exactly(scalars)
        self.last_report = Report(self.step, line, scalars)

    def _play_value_games(self, chunk: int) -> Generator[Event, None, float]:
        """Plays games without searches, whose results teach the value; returns how many seconds that took."""
        selfplay = self.config.selfplay
        played = yield from self._policy_games(
            self.playing, self.config.episode.value_games, chunk, selfplay.temperature(self.iteration), selfplay.exploration
        )
        for k, window in enumerate(self.windows):
            window.add(self.of_network(played.decisions.samples, k))
        return played.seconds

    def _learn(self, samples: Samples, totals: dict[str, list[float]]) -> Iterator[Event]:
        """Steps every network, side by side: the policy from the reservoir, the value from the window."""
        train = self.config.train
        half = train.batch_size // 2 if self.windows else train.batch_size
        offered = [int((self.of_network(samples, k).policy_weight > 0).sum()) for k in range(len(self.nets))]
        chunks = math.ceil(self.config.episode.games / self.config.episode.games_per_step)
        steps = [max(math.ceil(train.reuse * n * chunks / half), train.least_steps if n else 0) for n in offered]
        self.learning_steps = steps
        replicas = max(1, self.threads // len(self.nets)) if self.device.type == "cpu" else 1

        def learn(k: int) -> Iterator[dict[str, float]]:
            generator = np.random.default_rng([self.config.seed, Stream.TRAINING, self.iteration, k])
            learner, averages = self.learners[k], self.playing.distinct()[k]
            for _ in range(steps[k]):
                policy_rows = self.reservoirs[k].draw(generator, half, train.recency)
                value_rows = self.windows[k].draw(generator, train.batch_size - half) if self.windows else policy_rows
                given = policy_rows if self.windows else None
                parts = learner.step(given, value_rows, train.rate(self.iteration), replicas)
                if train.averaging:
                    move_towards(averages, learner.net, 1.0 / train.averaging)
                yield parts

        yield from self._learn_side_by_side([learn(k) for k in range(len(self.nets))], sum(steps), totals)
        self._learn_filter(samples, max(steps), totals)

    def _learn_side_by_side(
        self, networks: list[Iterator[dict[str, float]]], steps: int, totals: dict[str, list[float]]
    ) -> Iterator[Event]:
        """Takes all steps of the networks, which are theirs alone, a thread each; adds the parts of the losses to ``totals``."""
        one_by_one = self.threads == 1 or self.device.type != "cpu"
        learned = ((k, parts) for k, one in enumerate(networks) for parts in one) if one_by_one else side_by_side(networks)
        for done, (k, parts) in enumerate(learned, 1):
            _collect(totals, parts, k)
            if done % 8 == 0:
                yield Event("learning", done, steps, "steps")

    def of_network(self, samples: Samples, k: int) -> Samples:
        """Returns the samples that network ``k`` learns from: those of its seat, or all where one network serves every seat."""
        return samples if len(self.nets) == 1 else take(samples, self._rows_of_network(samples, k))

    def _rows_of_network(self, samples: Samples, k: int) -> np.ndarray:
        """Returns the rows (int64) of the samples that network ``k`` learns from."""
        every = len(self.nets) == 1
        return np.arange(num_rows(samples)) if every else np.flatnonzero(seats_to_move(self.game, samples.states) == k)

    def _baseline(self) -> Agent:
        makers: dict[str, Callable[[Any], Agent]] = {
            "rhcp": RHCPAgent,
            "rlcard_rule": RLCardRuleAgent,
            "random": RandomAgent,
            "always_call": AlwaysCallAgent,
        }
        return makers[self.config.evaluation.baseline](self.game)

    def _evaluate_policy(self, scalars: dict[str, float]) -> str:
        """Plays the policy, greedy or mixed as suits the game, against the baseline; returns the scores as text and adds them."""
        if not self.config.evaluation.decks:
            return "no evaluation"
        self.evaluator.refresh(self.playing)
        agent = PolicyAgent(self.game, self.evaluator.evaluate, temperature=float(self.game.spec.mixes))
        return self._match(agent, self.config.evaluation.decks, "policy", scalars)

    def _evaluate_search(self, scalars: dict[str, float]) -> str:
        settings = self.config.evaluation
        search = SearchSettings(**{**self.config.search.__dict__, "playouts": settings.search_playouts, "gumbel_noise": 0.0})
        agent = SearchAgent(
            self.game, self.evaluator, self.make_determinizer, search, win_only=self.config.objective == "wp", max_positions=128
        )
        return self._match(agent, settings.search_decks, "search", scalars)

    def _evaluate_exactly(self, scalars: dict[str, float]) -> str:
        """Returns NashConv of the policy networks as text and adds it to ``scalars``; nothing where it cannot be computed."""
        if not isinstance(self.game, LimitPoker) or not self.game.poker.has_tree:
            return ""
        self.evaluator.refresh(self.playing)
        value = nash_conv(self.game.poker, policy_table(self.game, self.evaluator.evaluate))
        scalars["nash_conv/average_policy"] = value
        return f"; NashConv (both players' gains together) {value:.4f} chips"

    def _match(self, agent: Agent, decks: int, name: str, scalars: dict[str, float]) -> str:
        result: MatchResult = duplicate_match(self.game, agent, self._baseline(), decks, self.config.seed)
        unit, group = self.game.spec.score, f"{name}_against_{self.config.evaluation.baseline}"
        for label, score in [("all", result.total), *zip(result.team_names, result.by_team, strict=True)]:
            for measure, value in [("wp", score.wp)] * unit.tells_wins + [(unit.key, score.adp)]:
                scalars[f"{group}/{measure}_{label}"] = value.mean
                if math.isfinite(value.error):  # one deck has none
                    scalars[f"{group}/{measure}_{label}_standard_error"] = value.error
        wp, mean = result.total.wp, result.total.adp
        wins = f"WP {100 * wp.mean:.1f} ± {100 * wp.error:.1f} %, " if unit.tells_wins else ""
        return (
            f"{name} against {self.config.evaluation.baseline} {wins}{unit.name} {mean.mean:+.{unit.digits}f} ± "
            f"{mean.error:.{unit.digits}f} ({len(result.games.returns):,} games)"
        )

    def _learning_scalars(self, totals: dict[str, list[float]]) -> dict[str, float]:
        return {f"loss/{name}": float(np.mean(values)) for name, values in totals.items()}

    def self_play_scalars(self) -> dict[str, float]:
        """Returns the curves of the games in ``played``."""
        assert self.played is not None
        counters = [search.counters for search in self.searches]
        return self_play_curves(self.game, *self.played, counters, self.worker_evaluators) | {
            "data/reservoir_seen": float(sum(r.seen for r in self.reservoirs)),
            "data/games": float(self.games_seen),
        }

    def get_state(self) -> Saved:
        """Returns all that the next step depends on, as named arrays and metadata."""
        arrays: dict[str, np.ndarray] = {}
        for k, (playing, learner) in enumerate(zip(self.playing.distinct(), self.learners, strict=True)):
            arrays |= module_arrays(playing, f"network.{k}") | optimizer_arrays(learner.optimizer, f"optimizer.{k}")
            if self.playing is not self.networks:
                arrays |= module_arrays(learner.net, f"learning.{k}")
        if self.filter is not None:
            arrays |= module_arrays(self.filter.net, "filter.net") | optimizer_arrays(self.filter.optimizer, "filter_optimizer")
        for name, store in self._stores():
            arrays |= {f"{name}.{key}": array for key, array in store.get_state().items()}
        counters = {name: getattr(self, name) for name in COUNTERS}
        report = None if self.last_report is None else self.last_report.__dict__
        code = sources_digest(*LAYERS)
        meta = self._identity() | {"config": self.config.as_dict(), "code": code, "report": report} | counters
        return Saved(arrays, meta)

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave.

        Raises:
            CheckpointError: It is of another game, network shape, or setting of the stores; nothing is changed on disk.
        """
        check_compatible(saved.meta, **self._identity())
        self.load_networks(saved)
        for k, learner in enumerate(self.learners):
            load_optimizer(learner.optimizer, saved.arrays, f"optimizer.{k}")
            if self.playing is not self.networks:
                load_module(learner.net, saved.arrays, f"learning.{k}")
        if self.filter is not None:
            load_optimizer(self.filter.optimizer, saved.arrays, "filter_optimizer")
        for name, store in self._stores():
            prefix = name + "."
            store.set_state({key.removeprefix(prefix): a for key, a in saved.arrays.items() if key.startswith(prefix)})
        for name in COUNTERS:
            setattr(self, name, saved.meta[name])
        report = saved.meta["report"]
        self.last_report = None if report is None else Report(**report)

    def load_networks(self, saved: Saved) -> None:
        """Takes the networks of a checkpoint and nothing else: those that played there."""
        check_compatible(saved.meta, **self._identity())
        for k, net in enumerate(self.nets):
            load_module(net, saved.arrays, f"network.{k}")
        self.playing.load_state_dict(self.networks.state_dict())
        if self.filter is not None:
            load_module(self.filter.net, saved.arrays, "filter.net")
        self.evaluator.refresh(self.playing)

    def _identity(self) -> dict[str, Any]:
        """Returns what a checkpoint must agree with."""
        network = asdict(self.config.network)
        return {
            "game": {"name": self.config.game.name} | self.config.game.options(),
            "network": {k: v for k, v in network.items() if k != "objective"},
            "filter": self.filter is not None,
        }

    def _stores(self) -> list[tuple[str, Store]]:
        named: list[tuple[str, Store]] = [(f"reservoir.{k}", store) for k, store in enumerate(self.reservoirs)]
        return named + [(f"window.{k}", store) for k, store in enumerate(self.windows)]


def _collect(totals: dict[str, list[float]], parts: dict[str, float], network: int) -> None:
    for name, value in parts.items():
        totals.setdefault(f"{name}_{network}", []).append(value)


def _loss_text(scalars: dict[str, float]) -> str:
    """Returns the mean policy and value losses over the networks."""
    parts = []
    for name in ("policy", "surrogate", "value", "hidden_gain"):
        values = [v for key, v in scalars.items() if key.startswith(f"loss/{name}_") and key[len(f"loss/{name}_") :].isdigit()]
        if values:
            parts.append(f"{name.replace('_', ' ')} {np.mean(values):.3f}")
    return "loss " + ", ".join(parts) if parts else "nothing learned"


