"""Speed of the rules on one core: games, leads, observations, sure wins, poker hands.

The references were measured elsewhere and on other machines: a C++ engine, OpenSpiel's
``dou_dizhu`` (which has no four + two), RLCard, DouZero, PokerKit's replays, and kernels in numba
and C over other tables of hands.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from games import make
from games.doudizhu.cards import COPIES, NUM_RANKS, pack
from games.doudizhu.legal import leads
from games.kernels import generic, kernel, random_below, streams
from games.kernels.rows import concatenate
from games.play.interface import Game
from games.poker import hands

from .measure import Row, median_seconds, rate

NUM_GAMES = 10_000
NUM_HANDS = 1_000_000
GAMES: tuple[tuple[str, dict[str, Any], float | None, dict[str, float]], ...] = (
    ("doudizhu", {}, 20_000, {"C++": 15_200, "OpenSpiel": 10_400, "RLCard": 350, "DouZero": 260}),
    ("doudizhu", {"bidding": "call", "doubling": True}, 50_000, {}),
    ("no_limit_holdem", {"players": 2}, None, {}),
    ("no_limit_holdem", {"players": 6}, 300_000, {"PokerKit replays": 170}),
    ("no_limit_holdem", {"players": 10}, None, {}),
    ("leduc", {}, None, {}),
    ("goofspiel", {"cards": 6}, None, {}),
)
"""Names, options, targets and references."""


@kernel
def play_random(rules: Any, states: Any, rng: np.ndarray, actions: np.ndarray, longest: int) -> int:
    """Plays random legal moves in every lane, up to ``longest``; returns the number of moves."""
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
    """Returns the number of lanes with a win that ``sure_win`` or ``forced_win`` finds."""
    total = 0
    for i in range(len(states.seat)):
        found = (
            generic.forced_win(rules, states, i) if forced else generic.sure_win(rules, states, i)
        )
        total += found >= 0
    return total


@kernel
def count_leads(rules: Any, packed: np.ndarray, actions: np.ndarray) -> int:
    """Returns the number of leads of all hands."""
    total = 0
    for hand in packed:
        total += leads(rules, hand, actions)
    return total


def random_games(game: Game, count: int) -> int:
    """Plays games from their deals to their ends; returns the number of moves."""
    actions = np.empty(game.spec.max_legal, np.int16)
    states = game.deal(streams(0, count))
    return int(play_random(game.rules, states, streams(1, count), actions, 10_000))


def positions(game: Game, count: int) -> Any:
    """Returns positions as a search meets them, with up to 5 to 50 random moves behind them."""
    actions, parts = np.empty(game.spec.max_legal, np.int16), []
    for k in range(10):
        part = game.deal(streams(3, count // 10, k))
        play_random(game.rules, part, streams(4, count // 10, k), actions, 5 * (k + 1))
        parts.append(part)
    return concatenate(parts)


def random_hands(count: int, size: int) -> np.ndarray:
    """Returns uniformly random hands of Doudizhu (uint64 ``[count]``)."""
    deck = np.repeat(np.arange(NUM_RANKS), COPIES)
    order = np.random.default_rng(1).random((count, len(deck))).argsort(axis=1)[:, :size]
    return pack((deck[order][:, :, None] == np.arange(NUM_RANKS)).sum(axis=1))


def run() -> Iterator[Row]:
    """Yields the rates on one core."""
    for name, options, target, reference in GAMES:
        game = make(name, **options)
        text = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        text += f", random games of {random_games(game, NUM_GAMES) / NUM_GAMES:.1f} moves"
        yield rate(
            text, "games", NUM_GAMES, partial(random_games, game, NUM_GAMES), target, reference
        )

    game = make("doudizhu")
    packed, actions = random_hands(50_000, 20), np.empty(game.spec.max_legal, np.int16)
    count = partial(count_leads, game.rules, packed, actions)
    reference = {"C++": 422_000, "DouZero": 33_000}
    yield rate("leads of random 20-card hands", "hands", len(packed), count, 500_000, reference)
    states = positions(game, 20_000)
    out = np.empty((len(states.seat), *game.spec.observation_shape), np.int8)
    for text, function, target in (
        ("observation", partial(observe_all, game.rules, states, out), None),
        (
            "sure win, 5 to 50 random moves into the game",
            partial(count_wins, game.rules, states, False),
            1.0,
        ),
        ("forced win, the same positions", partial(count_wins, game.rules, states, True), None),
    ):
        yield Row(text, median_seconds(function) / len(out) * 1e6, "us", target)

    order = np.random.default_rng(0).random((NUM_HANDS, hands.NUM_CARDS)).argpartition(7, axis=1)
    evaluate = partial(
        hands.evaluate, hands.tables(), order[:, :7].astype(np.int8), np.empty(NUM_HANDS, np.int16)
    )
    reference = {"numba over other tables": 24_000_000, "C": 57_000_000}
    yield rate(
        "strengths of hands of seven cards", "hands", NUM_HANDS, evaluate, 20_000_000, reference
    )
