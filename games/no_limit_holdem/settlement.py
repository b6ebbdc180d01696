"""The winnings of each seat at the end of a hand: the main pot and the side pots, shared as in
PokerKit. No card is read.
"""

import numpy as np

from games.kernels import borrowed, kernel
from games.no_limit_holdem.state import Rules, States


@kernel
def settle(rules: Rules, states: States, i: int, strengths: np.ndarray, out: np.ndarray) -> None:
    """Writes the net chips that each seat wins at the end of a hand to ``out`` (float64 ``[S]``).

    Chips are won pot by pot: the main pot, then a side pot for each all-in amount. Antes belong to
    the main pot. As in PokerKit, players who win no part of any pot are removed first, pots with
    the same remaining players are shared as one, and odd chips go to the winner in the lowest seat.

    Args:
        strengths: int32 ``[S]``, strength of each hand, larger is better; ignored for seats that
            have folded.
    """
    row = borrowed(states)
    paid, ante, folded = row.paid[i], row.ante[i], row.folded[i]
    seats = paid.size
    alive, level, top = np.int64(0), np.int64(-1), np.int64(0)
    while True:
        following, best = np.int64(2**40), np.int64(-1)
        for seat in range(seats):
            if not folded[seat] and paid[seat] - ante[seat] > level:
                following = min(following, np.int64(paid[seat] - ante[seat]))
                best = max(best, np.int64(strengths[seat]))
        if best < 0:
            break
        level = following
        for seat in range(seats):
            if not folded[seat] and paid[seat] - ante[seat] >= level and strengths[seat] == best:
                alive |= np.int64(1) << seat
                top = max(top, np.int64(paid[seat] - ante[seat]))
    for seat in range(seats):
        out[seat] = -paid[seat]
    level = np.int64(-1)
    while level < top:
        following, best, winners = np.int64(2**40), np.int64(-1), np.int64(0)
        for seat in range(seats):
            if (alive >> seat) & 1 and paid[seat] - ante[seat] > level:
                following = min(following, np.int64(paid[seat] - ante[seat]))
                if strengths[seat] > best:
                    best, winners = np.int64(strengths[seat]), np.int64(0)
                winners += strengths[seat] == best
        base = np.int64(max(level, 0))
        amount, end = np.int64(0), following if following < top else np.int64(2**40)
        for seat in range(seats):
            amount += min(max(np.int64(paid[seat] - ante[seat]) - base, np.int64(0)), end - base)
            if level < 0:
                amount += ante[seat]
        share = amount // winners
        rest = amount - share * winners
        for seat in range(seats):
            if (alive >> seat) & 1 and paid[seat] - ante[seat] > level and strengths[seat] == best:
                out[seat] += share + rest
                rest = np.int64(0)
        level = following
