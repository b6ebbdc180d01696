"""How fast the double-dummy solver is, by the number of cards left."""

from collections.abc import Iterator

import numpy as np

from agents.doudizhu.double_dummy import DoubleDummySolver
from agents.heuristic_games import generate_games
from benchmarks.table import Row, median_seconds
from games import make
from games.batches import take
from games.doudizhu.cards import unpack
from games.doudizhu.state import States, step
from games.interface import Game
from games.kernels import Stream, deal_seeds

CARDS = (6, 9, 12, 15, 18)
POSITIONS = 300
EPSILON = 0.1
"""Share of random moves in the games that lead to the positions."""


def endgames(game: Game, cards: int, count: int) -> States:
    """Returns the first positions with at most ``cards`` cards left of ``count`` games of RHCP, those that get there."""
    games = generate_games(game, deal_seeds(0, count, Stream.BOOTSTRAP), threads=1, epsilon=EPSILON)
    states = take(games.deals, np.arange(count))
    for i in range(count):
        for move in games.records.moves[i]:
            if unpack(states.hands[i]).sum() <= cards:
                break
            step(game.rules, states, i, int(move))
    left = unpack(states.hands).sum(axis=(1, 2))
    return take(states, np.flatnonzero((states.winner < 0) & (left > cards - 3)))


def run() -> Iterator[Row]:
    """Yields positions per second on one core, each position with an empty table, for both objectives."""
    game = make("doudizhu")
    for cards in CARDS:
        states = endgames(game, cards, POSITIONS)
        parts = [take(states, slice(k, k + 1)) for k in range(len(states.seat))]
        for points in (False, True):
            solver = DoubleDummySolver(game, points)

            def solve(solver: DoubleDummySolver = solver, parts: list[States] = parts) -> None:
                for part in parts:
                    solver.forget()
                    solver.values(part)

            rate = len(parts) / median_seconds(solve, repeats=3)
            objective = "points" if points else "win or loss"
            name = f"double-dummy {objective}, {cards - 2} to {cards} cards left, {len(parts)} endgames"
            yield {"name": name, "value": rate, "unit": "positions/s"}
