"""RHCP's groups: the plays that it knows, what they are worth, and which of them compete for a lead
or a reply.

A *group* is a set of cards that RHCP sees as one play. Groups are moves, but not every move is a
group: the solo kickers of a plane are of distinct ranks. Candidates are written in the order in
    which RHCP tries them. Cards are packed sets (uint64), and a
*row* is a rank mask without a gap. The rules are in ``agents/doudizhu/rhcp.py``.
"""

import numpy as np

from games.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    LITTLE_JOKER,
    NUM_RANKS,
    ONES,
    above,
    at_least,
    count,
    highest,
    lowest,
    size,
)
from games.doudizhu.legal import JOKERS
from games.doudizhu.moves import MAIN_COPIES, Category, Rules
from games.kernels import kernel

NO_CARDS = np.uint64(0)
SHORTEST_CHAIN = np.array([0, 5, 3, 2])
"""int64 ``[4]``: the fewest ranks in a chain of solos, pairs and trios."""
KICKER_SIZE = np.zeros(len(Category), np.int64)
"""int64 ``[15]``: cards in each kicker beside trios, by category."""
KICKER_SIZE[[Category.TRIO_SOLO, Category.PLANE_SOLOS]] = 1
KICKER_SIZE[[Category.TRIO_PAIR, Category.PLANE_PAIRS]] = 2


@kernel
def row_of(start: int, length: int) -> np.uint64:
    """Returns the rank mask of ``length`` (1 to 12) ranks in a row."""
    return (ONES & ((np.uint64(1) << np.uint64(4 * length)) - np.uint64(1))) << np.uint64(4 * start)


@kernel
def _is_row(ranks: np.uint64) -> bool:
    """Returns whether the ranks of a mask, not empty, are in a row of 3 to A: adding one to the row
    carries beyond it.
    """
    filled = ranks * np.uint64(15)
    return (ranks & ~CHAIN_RANKS) == NO_CARDS and (
        (filled + (ranks & (~ranks + np.uint64(1)))) & filled
    ) == NO_CARDS


@kernel
def classify(cards: np.uint64) -> tuple[int, int, int]:
    """Returns (category, length, top) of a group, (0, 0, 0) for any other set of cards.

    Kickers of planes are of distinct ranks here: RHCP does not see the other planes. The jokers are
    not kickers together.
    """
    one, two, three, four = (
        at_least(cards, 1),
        at_least(cards, 2),
        at_least(cards, 3),
        at_least(cards, 4),
    )
    solos, pairs, trios, fours = size(one ^ two), size(two ^ three), size(three ^ four), size(four)
    jokers_kick = cards & JOKERS == JOKERS
    category, length, main = Category.PASS, 1, one
    if fours == 1 and trios == 0:
        main = four
        if solos == 0 and pairs == 0:
            category = Category.BOMB
        elif solos + 2 * pairs == 2 and not jokers_kick:
            category = Category.FOUR_SOLOS
        elif solos == 0 and pairs == 2:
            category = Category.FOUR_PAIRS
    elif fours == 0 and trios > 0:
        main, length = three, trios
        if trios == 1 or _is_row(three):
            if solos == 0 and pairs == 0:
                category = Category.TRIO if trios == 1 else Category.TRIO_CHAIN
            elif solos == trios and pairs == 0 and not jokers_kick:
                category = Category.TRIO_SOLO if trios == 1 else Category.PLANE_SOLOS
            elif pairs == trios and solos == 0:
                category = Category.TRIO_PAIR if trios == 1 else Category.PLANE_PAIRS
    elif fours == 0 and solos == 0 and pairs > 0:
        length = pairs
        if pairs == 1:
            category = Category.PAIR
        elif pairs >= SHORTEST_CHAIN[2] and _is_row(two):
            category = Category.PAIR_CHAIN
    elif fours == 0 and pairs == 0 and solos > 0:
        length = solos
        if solos == 1:
            category = Category.SOLO
        elif cards == JOKERS:
            return Category.ROCKET, 1, BIG_JOKER
        elif solos >= SHORTEST_CHAIN[1] and _is_row(one):
            category = Category.SOLO_CHAIN
    if category == Category.PASS:
        return 0, 0, 0
    return category, length, lowest(main) + length - 1


@kernel
def group_value(category: int, top: int) -> int:
    """Returns the value of a group; the ranks of ``agents/doudizhu/rhcp.py`` are ``top`` + 3."""
    rank = top + 3
    if category == Category.ROCKET:
        return 20
    if category == Category.BOMB:
        return rank + 4
    if category == Category.FOUR_SOLOS or category == Category.FOUR_PAIRS:
        return (rank - 3) // 2
    if category == Category.SOLO_CHAIN or category == Category.PAIR_CHAIN:
        return rank - 9
    if (
        category == Category.TRIO_CHAIN
        or category == Category.PLANE_SOLOS
        or category == Category.PLANE_PAIRS
    ):
        return (rank - 2) // 2
    return rank - 10


@kernel
def _add_groups(
    hand: np.uint64, row: np.uint64, copies: int, kicker: int, out: np.ndarray, n: int
) -> int:
    """Writes the groups of ``copies`` cards at each rank of the row, with a kicker of ``kicker``
    cards (0 = none) for each.

    The kickers are of distinct ranks outside the row, every choice in the order of a dictionary;
    both jokers are no choice. Returns the new end of ``out``. Level k of the loop extends the
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
    """Writes the groups that compete for the lead from a hand that is no group, from ``out[n]``;
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
            length = SHORTEST_CHAIN[copies]
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
    copies, kicker = MAIN_COPIES[category], KICKER_SIZE[category]
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


@kernel
def find_move(rules: Rules, cards: np.uint64) -> int:
    """Returns the id of a group, pass for no cards. The moves of one category, length and top have
    consecutive ids.
    """
    category, length, top = classify(cards)
    move: int = rules.first[category, length, top]
    while rules.cards[move] != cards:
        move += 1
    return move
