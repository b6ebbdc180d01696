"""Learns the trees of a model with scikit-learn's histogram gradient boosting, and writes them as
flat arrays.

Only this module imports scikit-learn: playing with a trained model does not need it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fpmcts.poker.opponents.dataset import Rows
from fpmcts.poker.opponents.features import NUM_COLUMNS, NUM_FEATURES
from fpmcts.poker.opponents.model import (
    BET,
    FOLD_AFTER,
    FOLD_BEFORE,
    NUM_BOOSTERS,
    NUM_RANKS,
    NUM_SIZES,
    RAISE_AFTER,
    RAISE_BEFORE,
    RANKS,
    SIZES,
)
from fpmcts.poker.opponents.statistics import WINDOW
from fpmcts.poker.opponents.trees import Booster, no_booster
from games.settings import ConfigError, setting

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier


@dataclass(frozen=True)
class LearnOptions:
    """How trees are learned.

    Attributes:
        name: ``opponent_model``.
        trees: Trees of a booster of actions; a third as many for each size, a fifth for each rank.
        lr: Learning rate: the scale of each tree.
        depth: Splits from the root to a leaf.
        least_rows: Minimum decisions in a leaf.
        l2: L2 regularization of the leaves.
        columns: Share of the columns that a split may choose from.
        holdout: Share of the hands, the last ones, held out to score the model.
        window: Approximate number of hands that statistics of players cover.
        showdown: Whether to learn hands at showdown; this needs open cards.
        bad: What to do with a hand that cannot be read or played: "skip" or "fail".
    """

    name: str = "opponent_model"
    trees: int = setting(80, least=1, most=2_000)
    lr: float = setting(0.08, least=0.001, most=1)
    depth: int = setting(4, least=1, most=8)
    least_rows: int = setting(60, least=1)
    l2: float = setting(5.0, least=0)
    columns: float = setting(0.3, least=0.01, most=1)
    holdout: float = setting(0.15, least=0, most=0.9)
    window: int = setting(WINDOW, least=10, most=1_000_000)
    showdown: bool = True
    bad: str = setting("skip", choices=("skip", "fail"))


@dataclass(frozen=True)
class Task:
    """One call of the learner.

    Attributes:
        name: Name in reports and checkpoints.
        first: The booster it fills, or the first of them.
        outputs: Number of boosters.
        share: Share of the trees.
        with_statistics: Whether it uses the columns of statistics.
    """

    name: str
    first: int
    outputs: int = 1
    share: float = 1.0
    with_statistics: bool = True


_ACTIONS = (
    ("fold before the flop", FOLD_BEFORE),
    ("raise before the flop", RAISE_BEFORE),
    ("bet after the flop", BET),
    ("fold after the flop", FOLD_AFTER),
    ("raise after the flop", RAISE_AFTER),
)


def tasks(showdown: bool) -> list[Task]:
    """Returns all calls of the learner for a model."""
    actions = [Task(name, first) for name, first in _ACTIONS]
    without = [
        Task(f"{name}, without statistics", first, with_statistics=False)
        for name, first in _ACTIONS
    ]
    ranks = [Task("rank at showdown", RANKS, NUM_RANKS, 0.2)] if showdown else []
    return [*actions, Task("size", SIZES, NUM_SIZES, 1 / 3), *ranks, *without]


def cases(task: Task, rows: Rows, shown: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Returns the columns and the targets that a task learns from."""
    if task.first == RANKS:
        return shown.columns, shown.kind
    if task.first == SIZES:
        chosen = rows.size >= 0
        return rows.columns[chosen], rows.size[chosen]
    (fold, _, raise_), after = rows.may.T, rows.round > 0
    if task.first in (FOLD_BEFORE, FOLD_AFTER):
        chosen, answer = fold & (after == (task.first == FOLD_AFTER)), rows.kind == 0
    else:
        chosen, answer = raise_ & (rows.kind > 0), rows.kind == 2
        chosen &= after if task.first != RAISE_BEFORE else ~after
        if task.first != RAISE_BEFORE:
            chosen &= fold == (task.first == RAISE_AFTER)
    return rows.columns[chosen], answer[chosen].astype(np.int8)


