"""The model of an opponent as flat arrays, and its kernels for the search: what a seat does, how
much it bets, what it shows.

An action is decided in two steps: fold or not, then raise or not. Each step, before and after the
flop, with and without a bet to call, has a *booster*, a sum of trees; a model without trees
uses the table of frequencies by round, bet to call or not, raises and seat, which is the baseline.
Where only one kind of action is legal, nothing is evaluated.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.no_limit_holdem.opponents.features import (
    NO_RAISE,
    NUM_COLUMNS,
    RAISE_COST,
    TO_CALL,
    columns,
)
from fpmcts.no_limit_holdem.opponents.statistics import STATISTICS
from games.kernels import borrowed, kernel, stack_floats
from games.no_limit_holdem.betting import to_call
from games.no_limit_holdem.state import Rules, States

NUM_ACTIONS = 3
"""Fold, check or call, bet or raise."""
NUM_SIZES = 7
"""Bins of a bet's size: the least, five of x = (bet - least) / (most - least) by ``SIZE_EDGES``,
all-in.
"""
SIZE_EDGES = np.array([0.02, 0.05, 0.1, 0.25])
NUM_RANKS = 6
"""Bins of a hand at showdown: sixths of its percentile among all holdings on the board."""


class Booster(NamedTuple):
    """B boosters, T trees in all, of depth D.

    Every tree is complete, its nodes in the slots 1 to 2**D - 1: node n has the children 2n and 2n
    + 1. So a walk is D steps without a branch, and the walks of four trees overlap in the
    processor. A shallower tree is filled up with nodes that always go left (threshold infinity).

    Attributes:
        first: int32 ``[B + 1]``, where the trees of each booster begin.
        bias: float32 ``[B]``, the score without trees.
        column: uint8 ``[T * 2**D]``, the column that a node tests; the first of each tree's 2**D
            slots is unused.
        threshold: float32 ``[T * 2**D]``: a value above it goes to the right.
        leaf: float32 ``[T * 2**D]``.
        depth: int32 ``[1]``, D.
    """

    first: np.ndarray
    bias: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    leaf: np.ndarray
    depth: np.ndarray


@kernel
def evaluate(trees: Booster, which: int, row: np.ndarray) -> float:
    """Returns the score (log-odds) of a booster for a row of columns, float32 ``[columns]``."""
    column, threshold, leaf = trees.column, trees.threshold, trees.leaf
    # Unsigned, so that no index is tested for being negative.
    depth, one, four = trees.depth[0], np.uint64(1), np.uint64(4)
    size = one << np.uint64(depth)
    tree, end = np.uint64(trees.first[which]), np.uint64(trees.first[which + 1])
    score = np.float64(trees.bias[which])
    while tree + four <= end:
        a = tree * size
        b, c, d = a + size, a + size + size, a + size + size + size
        i = j = k = n = one
        for _ in range(depth):
            i = i + i + np.uint64(row[np.uint64(column[a + i])] > threshold[a + i])
            j = j + j + np.uint64(row[np.uint64(column[b + j])] > threshold[b + j])
            k = k + k + np.uint64(row[np.uint64(column[c + k])] > threshold[c + k])
            n = n + n + np.uint64(row[np.uint64(column[d + n])] > threshold[d + n])
        score += (leaf[a + i - size] + leaf[b + j - size]) + (
            leaf[c + k - size] + leaf[d + n - size]
        )
        tree += four
    while tree < end:
        a, i = tree * size, one
        for _ in range(depth):
            i = i + i + np.uint64(row[np.uint64(column[a + i])] > threshold[a + i])
        score += leaf[a + i - size]
        tree += one
    return score


def no_booster(count: int, depth: int = 1) -> Booster:
    """Returns boosters without trees."""
    none = np.zeros(0, np.float32)
    return Booster(
        np.zeros(count + 1, np.int32),
        np.zeros(count, np.float32),
        np.zeros(0, np.uint8),
        none,
        none,
        np.array([depth], np.int32),
    )


ROW_RAISES, ROW_SEATS = 5, 10
"""Raises so far, 4 standing for 4 or more; seats from the button, 0 = the button."""
NUM_ROWS = 4 * 2 * ROW_RAISES * ROW_SEATS


@kernel
def table_row(rules: Rules, states: States, i: int) -> int:
    """Returns the row of the table for the seat to move in lane ``i``. Seats are counted from the
    button for any number of players.
    """
    seats, round_ = states.stacks.shape[1], np.int64(states.round[i])
    raises = np.int64(0)
    for seat in range(seats):
        raises += states.raises[i, seat, round_]
    facing = 1 if to_call(rules, states, i) > 0 else 0
    from_button = seats - 1 - np.int64(states.seat[i])
    return (
        (round_ * 2 + facing) * ROW_RAISES + min(raises, ROW_RAISES - 1)
    ) * ROW_SEATS + from_button


def frequencies(
    rows: np.ndarray, kinds: np.ndarray, shape: tuple[int, int], added: float = 1.0
) -> np.ndarray:
    """Returns the share of each kind in each row, float32 of a shape ``(rows, kinds)``.

    Args:
        rows: int ``[N]``, the row of each case.
        kinds: int ``[N]``, the kind of action.
        added: Pseudo-cases added to each row, distributed as the kinds over all cases.
    """
    counts = np.zeros(shape)
    np.add.at(counts, (rows, kinds), 1.0)
    everywhere = counts.sum(axis=0) + 1.0
    counts += added * everywhere / everywhere.sum()
    return (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)


class OpponentModel(NamedTuple):
    """A model.

    Attributes:
        prior: float32 ``[STATISTICS]``, the mean player, which statistics are smoothed towards.
        table: float32 ``[rows, 3]``, frequencies of fold, call and raise (``table_row``).
        sizes: float32 ``[4, NUM_SIZES]``, frequencies of sizes by round.
        ranks: float32 ``[NUM_RANKS]``, frequencies of ranks at showdown.
        trees: Boosters 0 to 4: fold before the flop; raise before it, if not folding; bet after the
            flop; fold there; raise there, if not folding. Boosters 5 to 11: sizes; 12 to 17: ranks
            at showdown. Missing ones are empty.
    """

    prior: np.ndarray
    table: np.ndarray
    sizes: np.ndarray
    ranks: np.ndarray
    trees: Booster


FOLD_BEFORE, RAISE_BEFORE, BET, FOLD_AFTER, RAISE_AFTER, SIZES, RANKS = 0, 1, 2, 3, 4, 5, 12
NUM_BOOSTERS = RANKS + NUM_RANKS


@kernel(inline="always")
def _chance(score: float) -> float:
    return 1.0 / (1.0 + np.exp(-score))


@kernel
def action_row(
    model: OpponentModel,
    row: np.ndarray,
    table_row_: int,
    can_fold: bool,
    can_raise: bool,
    out: np.ndarray,
) -> None:
    """Writes the probabilities of fold, check or call, bet or raise for the columns of a decision.

    Args:
        row: float32 ``[NUM_COLUMNS]``.
        table_row_: The row of the table of frequencies, where there are no trees.
        can_fold, can_raise: Whether these are legal; checking or calling always is.
        out: float64 ``[3]``, changed in place; sums to 1.
    """
    after = row[0] > 0.0
    fold = raised = 0.0
    if model.trees.first[SIZES] > 0:
        if can_fold:
            fold = _chance(evaluate(model.trees, FOLD_AFTER if after else FOLD_BEFORE, row))
        if can_raise:
            which = (RAISE_AFTER if can_fold else BET) if after else RAISE_BEFORE
            raised = (1.0 - fold) * _chance(evaluate(model.trees, which, row))
    else:
        total = 0.0
        for k in range(NUM_ACTIONS):
            if (k > 0 or can_fold) and (k < 2 or can_raise):
                total += model.table[table_row_, k]
        fold = model.table[table_row_, 0] / total if can_fold else 0.0
        raised = model.table[table_row_, 2] / total if can_raise else 0.0
    out[0], out[1], out[2] = fold, 1.0 - fold - raised, raised


@kernel(forceinline=True)
def action_probabilities(
    model: OpponentModel,
    rules: Rules,
    states: States,
    i: int,
    statistics: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the probabilities of fold, check or call, and bet or raise of the seat to move in lane
    ``i``.

    Args:
        statistics: float32 ``[S, STATISTICS]`` (``statistics.smooth``).
        out: float64 ``[3]``, changed in place: illegal ones are 0, the sum is 1. No hole card is
            read.
    """
    held, lanes, row = borrowed(model), borrowed(states), stack_floats(NUM_COLUMNS)
    columns(rules, lanes, i, np.int64(lanes.seat[i]), borrowed(statistics), row)
    can_fold, can_raise = row[TO_CALL] > 0.0, row[RAISE_COST] < NO_RAISE
    table = table_row(rules, lanes, i) if held.trees.first[SIZES] == 0 else np.int64(0)
    action_row(held, row, table, can_fold, can_raise, out)


