"""Learns the trees of a model with scikit-learn's histogram gradient boosting, and writes them as
flat arrays.

Only this module imports scikit-learn: playing with a trained model does not need it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fpmcts.no_limit_holdem.opponents.dataset import (
    Examples,
    Players,
    keep_of,
    make_examples,
    mean_player,
    playable,
)
from fpmcts.no_limit_holdem.opponents.features import NUM_COLUMNS, NUM_FEATURES
from fpmcts.no_limit_holdem.opponents.model import (
    BET,
    FOLD_AFTER,
    FOLD_BEFORE,
    NUM_ACTIONS,
    NUM_BOOSTERS,
    NUM_RANKS,
    NUM_ROWS,
    NUM_SIZES,
    RAISE_AFTER,
    RAISE_BEFORE,
    RANKS,
    SIZES,
    Booster,
    OpponentModel,
    frequencies,
    no_booster,
)
from fpmcts.no_limit_holdem.opponents.model_file import Learned
from fpmcts.no_limit_holdem.opponents.statistics import WINDOW
from games.base.settings import ConfigError, setting
from games.kernels.rows import take
from games.no_limit_holdem.phh import BadHandError

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

TREES, DEPTH = 80, 4
"""Trees of a booster of actions, and splits from the root to a leaf; a third as many trees for each
size, a fifth for each rank.
"""
LEAST_ROWS, L2, COLUMNS = 60, 5.0, 0.3
"""Minimum decisions in a leaf, L2 regularization of the leaves, and the share of the columns that a
split may choose from.
"""
HOLDOUT = 0.15
"""Share of the hands, the last ones, held out to score the model."""


@dataclass(frozen=True)
class LearnOptions:
    """How trees are learned.

    Attributes:
        name: ``opponent_model``.
        lr: Learning rate: the scale of each tree.
        window: Approximate number of hands that statistics of players cover.
    """

    name: str = "opponent_model"
    lr: float = setting(0.08, least=0.001, most=1)
    window: int = setting(WINDOW, least=10, most=1_000_000)


@dataclass(frozen=True)
class LearnTask:
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


_LEARNED = [LearnTask(name, first) for name, first in _ACTIONS]
TASKS = (
    *_LEARNED,
    LearnTask("size", SIZES, NUM_SIZES, 1 / 3),
    LearnTask("rank at showdown", RANKS, NUM_RANKS, 0.2),
    *(replace(t, name=f"{t.name}, without statistics", with_statistics=False) for t in _LEARNED),
)
"""All calls of the learner for a model."""


def cases(task: LearnTask, rows: Examples, shown: Examples) -> tuple[np.ndarray, np.ndarray]:
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


def learn(
    task: LearnTask, rows: Examples, shown: Examples, options: LearnOptions, seed: int
) -> Booster:
    """Returns the boosters of a task. Where nobody ever had the choice, or all chose the same, they
    have no trees.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    columns, answers = cases(task, rows, shown)
    counts = np.bincount(answers, minlength=max(task.outputs, 2)).astype(np.float64)
    share = (counts + 0.5) / (counts + 0.5).sum()
    bias = np.log(share) if task.outputs > 1 else np.log(share[1:] / share[:1])
    if (counts > 0).sum() < 2 or len(answers) < 2 * LEAST_ROWS:
        return no_booster(task.outputs, DEPTH)._replace(bias=bias.astype(np.float32))
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"algorithm=opponent_model: {error.name} is not installed; pip install 'fpmcts[models]'"
        ) from error
    boosting = HistGradientBoostingClassifier(
        max_iter=max(1, round(TREES * task.share)),
        learning_rate=options.lr,
        max_depth=DEPTH,
        max_leaf_nodes=2**DEPTH,
        min_samples_leaf=LEAST_ROWS,
        l2_regularization=L2,
        max_features=COLUMNS,
        early_stopping=False,
        random_state=seed,
    )
    # One thread: the same sums in the same order, and no threads that wait for one another.
    with threadpool_limits(1):
        boosting.fit(columns[:, : NUM_COLUMNS if task.with_statistics else NUM_FEATURES], answers)
    return exported(boosting, bias)


def exported(boosting: "HistGradientBoostingClassifier", bias: np.ndarray) -> Booster:
    """Returns scikit-learn's trees as complete trees of depth ``DEPTH``.

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
    flat = [_complete(trees[k].nodes) for k in range(len(scored)) for trees in rounds]
    counts = np.zeros(outputs, np.int32)
    counts[scored] = len(rounds)
    column, threshold, leaf = (np.concatenate(part) for part in zip(*flat, strict=True))
    depth = np.array([DEPTH], np.int32)
    return Booster(_starts(counts), base.astype(np.float32), column, threshold, leaf, depth)


def _starts(counts: np.ndarray) -> np.ndarray:
    """Returns the start of each booster's trees, given their numbers."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _complete(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns column, threshold and leaf of a complete tree equivalent to scikit-learn's."""
    size = 2**DEPTH
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


def joined(learned: Mapping[int, Booster]) -> Booster:
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
    return Booster(_starts(counts), bias, column, threshold, leaf, np.array([DEPTH], np.int32))


class Material(NamedTuple):
    """The hands that a model is learned from and scored on.

    Attributes:
        prior: float32 ``[STATISTICS]``, the mean player of the learning hands.
        rows, shown: Decisions and shown hands to learn from.
        held, held_shown: Decisions and shown hands of the held-out hands.
        players: The players' counts over the learning hands.
        num_hands: Number of learning hands.
        problems: Hands that were left out.
    """

    prior: np.ndarray
    rows: Examples
    shown: Examples
    held: Examples
    held_shown: Examples
    players: Players
    num_hands: int
    problems: list[BadHandError]


def gather(paths: Sequence[str], options: LearnOptions) -> Material:
    """Returns the material of files. Raises ConfigError if there is too little to learn from."""
    problems: list[BadHandError] = []
    hands = playable(paths, problems)
    cut = len(hands) - int(len(hands) * HOLDOUT)
    prior, players, keep = mean_player(hands[:cut]), Players(), keep_of(options.window)
    rows, shown = make_examples(hands[:cut], prior, players, keep)
    if not len(rows.kind):
        raise ConfigError(
            f"hands={','.join(paths)}: {len(hands):,} hands without a single decision; expected "
            "hands that are played"
        )
    held, held_shown = make_examples(hands[cut:], prior, players.copy(), keep)
    return Material(prior, rows, shown, held, held_shown, players, cut, problems)


def assemble(
    material: Material, learned: Mapping[str, Booster], origin: Mapping[str, object]
) -> Learned:
    """Returns the model with its baselines.

    Args:
        learned: The boosters of each finished task, by its name.
    """

    def trees(with_statistics: bool) -> Booster:
        chosen = [task for task in TASKS if task.name in learned]
        parts = {t.first: learned[t.name] for t in chosen if t.with_statistics == with_statistics}
        return joined(parts)

    rows, sized = material.rows, take(material.rows, material.rows.size >= 0)
    ranks = np.bincount(material.shown.kind, minlength=NUM_RANKS) + 1.0
    model = OpponentModel(
        material.prior,
        frequencies(rows.row, rows.kind, (NUM_ROWS, NUM_ACTIONS)),
        frequencies(sized.round, sized.size, (4, NUM_SIZES), 20.0),
        (ranks / ranks.sum()).astype(np.float32),
        trees(True),
    )
    by_round = frequencies(rows.round, rows.kind, (4, NUM_ACTIONS))
    return Learned(model, model._replace(trees=trees(False)), by_round, material.players, origin)
