"""Whole games at a table as text, the goldens of ``test_playthrough.py``; ``write`` makes
them anew."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from games import make
from games.play.table import Table
from tests.games import driver

GOLDEN = Path(__file__).parent / "golden"
GAMES: dict[str, tuple[dict[str, Any], ...]] = {
    "doudizhu": (
        {},
        {"bidding": "call", "doubling": True},
        {"bidding": "call", "doubling": "each"},
    ),
    "goofspiel": (
        {"cards": 5},
        {"cards": 4, "prizes": "random", "scoring": "points", "lowest_prize": 1},
    ),
    "phantom_tictactoe": ({}, {"variant": "small"}, {"reveal": False}),
}


def playthrough(name: str, options: dict[str, Any]) -> str:
    """A random game: per move the seat, the move and all keys before it; what the seats know
    after four; the end, the record."""
    game, rng = make(name, **options), np.random.default_rng(4)
    table, lines = Table(game, seed=5), [f"{name} {json.dumps(options)}"]
    seats = range(game.spec.num_seats)
    while not table.is_over:
        legal = [move.text for move in table.legal()]
        move = str(rng.choice(legal))
        keys = [f"{driver.infoset_key(game.rules, table.states, 0, seat):016x}" for seat in seats]
        among = " ".join(legal) if len(legal) < 30 else f"{len(legal)} moves"
        lines.append(f"seat {table.seat} of {among}: {move:2} {' '.join(keys)}")
        table.play(move)
        if len(table.moves) == 4:
            lines += [json.dumps(table.describe(seat)) for seat in seats]
    return "\n".join([*lines, json.dumps(table.describe(0)), json.dumps(table.record())])


def text(name: str) -> str:
    return "\n\n".join(playthrough(name, options) for options in GAMES[name]) + "\n"


def write() -> None:
    """Writes the goldens."""
    for name in GAMES:
        (GOLDEN / f"{name}.txt").write_text(text(name))
