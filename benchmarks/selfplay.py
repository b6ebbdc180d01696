"""Self-play: games per second, and how much of the time the networks take.

Whole games are played where that takes seconds. With hundreds of playouts it takes long until the rate is steady, since games
in lock-step begin and end together. There, the rate comes from decisions: a random decision of each of many heuristic games is
searched, inference included, on all cores at once, and the rate of games is that of the decisions by the decisions of a game.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median
from time import perf_counter

import numpy as np

from agents.heuristic_games import generate_games
from benchmarks.table import Row
from games.batches import States, num_rows, take
from games.interface import Records
from games.kernels import streams
from networks.evaluator import Evaluator
from training.algorithms import read_run
from training.batches import Batch
from training.config import TrainConfig
from training.heuristic_samples import heuristic_samples
from training.reports import drain
from training.trainer import Trainer

TEACHER_GAMES = 5_000
"""Heuristic games that the networks learn from first. Untrained policies are close to uniform: their trees are wide and their
games long, which no run sees after its first minutes."""

SELF_PLAY_SECONDS = 40.0
"""After which no further batch of games begins: slow processors, those without bfloat16, play one."""

NETWORK_SECONDS = 5.0
"""For which the networks run alone."""


def composed(*overrides: str) -> TrainConfig:
    """Returns the configuration of a command line of ``train.py``."""
    config: TrainConfig = read_run(overrides)[0]
    return config


def taught(config: TrainConfig, games: int = TEACHER_GAMES) -> Trainer:
    """Returns a trainer whose networks have learned from a few heuristic games."""
    bootstrap = replace(config.bootstrap, kind="heuristic", games=games, games_per_step=games)
    learning = replace(config.train, optimizer="adamw", batch_size=512)  # quicker than the paper's; the shapes are what counts
    quiet = replace(config.evaluation, decks=0, search_decks=0)
    trainer = Trainer(replace(config, bootstrap=bootstrap, train=learning, evaluation=quiet))
    for _ in trainer.run_step():
        pass
    return trainer


def mean_batch(trainer: Trainer) -> int:
    """Returns the rows that a round of the search asked for, on average over the last self-play."""
    counters = [one.search.counters for one in trainer.workers.local]
    return round(sum(c.evaluations for c in counters) / sum(c.rounds for c in counters))


def network_rate(trainer: Trainer, rows: int) -> float:
    """Returns the evaluations per second of the networks alone, on all cores, in batches of ``rows`` rows of three seats."""
    spec = trainer.state.game.spec
    shape, seats = spec.observation_shape, np.arange(rows, dtype=np.int8) % spec.num_seats
    planes = np.random.default_rng(0).integers(0, 2, (rows, *shape)).astype(np.int8)
    end = perf_counter() + NETWORK_SECONDS

    def work(evaluator: Evaluator) -> tuple[int, float]:
        begin, done = perf_counter(), 0
        while perf_counter() < end:
            evaluator.evaluate(planes, seats)
            done += rows
        return done, perf_counter() - begin

    with ThreadPoolExecutor(trainer.state.threads) as pool:
        return sum(done / seconds for done, seconds in pool.map(work, [one.evaluator for one in trainer.workers.local]))


def play(config: TrainConfig, games: int, teacher_games: int) -> tuple[float, dict[str, float], int, float]:
    """Returns the games per second of self-play, its curves, the mean batch of the search, and the evaluations/s of the networks
    alone in such batches.

    A small batch of games goes first and compiles the kernels. Then the same games are played until ``SELF_PLAY_SECONDS`` are
    over, three times at most; the rate is the median.
    """
    trainer = taught(config, teacher_games)
    compiling = Trainer(replace(config, search=replace(config.search, playouts=2)))
    drain(compiling.workers.self_play(Batch(0, 0, 4, searches=True)))
    rates: list[float] = []
    end = perf_counter() + SELF_PLAY_SECONDS
    while not rates or (len(rates) < 3 and perf_counter() < end):
        finished = drain(trainer.workers.self_play(Batch(0, 0, games, searches=True)))
        _, played, statistics = finished
        assert np.all(played.final.winner >= 0)
        rates.append(games / statistics.seconds)
    rows = mean_batch(trainer)
    return median(rates), trainer.workers.curves(finished), rows, network_rate(trainer, rows)


def decisions(trainer: Trainer, count: int) -> tuple[States, Records, float]:
    """Returns a random decision of each of ``count`` heuristic games as views, the moves before it, and decisions per game."""
    game = trainer.state.game
    played = generate_games(game, streams(1, count))
    states = heuristic_samples(game, played.deals, played.records, played.choices).states
    owners = np.cumsum(np.diff(states.length, prepend=np.iinfo(np.int16).max) <= 0) - 1
    order = np.random.default_rng(0).permutation(num_rows(states))
    _, first = np.unique(owners[order], return_index=True)
    chosen = take(states, order[first])
    moves = np.where(np.arange(game.spec.max_moves) < chosen.length[:, None], played.records.moves, -1).astype(np.int16)
    return game.view(chosen, chosen.seat.astype(np.int64)), Records(moves, chosen.length.astype(np.int16)), len(owners) / count


def search_rate(config: TrainConfig, positions_per_core: int, teacher_games: int) -> tuple[float, float, float]:
    """Returns games per second by decisions, the share of the time in the networks, and evaluations per second."""
    trainer = taught(config, teacher_games)
    workers = len(trainer.workers.local)
    views, records, per_game = decisions(trainer, positions_per_core * workers)
    rng = streams(5, num_rows(views))

    def work(k: int) -> float:
        one = trainer.workers.local[k]
        evaluator, search = one.evaluator, one.search
        evaluator.refresh(trainer.state.playing)
        lanes = np.arange(k, num_rows(views), workers)
        determinizer = one.make_determinizer(num_rows(views))
        for rows in (lanes[:2], lanes):  # the first two compile the kernels
            determinizer.reset(rows)
            evaluator.seconds, evaluator.num_evaluations, begin = 0.0, 0, perf_counter()
            worlds, _ = determinizer.worlds(rows, take(views, rows), records, rng, config.search.worlds)
            search.run(worlds, rng, rows)
        return perf_counter() - begin

    with ThreadPoolExecutor(workers) as pool:
        seconds = max(pool.map(work, range(workers)))
    network = sum(one.evaluator.seconds for one in trainer.workers.local) / workers
    evaluations = sum(one.evaluator.num_evaluations for one in trainer.workers.local)
    searched = per_game * config.selfplay.full_share
    return num_rows(views) / seconds / searched, network / seconds, evaluations / seconds


def rows_of(name: str, rate: float, share: float, evaluations: float, target: float | None, reference: float | None) -> list[Row]:
    """Returns the three rows of a setting."""
    compared = None if reference is None else {"DeltaDou on 68 CPUs": reference}
    return [
        {"name": f"self-play, {name}", "value": rate, "unit": "games/s", "target": target, "reference": compared},
        {"name": "  share of its time in network evaluation", "value": 100 * share, "unit": "%", "target": 60.0},
        {"name": "  evaluations", "value": evaluations, "unit": "evaluations/s"},
    ]


def run() -> Iterator[Row]:
    """Yields the rates of the paper's setting and of the default one."""
    paper = search_rate(composed("experiment=paper"), 128, TEACHER_GAMES // 5)
    yield from rows_of("the paper's setting (three networks, 64 x 10, 400 playouts, filter), by decisions", *paper, 0.5, 0.12)
    for name, overrides, games, teacher_games, target in (
        ("default (gumbel, 16 playouts, every move searched in worlds of phase 1, 4 slots)", (), 512, TEACHER_GAMES, 20.0),
        ("default with 64 x 10", ("network.channels=64", "network.blocks=10"), 256, TEACHER_GAMES // 5, None),
    ):
        rate, s, batch, alone = play(composed(*overrides), games, teacher_games)
        share, evaluations = s["throughput/network_share"], s["throughput/evaluations_per_second"]
        yield from rows_of(f"{name}, {games} games in lock-step", rate, share, evaluations, target, None)
        yield {"name": f"  networks alone, batches of {batch}, the mean", "value": alone, "unit": "evaluations/s"}
        yield {"name": "  self-play reaches", "value": 100 * evaluations / alone, "unit": "%", "target": 80.0}
