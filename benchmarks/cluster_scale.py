"""How many actors a driver can use: measured unit times, learning, bytes and answers taken in, and a simulation from them.

Times of units, of learning and of joining answers are processor time of one thread, so that they mean something on a machine that
does other things too. Answers come from stub actors, processes of a real Ray cluster on this machine that replay the recorded
samples of a unit (``cluster_stub``); their rate is the wall clock's, the driver's part is its processor time.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cluster_model import Load, Machines, simulate
from benchmarks.table import Row
from fpmcts.policy_games import join_played
from fpmcts.samples import Samples, flatten
from fpmcts.workers import Unit, join_finished
from games.batches import num_rows, take
from games.kernels import Stream, deal_seeds
from runtime.cluster import ClusterSettings, connect
from training.algorithms import read_run
from training.game_worker import Outcome, Task, shared_weights
from training.search_stage import keep, learn
from training.trainer import Trainer

SEARCHED, PLAYED = {4: 6, 16: 4, 64: 3, 128: 2}, {128: 3, 2048: 2}
"""How many units of so many games are played."""
STUBS, ANSWERS = (2, 8, 32, 64), 160
ACTORS = (1, 8, 32, 128)
BANDWIDTH, PER_NODE = 1.25e8, 8
"""Bytes a second of the driver's link, 1 Gbit/s, and cores of a machine, by assumption."""
ITERATIONS = 6
LEARNER_CORES = 2
"""Of the driver: the seats' networks learn side by side (``training.learning``)."""


class Measured(NamedTuple):
    """Attributes: load: Games of a kind. seconds: Single units by their games. outcomes: What the largest gave."""

    load: Load
    seconds: dict[int, list[float]]
    outcomes: list[Outcome]


