"""Poker on one core: strengths of hands, and limit Hold'em for two players: deals, self-play, matches.

The references for strengths are a kernel over the tables of another library and C code, both measured on another machine; that
for self-play is the paper's rate, 62 billion episodes in 14 days (Heinrich & Silver 2015, 4.3). Hold'em needs its tables
(``python -m games.limit_holdem.abstraction 2``).
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.table import Row, median_seconds
from games import make as make_game
from games.kernels import kernel, streams
from games.poker import hands
from games.poker.deals import bucket, deal, outcome, scratch
from games.poker.hands import EMPTY_KEY, HandTables, strength_of
from tabular.algorithms import make
from tabular.matches import symmetric_play

_NUM_HANDS = 2_000_000
_NUM_BOARDS = 2_000
_NUM_DEALS = 1_000_000
_EPISODES = 2_000_000
_WARM_UP = 5_000_000


@kernel
def all_holdings(tables: HandTables, boards: np.ndarray) -> int:
    """Returns the sum of the strengths of all 1,081 holdings on each board (int8 ``[N, 5]``)."""
    total = 0
    rest = np.empty(52, dtype=np.int64)
    for i in range(len(boards)):
        key, masks = EMPTY_KEY, 0
        for card in boards[i]:
            key, masks = key + tables.keys[card], masks | tables.bits[card]
        count = 0
        for card in range(52):
            if not masks & tables.bits[card]:
                rest[count] = card
                count += 1
        for j in range(count):
            for k in range(j):
                one, two = rest[j], rest[k]
                both = masks | tables.bits[one] | tables.bits[two]
                total += strength_of(tables, key + tables.keys[one] + tables.keys[two], both, 7)
    return total


@kernel
def deal_all(deals: Any, seeds: np.ndarray, dealt: np.ndarray) -> int:
    """Deals for all seeds; returns the sum of the river buckets and outcomes."""
    total = 0
    for i in range(len(seeds)):
        deal(deals, seeds[i], dealt)
        total += bucket(deals, dealt, 3) + bucket(deals, dealt, 7) + outcome(deals, dealt)
    return total


def holdem() -> list[Row]:
    """Returns the rates of limit Hold'em for two players."""
    game = make_game("limit_holdem", players=2).tables
    seeds, dealt = streams(0, _NUM_DEALS), scratch(8)
    rows: list[Row] = [
        {
            "name": "deals of two players, with river buckets and outcome",
            "value": _NUM_DEALS / median_seconds(lambda: deal_all(game.deals, seeds, dealt)),
            "unit": "deals/s",
        }
    ]
    players = []
    for name, text in (("smooth_uct", "Smooth UCT"), ("uct", "UCT")):
        learner = make(name, game)
        learner.run(_WARM_UP)
        rows.append(
            {
                "name": f"{text}, limit Hold'em, two players",
                "value": _EPISODES / median_seconds(partial(learner.run, _EPISODES)),
                "unit": "episodes/s",
                "target": 1_000_000,
                "reference": {"the paper": 51_000},
            }
        )
        players.append(learner.greedy_slots())
    seconds = median_seconds(lambda: symmetric_play(game, players, [0, 1], _NUM_DEALS // 2))
    rows.append({"name": "greedy policies in symmetric play", "value": _NUM_DEALS / seconds, "unit": "hands/s"})
    return rows


def run() -> list[Row]:
    """Returns the rates on one core."""
    cards = np.random.default_rng(0).random((_NUM_HANDS, hands.NUM_CARDS)).argpartition(7, axis=1)[:, :7].astype(np.int8)
    found = np.empty(_NUM_HANDS, dtype=np.int16)
    tables = hands.tables()
    return [
        {
            "name": "strengths of random hands of seven cards",
            "value": _NUM_HANDS / median_seconds(lambda: hands.evaluate(tables, cards, found)),
            "unit": "hands/s",
            "target": 20_000_000,
            "reference": {"numba over other tables": 24_000_000, "C": 57_000_000},
        },
        {
            "name": "strengths of all holdings on random boards",
            "value": _NUM_BOARDS * 1081 / median_seconds(lambda: all_holdings(tables, cards[:_NUM_BOARDS, :5])),
            "unit": "hands/s",
        },
        *holdem(),
    ]
