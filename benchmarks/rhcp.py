"""How fast RHCP plays whole games against itself, as the supervised start needs them."""

import time

from agents.heuristic_games import generate_games
from benchmarks.table import Row
from games import make
from games.kernels import Stream, deal_seeds

GAMES = 10_000
START = 200_000
"""Games of the supervised start (DeltaDou, 5.1)."""
THREADS = 2


def run() -> list[Row]:
    """Returns the games per second of two threads, and how long the supervised start takes to generate at that rate."""
    game = make("doudizhu")
    generate_games(game, deal_seeds(0, 2, Stream.BOOTSTRAP), threads=THREADS)  # compiles
    start = time.perf_counter()
    generate_games(game, deal_seeds(1, GAMES, Stream.BOOTSTRAP), threads=THREADS)
    rate = GAMES / (time.perf_counter() - start)
    return [
        {"name": f"RHCP against itself, {THREADS} threads, {GAMES:,} games", "value": rate, "unit": "games/s"},
        {
            "name": f"{START:,} games of RHCP, extrapolated from {GAMES:,}",
            "value": START / rate / 60,
            "unit": "min",
            "target": 10.0,
        },
    ]
