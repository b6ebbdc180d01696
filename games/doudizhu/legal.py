"""Move generation: the ids of the legal moves, ascending.

The moves of one category and length are generated from the rank mask of the tops that the hand
allows. Where the category has no kickers, each top is one move. Otherwise the moves of that top are
consecutive ids, and each is tested for being a subset of the hand; ids are written without a
branch, and a write that did not count is overwritten by the next.
"""

import numpy as np

from games.doudizhu.cards import BORROWS, CHAIN_RANKS, JOKERS, above, at_least, lowest
from games.doudizhu.moves import CHAIN_LENGTHS, MAIN_COPIES, PASS, Category, Rules
from games.kernels import kernel

SHORTEST = np.array(
    [CHAIN_LENGTHS[c].start if c in CHAIN_LENGTHS else 1 for c in Category], dtype=np.int8
)
"""int8 ``[15]``: the fewest main ranks in a row, by category."""
LONGEST = np.array(
    [CHAIN_LENGTHS[c].stop - 1 if c in CHAIN_LENGTHS else 1 for c in Category], dtype=np.int8
)
"""int8 ``[15]``: the most main ranks in a row, by category."""
CHAINS = np.array([c in CHAIN_LENGTHS for c in Category])
"""bool ``[15]``: whether the category chains."""
HAS_KICKERS = np.array(["_" in c.name and "CHAIN" not in c.name for c in Category])
"""bool ``[15]``: whether the moves of the category have kickers."""


@kernel
def _append(
    rules: Rules,
    hand: np.uint64,
    category: int,
    length: int,
    tops: np.uint64,
    actions: np.ndarray,
    n: int,
) -> int:
    """Returns ``n`` plus the number of moves with these tops that the hand contains, written from
    ``actions[n]``.
    """
    guarded = hand | BORROWS
    while tops != np.uint64(0):
        top = lowest(tops)
        tops &= tops - np.uint64(1)
        begin = np.uint64(rules.first[category, length, top])
        if not HAS_KICKERS[category]:
            actions[n] = begin
            n += 1
            continue
        end = np.uint64(rules.first[category, length, top + 1])
        for move in range(begin, end):
            actions[n] = move
            n += ((guarded - rules.cards[move]) & BORROWS) == BORROWS
    return n


@kernel
def tops_of(hand: np.uint64, category: int, length: int) -> np.uint64:
    """Returns the rank mask of the tops of a category and length whose main cards the hand holds;
    not for the rocket.
    """
    tops = at_least(hand, MAIN_COPIES[category])
    if CHAINS[category]:
        run = tops & CHAIN_RANKS
        tops = run
        for k in range(1, length):
            tops &= run << np.uint64(4 * k)
    return tops


@kernel
def leads(rules: Rules, hand: np.uint64, actions: np.ndarray) -> int:
    """Returns the number of moves that the hand contains, pass excluded, written to ``actions``
    (int16 ``[max_legal]``).
    """
    n = 0
    for category in range(1, Category.ROCKET):
        for length in range(SHORTEST[category], LONGEST[category] + 1):
            tops = tops_of(hand, category, length)
            if tops == np.uint64(0):
                break
            n = _append(rules, hand, category, length, tops, actions, n)
    if hand & JOKERS == JOKERS:
        actions[n] = rules.first[Category.ROCKET, 1, 0]
        n += 1
    return n


@kernel
def replies(rules: Rules, hand: np.uint64, target: int, actions: np.ndarray) -> int:
    """Returns the number of moves that answer ``target``, pass included, written to ``actions``
    (int16 ``[max_legal]``).
    """
    category = rules.category[target]
    actions[0] = PASS
    n = 1
    if category != Category.ROCKET:
        length = rules.length[target]
        tops = tops_of(hand, category, length) & above(rules.top[target])
        n = _append(rules, hand, category, length, tops, actions, n)
        if category != Category.BOMB:
            n = _append(rules, hand, Category.BOMB, 1, at_least(hand, 4), actions, n)
        if hand & JOKERS == JOKERS:
            actions[n] = rules.first[Category.ROCKET, 1, 0]
            n += 1
    return n


@kernel
def legal_moves(rules: Rules, hand: np.uint64, target: int, actions: np.ndarray) -> int:
    """Returns the number of legal moves against ``target`` (0: a lead), written, ascending, to
    ``actions``.
    """
    if target == PASS:
        return leads(rules, hand, actions)
    return replies(rules, hand, target, actions)
