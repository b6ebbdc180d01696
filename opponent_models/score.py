"""How well a model predicts decisions, sizes of raises, and the strength of hands at showdown.

Decisions: log-loss beside frequencies, a table of them, and the model without statistics, over those in which there was a choice.
Sizes are scored where somebody bet or raised and had a choice of amounts, hands where they were shown, beside the frequencies in
the hands that the model was learned from: of sizes by round, of strengths over all showdowns. Losses are means in nats. Errors
are those of a bootstrap over hands.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel
from opponent_models.dataset import Rows
from opponent_models.model import (
    NUM_ACTIONS,
    NUM_RANKS,
    NUM_SIZES,
    RANKS,
    SIZES,
    OpponentModel,
    action_row,
    bins_row,
)

ROUNDS = ("before the flop", "flop", "turn", "river")
ACTIONS = ("fold", "check or call", "bet or raise")
MODEL, WITHOUT, TABLE, BY_ROUND = "model", "without statistics", "table", "by round"
PREDICTORS = (MODEL, WITHOUT, TABLE, BY_ROUND)


class Scorer(NamedTuple):
    """What is compared, all learned from the same hands.

    Attributes:
        model: With statistics. without: The same learner without them.
        by_round: float32 ``[4, 3]``, frequencies of actions.
    """

    model: OpponentModel
    without: OpponentModel
    by_round: np.ndarray


class Bin(NamedTuple):
    """Decisions of about the same foretold probability: mean foretold, share observed, and how many."""

    told: float
    seen: float
    cases: int


@kernel
def _predict(
    model: OpponentModel, columns: np.ndarray, rows: np.ndarray, legal: np.ndarray, out: np.ndarray
) -> None:
    for n in range(len(rows)):
        action_row(model, columns[n], rows[n], legal[n] & 1 > 0, legal[n] & 2 > 0, out[n])


def predict(model: OpponentModel, rows: Rows) -> np.ndarray:
    """Returns the probabilities of fold, call and raise at each decision, float64 ``[N, 3]``."""
    out = np.zeros((len(rows.kind), NUM_ACTIONS))
    _predict(model, rows.columns, rows.row, rows.legal, out)
    return out


def predictions(scorer: Scorer, rows: Rows) -> dict[str, np.ndarray]:
    """Returns what each of PREDICTORS foretells, float64 ``[N, 3]``."""
    rounds = rows.columns[:, 0].astype(int)
    may = np.stack([rows.legal & 1 > 0, np.ones(len(rows.legal), bool), rows.legal & 2 > 0], axis=1)
    table, by_round = scorer.model.table[rows.row] * may, scorer.by_round[rounds] * may
    return {
        MODEL: predict(scorer.model, rows),
        WITHOUT: predict(scorer.without, rows),
        TABLE: table / table.sum(axis=1, keepdims=True),
        BY_ROUND: by_round / by_round.sum(axis=1, keepdims=True),
    }


def losses(chances: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Returns the log-loss of each decision in nats; a probability below 1e-9 counts as that."""
    return -np.log(np.maximum(chances[np.arange(len(kinds)), kinds], 1e-9))


def saved(
    loss: np.ndarray, base: np.ndarray, hands: np.ndarray, draws: int = 1_000, seed: int = 0
) -> tuple[float, float]:
    """Returns by what share a loss is below another one, and the standard error of that over hands (bootstrap)."""
    _, places = np.unique(hands, return_inverse=True)
    count = int(places.max()) + 1
    mine, theirs = np.bincount(places, loss, count), np.bincount(places, base, count)
    rng = np.random.default_rng(seed)
    drawn = np.empty(draws)
    for k in range(draws):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        drawn[k] = 1.0 - (times @ mine) / (times @ theirs)
    return float(1.0 - mine.sum() / theirs.sum()), float(drawn.std(ddof=1))


def calibration(
    chances: np.ndarray, kinds: np.ndarray, legal: np.ndarray, bins: int = 10
) -> dict[str, list[Bin]]:
    """Returns for each action how often it was made where it was foretold with about such a probability, where it was legal."""
    may = [legal & 1 > 0, np.ones(len(legal), bool), legal & 2 > 0]
    told: dict[str, list[Bin]] = {}
    for action, name in enumerate(ACTIONS):
        chance, made = chances[may[action], action], kinds[may[action]] == action
        which = np.minimum((chance * bins).astype(int), bins - 1)
        told[name] = [
            Bin(
                float(chance[which == b].mean()),
                float(made[which == b].mean()),
                int((which == b).sum()),
            )
            for b in range(bins)
            if (which == b).any()
        ]
    return told


