"""What each seat wins at the end of a hand: the main pot and the side pots, as PokerKit shares
them. It reads no card.
"""

import numpy as np

from games.kernels import borrowed, kernel
from games.no_limit_holdem.state import Rules, States


@kernel
def settle(rules: Rules, states: States, i: int, strengths: np.ndarray, out: np.ndarray) -> None:
    """Writes the net chips that each seat wins at the end of a hand to ``out`` (float64 ``[S]``).

    Chips are won pot by pot: the main pot, then a side pot for each amount that somebody is all-in
    with. Antes belong to the main pot. Players whose hand wins no part of any pot are taken out
    first, so pots that the same players are left to share are shared as one. Chips that cannot be
    shared evenly go to the winner in the lowest seat. This is how PokerKit does it.

    Args:
        strengths: int32 ``[S]``, of the hands, larger is better; ignored where a seat has folded.
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