def num_bytes(value: Any) -> int:
    """Returns the bytes of the arrays in a value."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    return sum(map(num_bytes, value)) if isinstance(value, (tuple, list)) else 0


def measure_units(trainer: Trainer, searches: bool, games: int, counts: dict[int, int]) -> Measured:
    """Returns the seconds of units of several sizes; ``games``: of an iteration."""
    one, seconds, outcomes = trainer.workers.local[0], dict[int, list[float]](), list[Outcome]()
    sizes = [min(counts), *(size for size, count in counts.items() for _ in range(count))]  # the first one compiles
    for k, size in enumerate(sizes):
        deals = deal_seeds(k, size, Stream.TRAINING, int(searches))
        started, outcomes = time.thread_time(), outcomes[-1:] if size == max(counts) else []
        for _, outcome in one.work(Task(searches, size))(Unit(deals, k, (Stream.PLAY, k), 0, 0)):
            if outcome is not None:
                outcomes.append(outcome)
        if k:
            seconds.setdefault(size, []).append(time.thread_time() - started)
    means = {size: float(np.mean(some)) for size, some in seconds.items()}
    spread = tuple(one / means[size] for size, some in seconds.items() for one in some)
    return Measured(Load(games, means, spread, num_bytes(outcomes[-1]) / max(counts)), seconds, outcomes)


def learning_seconds(trainer: Trainer, samples: Samples, games: int, played: Samples) -> float:
    """Returns the processor seconds of learning per searched game, on one core."""
    state = trainer.state
    keep(state, samples)
    for k, window in enumerate(state.windows):
        window.add(state.of_network(played, k))
    state.threads = 1
    started = time.process_time()
    for _ in learn(state, samples, {}):
        pass
    return (time.process_time() - started) / games


def gradient_seconds(trainer: Trainer, outcome: Any, games: int) -> float:
    """Returns the processor seconds of policy gradient per game, on one core, were every decision learned from."""
    state, settings, decisions = trainer.state, trainer.config.gradient, outcome.decisions
    rows = state.rows_of_network(decisions.samples, 0)[: settings.batch_size]
    batch = take(decisions, rows)
    state.learners[0].gradient_step(batch, settings, 1e-6)
    started = time.process_time()
    for _ in range(3):
        state.learners[0].gradient_step(batch, settings, 1e-6)
    per_decision = (time.process_time() - started) / 3 / len(rows)
    open_or_drawn = (decisions.certainty < settings.certain) * (1 - settings.certain_share) + settings.certain_share
    return per_decision * float(open_or_drawn.sum()) / games


def taken_in(count: int, answer: list[np.ndarray]) -> tuple[float, float]:
    """Returns the wall and the processor seconds of the driver for an answer of stub actors."""
    asked: dict[str, Any] = {"kind": "ray", "actors": count, "actor_cpus": 0.01, "start_seconds": 400.0}
    cluster = connect(
        ClusterSettings(**asked), "benchmarks.cluster_stub:Stub", {"answer": answer}, "benchmarks.cluster_stub:facts"
    )
    pool = cluster.pool({}, None)
    for _ in pool.run(range(4 * count)):  # all are there
        pass
    started, own = time.perf_counter(), time.process_time()
    for _ in pool.run(range(ANSWERS)):
        pass
    seconds, own = time.perf_counter() - started, time.process_time() - own
    cluster.close()
    return seconds / ANSWERS, own / ANSWERS


def predicted(name: str, loads: tuple[Load, ...], machines: Machines) -> Iterator[Row]:
    """Yields what the simulation says of some actors, without and with a lag, and how many the learner keeps up with.

    Efficiency: the games of an actor, over those of one that never waits for learning.
    """
    one = simulate(loads, machines._replace(actors=1, learn_seconds=0.0), ITERATIONS)
    alone = ITERATIONS * loads[0].games / one.seconds
    for lag in (0, 1):
        for actors in ACTORS:
            outcome = simulate(loads, machines._replace(actors=actors), ITERATIONS, lag)
            rate = ITERATIONS * loads[0].games / outcome.seconds
            busy = f"busy: actors {outcome.actors:.0%}, learner {outcome.learner:.0%}, link {outcome.link:.0%}"
            told = f"efficiency {rate / actors / alone:.0%}; {busy}"
            yield {"name": f"{name}, lag {lag}, {actors} actors", "value": rate, "unit": "games/s", "reference": told}
    learns = 1.0 / machines.learn_seconds
    yield {"name": f"{name}: actors that the learner keeps up with", "value": learns / alone, "unit": "actors"}


def run() -> Iterator[Row]:
    """Yields what was measured, and then what the simulation makes of it."""
    trainer = Trainer(read_run(("game=doudizhu", "bootstrap=none", "run_dir=unused", "threads=1"))[0])
    config = trainer.config
    searched = measure_units(trainer, True, config.episode.games, SEARCHED)
    played = measure_units(trainer, False, config.episode.value_games, PLAYED)
    for what, one in (("with searches", searched), ("of the policies", played)):
        for size, some in one.seconds.items():
            told = f"units of {min(some):.3g} to {max(some):.3g} s"
            rate = size * len(some) / sum(some)
            yield {"name": f"one core, {size} games {what} a unit", "value": rate, "unit": "games/s", "reference": told}
        yield {"name": f"a game {what}", "value": one.load.bytes_per_game / 1000, "unit": "KB", "less_is_better": True}
    weights = num_bytes(list(shared_weights(trainer.state.latest()).values()))
    yield {"name": "weights", "value": weights / 1e6, "unit": "MB", "less_is_better": True}

    results: list[Any] = [part for part, _ in searched.outcomes]
    started = time.process_time()
    samples = join_finished(results, trainer.state.game, 1.0)[0]
    joining = (time.process_time() - started) / num_bytes(samples)
    parts: list[Any] = [part for part, _ in played.outcomes]
    decisions = join_played(parts, trainer.state.game, 1.0).decisions
    games = max(SEARCHED) * len(results)
    learning = learning_seconds(trainer, samples, games, decisions.samples) / LEARNER_CORES
    gradient = gradient_seconds(trainer, parts[-1], max(PLAYED)) / LEARNER_CORES
    steps = f"{num_rows(samples) / games:.1f} searched decisions a game"
    yield {"name": f"learning, {LEARNER_CORES} cores", "value": 1 / learning, "unit": "games/s", "reference": steps}
    yield {"name": f"policy gradient, {LEARNER_CORES} cores", "value": 1 / gradient, "unit": "games/s"}

    answer = [array for _, array in flatten(samples)]
    size, own = num_bytes(answer), 0.0
    for count in STUBS:
        wall, own = taken_in(count, answer)
        told = f"{1000 * own:.3g} ms of the driver's processor an answer of {size / 1e6:.2g} MB"
        yield {"name": f"answers taken in from {count} stubs", "value": size / wall / 1e6, "unit": "MB/s", "reference": told}
    machines = Machines(1, PER_NODE, BANDWIDTH, weights, 0.0, own / size + joining, learning)
    loads = (searched.load, played.load)
    yield from predicted("searches as by default", loads, machines)
    large = (searched.load._replace(games=16 * searched.load.games), played.load._replace(games=16 * played.load.games))
    yield from predicted("16 times the games an iteration", large, machines)
    yield from predicted("the same, learner 10 times as fast", large, machines._replace(learn_seconds=learning / 10))
    of_policies = (played.load._replace(games=config.gradient.games),)
    yield from predicted("policy gradient", of_policies, machines._replace(learn_seconds=gradient))
    yield from predicted("policy gradient, learner 10 times as fast", of_policies, machines._replace(learn_seconds=gradient / 10))
