"""Waiting times of a user: one move at a table, the start of a run; and the memory of a run."""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from statistics import median
from typing import Any

import numpy as np
import torch

from fpmcts.players import load_player
from fpmcts.progress import silent
from fpmcts.training.fpmcts import FPMCTS
from games import make
from games.base.files import ROOT
from games.kernels.rows import named
from games.play.table import Table

from .measure import Row
from .selfplay import composed

MCTS: dict[str, Any] = {"iterations": 25_000}
DEEP: dict[str, Any] = {"stacks": 20_000}
PLAYERS: tuple[tuple[str, dict[str, Any], str, dict[str, Any], int, int, float], ...] = (
    ("fpmcts", {"playouts": 64}, "doudizhu", {}, 40, 50, 0.4),
    ("fpmcts", {"playouts": 600}, "doudizhu", {}, 40, 50, 0.5),
    ("mcts", MCTS, "no_limit_holdem", DEEP | {"players": 2}, 40, 50, 0.3),
    ("mcts", MCTS, "no_limit_holdem", DEEP | {"players": 6}, 400, 99, 0.3),
    ("mcts", MCTS, "no_limit_holdem", DEEP | {"players": 10}, 400, 99, 0.3),
)
"""Player, its options, game, its options, decisions timed, the percentile of their durations that
is reported, and the most seconds that it should be.
"""


def lone_moves(
    name: str, options: dict[str, Any], game_name: str, game_options: dict[str, Any], count: int
) -> list[float]:
    """Returns the processor time of open decisions, one at a time on one thread.

    The player plays all seats, so the decisions are those of good games.
    """
    game = make(game_name, **game_options)
    player, waits, seed = load_player(name, game, **options), list[float](), 0
    while len(waits) < count:
        table = Table(game, seed=seed)
        while not table.is_over:
            began = time.process_time()
            decision = player.decide(table)
            if (
                len(table.legal()) > 1 and (decision.playouts or name == "mcts") and seed > 0
            ):  # the first game compiles
                waits.append(time.process_time() - began)
            table.play(decision.move)
        seed += 1
    return waits


def first_game() -> None:
    """Builds a default run without a bootstrap and goes to the first progress of its self-play."""

    def end(*at: object) -> None:
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        FPMCTS(composed("bootstrap=none")).step(end)


def memory() -> None:
    """Prints the peak memory in GiB of a default run with full stores, after two steps."""
    run = FPMCTS(
        composed("bootstrap.games=1000", "bootstrap.kept=500", "evaluation.search_decks=0")
    )
    for store in [*run.reservoirs, *run.windows]:
        for _, array in named(store.rows):
            array.fill(0)
    for _ in range(2):
        run.step(silent)
    run.state()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def in_new_process(function: str) -> tuple[float, str]:
    """Returns the seconds that a function of this module takes in a new process, and its output."""
    began = time.perf_counter()
    code = f"from {__name__} import {function}; {function}()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return time.perf_counter() - began, done.stdout


def run() -> Iterator[Row]:
    """Yields the waits, in processor time of one thread where a player decides."""
    torch.set_num_threads(1)
    for name, options, game, game_options, count, percentile, most in PLAYERS:
        text = ", ".join([name, game, *(f"{k}={v}" for k, v in (options | game_options).items())])
        waits = lone_moves(name, options, game, game_options, count)
        wait = float(np.percentile(waits, percentile))
        yield Row(f"one move, p{percentile}: {text}", wait, "s", most)
    in_new_process("first_game")  # compiles what is not in the cache
    seconds = median(in_new_process("first_game")[0] for _ in range(3))
    yield Row("start of a run to its first self-play game, kernels cached", seconds, "s", 15.0)
    yield Row(
        "memory of a default run, stores full", float(in_new_process("memory")[1]), "GiB", 4.0
    )
