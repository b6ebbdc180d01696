"""The steps of a run of FPMCTS: bootstrap, iterations with searches, iterations of policy gradient.

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
from typing import TYPE_CHECKING

import numpy as np

from fpmcts.progress import Progress
from fpmcts.training.game_curves import policy_game_curves, search_curves
from fpmcts.training.interface import Report
from fpmcts.training.learner import REPLICAS, teaches_policy
from fpmcts.training.learning import (
    Losses,
    cosine,
    learn_filter,
    learn_side_by_side,
    loss_curves,
    loss_text,
)
from fpmcts.training.policy_games import Decisions, Played
from fpmcts.training.selfplay import Finished
from fpmcts.training.workers import Generated
from games.kernels import Stream, deal_seeds
from games.rows import num_rows, take

if TYPE_CHECKING:
    from fpmcts.training.fpmcts import FPMCTS

VALUE_SHARE = 0.2
"""Share of the decisions that train the value alone; the others are left out."""
BATCH_SIZE = 1024
"""Decisions per step of policy gradient."""


def bootstrap_step(run: "FPMCTS", progress: Progress) -> Report:
    """Plays some heuristic games, learns from them, and reports."""
    config, started, nets = run.config.bootstrap, time.perf_counter(), run.weights.nets
    total, seed, size = run.bootstrap_games(), run.config.seed, run.config.train.batch_size
    count = min(config.games_per_step, total - run.bootstrap_done)
    index = run.bootstrap_done // config.games_per_step
    samples = run.workers.teach(deal_seeds(seed, count, Stream.BOOTSTRAP, index), progress)
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


def search_step(run: "FPMCTS", progress: Progress) -> Report:
    """Plays some games of an iteration; after the last ones, learns and evaluates."""
    config, episode, batches = run.config, run.config.episode, run.batches(run.iteration)
    batch = batches[run.episode_done // episode.games_per_step]
    played: Generated[Finished] = run.play(batch, progress)
    samples = played.games.samples
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
    line = f"iteration {run.iteration}: {batch.games} games at {batch.games / played.seconds:.1f}/s"
    if run.episode_done < episode.games:
        return Report(run.steps, line, scalars)
    if episode.value_games:
        unsearched: Generated[Played] = run.play(batches[-1], progress)
        run.keep(unsearched.games.decisions.samples)
        scalars["time/value_games_seconds"] = unsearched.seconds
    run.play_ahead()
    scalars |= learn(run, progress)
    line += ", " + loss_text(scalars)
    run.iteration += 1
    run.episode_done, run.offered = 0, [0] * len(run.learners)
    line += run.evaluated(scalars, progress)
    return Report(run.steps, line, scalars)


def learn(run: "FPMCTS", progress: Progress) -> dict[str, float]:
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


def learning_steps(run: "FPMCTS", batch: int) -> list[int]:
    """Returns the steps of each network: a searched decision of the iteration is used
    ``train.reuse`` times on average.
    """
    train = run.config.train
    return [
        max(math.ceil(train.reuse * n / batch), train.least_steps if n else 0) for n in run.offered
    ]


def gradient_step(run: "FPMCTS", progress: Progress) -> Report:
    """Plays the games of an iteration, learns from them, and evaluates."""
    settings = run.config.gradient
    if run.iteration == settings.start:  # starts from the weights that have played so far
        run.weights.latest.load_state_dict(run.weights.averages.state_dict())
        for learner in run.learners:
            learner.forget()
    played: Generated[Played] = run.play(run.batches(run.iteration)[0], progress)
    decisions = played.games.decisions
    # After those of the networks (``_learn_gradient``): a shorter path is that of the first.
    path = [run.config.seed, Stream.TRAINING, run.iteration, len(run.learners)]
    keep = np.random.default_rng(path).random(num_rows(decisions))
    proved = decisions.samples.policy_weight > 0
    taught = teaches_policy(decisions) | proved | (keep < VALUE_SHARE)
    rows = take(decisions, np.flatnonzero(taught))
    scalars = policy_game_curves(run.game, played, run.config.objective == "wp")
    scalars |= run.workers.curves() | {
        "data/learned_decisions": float(num_rows(rows)),
        "data/games": float(run.games_seen),
    }
    run.play_ahead()
    scalars |= _learn_gradient(run, rows, progress)
    rate = f"{settings.games:,} games of the policies at {settings.games / played.seconds:,.0f}/s"
    line = f"iteration {run.iteration}: {rate}, {loss_text(scalars)}"
    run.iteration += 1
    run.games_seen += settings.games
    line += run.evaluated(scalars, progress)
    return Report(run.steps, line, scalars)


def _learn_gradient(run: "FPMCTS", rows: Decisions, progress: Progress) -> dict[str, float]:
    """Steps every network along the advantages of its decisions, scaled to mean 0 and deviation 1;
    returns curves.
    """
    settings, started = run.config.gradient, time.perf_counter()
    done = run.iteration - (settings.start or 0)
    lr = settings.rate(done)
    parts = [take(rows, run.rows_of_network(rows.samples, k)) for k in range(len(run.learners))]
    thawed = settings.thaw is not None and done >= settings.thaw
    frozen = {run.weights.latest.net_of_role[role] for role in settings.frozen if not thawed}
    steps = [0 if k in frozen else num_rows(part) // BATCH_SIZE for k, part in enumerate(parts)]

    def network(k: int) -> Iterator[Losses]:
        generator = np.random.default_rng([run.config.seed, Stream.TRAINING, run.iteration, k])
        teaching = parts[k].advantage[teaches_policy(parts[k])]
        mean, deviation = (
            (float(teaching.mean()), float(teaching.std()) + 1e-6) if teaching.size else (0.0, 1.0)
        )
        scaled = parts[k]._replace(
            advantage=(parts[k].advantage - np.float32(mean)) / np.float32(deviation)
        )
        order = generator.permutation(num_rows(scaled))[: steps[k] * BATCH_SIZE]
        for batch in order.reshape(steps[k], BATCH_SIZE):
            losses = run.learners[k].gradient_step(take(scaled, batch), settings, lr)
            run.weights.average(k, settings.averaging)
            yield losses

    curves = learn_side_by_side(
        run.learning_threads, [network(k) for k in range(len(steps))], steps, progress
    )
    curves |= learn_filter(run.filter, [run.config.seed, run.steps], rows.samples, max(steps))
    curves |= {"time/learning_seconds": time.perf_counter() - started, "data/learning_rate": lr}
    return curves | {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