@kernel
def bins_row(
    model: OpponentModel, first: int, row: np.ndarray, frequencies: np.ndarray, out: np.ndarray
) -> None:
    """Writes the softmax of the boosters from ``first`` on to ``out``, or ``frequencies`` if there
    are none.
    """
    count = len(out)
    if model.trees.first[first + count] == model.trees.first[first]:
        for k in range(count):
            out[k] = frequencies[k]
        return
    most, total = -1e30, 0.0
    for k in range(count):
        out[k] = evaluate(model.trees, first + k, row)
        most = max(most, out[k])
    for k in range(count):
        out[k] = np.exp(out[k] - most)
        total += out[k]
    for k in range(count):
        out[k] /= total


@kernel(forceinline=True)
def showdown_bins(
    model: OpponentModel,
    rules: Rules,
    states: States,
    i: int,
    seat: int,
    statistics: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the probabilities of the six bins of a seat's hand at the showdown of lane ``i``,
    float64 ``[NUM_RANKS]``.

    Bin k holds hands with a percentile in [k / 6, (k + 1) / 6) among all holdings on the board; the
    last bin is the strongest.
    """
    held, row = borrowed(model), stack_floats(NUM_COLUMNS)
    columns(rules, borrowed(states), i, seat, borrowed(statistics), row)
    bins_row(held, RANKS, row, held.ranks, out)


@kernel
def size_bin(amount: int, least: int, most: int) -> int:
    """Returns the bin of a bet or raise to an amount."""
    if amount >= most:
        return NUM_SIZES - 1
    if amount <= least:
        return 0
    x = (amount - least) / (most - least)
    for k in range(len(SIZE_EDGES)):
        if x < SIZE_EDGES[k]:
            return k + 1
    return NUM_SIZES - 2


def untrained() -> OpponentModel:
    """Returns a model that knows nothing: every legal kind of action is equally likely."""
    return OpponentModel(
        np.full(STATISTICS, 0.5, np.float32),
        np.full((NUM_ROWS, NUM_ACTIONS), 1 / 3, np.float32),
        np.full((4, NUM_SIZES), 1 / NUM_SIZES, np.float32),
        np.full(NUM_RANKS, 1 / NUM_RANKS, np.float32),
        no_booster(NUM_BOOSTERS),
    )