def learn(task: Task, rows: Rows, shown: Rows, options: LearnOptions, seed: int) -> Booster:
    """Returns the boosters of a task. Where nobody ever had the choice, or all chose the same, they
    have no trees.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    columns, answers = cases(task, rows, shown)
    counts = np.bincount(answers, minlength=max(task.outputs, 2)).astype(np.float64)
    share = (counts + 0.5) / (counts + 0.5).sum()
    bias = np.log(share) if task.outputs > 1 else np.log(share[1:] / share[:1])
    if (counts > 0).sum() < 2 or len(answers) < 2 * options.least_rows:
        return no_booster(task.outputs, options.depth)._replace(bias=bias.astype(np.float32))
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"algorithm=opponent_model: {error.name} is not installed; pip install 'fpmcts[models]'"
        ) from error
    boosting = HistGradientBoostingClassifier(
        max_iter=max(1, round(options.trees * task.share)),
        learning_rate=options.lr,
        max_depth=options.depth,
        max_leaf_nodes=2**options.depth,
        min_samples_leaf=options.least_rows,
        l2_regularization=options.l2,
        max_features=options.columns,
        early_stopping=False,
        random_state=seed,
    )
    # One thread: the same sums in the same order, and no threads that wait for one another.
    with threadpool_limits(1):
        boosting.fit(columns[:, : NUM_COLUMNS if task.with_statistics else NUM_FEATURES], answers)
    return exported(boosting, bias, options.depth)


def exported(boosting: "HistGradientBoostingClassifier", bias: np.ndarray, depth: int) -> Booster:
    """Returns scikit-learn's trees as complete trees of depth ``depth``.

    Args:
        bias: float64, the score of each booster without trees; scores of classes that nobody chose
            keep their distance to the others.
    """
    outputs, baseline = len(bias), boosting._baseline_prediction.ravel()
    chosen = boosting.classes_.astype(int) if outputs > 1 else np.zeros(1, int)
    scored = chosen[-len(baseline) :]  # of two classes, only the second is scored
    base = np.zeros(outputs)
    base[scored] = baseline
    absent = np.setdiff1d(np.arange(outputs), chosen)
    base[absent] = bias[absent] + (base - bias)[chosen].mean()
    rounds = boosting._predictors
    flat = [_complete(trees[k].nodes, depth) for k in range(len(scored)) for trees in rounds]
    counts = np.zeros(outputs, np.int32)
    counts[scored] = len(rounds)
    column, threshold, leaf = (np.concatenate(part) for part in zip(*flat, strict=True))
    bases, depths = base.astype(np.float32), np.array([depth], np.int32)
    return Booster(_starts(counts), bases, column, threshold, leaf, depths)


def _starts(counts: np.ndarray) -> np.ndarray:
    """Returns the start of each booster's trees, given their numbers."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _complete(nodes: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns column, threshold and leaf of a complete tree equivalent to scikit-learn's."""
    size = 2**depth
    column, leaf = np.zeros(size, np.uint8), np.zeros(size, np.float32)
    threshold = np.full(size, np.inf, np.float32)
    below = [(1, 0)]
    while below:
        place, k = below.pop()
        node = nodes[k]
        if place >= size:
            leaf[place - size] = node["value"]
        elif node["is_leaf"]:
            below += [(2 * place, k), (2 * place + 1, k)]
        else:
            exact = float(node["num_threshold"])
            rounded = np.float32(exact)
            column[place] = node["feature_idx"]
            threshold[place] = (
                np.nextafter(rounded, np.float32(-np.inf)) if rounded > exact else rounded
            )
            below += [(2 * place, int(node["left"])), (2 * place + 1, int(node["right"]))]
    return column, threshold, leaf


def joined(learned: Mapping[int, Booster], depth: int) -> Booster:
    """Returns all boosters of a model from those of the tasks, keyed by the first that each fills;
    the others are empty.
    """
    counts, bias = np.zeros(NUM_BOOSTERS, np.int32), np.zeros(NUM_BOOSTERS, np.float32)
    for first, part in learned.items():
        filled = slice(first, first + len(part.bias))
        counts[filled], bias[filled] = np.diff(part.first), part.bias
    parts = [no_booster(0), *(learned[first] for first in sorted(learned))]
    column, threshold, leaf = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("column", "threshold", "leaf")
    )
    return Booster(_starts(counts), bias, column, threshold, leaf, np.array([depth], np.int32))
