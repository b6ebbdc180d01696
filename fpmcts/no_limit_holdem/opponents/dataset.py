"""From hand histories to rows for learning and scoring a model: every decision, every bet size,
every shown hand.

The hands are replayed in order, so the statistics at a decision come from earlier hands only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

from fpmcts.no_limit_holdem.opponents.features import NUM_COLUMNS, columns
from fpmcts.no_limit_holdem.opponents.model import NUM_RANKS, size_bin, table_row
from fpmcts.no_limit_holdem.opponents.statistics import (
    COUNTS,
    STATISTICS,
    count_action,
    count_hand,
    new_counts,
    prior_of,
    smooth,
)
from games.base.settings import ConfigError
from games.kernels import kernel
from games.kernels.rows import take
from games.no_limit_holdem.betting import num_left, raise_bounds, step, to_call
from games.no_limit_holdem.phh import BadHandError, Hand, read
from games.no_limit_holdem.phh_replay import Hands, pack, replay_rules, start, verdicts
from games.no_limit_holdem.state import FIRST_AMOUNT, FIRST_SIZE, NUM_BOARD, Rules, States, empty
from games.poker.hands import NUM_CARDS, HandTables, strength_with, sums

KEEP = 0.9999
"""Decay of the counts per hand: a window of about 10,000 hands."""


class Examples(NamedTuple):
    """N decisions, or N hands shown.

    Attributes:
        columns: float32 ``[N, NUM_COLUMNS]``.
        kind: int8 ``[N]``: 0 fold, 1 check or call, 2 bet or raise; for a shown hand the bin of its
            rank.
        size: int8 ``[N]``, the bin of the bet size; -1 without a bet or a choice of size.
        legal: int8 ``[N]``, 1 = may fold, 2 = may raise, 3 = both.
        row: int32 ``[N]``, row in the table of frequencies.
        hand: int32 ``[N]``, the number of the hand.
    """

    columns: np.ndarray
    kind: np.ndarray
    size: np.ndarray
    legal: np.ndarray
    row: np.ndarray
    hand: np.ndarray

    @property
    def round(self) -> np.ndarray:
        """The round of each row, int ``[N]``."""
        return self.columns[:, 0].astype(int)

    @property
    def may(self) -> np.ndarray:
        """Mask of the legal kinds of actions, bool ``[N, 3]``."""
        return np.stack([self.legal & 1 > 0, self.legal >= 0, self.legal & 2 > 0], axis=1)


def empty_examples(count: int) -> Examples:
    """Returns uninitialised rows."""
    columns = np.zeros((count, NUM_COLUMNS), np.float32)
    kinds, numbers = np.zeros((3, count), np.int8), np.zeros((2, count), np.int32)
    return Examples(columns, *kinds, *numbers)


@dataclass
class Players:
    """Counts of players by name.

    Attributes:
        names: The row of each name.
        counts: float32 ``[rows, COUNTS]``.
    """

    names: dict[str, int] = field(default_factory=dict)
    counts: np.ndarray = field(default_factory=lambda: new_counts(0))

    def copy(self) -> "Players":
        """Returns an independent copy."""
        return Players(dict(self.names), self.counts.copy())

    def sit(self, hands: Sequence[Hand]) -> np.ndarray:
        """Returns the row of each player, int32 ``[N, S]``. A new name gets a new row; the seats of
        hands without names get rows of their own, after those of all names.
        """
        shape = len(hands), len(hands[0].stacks)
        rows = np.arange(-shape[0] * shape[1], 0, dtype=np.int32).reshape(shape)
        for row, hand in zip(rows, hands, strict=True):
            if len(set(hand.players)) == shape[1]:
                row[:] = [self.names.setdefault(name, len(self.names)) for name in hand.players]
        rows[rows < 0] += len(self.names) + rows.size
        return rows


@kernel
def rank_bin(tables: HandTables, board: np.ndarray, hole: np.ndarray) -> int:
    """Returns the bin (sixth) of a holding's percentile among all holdings on a board of five
    cards; ties count half.
    """
    (key, masks), taken = sums(tables, board, 0, NUM_BOARD), np.int64(0)
    for k in range(NUM_BOARD):
        taken |= np.int64(1) << board[k]
    own = strength_with(tables, key, masks, hole[0], hole[1], 7)
    below, count = 0, 0
    for one in range(1, NUM_CARDS):
        for two in range(one):
            if (taken >> one) & 1 or (taken >> two) & 1:
                continue
            other = strength_with(tables, key, masks, one, two, 7)
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
    out: Examples,
    shown: Examples,
) -> tuple[int, int]:
    """Writes the rows of hands and counts what the players did; returns how many rows ``out`` and
    ``shown`` got. The moves must be legal.

    Args:
        who: int32 ``[N, S]``, rows of ``counts``.
        number: Number of the first hand.
    """
    seats, num, num_shown = hands.stacks.shape[1], 0, 0
    own = np.zeros((seats, COUNTS), np.float32)
    statistics = np.zeros((seats, STATISTICS), np.float32)
    for n in range(len(hands.stacks)):
        for seat in range(seats):
            own[seat] = counts[who[n, seat]]
        smooth(own, prior, statistics)
        own *= np.float32(keep)
        start(rules, hands, n, states, 0)
        for k in range(hands.first[n], hands.first[n + 1]):
            seat, action = np.int64(states.seat[0]), np.int64(hands.actions[k])
            kind = min(action, FIRST_SIZE)
            cost = to_call(rules, states, 0)
            least, most = raise_bounds(rules, states, 0)
            if cost > 0 or most > 0:
                columns(rules, states, 0, seat, statistics, out.columns[num])
                out.kind[num], out.size[num] = kind, -1
                out.legal[num] = (1 if cost > 0 else 0) + (2 if most > 0 else 0)
                out.row[num] = table_row(rules, states, 0)
                out.hand[num] = number + n
                if kind == FIRST_SIZE and least < most:
                    out.size[num] = size_bin(action - FIRST_AMOUNT, least, most)
                num += 1
            count_action(rules, states, 0, kind, own)
            step(rules, states, 0, action)
        if num_left(rules, states, 0) > 1 and hands.board[n].min() >= 0:
            for seat in range(seats):
                if not states.folded[0, seat] and hands.hole[n, seat].min() >= 0:
                    columns(rules, states, 0, seat, statistics, shown.columns[num_shown])
                    shown.kind[num_shown] = rank_bin(
                        rules.hands, hands.board[n], hands.hole[n, seat]
                    )
                    shown.hand[num_shown] = number + n
                    num_shown += 1
        count_hand(states, 0, own)
        for seat in range(seats):
            counts[who[n, seat]] = own[seat]
    return num, num_shown


def make_examples(
    hands: Sequence[Hand], prior: np.ndarray, players: Players, keep: float = KEEP
) -> tuple[Examples, Examples]:
    """Returns the decisions and the shown hands of legal hands in their order.

    Args:
        prior: float32 ``[STATISTICS]``, the values that statistics are smoothed towards.
        players: The players' counts before the hands; changed in place.
        keep: Decay of the counts per hand.
    """
    decisions = empty_examples(sum(len(hand.moves) for hand in hands))
    shown = empty_examples(sum(len(hand.stacks) for hand in hands))
    num = num_shown = 0
    for begin, end in _runs(hands):
        packed, seats = pack(hands[begin:end]), len(hands[begin].stacks)
        who = players.sit(hands[begin:end])
        counts = new_counts(max(len(players.names), int(who.max()) + 1))
        counts[: len(players.counts)] = players.counts
        more, more_shown = _rows(
            replay_rules(seats),
            packed,
            empty(1, seats),
            who,
            counts,
            prior,
            keep,
            begin,
            take(decisions, slice(num, None)),
            take(shown, slice(num_shown, None)),
        )
        num, num_shown = num + more, num_shown + more_shown
        players.counts = counts[: len(players.names)]
    return take(decisions, slice(num)), take(shown, slice(num_shown))


def _runs(hands: Sequence[Hand], most: int = 2_000) -> Iterator[tuple[int, int]]:
    """Yields the bounds of runs of hands with equally many players."""
    begin = 0
    for _, run in groupby(hands, lambda hand: len(hand.stacks)):
        end = begin + len(list(run))
        for first in range(begin, end, most):
            yield first, min(first + most, end)
        begin = end


def mean_player(hands: Sequence[Hand]) -> np.ndarray:
    """Returns the prior of statistics, float32 ``[STATISTICS]``: all players of all hands pooled,
    including those without names.
    """
    named = [
        hand._replace(players=tuple(f"p{seat}" for seat in range(len(hand.stacks))))
        for hand in hands
    ]
    players = Players()
    make_examples(named, np.full(STATISTICS, 0.5, np.float32), players, keep=1.0)
    return prior_of(players.counts)


def playable(paths: Sequence[str], problems: list[BadHandError]) -> list[Hand]:
    """Returns the hands of files that the game can play to their end.

    Args:
        problems: Receives what was left out.

    Raises:
        ConfigError: A path is missing, or no hand is left.
    """
    try:
        hands, good = list(read(paths, problems)), []
    except BadHandError as error:
        raise ConfigError(str(error)) from error
    for hand, verdict in zip(hands, verdicts(hands), strict=True):
        if not verdict.fault or verdict.checked:  # payoffs do not matter here
            good.append(hand)
        else:
            problems.append(BadHandError(hand.file, hand.number, verdict.fault))
    if not good:
        first = f"; the first of {len(problems):,} problems: {problems[0]}" if problems else ""
        raise ConfigError(f"hands={','.join(paths)}: no hand can be used{first}")
    return good


def keep_of(window: int) -> float:
    """Returns the decay of counts per hand for a window of about ``window`` hands."""
    return 1.0 - 1.0 / window
