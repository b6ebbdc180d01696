"""The table of frequencies of fold, call and raise, by round, bet to call or not, raises so far in
the round, and seat.

The baseline of the learned models, and the predictor of a model without trees.
"""

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import to_call
from games.no_limit_holdem.state import Rules, States

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
