"""Poker hands on one core: strengths of random hands of seven cards, and of hands that share a board.

The references are a kernel over the tables of another library and C code, both measured on another machine.
"""

import numpy as np

from benchmarks.table import Row, median_seconds
from games.kernels import kernel
from games.poker import hands
from games.poker.hands import EMPTY_KEY, HandTables, strength_of

_NUM_HANDS = 2_000_000
_NUM_BOARDS = 2_000


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
    ]
