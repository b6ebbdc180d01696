"""RHCP's groups: the plays that it knows, what they are worth, and which of them compete for a lead
or a reply.

A *group* is a set of cards that RHCP sees as one play. Groups are moves, but not every move is a
group: the solo kickers of a plane are of distinct ranks. Candidates are written in the order in
which RHCP tries them. Cards are packed sets (uint64), and a *row* is a rank mask without a gap. The
rules are in ``games/doudizhu/players/rhcp.py``.
"""

import numpy as np

from games.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    JOKERS,
    LITTLE_JOKER,
    NUM_RANKS,
    above,
    at_least,
    count,
    highest,
    lowest,
    row_of,
    size,
)
from games.doudizhu.legal import LONGEST, SHORTEST
from games.doudizhu.moves import MAIN_COPIES, Category
from games.kernels import kernel

NO_CARDS = np.uint64(0)
_KICKERS = {
    Category.TRIO_SOLO: ((1,),),
    Category.TRIO_PAIR: ((2,),),
    Category.PLANE_SOLOS: ((1,),),
    Category.PLANE_PAIRS: ((2,),),
    Category.FOUR_SOLOS: ((1, 1), (2,)),
    Category.FOUR_PAIRS: ((2, 2),),
}
"""Cards of the kickers beside each main rank, in every way that they can be held."""
_KICKER_SIZE = np.array([_KICKERS.get(category, ((0,),))[0][0] for category in Category])
"""int64 ``[15]``: cards in each kicker, by category."""
_CHAINS = (Category.PASS, Category.SOLO_CHAIN, Category.PAIR_CHAIN, Category.TRIO_CHAIN)
_SHORTEST_CHAIN = SHORTEST[list(_CHAINS)]
"""int8 ``[4]``: the fewest ranks in a chain of solos, pairs and trios."""
_ADDED = np.array([-10, -10, -10, -10, -10, -10, -9, -9, -2, -2, -2, -3, -3, 4, 3])
_HALVED = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
"""int64 ``[15]``, by category: what the value of a group adds to its rank, and whether it is half
of that.
"""


@kernel
def _is_row(ranks: np.uint64) -> bool:
    """Returns whether the ranks of a mask, not empty, are in a row of 3 to A: adding one to the row
    carries beyond it.
    """
    filled = ranks * np.uint64(15)
    return (ranks & ~CHAIN_RANKS) == NO_CARDS and (
        (filled + (ranks & (~ranks + np.uint64(1)))) & filled
    ) == NO_CARDS


def _categories() -> np.ndarray:
    """Returns the category of a group by how many ranks it has once, twice, three and four times
    (int8 ``[16, 11, 7, 6]``), pass where there is none.
    """
    table = np.zeros((16, 11, 7, 6), np.int8)
    for category in list(Category)[1 : Category.ROCKET]:
        for kickers in _KICKERS.get(category, ((),)):
            for length in range(SHORTEST[category], LONGEST[category] + 1):
                copies = (MAIN_COPIES[category], *kickers) * length
                table[tuple(copies.count(k) for k in range(1, 5))] = category
    return table


_CATEGORIES = _categories()


@kernel
def classify(cards: np.uint64) -> tuple[int, int, int]:
    """Returns (category, length, top) of a group, (0, 0, 0) for any other set of cards.

    Kickers of planes are of distinct ranks here: RHCP does not see the other planes. The jokers are
    not kickers together.
    """
    if cards & JOKERS == JOKERS:
        return (np.int64(Category.ROCKET), 1, BIG_JOKER) if cards == JOKERS else (np.int64(0), 0, 0)
    one, two, three, four = (
        at_least(cards, 1),
        at_least(cards, 2),
        at_least(cards, 3),
        at_least(cards, 4),
    )
    category = np.int64(
        _CATEGORIES[size(one ^ two), size(two ^ three), size(three ^ four), size(four)]
    )
    main = at_least(cards, MAIN_COPIES[category])
    length = size(main)
    if category == Category.PASS or (length > 1 and not _is_row(main)):
        return np.int64(0), 0, 0
    return category, length, lowest(main) + length - 1


