"""How well a model predicts decisions, sizes of raises, and the strength of hands at showdown.

Decisions with a choice: log-loss compared with frequencies by round, the table of frequencies, and
the model without statistics. Sizes are scored where somebody bet or raised and had a choice of
amounts, hands where they were shown; both are compared with frequencies in the learning hands: of
sizes by round, of strengths over all showdowns. Losses are means in nats. Errors are one standard
error over hands.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fpmcts.no_limit_holdem.opponents.dataset import Examples
from fpmcts.no_limit_holdem.opponents.model import (
    NUM_ACTIONS,
    NUM_RANKS,
    NUM_SIZES,
    RANKS,
    SIZES,
    OpponentModel,
    action_row,
    bins_row,
)
from fpmcts.no_limit_holdem.opponents.model_file import Learned
from fpmcts.plots import drawing
from games.kernels import kernel
from games.kernels.rows import take

ROUNDS = ("before the flop", "flop", "turn", "river")
ACTIONS = ("fold", "check or call", "bet or raise")
Json = dict[str, Any]


class Scored(NamedTuple):
    """N cases of one question.

    Attributes:
        name: Name of the question.
        unit: Name of a case, such as "decisions".
        losses: float64 ``[N]`` in nats by predictor, the model first.
        hands: int ``[N]``, the hand of each.
        groups: Masks of the cases that are reported separately.
    """

    name: str
    unit: str
    losses: Mapping[str, np.ndarray]
    hands: np.ndarray
    groups: Mapping[str, np.ndarray]


@kernel
def _predict(
    model: OpponentModel, columns: np.ndarray, rows: np.ndarray, legal: np.ndarray, out: np.ndarray
) -> None:
    for n in range(len(rows)):
        action_row(model, columns[n], rows[n], legal[n] & 1 > 0, legal[n] & 2 > 0, out[n])


def predict(model: OpponentModel, rows: Examples) -> np.ndarray:
    """Returns the probabilities of fold, call and raise at each decision, float64 ``[N, 3]``."""
    out = np.zeros((len(rows.kind), NUM_ACTIONS))
    _predict(model, rows.columns, rows.row, rows.legal, out)
    return out


@kernel
def _predict_bins(
    model: OpponentModel, first: int, columns: np.ndarray, plain: np.ndarray, out: np.ndarray
) -> None:
    for n in range(len(columns)):
        bins_row(model, first, columns[n], plain[n], out[n])


def predict_bins(
    model: OpponentModel, first: int, columns: np.ndarray, plain: np.ndarray
) -> np.ndarray:
    """Returns the probabilities from the boosters starting at ``first`` (SIZES or RANKS), float64
    ``[N, bins]``; without boosters ``plain``, frequencies of the same shape.
    """
    out = np.empty(plain.shape)
    _predict_bins(model, first, columns, plain, out)
    return out


def losses(chances: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Returns the log-loss of each case in nats; probabilities are raised to at least 1e-9."""
    return -np.log(np.maximum(chances[np.arange(len(answers)), answers], 1e-9))


def below(loss: np.ndarray, base: np.ndarray, hands: np.ndarray) -> tuple[float, float]:
    """Returns by what share a mean loss is below another, with its standard error: that of a ratio
    of two sums over hands, to first order.
    """
    _, hand = np.unique(hands, return_inverse=True)
    mine, theirs = np.bincount(hand, loss), np.bincount(hand, base)
    ratio = mine.sum() / theirs.sum()
    return float(1.0 - ratio), float(np.linalg.norm(mine - ratio * theirs) / theirs.sum())


def calibration(chances: np.ndarray, rows: Examples, bins: int = 10) -> dict[str, np.ndarray]:
    """Returns, for each action, the decisions where it was legal by bins of predicted probability:
    mean prediction, share observed and number of decisions, float64 ``[non-empty bins, 3]``.
    """
    found = {}
    for action, (name, may) in enumerate(zip(ACTIONS, rows.may.T, strict=True)):
        chance, made = chances[may, action], rows.kind[may] == action
        which = np.minimum((chance * bins).astype(int), bins - 1)
        cases, predicted, seen = (np.bincount(which, weights) for weights in (None, chance, made))
        held = cases > 0
        means = predicted[held] / cases[held], seen[held] / cases[held]
        found[name] = np.stack([*means, cases[held]], 1)
    return found


