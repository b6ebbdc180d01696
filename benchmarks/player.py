"""What a user waits for: one move of a search in a single game, the first self-play game of a run, and its memory."""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import torch

from agents import load_player
from agents.doudizhu.rhcp import RHCP
from agents.general.search_agent import SearchAgent
from benchmarks.selfplay import composed
from benchmarks.table import Row
from evaluation.match import play_games
from fpmcts.samples import flatten
from fpmcts.search import SearchSettings
from games import make
from games.batches import States, take
from games.interface import Records
from games.kernels import ROOT, Stream, deal_seeds
from games.table import Table
from training.game_worker import trained_of
from training.trainer import Trainer

GAMES = 12
DECISIONS = 40
"""Of which the median is the wait for a lone move."""


class Timed(SearchAgent):
    """A search player that notes the seconds of each of its searched decisions."""

    waits: list[float]

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the moves, as SearchAgent does."""
        before, searches = time.perf_counter(), self.search.counters.searches
        actions = super().act(games, views, records)
        if self.search.counters.searches > searches:
            self.waits.append(time.perf_counter() - before)
        return actions


def lone_move() -> float:
    """Returns the median seconds of an open decision at a table, with the weights that come with the project, 64 playouts.

    The player plays all seats, so that the decisions are those of good games. One thread.
    """
    game, threads = make("doudizhu"), torch.get_num_threads()
    player, waits = load_player("fpmcts", game, playouts=64), list[float]()
    torch.set_num_threads(1)
    try:
        for seed in range(GAMES):
            table = Table(game, seed=seed)
            while not table.is_over:
                decision = player.decide(table)
                table.play(decision.move)
                if decision.playouts and seed > 0:  # the first game compiles the kernels
                    waits.append(decision.seconds)
            if len(waits) >= DECISIONS:
                break
    finally:
        torch.set_num_threads(threads)
    assert len(waits) >= DECISIONS
    return float(np.median(waits[:DECISIONS]))


def seconds_per_move() -> float:
    """Returns the median seconds of a decision at 600 playouts with inference, games played one at a time against RHCP."""
    trainer = Trainer(composed())
    search = SearchSettings(root="puct", playouts=600, worlds=64, slots=32)
    game, trained = (
        trainer.state.game,
        trained_of(trainer.config, trainer.state.game, trainer.state.latest(), trainer.evaluation.evaluator),
    )
    make_determinizer = trained.determinizer_maker(trained.inference)
    player = Timed(game, trained.evaluator, make_determinizer, search, win_only=True, max_positions=1)
    player.waits = []
    deals = game.deal(deal_seeds(0, GAMES, Stream.EVALUATION))
    for k in range(GAMES):
        if k == 1:
            player.waits = []  # the first game compiles the kernels
        seating = np.array([[0, 1, 1]]) if k % 2 else np.array([[1, 0, 0]])
        play_games(game, (player, RHCP().at(game)), seating, take(deals, slice(k, k + 1)), seed=k)
    return float(np.median(player.waits))


def first_game() -> None:
    """Builds a default run without a bootstrap and goes as far as the first progress of its self-play."""
    next(iter(Trainer(composed("bootstrap=none")).run_step()))


def memory() -> None:
    """Prints the peak memory in GiB of a default run with full stores, after a bootstrap step and a self-play step."""
    trainer = Trainer(composed("bootstrap.games=1000", "bootstrap.kept=500", "evaluation.search_decks=0"))
    for store in [*trainer.state.reservoirs, *trainer.state.windows]:
        for _, array in flatten(store.rows):
            array.fill(0)
    for _ in range(2):
        for _ in trainer.run_step():
            pass
    trainer.get_state()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def in_new_process(function: str) -> tuple[float, str]:
    """Returns the seconds that a function of this module takes in a fresh interpreter, and what it prints."""
    before = time.perf_counter()
    code = f"from benchmarks.player import {function}; {function}()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return time.perf_counter() - before, done.stdout


def run() -> Iterator[Row]:
    """Yields the four waits."""
    yield {
        "name": f"lone move at 64 playouts, match settings, one core, median of {DECISIONS} open decisions",
        "value": lone_move(),
        "unit": "s",
        "target": 0.4,
    }
    yield {
        "name": f"one move at 600 playouts with inference, median over {GAMES - 1} games",
        "value": seconds_per_move(),
        "unit": "s",
        "target": 0.5,
        "reference": {"DeltaDou on 8 cores": 5.0},
    }
    in_new_process("first_game")  # compiles what is not in the cache
    start = float(np.median([in_new_process("first_game")[0] for _ in range(3)]))
    yield {"name": "start of a run to its first self-play game, kernels cached", "value": start, "unit": "s", "target": 15.0}
    gib = float(in_new_process("memory")[1])
    yield {"name": "memory of a default run, stores full", "value": gib, "unit": "GiB", "target": 4.0}
