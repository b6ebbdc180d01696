"""UCT whose ties are those that one scan over the actions finds.

Lisy 2014 says nothing of ties that are not exact, and the authors' program takes actions within 0.01 of the best. With a list
that the scan keeps as it goes, the curve of UCT in the paper's figure 2 comes out: an early fall, then a rise.
"""

from typing import Any, NamedTuple

import numpy as np

from games.dispatch import register
from games.kernels import kernel
from tabular import selection as selections
from tabular.hash_table import HEADER, Rows

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class RunningUCT(NamedTuple):
    """UCT with ties as one scan over the actions finds them, in their order.

    An action within the margin of the best *so far* joins the list of ties; one better by more than the margin begins it anew. So
    the list may keep actions that are further below the best than the margin.

    Attributes: see ``UCT``.
    """

    factor: float
    margin: float
    ahead: int
    gain: float
    shift: float
    roots: np.ndarray
    logs: np.ndarray


@kernel(inline="always")
def _running_best(margin: float, rows: Rows, place: int, num_actions: int, low: np.uint64) -> np.int64:
    """Returns a slot of the list of ``RunningUCT``, each with the same probability."""
    bonus = rows.words[place + 2]
    first = place + HEADER
    roots = 2 * (first + num_actions)
    best, ties, begun = -np.inf, np.int64(0), np.int64(0)
    for slot in range(num_actions):
        root = np.float64(rows.singles[roots + slot])
        value = root * (rows.words[first + slot] * root + bonus)
        if value > best + margin:
            ties, begun = np.int64(0), np.int64(slot)
        ties += np.int64(value >= best - margin)
        best = max(best, value)
    left = np.int64((low * np.uint64(ties)) >> _HALF)
    best, met, chosen = -np.inf, np.int64(0), begun
    for slot in range(begun, num_actions):
        root = np.float64(rows.singles[roots + slot])
        value = root * (rows.words[first + slot] * root + bonus)
        met += np.int64(value >= best - margin)
        chosen += np.int64(met <= left)
        best = max(best, value)
    return np.int64(chosen)


@kernel(forceinline=True)
def _select_running(
    selection: Any, rows: Rows, place: int, num_actions: int, bits: np.uint64, chances: np.ndarray, depth: int
) -> int:
    slot = int(_running_best(selection.margin, rows, place, num_actions, bits & _LOW))
    selections.count_action(selection, rows, place, num_actions, slot)
    return slot


selections.WIDTHS[RunningUCT] = selections.WIDTHS[selections.UCT]
for _generic, _implementation in zip(
    (selections.begin, selections.select, selections.credit, selections.weights, selections.values),
    (selections.begin_uct, _select_running, selections.credit_sum, selections.weights_uct, selections.values_uct),
    strict=True,
):
    register(_generic, RunningUCT, _implementation)  # type: ignore[arg-type]
