"""Learns the trees of a model with scikit-learn's histogram gradient boosting, and writes them as flat arrays.

scikit-learn is asked for here alone; who plays with a model needs it not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from opponent_models.dataset import Rows
from opponent_models.features import NUM_COLUMNS, NUM_FEATURES
from opponent_models.model import (
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
from opponent_models.trees import Booster, no_booster
from runtime.settings import ConfigError, setting

Arrays = dict[str, np.ndarray]
"""One booster or several of one call: ``bias`` float32 ``[k]``, ``count`` int32 ``[k]``, then column, threshold and leaf."""


@dataclass(frozen=True)
class LearnOptions:
    """How trees are learned.

    Attributes:
        name: ``opponent_model``.
        trees: Trees of a booster of actions; a third as many for each size, a fifth for each rank.
        lr: What each tree is scaled by.
        depth: Questions from the root to a leaf.
        least_rows: The fewest decisions in a leaf.
        l2: What is added to the weight of a leaf.
        columns: Share of the columns that a split may choose from.
        holdout: Share of the hands, the last ones, that are not learned from and tell how good the model is.
        window: Hands that statistics of players look back on, about.
        showdown: Whether hands at showdown are learned; they need open cards.
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
    window: int = setting(10_000, least=10, most=1_000_000)
    showdown: bool = True
    bad: str = setting("skip", choices=("skip", "fail"))


@dataclass(frozen=True)
class Task:
    """One call of the learner.

    Attributes:
        name: For people, and in checkpoints.
        first: The booster it fills, or the first of them.
        outputs: How many.
        share: Of the trees.
        with_statistics: Whether columns of statistics are looked at.
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
    """Returns the columns and the answers that a task learns from."""
    if task.first == RANKS:
        return shown.columns, shown.kind
    if task.first == SIZES:
        chosen = rows.size >= 0
        return rows.columns[chosen], rows.size[chosen]
    after, fold, raise_ = rows.columns[:, 0] > 0, rows.legal & 1 > 0, rows.legal & 2 > 0
    if task.first in (FOLD_BEFORE, FOLD_AFTER):
        chosen, answer = fold & (after == (task.first == FOLD_AFTER)), rows.kind == 0
    else:
        chosen, answer = (
            raise_ & (rows.kind > 0) & (after == (task.first != RAISE_BEFORE)),
            rows.kind == 2,
        )
        if task.first != RAISE_BEFORE:
            chosen &= fold == (task.first == RAISE_AFTER)
    return rows.columns[chosen], answer[chosen].astype(np.int8)


def learn(task: Task, rows: Rows, shown: Rows, options: LearnOptions, seed: int) -> Arrays:
    """Returns the boosters of a task. Where nobody ever had the choice, or all made one, they have no trees.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    columns, answers = cases(task, rows, shown)
    depth = options.depth
    counts = np.bincount(answers, minlength=max(task.outputs, 2)).astype(np.float64)
    share = (counts + 0.5) / (counts + 0.5).sum()
    bias = np.log(share) if task.outputs > 1 else np.log(share[1:] / share[:1])
    arrays = _arrays(no_booster(task.outputs, depth), bias)
    if (counts > 0).sum() < 2 or len(answers) < 2 * options.least_rows:
        return arrays
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
        max_depth=depth,
        max_leaf_nodes=2**depth,
        min_samples_leaf=options.least_rows,
        l2_regularization=options.l2,
        max_features=options.columns,
        early_stopping=False,
        random_state=seed,
    )
    with threadpool_limits(
        1
    ):  # the same sums in the same order, and no threads that wait for one another
        boosting.fit(columns[:, : NUM_COLUMNS if task.with_statistics else NUM_FEATURES], answers)
    return _exported(boosting, task, bias, depth)


def _arrays(trees: Booster, bias: np.ndarray) -> Arrays:
    """Returns boosters as named arrays, each the number of its trees beside it."""
    given = trees._asdict() | {
        "count": np.diff(trees.first).astype(np.int32),
        "bias": bias.astype(np.float32),
    }
    del given["first"], given["depth"]
    return given


def _exported(boosting: Any, task: Task, bias: np.ndarray, depth: int) -> Arrays:
    """Returns what scikit-learn has learned as complete trees of a depth."""
    classes = [int(c) for c in boosting.classes_] if task.outputs > 1 else [0]
    if (
        len(boosting.classes_) == 2 and task.outputs > 1
    ):  # two of several bins: the score of the second against the first
        classes = classes[1:]
    found: list[list[Any]] = [[] for _ in range(task.outputs)]
    base = bias.copy()
    for place, output in enumerate(classes):
        found[output] = [trees[place].nodes for trees in boosting._predictors]
        base[output] = boosting._baseline_prediction.ravel()[place]
    if task.outputs > 1 and len(boosting.classes_) == 2:
        base[int(boosting.classes_[0])] = 0.0
    flat = [_complete(nodes, depth) for own in found for nodes in own]
    column, threshold, leaf = (np.concatenate([tree[k] for tree in flat]) for k in range(3))
    return {
        "count": np.array([len(own) for own in found], np.int32),
        "bias": base.astype(np.float32),
        "column": column,
        "threshold": threshold,
        "leaf": leaf,
    }


def _complete(nodes: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns column, threshold and leaf of a complete tree that answers as scikit-learn's does."""
    size = 2**depth
    column, threshold, leaf = (
        np.zeros(size, np.uint8),
        np.full(size, np.inf, np.float32),
        np.zeros(size, np.float32),
    )
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


def joined(learned: Mapping[int, Arrays], depth: int) -> Booster:
    """Returns all boosters of a model from the arrays by the first booster they fill; the others are empty."""
    counts, bias = np.zeros(NUM_BOOSTERS, np.int32), np.zeros(NUM_BOOSTERS, np.float32)
    parts = [learned[first] for first in sorted(learned)]
    for first, arrays in learned.items():
        counts[first : first + len(arrays["count"])] = arrays["count"]
        bias[first : first + len(arrays["bias"])] = arrays["bias"]
    empty = no_booster(NUM_BOOSTERS, depth)
    first_tree = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def of(name: str) -> np.ndarray:
        return np.concatenate([getattr(empty, name), *(part[name] for part in parts)])

    return Booster(
        first_tree, bias, of("column"), of("threshold"), of("leaf"), np.array([depth], np.int32)
    )
