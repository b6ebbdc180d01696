"""The supervised start: heuristic games, each learned from once. Source: DeltaDou, 5.1."""

import time

import numpy as np

from games.batches import num_rows, take
from games.kernels import Stream, deal_seeds
from runtime.progress import Progress
from training.fpmcts import FPMCTS
from training.interface import Report
from training.learning import Losses, cosine, learn_filter, loss_curves, loss_text


def bootstrap_games(run: FPMCTS) -> int:
    """Returns the heuristic games that a run learns from before self-play."""
    config = run.config.bootstrap
    return config.games if config.kind == "heuristic" and not run.began_from else 0


def bootstrap_step(run: FPMCTS, progress: Progress) -> Report:
    """Plays some heuristic games, learns from them, and says how it went."""
    config, started = run.config.bootstrap, time.perf_counter()
    total, seed, size = bootstrap_games(run), run.config.seed, run.config.train.batch_size
    count = min(config.games_per_step, total - run.bootstrap_done)
    index = run.bootstrap_done // config.games_per_step
    samples = run.workers.teach(deal_seeds(seed, count, Stream.BOOTSTRAP, index), progress)
    generation = time.perf_counter() - started
    shuffled = take(
        samples,
        np.random.default_rng([seed, Stream.BOOTSTRAP, index]).permutation(num_rows(samples)),
    )
    shared = config.shared and len(run.nets) > 1
    rows = [shuffled] if shared else [run.of_network(shuffled, k) for k in range(len(run.nets))]
    steps = [num_rows(r) // size for r in rows]
    found: list[list[Losses]] = []
    first, last = run.bootstrap_done / total, (run.bootstrap_done + count) / total
    for k, learner in enumerate(run.learners[: len(rows)]):
        found.append([])
        for b in range(steps[k]):
            at = first + (last - first) * b / steps[k]
            batch = take(rows[k], slice(b * size, (b + 1) * size))
            found[k].append(learner.step(None, batch, config.lr * cosine(at, 0.05)))
            progress("learning from them", sum(map(len, found)), sum(steps), "steps")
    scalars = loss_curves(found) | learn_filter(run.filter, [seed, run.steps], samples, max(steps))
    run.bootstrap_done += count
    over = run.bootstrap_done >= total
    if over:
        for k, reservoir in enumerate(run.reservoirs):
            reservoir.add(take(run.of_network(shuffled, k), slice(0, config.kept)))
        if shared:
            for net in run.nets[1:]:
                net.load_state_dict(run.nets[0].state_dict())
        for learner in run.learners:
            learner.forget()
    run.playing.load_state_dict(run.networks.state_dict())
    run.catch_up()
    learning = time.perf_counter() - started - generation
    line = f"bootstrap {run.bootstrap_done:,} of {total:,} games: " + loss_text(scalars)
    if over:
        line += "; " + (run.evaluation.policy(scalars, progress) or "no evaluation")
    scalars |= {
        "time/generation_seconds": generation,
        "time/learning_seconds": learning,
    } | run.workers.curves()
    return Report(run.steps, line, scalars)
