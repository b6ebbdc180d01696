"""How well a model foretells the sizes of raises, and the strength of hands at showdown, beside frequencies.

Sizes are scored where somebody bet or raised and had a choice of amounts, hands where they were shown. The frequencies are those
of the hands that the model was learned from: of sizes by round, of strengths over all showdowns. Losses are in nats a case.
"""

from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel
from opponent_models.dataset import Rows
from opponent_models.model import NUM_RANKS, NUM_SIZES, RANKS, SIZES, OpponentModel, bins_row
from opponent_models.score import ROUNDS, losses, saved


class Cases(NamedTuple):
    """N cases.

    Attributes:
        told: float64 ``[N, K]``, the model's probabilities. plain: The same of the frequencies.
        bins: int ``[N]``, what happened. rounds: int ``[N]``. hands: int ``[N]``, numbers of the hands.
    """

    told: np.ndarray
    plain: np.ndarray
    bins: np.ndarray
    rounds: np.ndarray
    hands: np.ndarray


@kernel
def _predict(model: OpponentModel, first: int, columns: np.ndarray, plain: np.ndarray, out: np.ndarray) -> None:
    for n in range(len(columns)):
        bins_row(model, first, columns[n], plain[n], out[n])


def size_cases(model: OpponentModel, rows: Rows) -> Cases:
    """Returns the bets and raises of decisions."""
    chosen = rows.size >= 0
    rounds = rows.columns[chosen, 0].astype(int)
    plain = model.sizes[rounds]
    told = np.empty((len(rounds), NUM_SIZES))
    _predict(model, SIZES, rows.columns[chosen], plain, told)
    return Cases(told, plain.astype(np.float64), rows.size[chosen].astype(int), rounds, rows.hand[chosen])


def showdown_cases(model: OpponentModel, shown: Rows) -> Cases:
    """Returns the hands that were shown."""
    plain = np.broadcast_to(model.ranks, (len(shown.kind), NUM_RANKS))
    told = np.empty(plain.shape)
    _predict(model, RANKS, shown.columns, np.ascontiguousarray(plain), told)
    rounds = np.full(len(shown.kind), len(ROUNDS) - 1)
    return Cases(told, plain.astype(np.float64), shown.kind.astype(int), rounds, shown.hand)


def report(model: OpponentModel, rows: Rows, shown: Rows) -> tuple[str, dict[str, Any]]:
    """Returns a text (Markdown) and the same figures as a dictionary, by what is foretold."""
    lines: list[str] = []
    figures: dict[str, Any] = {}
    for name, found, first, count, unit in (
        ("sizes of raises", size_cases(model, rows), SIZES, NUM_SIZES, "raises"),
        ("bins at showdown", showdown_cases(model, shown), RANKS, NUM_RANKS, "hands shown"),
    ):
        if not len(found.bins):
            lines += [f"{name}: no {unit} to score", ""]
            continue
        mine, plain = losses(found.told, found.bins), losses(found.plain, found.bins)
        share, error = saved(mine, plain, found.hands)
        learned = model.trees.first[first + count] > model.trees.first[first]
        figures[name] = {
            "cases": len(mine), "model": float(mine.mean()), "frequencies": float(plain.mean()), "below": [share, error],
        }  # fmt: skip
        lines += [f"| {name} | {unit} | model | frequencies | model below |", "|---" * 5 + "|"]
        groups = [("all", np.ones(len(mine), bool))]
        if first == SIZES:
            groups += [(text, found.rounds == k) for k, text in enumerate(ROUNDS)]
        groups += [(f"bin {k}", found.bins == k) for k in range(count)]
        for text, chosen in groups:
            if chosen.any():
                a, b = float(mine[chosen].mean()), float(plain[chosen].mean())
                lines.append(f"| {text} | {chosen.sum():,} | {a:.4f} | {b:.4f} | {100 * (1 - a / b):.2f} % |")
        told = f"{name}: the model's log-loss is {100 * share:.2f} ± {100 * error:.2f} % below the frequencies"
        lines += ["", told if learned else f"{name}: the model has no trees for them, and answers by the frequencies", ""]
    return "\n".join(lines), figures
