"""What a decision of the player ``mcts`` costs in no-limit Hold'em, over a list of positions, by the processor time of one core.

The positions: two, three, six and ten players, in each round, three hands each, after moves that are mostly calls, so that many
are left in. Each is decided three times with other seeds; a position counts with its median.
"""

import statistics
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from agents import load_player
from benchmarks.table import Row
from games import make
from games.table import Table

ITERATIONS = 25_000
MOST_SECONDS = 0.3
_PLAYERS, _HANDS, _SEEDS = (2, 3, 6, 10), 3, 3


def positions(players: int) -> list[Table]:
    """Returns tables at which somebody has several moves, by round: the first and one after a raise in turn."""
    game, found = make("no_limit_holdem", players=players, stacks=20_000), []
    for round_name in ("preflop", "flop", "turn", "river"):
        for k in range(_HANDS):
            table, rng = Table(game, seed=100 * k + players), np.random.default_rng(k)
            while table.describe()["round"] != round_name:
                table.play("1 pot" if rng.random() < 0.1 and "1 pot" in [m.text for m in table.legal()] else "call")
            if k % 2:
                table.play("0.5 pot" if "0.5 pot" in [m.text for m in table.legal()] else "call")
            if not table.is_over:
                found.append(table)
    return found


def seconds_of(player: Any, table: Table) -> float:
    """Returns the median processor time of a decision in seconds."""
    spent = []
    for seed in range(_SEEDS):
        player.seed = seed
        began = time.process_time()
        player.decide(table)
        spent.append(time.process_time() - began)
    return statistics.median(spent)


def run() -> Iterable[Row]:
    """Yields for each number of players the median over the positions and the slowest, then the share within the target."""
    everything: list[float] = []
    for players in _PLAYERS:
        tables = positions(players)
        player = load_player("mcts", tables[0].game, iterations=ITERATIONS)
        player.decide(tables[0])
        spent = [seconds_of(player, table) for table in tables]
        everything += spent
        name = f"decision, {players} players, {ITERATIONS:,} iterations"
        yield {"name": f"{name}: median of {len(spent)}", "value": statistics.median(spent), "unit": "s", "target": MOST_SECONDS}
        yield {"name": f"{name}: slowest", "value": max(spent), "unit": "s", "target": MOST_SECONDS}
    share = 100.0 * sum(one <= MOST_SECONDS for one in everything) / len(everything)
    yield {"name": f"positions of {len(everything)} within {MOST_SECONDS} s", "value": share, "unit": "%"}
