"""Iterations of policy gradient: games of the policies alone, each decision learned from once."""

import time
from collections.abc import Generator, Iterator

import numpy as np

from fpmcts.policy_games import Decisions
from games.batches import num_rows, take
from games.kernels import Stream
from networks.weights import move_towards
from training.batches import batches_of
from training.evaluation import Evaluation
from training.learning import Losses, Totals, begin_next, learn_filter, learn_side_by_side, loss_text
from training.play_curves import policy_game_curves
from training.reports import Event, Report
from training.state import RunState
from training.workers import Workers


def gradient_step(state: RunState, workers: Workers, evaluation: Evaluation) -> Generator[Event, None, Report]:
    """Plays the games of an iteration, learns from them, and evaluates."""
    settings = state.config.gradient
    if state.iteration == settings.start:  # from the weights that played so far
        state.networks.load_state_dict(state.playing.state_dict())
        for learner in state.learners:
            learner.forget()
    (batch,) = batches_of(state.config, state.iteration)
    played = yield from workers.policy_games(batch)
    decisions = played.decisions
    keep = np.random.default_rng([state.config.seed, Stream.TRAINING, state.iteration]).random(num_rows(decisions))
    rows = take(decisions, np.flatnonzero((decisions.certainty < settings.certain) | (keep < settings.certain_share)))
    scalars = policy_game_curves(state.game, played, settings.certain, state.win_only)
    scalars |= {"data/learned_decisions": float(num_rows(rows)), "data/games": float(state.games_seen)}
    scalars |= workers.cluster_curves()
    begin_next(state, workers)
    losses = yield from learn(state, rows, scalars)
    rate = f"{settings.games:,} games of the policies at {settings.games / played.seconds:,.0f}/s"
    line = f"iteration {state.iteration}: {rate}, {losses}"
    state.iteration += 1
    state.games_seen += settings.games
    if state.config.evaluation.decks:
        line += f"; {(yield from evaluation.policy(scalars))}"
    return Report(state.step, line, scalars)


def learn(state: RunState, rows: Decisions, scalars: dict[str, float]) -> Generator[Event, None, str]:
    """Steps every network along the advantages of its decisions, scaled to mean 0 and deviation 1; returns the losses as text."""
    settings, started, totals = state.config.gradient, time.perf_counter(), Totals()
    lr = settings.rate(state.iteration - (settings.start or 0))
    parts = [take(rows, state.rows_of_network(rows.samples, k)) for k in range(len(state.nets))]
    steps = [
        0 if k in {state.networks.net_of_seat[seat] for seat in settings.frozen} else num_rows(part) // settings.batch_size
        for k, part in enumerate(parts)
    ]

    def one(k: int) -> Iterator[Losses]:
        generator = np.random.default_rng([state.config.seed, Stream.TRAINING, state.iteration, k])
        teaching = parts[k].advantage[parts[k].certainty < settings.certain]
        mean, deviation = (float(teaching.mean()), float(teaching.std()) + 1e-6) if teaching.size else (0.0, 1.0)
        scaled = parts[k]._replace(advantage=(parts[k].advantage - np.float32(mean)) / np.float32(deviation))
        order = generator.permutation(num_rows(scaled))[: steps[k] * settings.batch_size]
        for batch in order.reshape(steps[k], settings.batch_size):
            losses = state.learners[k].gradient_step(take(scaled, batch), settings, lr)
            if state.playing is not state.networks:
                move_towards(state.playing.distinct()[k], state.learners[k].net, 1.0 / max(1, settings.averaging))
            yield losses

    yield from learn_side_by_side(state, [one(k) for k in range(len(state.nets))], sum(steps), totals)
    learn_filter(state, rows.samples, max(steps), totals)
    scalars |= totals.scalars() | {"time/learning_seconds": time.perf_counter() - started}
    scalars["data/learning_rate"] = lr
    scalars |= {f"data/learning_steps_{k}": float(count) for k, count in enumerate(steps)}
    return loss_text(scalars)