def report(
    scorer: Scorer, rows: Rows, shown: Rows, names: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Returns a text (Markdown) and the same figures as a dictionary.

    Args:
        rows: Decisions. shown: Hands at showdown.
        names: Lines for the head of the report, such as the file.
    """
    foretold = predictions(scorer, rows)
    loss = {name: losses(chances, rows.kind) for name, chances in foretold.items()}
    rounds, hands = rows.columns[:, 0].astype(int), len(np.unique(rows.hand))
    figures: dict[str, Any] = {"decisions": len(rows.kind), "hands": hands}
    lines = [f"- {key}: {value}" for key, value in names.items()]
    lines += [
        f"- {len(rows.kind):,} decisions of {hands:,} hands; log-loss in nats, mean over decisions",
        "",
    ]
    lines += [f"| | decisions | {' | '.join(PREDICTORS)} | model below table |", "|---" * 7 + "|"]
    groups = [
        ("all", np.ones(len(rounds), bool)),
        *((name, rounds == k) for k, name in enumerate(ROUNDS)),
    ]
    groups += [(name, rows.kind == k) for k, name in enumerate(ACTIONS)]
    for name, chosen in groups:
        if not chosen.any():
            continue
        means = {key: float(values[chosen].mean()) for key, values in loss.items()}
        below = 1.0 - means[MODEL] / means[TABLE]
        figures[name] = means | {"decisions": int(chosen.sum())}
        cells = " | ".join(f"{means[key]:.4f}" for key in PREDICTORS)
        lines.append(f"| {name} | {chosen.sum():,} | {cells} | {100 * below:.2f} % |")
    lines.append("")
    for name in PREDICTORS[1:]:
        share, error = saved(loss[MODEL], loss[name], rows.hand)
        figures[f"below {name}"] = [share, error]
        lines.append(
            f"- the model's log-loss is {100 * share:.2f} ± {100 * error:.2f} % below: {name}"
        )
    share, error = saved(loss[TABLE], loss[BY_ROUND], rows.hand)
    lines.append(f"- the table's is {100 * share:.2f} ± {100 * error:.2f} % below: by round")
    lines += [
        "",
        "± is one standard error of a bootstrap over hands.",
        "",
        "Calibration: foretold, observed, decisions.",
        "",
    ]
    for name, found in calibration(foretold[MODEL], rows.kind, rows.legal).items():
        lines.append(
            f"- {name}: " + ", ".join(f"{b.told:.2f} {b.seen:.2f} ({b.cases:,})" for b in found)
        )
    more, bins = report_bins(scorer.model, rows, shown)
    return "\n".join(lines) + f"\n\n{more}", figures | bins


@kernel
def _predict_bins(
    model: OpponentModel, first: int, columns: np.ndarray, plain: np.ndarray, out: np.ndarray
) -> None:
    for n in range(len(columns)):
        bins_row(model, first, columns[n], plain[n], out[n])


def predict_bins(model: OpponentModel, first: int, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Returns what the boosters from ``first`` on say, SIZES or RANKS, and the frequencies: float64 ``[N, bins]`` each."""
    rounds = rows.columns[:, 0].astype(int)
    plain = (
        model.sizes[rounds] if first == SIZES else np.repeat(model.ranks[None], len(rounds), axis=0)
    )
    told = np.empty(plain.shape)
    _predict_bins(model, first, rows.columns, plain, told)
    return told, plain.astype(np.float64)


def report_bins(model: OpponentModel, rows: Rows, shown: Rows) -> tuple[str, dict[str, Any]]:
    """Returns a text (Markdown) about sizes and showdowns, and the same figures as a dictionary."""
    lines: list[str] = []
    figures: dict[str, Any] = {}
    raised = Rows(*(array[rows.size >= 0] for array in rows))
    for name, cases, bins, first, count, unit in (
        ("sizes of raises", raised, raised.size, SIZES, NUM_SIZES, "raises"),
        ("bins at showdown", shown, shown.kind, RANKS, NUM_RANKS, "hands shown"),
    ):
        if not len(bins):
            lines += [f"{name}: no {unit} to score", ""]
            continue
        mine, plain = (
            losses(chances, bins.astype(int)) for chances in predict_bins(model, first, cases)
        )
        share, error = saved(mine, plain, cases.hand)
        learned = model.trees.first[first + count] > model.trees.first[first]
        means = {"model": float(mine.mean()), "frequencies": float(plain.mean())}
        figures[name] = {"cases": len(mine), **means, "below": [share, error]}
        lines += [f"| {name} | {unit} | model | frequencies | model below |", "|---" * 5 + "|"]
        groups = [("all", np.ones(len(mine), bool))]
        if first == SIZES:
            groups += [(text, cases.columns[:, 0] == k) for k, text in enumerate(ROUNDS)]
        groups += [(f"bin {k}", bins == k) for k in range(count)]
        for text, chosen in groups:
            if chosen.any():
                a, b = float(mine[chosen].mean()), float(plain[chosen].mean())
                lines.append(
                    f"| {text} | {chosen.sum():,} | {a:.4f} | {b:.4f} | {100 * (1 - a / b):.2f} % |"
                )
        told = f"{name}: the model's log-loss is {100 * share:.2f} ± {100 * error:.2f} % below the frequencies"
        lines += [
            "",
            told
            if learned
            else f"{name}: the model has no trees for them, and answers by the frequencies",
            "",
        ]
    return "\n".join(lines), figures


def plot(scorer: Scorer, rows: Rows, path: str) -> None:
    """Draws the calibration of the model to a PNG; matplotlib must be installed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    told = calibration(predict(scorer.model, rows), rows.kind, rows.legal)
    for (name, bins), marker in zip(told.items(), "ov^", strict=True):
        seen = np.array([b.seen for b in bins])
        error = np.sqrt(np.maximum(seen * (1 - seen), 1e-9) / [b.cases for b in bins])
        axes.errorbar(
            [b.told for b in bins],
            seen,
            error,
            label=name,
            marker=marker,
            markersize=4,
            linewidth=1,
        )
    axes.set_xlabel("foretold")
    axes.set_ylabel("observed (± 1 standard error over decisions)")
    axes.set_title(
        f"{len(rows.kind):,} decisions of {len(np.unique(rows.hand)):,} hands", fontsize=10
    )
    axes.legend()
    FigureCanvasAgg(figure).print_png(path)
