"""Iterations of self-play with searches: games, then learning, then evaluation."""

import math
import time
from collections.abc import Generator, Iterator

import numpy as np

from fpmcts.samples import Samples
from games.batches import take
from games.kernels import Stream
from networks.weights import move_towards
from training.batches import batches_of
from training.evaluation import Evaluation
from training.learning import Losses, Totals, begin_next, learn_filter, learn_side_by_side, loss_text
from training.reports import Event, Report
from training.state import RunState
from training.workers import Workers


def search_step(state: RunState, workers: Workers, evaluation: Evaluation) -> Generator[Event, None, Report]:
    """Plays some games of an iteration; after the last ones it learns and evaluates."""
    episode, batches = state.config.episode, batches_of(state.config, state.iteration)
    batch = batches[state.episode_done // episode.games_per_step]
    finished = yield from workers.self_play(batch)
    samples, _, statistics = finished
    seen = float(sum(r.seen for r in state.reservoirs))
    scalars = workers.curves(finished) | {"data/reservoir_seen": seen, "data/games": float(state.games_seen)}
    keep(state, samples)
    state.episode_done += batch.games
    state.games_seen += batch.games
    line = f"iteration {state.iteration}: {batch.games} games at {batch.games / statistics.seconds:.1f}/s"
    if state.episode_done >= episode.games:
        if episode.value_games:
            played = yield from workers.policy_games(batches[-1])
            for k, window in enumerate(state.windows):
                window.add(state.of_network(played.decisions.samples, k))
            scalars["time/value_games_seconds"] = played.seconds
        begin_next(state, workers)
        line += ", " + (yield from learn(state, samples, scalars))
        state.iteration += 1
        state.episode_done, state.offered = 0, [0] * len(state.nets)
        line += yield from evaluation.after_iteration(scalars)
    return Report(state.step, line, scalars)


def keep(state: RunState, samples: Samples) -> None:
    """Puts samples into the stores of their networks: searched ones teach the policy and are counted, told results the value."""
    for k, reservoir in enumerate(state.reservoirs):
        part = state.of_network(samples, k)
        searched = np.flatnonzero(part.policy_weight > 0)
        reservoir.add(take(part, searched))
        state.offered[k] += len(searched)
        if state.windows:
            state.windows[k].add(take(part, np.flatnonzero(np.isfinite(part.result))))


def learn(state: RunState, samples: Samples, scalars: dict[str, float]) -> Generator[Event, None, str]:
    """Steps every network: the policy from the reservoir, the value from the window; returns the losses as text."""
    train, started, totals = state.config.train, time.perf_counter(), Totals()
    half = train.batch_size // 2 if state.windows else train.batch_size
    steps = learning_steps(state, half)
    parts = max(1, train.replicas // len(state.nets))

    def one(k: int) -> Iterator[Losses]:
        generator = np.random.default_rng([state.config.seed, Stream.TRAINING, state.iteration, k])
        learner, averages = state.learners[k], state.playing.distinct()[k]
        for _ in range(steps[k]):
            policy_rows = state.reservoirs[k].draw(generator, half, train.recency)
            value_rows = state.windows[k].draw(generator, train.batch_size - half) if state.windows else policy_rows
            given = policy_rows if state.windows else None
            losses = learner.step(given, value_rows, train.rate(state.iteration), parts)
            if averages is not learner.net:
                move_towards(averages, learner.net, 1.0 / max(1, train.averaging))
            yield losses

    yield from learn_side_by_side(state, [one(k) for k in range(len(state.nets))], sum(steps), totals)
    learn_filter(state, samples, max(steps), totals)
    scalars |= totals.scalars() | {"time/learning_seconds": time.perf_counter() - started}
    for k, (reservoir, count) in enumerate(zip(state.reservoirs, steps, strict=True)):
        age = state.iteration - reservoir.rows.iteration[: reservoir.size]
        scalars[f"data/reservoir_age_{k}"] = float(age.mean())
        scalars[f"data/learning_steps_{k}"] = float(count)
    return loss_text(scalars)


def learning_steps(state: RunState, batch: int) -> list[int]:
    """Returns the steps of each network: a searched decision of the iteration is used ``train.reuse`` times on average."""
    train = state.config.train
    return [max(math.ceil(train.reuse * n / batch), train.least_steps if n else 0) for n in state.offered]
