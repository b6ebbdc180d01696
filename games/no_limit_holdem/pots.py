"""The main pot and the side pots as displayed, at any point of a hand."""

from typing import TypedDict

import numpy as np

from games.no_limit_holdem.state import States


class Pot(TypedDict):
    """A pot: its chips, and the seats that can win it."""

    chips: int
    seats: list[int]


def pots(states: States, row: int) -> list[Pot]:
    """Returns the pots of a row, the main pot first: ``chips``, and ``seats``, those that can win
    it.

    A side pot begins above each amount for which a seat still in the hand went all-in; antes belong
    to the main pot. During a betting round, its bets are included as they are, and a seat that has
    not folded is assumed to be able to call. The pots sum to the chips paid.
    """
    bets = (states.paid[row] - states.ante[row]).astype(np.int64)
    stays, behind = states.folded[row] == 0, states.stacks[row]
    levels = sorted(
        {
            int(bet)
            for bet, chips, is_in in zip(bets, behind, stays, strict=True)
            if is_in and chips == 0
        }
    )
    if not levels or (bets[stays] > levels[-1]).any() or ((behind > 0) & stays).sum() > 1:
        levels.append(max(int(bets.max()), levels[-1] + 1 if levels else 0))
    found: list[Pot] = []
    below = 0
    for k, level in enumerate(levels):
        top = level if k < len(levels) - 1 else max(level, int(bets.max()))
        chips = int((np.minimum(bets, top) - np.minimum(bets, below)).sum()) + (
            int(states.ante[row].sum()) if k == 0 else 0
        )
        can_win = stays & ((bets >= level) | (behind > 0))
        if chips:
            found.append({"chips": chips, "seats": np.flatnonzero(can_win).tolist()})
        below = top
    return found
