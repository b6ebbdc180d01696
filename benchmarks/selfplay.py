"""Self-play: games per second, and how much of the time the networks take.

Whole games are played where that takes seconds. With hundreds of playouts it takes long until the rate is steady, since games
in lock-step begin and end together. There, the rate comes from decisions: a random decision of each of many heuristic games is
searched, inference included, on all cores at once, and the rate of games is that of the decisions by the decisions of a game.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter

import numpy as np

from agents.doudizhu.heuristic_games import generate_games
from benchmarks.table import Row
from fpmcts.selfplay import SelfPlayStatistics
from games.interface import Records, States, num_rows, take
from games.kernels import Stream, deal_seeds, streams
from networks.evaluator import Evaluator
from training.algorithms import read_run
from training.config import TrainConfig
from training.heuristic_samples import heuristic_samples
from training.reports import drain
from training.trainer import Trainer

TEACHER_GAMES = 5_000
"""Heuristic games that the networks learn from first. Untrained policies are close to uniform: their trees are wide and their
games long, which no run sees after its first minutes."""

NETWORK_SECONDS = 5.0
"""For which the networks run alone."""


def composed(*overrides: str) -> TrainConfig:
    """Returns the configuration of a command line of ``train.py``."""
    config: TrainConfig = read_run(overrides)[0]
    return config


def taught(config: TrainConfig) -> Trainer:
    """Returns a trainer whose networks have learned from a few heuristic games."""
    bootstrap = replace(config.bootstrap, kind="heuristic", games=TEACHER_GAMES, games_per_step=TEACHER_GAMES)
    learning = replace(config.train, optimizer="adamw", batch_size=512)  # quicker than the paper's; the shapes are what counts
    quiet = replace(config.evaluation, decks=0, search_decks=0)
    trainer = Trainer(replace(config, bootstrap=bootstrap, train=learning, evaluation=quiet))
    for _ in trainer.run_step():
        pass
    return trainer


def mean_batch(trainer: Trainer) -> int:
    """Returns the rows that a round of the search asked for, on average over the last self-play."""
    counters = [search.counters for search in trainer.workers.searches]
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
        return sum(done / seconds for done, seconds in pool.map(work, trainer.workers.evaluators))


def play(config: TrainConfig, games: int) -> tuple[SelfPlayStatistics, dict[str, float], int, float]:
    """Returns what a batch of self-play games looked like, its curves, and the mean batch of the search with the evaluations/s of
    the networks alone in such batches.

    A small batch goes first and compiles the kernels.
    """
    trainer = taught(config)
    compiling = Trainer(replace(config, search=replace(config.search, playouts=2)))
    drain(compiling.workers.self_play(deal_seeds(0, 4, Stream.TRAINING), (0,)))
    finished = drain(trainer.workers.self_play(deal_seeds(0, games, Stream.TRAINING), (0,)))
    _, played, statistics = finished
    assert np.all(played.final.winner >= 0)
    rows = mean_batch(trainer)
    return statistics, trainer.workers.curves(finished), rows, network_rate(trainer, rows)


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


def search_rate(config: TrainConfig, positions_per_core: int) -> tuple[float, float, float]:
    """Returns games per second by decisions, the share of the time in the networks, and evaluations per second."""
    trainer = taught(config)
    workers = len(trainer.workers.searches)
    views, records, per_game = decisions(trainer, positions_per_core * workers)
    rng = streams(5, num_rows(views))

    def work(k: int) -> float:
        evaluator, search = trainer.workers.evaluators[k], trainer.workers.searches[k]
        evaluator.refresh(trainer.state.playing)
        lanes = np.arange(k, num_rows(views), workers)
        determinizer = trainer.workers.make_determinizer(num_rows(views), evaluator)
        for rows in (lanes[:2], lanes):  # the first two compile the kernels
            determinizer.reset(rows)
            evaluator.seconds, evaluator.num_evaluations, begin = 0.0, 0, perf_counter()
            worlds, _ = determinizer.worlds(rows, take(views, rows), records, rng, config.search.worlds)
            search.run(worlds, rng, rows)
        return perf_counter() - begin

    with ThreadPoolExecutor(workers) as pool:
        seconds = max(pool.map(work, range(workers)))
    network = sum(evaluator.seconds for evaluator in trainer.workers.evaluators) / workers
    evaluations = sum(evaluator.num_evaluations for evaluator in trainer.workers.evaluators)
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


def run() -> list[Row]:
    """Returns the rates of the paper's setting and of the default one."""
    rows: list[Row] = []
    paper = search_rate(composed("experiment=paper"), 256)
    rows += rows_of("the paper's setting (three networks, 64 x 10, 400 playouts, filter), by decisions", *paper, 0.5, 0.12)
    for name, overrides, target in (
        ("default (gumbel, 16 playouts, every move searched in worlds of phase 1, 4 slots), 512 games", (), 20.0),
        ("default with 64 x 10, 512 games in lock-step", ("network.channels=64", "network.blocks=10"), None),
    ):
        statistics, s, batch, alone = play(composed(*overrides), 512)
        share, evaluations = s["throughput/network_share"], s["throughput/evaluations_per_second"]
        rows += rows_of(name, 512 / statistics.seconds, share, evaluations, target, None)
        rows.append({"name": f"  networks alone, batches of {batch}, the mean", "value": alone, "unit": "evaluations/s"})
        rows.append({"name": "  self-play reaches", "value": 100 * evaluations / alone, "unit": "%", "target": 80.0})
    return rows
