"""Speed of no-limit Hold'em on one core: random hands from the deal to the payout, with PokerKit's replays beside them.

The reference is PokerKit 0.7.7, which replays 170 hands a second on another machine.
"""

from typing import Any

import numpy as np

from benchmarks.table import Row, median_seconds
from games import generic, make
from games.kernels import kernel, random_below, streams
from games.no_limit_holdem.deals import returns_of

_NUM_HANDS = 50_000


@kernel
def play_random(rules: Any, states: Any, rng: np.ndarray, actions: np.ndarray, strengths: np.ndarray, returns: np.ndarray) -> int:
    """Plays listed moves, all equally likely, to the end of every hand, and settles it; returns the number of moves."""
    total = 0
    for i in range(len(rng)):
        while generic.current_seat(rules, states, i) >= 0:
            num_actions = generic.legal(rules, states, i, actions)
            generic.step(rules, states, i, actions[random_below(rng, i, num_actions)])
            total += 1
        returns_of(rules, states, i, strengths, returns[i])
    return total


@kernel
def observe_all(rules: Any, states: Any, out: np.ndarray) -> None:
    """Observes every lane from the seat to move."""
    for i in range(states.seat.size):
        generic.observe(rules, states, i, max(generic.current_seat(rules, states, i), 0), out)


def run() -> list[Row]:
    """Returns the rates on one core."""
    rows: list[Row] = []
    for players in (2, 6, 10):
        game = make("no_limit_holdem", players=players)
        actions, strengths = np.empty(game.spec.max_legal, np.int16), np.empty(players, np.int32)
        returns = np.empty((_NUM_HANDS, players))

        def play(game: Any = game, actions: Any = actions, strengths: Any = strengths, returns: Any = returns) -> None:
            states = game.deal(streams(0, _NUM_HANDS))
            play_random(game.rules, states, streams(1, _NUM_HANDS), actions, strengths, returns)

        row: Row = {"name": f"random hands, {players} players", "value": _NUM_HANDS / median_seconds(play), "unit": "hands/s"}
        if players == 6:
            row |= {"target": 300_000, "reference": {"PokerKit replays": 170}}
        rows.append(row)
    game = make("no_limit_holdem", players=6)
    states, out = game.deal(streams(0, _NUM_HANDS)), np.empty(game.spec.observation_shape, np.int8)
    rate = _NUM_HANDS / median_seconds(lambda: observe_all(game.rules, states, out))
    rows.append({"name": "observations, 6 players", "value": rate, "unit": "observations/s"})
    return rows
