"""Speed of the Doudizhu rules on one core: leads of random hands, random games, observations, sure wins.

The references were measured elsewhere and on other machines: a C++ engine, OpenSpiel's ``dou_dizhu`` (which has no four + two),
RLCard and DouZero.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.table import Row, median_seconds
from games import generic
from games.batches import concatenate
from games.doudizhu.cards import COPIES, NUM_RANKS, pack
from games.doudizhu.game import Doudizhu
from games.doudizhu.legal import leads
from games.doudizhu.moves import MAX_LEGAL
from games.kernels import kernel, random_below, streams

_NUM_HANDS = 50_000
_NUM_GAMES = 10_000
_NUM_POSITIONS = 20_000


def random_hands(count: int, size: int, seed: int) -> np.ndarray:
    """Returns uniformly random hands of ``size`` cards (uint64 ``[count]``)."""
    deck = np.repeat(np.arange(NUM_RANKS), COPIES)
    order = np.random.default_rng(seed).random((count, len(deck))).argsort(axis=1)[:, :size]
    return pack((deck[order][:, :, None] == np.arange(NUM_RANKS)).sum(axis=1))


@kernel
def count_leads(rules: Any, hands: np.ndarray, actions: np.ndarray) -> int:
    """Returns the number of leads of all hands."""
    total = 0
    for hand in hands:
        total += leads(rules, hand, actions)
    return total


@kernel
def play_random(rules: Any, states: Any, rng: np.ndarray, actions: np.ndarray, longest: int) -> int:
    """Plays uniformly random moves in every lane, to the end or up to ``longest``; returns the number of moves."""
    total = 0
    for i in range(len(rng)):
        moves = 0
        while moves < longest and generic.current_seat(rules, states, i) >= 0:
            num_actions = generic.legal(rules, states, i, actions)
            generic.step(rules, states, i, actions[random_below(rng, i, num_actions)])
            moves += 1
        total += moves
    return total


@kernel
def observe_all(rules: Any, states: Any, out: np.ndarray) -> None:
    """Observes every lane from the seat to move."""
    for i in range(len(out)):
        generic.observe(rules, states, i, max(generic.current_seat(rules, states, i), 0), out[i])


@kernel
def count_wins(rules: Any, states: Any, forced: bool) -> int:
    """Returns the number of lanes with a sure win; ``forced``: with one that ``forced_win`` finds."""
    total = 0
    for i in range(len(states.seat)):
        total += (generic.forced_win(rules, states, i) if forced else generic.sure_win(rules, states, i)) >= 0
    return total


def run() -> Iterator[Row]:
    """Yields the rates on one core, medians of five repetitions."""
    game = Doudizhu()
    actions = np.empty(MAX_LEGAL, dtype=np.int16)
    hands = random_hands(_NUM_HANDS, 20, seed=1)
    leads_per_hand = count_leads(game.rules, hands, actions) / _NUM_HANDS

    seeds = streams(2, _NUM_GAMES)
    moves_per_game = play_random(game.rules, game.deal(seeds), seeds.copy(), actions, game.spec.max_moves) / _NUM_GAMES

    # As a search meets them: positions with 5 to 50 random moves behind them.
    parts = [game.deal(streams(3, _NUM_POSITIONS // 10, k)) for k in range(10)]
    for k, part in enumerate(parts):
        play_random(game.rules, part, streams(4, len(part.seat), k), actions, 5 * (k + 1))
    positions = concatenate(parts)
    observations = np.empty((_NUM_POSITIONS, *game.spec.observation_shape), dtype=np.int8)

    def random_games() -> None:
        play_random(game.rules, game.deal(seeds), seeds.copy(), actions, game.spec.max_moves)

    yield {
        "name": f"leads of random 20-card hands ({leads_per_hand:.0f} a hand)",
        "value": _NUM_HANDS / median_seconds(lambda: count_leads(game.rules, hands, actions)),
        "unit": "hands/s",
        "target": 500_000,
        "reference": {"C++": 422_000, "DouZero": 33_000},
    }
    yield {
        "name": f"uniformly random games with the deal ({moves_per_game:.0f} moves)",
        "value": _NUM_GAMES / median_seconds(random_games),
        "unit": "games/s",
        "target": 20_000,
        "reference": {"C++": 15_200, "OpenSpiel": 10_400, "RLCard": 350, "DouZero": 260},
    }
    yield {
        "name": "observation, default encoding",
        "value": median_seconds(lambda: observe_all(game.rules, positions, observations)) / _NUM_POSITIONS * 1e6,
        "unit": "us",
    }
    yield {
        "name": "sure win, 5 to 50 random moves into the game",
        "value": median_seconds(lambda: count_wins(game.rules, positions, False)) / _NUM_POSITIONS * 1e6,
        "unit": "us",
        "target": 1,
    }
    yield {
        "name": "forced win, the same positions",
        "value": median_seconds(lambda: count_wins(game.rules, positions, True)) / _NUM_POSITIONS * 1e6,
        "unit": "us",
    }
