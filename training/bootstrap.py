"""The supervised start: heuristic games, each learned from once. Source: DeltaDou, 5.1."""

import time
from collections.abc import Generator

import numpy as np

from games.batches import num_rows, take
from games.kernels import Stream, deal_seeds
from training.evaluation import Evaluation
from training.learning import Totals, cosine, learn_filter, loss_text
from training.reports import Event, Report
from training.state import RunState
from training.workers import Workers


def bootstrap_step(state: RunState, workers: Workers, evaluation: Evaluation) -> Generator[Event, None, Report]:
    """Plays some heuristic games, learns from them, and says how it went."""
    config, started = state.config.bootstrap, time.perf_counter()
    total, seed, size = state.bootstrap_games, state.config.seed, state.config.train.batch_size
    count = min(config.games_per_step, total - state.bootstrap_done)
    index = state.bootstrap_done // config.games_per_step
    samples = yield from workers.teach(deal_seeds(seed, count, Stream.BOOTSTRAP, index))
    generation = time.perf_counter() - started
    shuffled = take(samples, np.random.default_rng([seed, Stream.BOOTSTRAP, index]).permutation(num_rows(samples)))
    shared = config.shared and len(state.nets) > 1
    rows = [shuffled] if shared else [state.of_network(shuffled, k) for k in range(len(state.nets))]
    steps, done, totals = [num_rows(r) // size for r in rows], 0, Totals()
    progress_start, progress_end = state.bootstrap_done / total, (state.bootstrap_done + count) / total
    for k, learner in enumerate(state.learners[: len(rows)]):
        for b in range(steps[k]):
            progress = progress_start + (progress_end - progress_start) * b / steps[k]
            batch = take(rows[k], slice(b * size, (b + 1) * size))
            totals.add(learner.step(None, batch, config.lr * cosine(progress, 0.05)), k)
            done += 1
            if done % 8 == 0:
                yield Event("learning from them", done, sum(steps), "steps")
    learn_filter(state, samples, max(steps), totals)
    state.bootstrap_done += count
    over = state.bootstrap_done >= total
    if over:
        for k, reservoir in enumerate(state.reservoirs):
            reservoir.add(take(state.of_network(shuffled, k), slice(0, config.kept)))
        if shared:
            for net in state.nets[1:]:
                net.load_state_dict(state.nets[0].state_dict())
        for learner in state.learners:
            learner.forget()
    state.playing.load_state_dict(state.networks.state_dict())
    state.catch_up()
    scalars = totals.scalars()
    learning = time.perf_counter() - started - generation
    line = f"bootstrap {state.bootstrap_done:,} of {total:,} games: " + loss_text(scalars)
    if over:
        line += "; " + ((yield from evaluation.policy(scalars)) or "no evaluation")
    scalars |= {"time/generation_seconds": generation, "time/learning_seconds": learning} | workers.cluster_curves()
    return Report(state.step, line, scalars)