def questions(learned: Learned, rows: Examples, shown: Examples) -> Iterator[Scored]:
    """Yields the scored questions: decisions, sizes of raises, hands at showdown."""
    model, rounds = learned.model, {name: rows.round == k for k, name in enumerate(ROUNDS)}
    chances = {"model": predict(model, rows), "without statistics": predict(learned.without, rows)}
    for name, shares in (
        ("table", model.table[rows.row]),
        ("by round", learned.by_round[rows.round]),
    ):
        legal = shares * rows.may
        chances[name] = legal / legal.sum(axis=1, keepdims=True)
    found = {name: losses(chance, rows.kind) for name, chance in chances.items()}
    actions = {name: rows.kind == k for k, name in enumerate(ACTIONS)}
    yield Scored("decisions", "decisions", found, rows.hand, rounds | actions)
    raised = rows.size >= 0
    sizes, rounds = take(rows, raised), {name: of[raised] for name, of in rounds.items()}
    ranks = np.tile(model.ranks, (len(shown.kind), 1))
    for name, unit, cases, answers, first, plain, groups in (
        ("sizes of raises", "raises", sizes, sizes.size, SIZES, model.sizes[sizes.round], rounds),
        ("bins at showdown", "hands shown", shown, shown.kind, RANKS, ranks, {}),
    ):
        chance = predict_bins(model, first, cases.columns, plain)
        found = {"model": losses(chance, answers), "frequencies": losses(plain, answers)}
        bins = {f"bin {k}": answers == k for k in range(NUM_SIZES if first == SIZES else NUM_RANKS)}
        yield Scored(name, unit, found, cases.hand, groups | bins)


def report_of(scored: Scored) -> tuple[list[str], Json]:
    """Returns a table of mean losses (Markdown), and the same figures."""
    model, *others = scored.losses
    count = len(scored.hands)
    if not count:
        return [f"{scored.name}: no {scored.unit} to score", ""], {}
    base = "table" if "table" in others else others[0]
    names = " | ".join([*scored.losses, f"model below {base}"])
    lines = [f"| {scored.name} | {scored.unit} | {names} |", "|---" * (len(others) + 4) + "|"]
    figures: Json = {"cases": count, "hands": len(np.unique(scored.hands))}
    for name, chosen in {"all": np.ones(count, bool), **scored.groups}.items():
        if chosen.any():
            means = {key: float(loss[chosen].mean()) for key, loss in scored.losses.items()}
            figures[name] = means | {"cases": int(chosen.sum())}
            cells = " | ".join(f"{mean:.4f}" for mean in means.values())
            share = 1.0 - means[model] / means[base]
            lines.append(f"| {name} | {chosen.sum():,} | {cells} | {100 * share:.2f} % |")
    lines.append("")
    for name in others:
        share, error = below(scored.losses[model], scored.losses[name], scored.hands)
        figures[f"below {name}"] = [share, error]
        lines.append(
            f"- {scored.name}: the model's log-loss is {100 * share:.2f} ± {100 * error:.2f} % "
            f"below: {name}"
        )
    return [*lines, ""], figures


def report(
    learned: Learned, rows: Examples, shown: Examples, head: Mapping[str, object]
) -> tuple[str, Json]:
    """Returns a text (Markdown) and the same figures by question.

    Args:
        rows: Decisions.
        shown: Hands at showdown.
        head: Lines for the head of the report, such as the file.
    """
    lines = [f"- {key}: {value}" for key, value in head.items()]
    lines += ["- log-loss in nats, mean over cases; ± is one standard error over hands", ""]
    figures: Json = {}
    for scored in questions(learned, rows, shown):
        more, figures[scored.name] = report_of(scored)
        lines += more
    lines += ["Calibration: predicted, observed, decisions.", ""]
    for name, bins in calibration(predict(learned.model, rows), rows).items():
        lines.append(f"- {name}: " + ", ".join(f"{p:.2f} {q:.2f} ({n:,.0f})" for p, q, n in bins))
    return "\n".join(lines) + "\n", figures


def plot(model: OpponentModel, rows: Examples, path: Path) -> None:
    """Draws the calibration of the model to a PNG; matplotlib must be installed."""
    with drawing(path, (5, 5)) as (axes,):
        axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
        for name, bins in calibration(predict(model, rows), rows).items():
            predicted, seen, cases = bins.T
            error = np.sqrt(np.maximum(seen * (1 - seen), 1e-9) / cases)
            axes.errorbar(predicted, seen, error, label=name, marker="o", markersize=4, linewidth=1)
        axes.set(xlabel="predicted", ylabel="observed (± 1 standard error over decisions)")
        axes.legend()
