"""The stages of a run of FPMCTS: bootstrap, iterations with searches, iterations of policy
gradient.

Bootstrap: heuristic games, each learned from once. Source: DeltaDou, 5.1. Policy gradient: games of
the policies alone, each decision learned from once; the constants are ours (docs/experiments.md),
as are those of ``Learner.gradient_step``.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np

from fpmcts.progress import Progress
from fpmcts.training.fpmcts import FPMCTS
from fpmcts.training.game_curves import policy_game_curves
from fpmcts.training.interface import Report
from fpmcts.training.learner import teaches_policy
from fpmcts.training.learning import (
    Losses,
    cosine,
    learn_filter,
    learn_side_by_side,
    loss_curves,
    loss_text,
)
from fpmcts.training.policy_games import Decisions, Played
from fpmcts.training.workers import Generated
from games.kernels import Stream, deal_seeds
from games.rows import num_rows, take

VALUE_SHARE = 0.2
"""Share of the decisions that train the value alone; the others are left out."""
BATCH_SIZE = 1024
"""Decisions per step of policy gradient."""


class Stages(FPMCTS):
    """FPMCTS with the stages before and after its searches."""

    def stage(self) -> Callable[[Progress], Report]:
        """Returns the function of the next step."""
        if self.bootstrap_done < self.bootstrap_games():
            return self.bootstrap_step
        if self.config.is_gradient(self.iteration):
            return self.gradient_iteration
        return self.search_iteration

    def bootstrap_games(self) -> int:
        """Returns the number of heuristic games that the run learns from before self-play."""
        config = self.config.bootstrap
        return config.games if config.kind == "heuristic" and not self.began_from else 0

    def bootstrap_step(self, progress: Progress) -> Report:
        """Plays some heuristic games, learns from them, and reports."""
        config, started = self.config.bootstrap, time.perf_counter()
        total, seed, size = self.bootstrap_games(), self.config.seed, self.config.train.batch_size
        count = min(config.games_per_step, total - self.bootstrap_done)
        index = self.bootstrap_done // config.games_per_step
        samples = self.workers.teach(deal_seeds(seed, count, Stream.BOOTSTRAP, index), progress)
        generation = time.perf_counter() - started
        shuffled = take(
            samples,
            np.random.default_rng([seed, Stream.BOOTSTRAP, index]).permutation(num_rows(samples)),
        )
        shared = config.shared and len(self.nets) > 1
        rows = (
            [shuffled] if shared else [self.of_network(shuffled, k) for k in range(len(self.nets))]
        )
        steps = [num_rows(r) // size for r in rows]
        found: list[list[Losses]] = []
        first, last = self.bootstrap_done / total, (self.bootstrap_done + count) / total
        for k, learner in enumerate(self.learners[: len(rows)]):
            found.append([])
            for b in range(steps[k]):
                at = first + (last - first) * b / steps[k]
                batch = take(rows[k], slice(b * size, (b + 1) * size))
                found[k].append(learner.step(batch, batch, config.lr * cosine(at, 0.05)))
                progress("learning from them", sum(map(len, found)), sum(steps), "steps")
        scalars = loss_curves(found) | learn_filter(
            self.filter, [seed, self.steps], samples, max(steps)
        )
        if shared:
            for net in self.nets[1:]:
                net.load_state_dict(self.nets[0].state_dict())
        self.bootstrap_done += count
        over = self.bootstrap_done >= total
        if over:
            for k, reservoir in enumerate(self.reservoirs):
                reservoir.add(take(self.of_network(shuffled, k), slice(0, config.kept)))
            for learner in self.learners:
                learner.forget()
        self.restart_averages()
        self.catch_up()
        learning = time.perf_counter() - started - generation
        line = f"bootstrap {self.bootstrap_done:,} of {total:,} games: " + loss_text(scalars)
        line += self.measured(scalars, progress)
        scalars |= {
            "time/generation_seconds": generation,
            "time/learning_seconds": learning,
        } | self.workers.curves()
        return Report(self.steps, line, scalars)

    def gradient_iteration(self, progress: Progress) -> Report:
        """Plays the games of an iteration, learns from them, and evaluates."""
        settings = self.config.gradient
        if self.iteration == settings.start:  # starts from the weights that have played so far
            self.networks.load_state_dict(self.averages.state_dict())
            for learner in self.learners:
                learner.forget()
        played: Generated[Played] = self.play(self.batches(self.iteration)[0], progress)
        decisions = played.games.decisions
        # After those of the networks (``learn_gradient``): a shorter path is that of the first.
        path = [self.config.seed, Stream.TRAINING, self.iteration, len(self.nets)]
        keep = np.random.default_rng(path).random(num_rows(decisions))
        proved = decisions.samples.policy_weight > 0
        taught = teaches_policy(decisions) | proved | (keep < VALUE_SHARE)
        rows = take(decisions, np.flatnonzero(taught))
        scalars = (
            policy_game_curves(self.game, played, self.config.objective == "wp")
            | self.workers.curves()
        )
        scalars |= {
            "data/learned_decisions": float(num_rows(rows)),
            "data/games": float(self.games_seen),
        }
        self.play_ahead()
        scalars |= self.learn_gradient(rows, progress)
        rate = (
            f"{settings.games:,} games of the policies at {settings.games / played.seconds:,.0f}/s"
        )
        line = f"iteration {self.iteration}: {rate}, {loss_text(scalars)}"
        self.iteration += 1
        self.games_seen += settings.games
        line += self.evaluated(scalars, progress)
        return Report(self.steps, line, scalars)

    def learn_gradient(self, rows: Decisions, progress: Progress) -> dict[str, float]:
        """Steps every network along the advantages of its decisions, scaled to mean 0 and deviation
        1; returns curves.
        """
        settings, started = self.config.gradient, time.perf_counter()
        done = self.iteration - (settings.start or 0)
        lr = settings.rate(done)
        parts = [take(rows, self.rows_of_network(rows.samples, k)) for k in range(len(self.nets))]
        thawed = settings.thaw is not None and done >= settings.thaw
        frozen = {self.networks.net_of_role[role] for role in settings.frozen if not thawed}
        steps = [0 if k in frozen else num_rows(part) // BATCH_SIZE for k, part in enumerate(parts)]

        def network(k: int) -> Iterator[Losses]:
            generator = np.random.default_rng(
                [self.config.seed, Stream.TRAINING, self.iteration, k]
            )
            teaching = parts[k].advantage[teaches_policy(parts[k])]
            mean, deviation = (
                (float(teaching.mean()), float(teaching.std()) + 1e-6)
                if teaching.size
                else (0.0, 1.0)
            )
            scaled = parts[k]._replace(
                advantage=(parts[k].advantage - np.float32(mean)) / np.float32(deviation)
            )
            order = generator.permutation(num_rows(scaled))[: steps[k] * BATCH_SIZE]
            for batch in order.reshape(steps[k], BATCH_SIZE):
                losses = self.learners[k].gradient_step(take(scaled, batch), settings, lr)
                self.average(k, settings.averaging)
                yield losses

        curves = learn_side_by_side(
            self.learning_threads, [network(k) for k in range(len(steps))], steps, progress
        )
        curves |= learn_filter(
            self.filter, [self.config.seed, self.steps], rows.samples, max(steps)
        )
        curves |= {"time/learning_seconds": time.perf_counter() - started, "data/learning_rate": lr}
        return curves | {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