@kernel
def group_value(category: int, top: int) -> int:
    """Returns the value of a group; the ranks of ``games/doudizhu/players/rhcp.py`` are ``top`` +
    3.
    """
    return (top + 3 + _ADDED[category]) >> _HALVED[category]


@kernel
def _add_groups(
    hand: np.uint64, row: np.uint64, copies: int, kicker: int, out: np.ndarray, n: int
) -> int:
    """Writes the groups of ``copies`` cards at each rank of the row, with a kicker of ``kicker``
    cards (0 = none) for each.

    The kickers are of distinct ranks outside the row, every choice in the order of a dictionary;
    both jokers are not a choice. Returns the new end of ``out``. Level k of the loop extends the
    choices of k kickers, in out[begin:end], by one more.
    """
    main = row * np.uint64(copies)
    out[n] = main
    begin, end = n, n + 1
    if kicker > 0:
        others = at_least(hand, kicker) & ~row
        for _ in range(size(row)):
            extended = end
            for k in range(begin, end):
                choices = others & above(highest(out[k] - main))
                while choices != NO_CARDS:
                    out[extended] = out[k] + np.uint64(kicker) * row_of(lowest(choices), 1)
                    extended += 1
                    choices &= choices - np.uint64(1)
            begin, end = end, extended
    for k in range(begin, end):
        out[n] = out[k]
        n += out[k] & JOKERS != JOKERS
    return n


@kernel
def _add_kicked_trios(
    hand: np.uint64, start: int, trios: np.uint64, out: np.ndarray, n: int
) -> int:
    """Writes the groups with kickers whose lowest trio is ``start``; returns the new end of
    ``out``.
    """
    n = _add_groups(hand, row_of(start, 1), 3, 1, out, n)
    n = _add_groups(hand, row_of(start, 1), 3, 2, out, n)
    for kicker, longest in ((1, 4), (2, 3)):
        for length in range(2, longest + 1):
            row = row_of(start, length)
            if row & trios & CHAIN_RANKS != row:
                break
            n = _add_groups(hand, row, 3, kicker, out, n)
    return n


@kernel
def lead_candidates(hand: np.uint64, out: np.ndarray, n: int) -> int:
    """Writes the groups that compete for the lead from a hand that is not a group, from ``out[n]``;
    returns the new end.
    """
    begin = n
    fours = at_least(hand, 4)
    trios = at_least(hand, 3) & ~fours
    for start in range(LITTLE_JOKER):
        if row_of(start, 1) & trios != NO_CARDS:
            n = _add_kicked_trios(hand, start, trios, out, n)
    if n > begin:
        return n
    loose = at_least(hand, 1) & ~fours & ~JOKERS
    if loose != NO_CARDS:
        rank = lowest(loose)
        for copies in range(1, count(hand, rank) + 1):
            n = _add_groups(hand, row_of(rank, 1), copies, 0, out, n)
        for copies in range(1, count(hand, rank) + 1):
            held = at_least(hand, copies) & CHAIN_RANKS
            length = _SHORTEST_CHAIN[copies]
            while rank + length <= LITTLE_JOKER and row_of(rank, length) & held == row_of(
                rank, length
            ):
                n = _add_groups(hand, row_of(rank, length), copies, 0, out, n)
                length += 1
        return n
    joker = hand & JOKERS
    out[n] = (
        joker if joker != NO_CARDS and joker != JOKERS else row_of(lowest(fours), 1) * np.uint64(4)
    )
    return n + 1


@kernel
def reply_candidates(hand: np.uint64, category: int, length: int, top: int, out: np.ndarray) -> int:
    """Returns the number of groups of the same category and length above ``top``, written to
    ``out``; none for four + two.
    """
    if (
        category == Category.FOUR_SOLOS
        or category == Category.FOUR_PAIRS
        or category == Category.ROCKET
    ):
        return 0
    copies, kicker = MAIN_COPIES[category], _KICKER_SIZE[category]
    held = at_least(hand, copies)
    if length > 1:
        held &= CHAIN_RANKS
        if kicker > 0:
            held &= ~at_least(hand, 4)
    n = 0
    for start in range(top - length + 2, NUM_RANKS - length + 1):
        row = row_of(start, length)
        if row & held == row:
            n = _add_groups(hand, row, copies, kicker, out, n)
    return n
