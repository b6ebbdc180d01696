"""Iterations of policy gradient: games of the policies alone, each decision learned from once.

The constants are ours (docs/experiments.md), as are those beside ``Learner.gradient_step``.
"""

import time
from collections.abc import Iterator

import numpy as np

from fpmcts.learner import CERTAIN
from fpmcts.policy_games import Decisions
from games.batches import num_rows, take
from games.kernels import Stream
from networks.weights import move_towards
from runtime.progress import Progress
from training.fpmcts import FPMCTS
from training.game_curves import policy_game_curves
from training.interface import Report
from training.learning import Losses, learn_filter, learn_side_by_side, loss_text

CERTAIN_SHARE = 0.2
"""Share of the decisions that are certain which teaches the value; the others are left out."""
BATCH_SIZE = 1024
"""Decisions per step."""


def gradient_iteration(run: FPMCTS, progress: Progress) -> Report:
    """Plays the games of an iteration, learns from them, and evaluates."""
    settings = run.config.gradient
    if run.iteration == settings.start:  # from the weights that played so far
        run.networks.load_state_dict(run.playing.state_dict())
        for learner in run.learners:
            learner.forget()
    played, _ = run.play(run.batches(run.iteration)[0], progress)
    decisions = played.decisions
    keep = np.random.default_rng([run.config.seed, Stream.TRAINING, run.iteration]).random(
        num_rows(decisions)
    )
    rows = take(decisions, np.flatnonzero((decisions.certainty < CERTAIN) | (keep < CERTAIN_SHARE)))
    scalars = (
        policy_game_curves(run.game, played, run.config.objective == "wp") | run.workers.curves()
    )
    scalars |= {
        "data/learned_decisions": float(num_rows(rows)),
        "data/games": float(run.games_seen),
    }
    run.play_ahead()
    scalars |= learn(run, rows, progress)
    rate = f"{settings.games:,} games of the policies at {settings.games / played.seconds:,.0f}/s"
    line = f"iteration {run.iteration}: {rate}, {loss_text(scalars)}"
    run.iteration += 1
    run.games_seen += settings.games
    if run.config.evaluation.decks:
        line += f"; {run.evaluation.policy(scalars, progress)}"
    return Report(run.steps, line, scalars)


def learn(run: FPMCTS, rows: Decisions, progress: Progress) -> dict[str, float]:
    """Steps every network along the advantages of its decisions, scaled to mean 0 and deviation 1;
    returns curves.
    """
    settings, started = run.config.gradient, time.perf_counter()
    lr = settings.rate(run.iteration - (settings.start or 0))
    parts = [take(rows, run.rows_of_network(rows.samples, k)) for k in range(len(run.nets))]
    frozen = {run.networks.net_of_seat[seat] for seat in settings.frozen}
    steps = [0 if k in frozen else num_rows(part) // BATCH_SIZE for k, part in enumerate(parts)]

    def network(k: int) -> Iterator[Losses]:
        generator = np.random.default_rng([run.config.seed, Stream.TRAINING, run.iteration, k])
        teaching = parts[k].advantage[parts[k].certainty < CERTAIN]
        mean, deviation = (
            (float(teaching.mean()), float(teaching.std()) + 1e-6) if teaching.size else (0.0, 1.0)
        )
        scaled = parts[k]._replace(
            advantage=(parts[k].advantage - np.float32(mean)) / np.float32(deviation)
        )
        order = generator.permutation(num_rows(scaled))[: steps[k] * BATCH_SIZE]
        for batch in order.reshape(steps[k], BATCH_SIZE):
            losses = run.learners[k].gradient_step(take(scaled, batch), settings, lr)
            if run.playing is not run.networks:
                move_towards(
                    run.playing.distinct()[k], run.learners[k].net, 1.0 / max(1, settings.averaging)
                )
            yield losses

    curves = learn_side_by_side(
        run.learning_threads, [network(k) for k in range(len(steps))], steps, progress
    )
    curves |= learn_filter(run.filter, [run.config.seed, run.steps], rows.samples, max(steps))
    curves |= {"time/learning_seconds": time.perf_counter() - started, "data/learning_rate": lr}
    return curves | {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
