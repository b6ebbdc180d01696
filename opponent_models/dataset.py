"""From hand histories to rows that a model is learned from or scored on: every decision, every bet's size, every shown hand.

The hands are played in their order, so that the statistics with a decision are those of earlier hands alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import num_left, raise_bounds, step, to_call
from games.no_limit_holdem.phh import Hand
from games.no_limit_holdem.phh_replay import Hands, pack, replay_rules, start
from games.no_limit_holdem.state import FIRST_SIZE, NUM_BOARD, Rules, States, empty
from games.poker.hands import EMPTY_KEY, NUM_CARDS, HandTables, strength_of
from opponent_models.features import NUM_COLUMNS, features, with_statistics
from opponent_models.model import NUM_RANKS, size_bin
from opponent_models.statistics import (
    COUNTS,
    STATISTICS,
    count_action,
    count_hand,
    prior_of,
    smooth,
)
from opponent_models.table import table_row

KEEP = 0.9999
"""What counts are shrunk by at each hand: a window of about 10,000 hands."""


class Rows(NamedTuple):
    """N decisions, or N hands shown.

    Attributes:
        columns: float32 ``[N, NUM_COLUMNS]``.
        kind: int8 ``[N]``: 0 fold, 1 check or call, 2 bet or raise; of hands shown the bin of the rank.
        size: int8 ``[N]``, the bin of a bet's size, -1 where there was none or no choice.
        legal: int8 ``[N]``, 1 = may fold, 2 = may raise, 3 = both.
        row: int32 ``[N]``, of the table of frequencies.
        hand: int32 ``[N]``, the hand's number among all. player: int32 ``[N]``.
    """

    columns: np.ndarray
    kind: np.ndarray
    size: np.ndarray
    legal: np.ndarray
    row: np.ndarray
    hand: np.ndarray
    player: np.ndarray


@dataclass
class Players:
    """Counts of players by name.

    Attributes:
        names: The row of each name.
        counts: float32 ``[rows, COUNTS]``.
    """

    names: dict[str, int] = field(default_factory=dict)
    counts: np.ndarray = field(default_factory=lambda: np.zeros((0, COUNTS), np.float32))

    def copy(self) -> "Players":
        """Returns a copy that counts on its own."""
        return Players(dict(self.names), self.counts.copy())

    def rows(self, hands: Sequence[Hand]) -> np.ndarray:
        """Returns the row of each player, int32 ``[N, S]``; new names get a row, players without names one for each hand."""
        rows = np.empty((len(hands), len(hands[0].stacks)), np.int32)
        spare = 0
        for n, hand in enumerate(hands):
            if hand.players and len(set(hand.players)) == len(hand.players):
                rows[n] = [self.names.setdefault(name, len(self.names)) for name in hand.players]
            else:
                rows[n] = np.arange(-rows.shape[1], 0)
                spare = rows.shape[1]
        missing = len(self.names) - len(self.counts)
        self.counts = np.concatenate([self.counts, np.zeros((missing, COUNTS), np.float32)])
        if spare:
            rows[rows < 0] += len(self.counts) + spare
        return rows


def empty_rows(count: int) -> Rows:
    """Returns room for rows."""
    return Rows(
        np.zeros((count, NUM_COLUMNS), np.float32),
        np.zeros(count, np.int8),
        np.full(count, -1, np.int8),
        np.zeros(count, np.int8),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
    )


@kernel
def rank_bin(tables: HandTables, board: np.ndarray, hole: np.ndarray) -> int:
    """Returns the sixth of a holding's percentile among all holdings on a board of five cards: ties count half."""
    key, masks, taken = EMPTY_KEY, 0, np.int64(0)
    for k in range(NUM_BOARD):
        key += tables.keys[board[k]]
        masks |= tables.bits[board[k]]
        taken |= np.int64(1) << board[k]
    own = strength_of(
        tables,
        key + tables.keys[hole[0]] + tables.keys[hole[1]],
        masks | tables.bits[hole[0]] | tables.bits[hole[1]],
        7,
    )
    below, count = 0, 0
    for one in range(1, NUM_CARDS):
        for two in range(one):
            if (taken >> one) & 1 or (taken >> two) & 1:
                continue
            other = strength_of(
                tables,
                key + tables.keys[one] + tables.keys[two],
                masks | tables.bits[one] | tables.bits[two],
                7,
            )
            below += 2 * (other < own) + (other == own)
            count += 2
    return min(NUM_RANKS * below // count, NUM_RANKS - 1)


@kernel
def _rows(
    rules: Rules,
    hands: Hands,
    states: States,
    who: np.ndarray,
    counts: np.ndarray,
    prior: np.ndarray,
    keep: float,
    number: int,
    out: Rows,
    shown: Rows,
    written: np.ndarray,
) -> None:
    """Writes the rows of hands and counts what the players did. Illegal moves must have been left out before.

    Args:
        who: int32 ``[N, S]``, rows of ``counts``.
        number: Of the first hand. written: int64 ``[2]``, rows that ``out`` and ``shown`` have so far; changed in place.
    """
    seats = hands.stacks.shape[1]
    own = np.zeros((seats, COUNTS), np.float32)
    statistics = np.zeros((seats, STATISTICS), np.float32)
    flop_seen = np.zeros(seats, np.int8)
    for n in range(len(hands.stacks)):
        for seat in range(seats):
            own[seat] = counts[who[n, seat]]
        smooth(own, prior, statistics)
        flop_seen[:] = 0
        start(rules, hands, n, states, 0)
        for k in range(hands.first[n], hands.first[n + 1]):
            seat, action = np.int64(states.seat[0]), np.int64(hands.actions[k])
            kind = min(action, FIRST_SIZE)
            cost = to_call(rules, states, 0)
            least, most = raise_bounds(rules, states, 0)
            if cost > 0 or most > 0:
                at = written[0]
                features(rules, states, 0, seat, out.columns[at])
                with_statistics(states, 0, seat, statistics, out.columns[at])
                out.kind[at] = kind
                out.legal[at] = (1 if cost > 0 else 0) + (2 if most > 0 else 0)
                out.row[at] = table_row(rules, states, 0)
                out.hand[at], out.player[at] = number + n, who[n, seat]
                if kind == FIRST_SIZE and least < most:
                    out.size[at] = size_bin(action - 32, least, most)
                written[0] += 1
            count_action(rules, states, 0, kind, own)
            step(rules, states, 0, action)
            if states.shown[0] >= 3:
                for other in range(seats):
                    flop_seen[other] |= 1 - states.folded[0, other]
        if num_left(rules, states, 0) > 1 and hands.board[n].min() >= 0:
            for seat in range(seats):
                if not states.folded[0, seat] and hands.hole[n, seat].min() >= 0:
                    at = written[1]
                    features(rules, states, 0, seat, shown.columns[at])
                    with_statistics(states, 0, seat, statistics, shown.columns[at])
                    shown.kind[at] = rank_bin(rules.hands, hands.board[n], hands.hole[n, seat])
                    shown.hand[at], shown.player[at] = number + n, who[n, seat]
                    written[1] += 1
        count_hand(rules, states, 0, flop_seen, own, keep)
        for seat in range(seats):
            counts[who[n, seat]] = own[seat]


def make_rows(
    hands: Sequence[Hand],
    prior: np.ndarray,
    players: Players,
    keep: float = KEEP,
    say: Callable[[int], None] = lambda done: None,
) -> tuple[Rows, Rows]:
    """Returns the decisions and the shown hands of legal hands in their order.

    Args:
        prior: float32 ``[STATISTICS]``, what statistics are smoothed to.
        players: What is known of the players before; changed in place.
        keep: What counts are shrunk by at each hand.
        say: Told how many hands are done.
    """
    decisions = empty_rows(sum(len(hand.moves) for hand in hands))
    shown = empty_rows(sum(len(hand.stacks) for hand in hands))
    written = np.zeros(2, np.int64)
    for begin, end in _runs(hands):
        packed, seats = pack(hands[begin:end]), len(hands[begin].stacks)
        who = players.rows(hands[begin:end])
        spare = (
            np.zeros((seats, COUNTS), np.float32)
            if who.max() >= len(players.counts)
            else players.counts[:0]
        )
        counts = np.concatenate([players.counts, spare])
        _rows(
            replay_rules(seats),
            packed,
            empty(1, seats),
            who,
            counts,
            prior,
            keep,
            begin,
            decisions,
            shown,
            written,
        )
        players.counts = counts[: len(players.counts)]
        say(end)
    return Rows(*(a[: written[0]] for a in decisions)), Rows(*(a[: written[1]] for a in shown))


def _runs(hands: Sequence[Hand], most: int = 2_000) -> list[tuple[int, int]]:
    """Returns where runs of hands with as many players begin and end; of hands without names each is one."""
    runs: list[tuple[int, int]] = []
    begin = 0
    for n in range(1, len(hands) + 1):
        if (
            n == len(hands)
            or n - begin == most
            or not hands[n].players
            or len(hands[n].stacks) != len(hands[begin].stacks)
        ):
            runs.append((begin, n))
            begin = n
    return runs


def mean_player(hands: Sequence[Hand]) -> np.ndarray:
    """Returns the prior of statistics, float32 ``[STATISTICS]``: all players of all hands together, those without names too."""
    named = [
        hand._replace(players=tuple(f"p{seat}" for seat in range(len(hand.stacks))))
        for hand in hands
    ]
    players = Players()
    make_rows(named, np.full(STATISTICS, 0.5, np.float32), players, keep=1.0)
    return prior_of(players.counts)
