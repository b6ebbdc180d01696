"""Which moves can be beaten from a set of unseen cards, and which cards are a move as a whole."""

import numpy as np

from games.doudizhu.cards import JOKERS, above, at_least, contains, highest, lowest, size
from games.doudizhu.legal import HAS_KICKERS, LONGEST, SHORTEST, tops_of
from games.doudizhu.moves import PASS, RANK_SIZES, Category, Rules
from games.kernels import kernel

_MOST_CARDS = 20
_NO_BOMB = -1


def _lengths_by_size() -> np.ndarray:
    """Returns the length of a move by its size and category (int8 ``[21, 15]``), 0 where no move
    has that size.
    """
    lengths = np.zeros((_MOST_CARDS + 1, len(Category)), dtype=np.int8)
    for category in list(Category)[1:]:
        for length in range(SHORTEST[category], LONGEST[category] + 1):
            lengths[length * RANK_SIZES[category], category] = length
    return lengths


_LENGTHS = _lengths_by_size()


@kernel
def whole_move(rules: Rules, cards: np.uint64) -> int:
    """Returns the move that consists of exactly these cards (20 at most), ``PASS`` if there is
    none.
    """
    if cards == JOKERS:
        return np.int64(rules.first[Category.ROCKET, 1, 0])
    num_cards = size(cards)
    for category in range(1, Category.ROCKET):
        length = _LENGTHS[num_cards, category]
        if length == 0:
            continue
        tops = tops_of(cards, category, length)
        while tops != np.uint64(0):
            top = lowest(tops)
            tops &= tops - np.uint64(1)
            for move in range(
                rules.first[category, length, top], rules.first[category, length, top + 1]
            ):
                if rules.cards[move] == cards:
                    return np.int64(move)
    return np.int64(PASS)


@kernel
def beats(rules: Rules, move: int, target: int) -> bool:
    """Returns whether a move that is not pass may answer ``target`` (0: there is none to beat)."""
    if target == PASS or rules.category[move] == Category.ROCKET:
        return True
    if rules.category[move] == rules.category[target]:
        return rules.length[move] == rules.length[target] and rules.top[move] > rules.top[target]
    return rules.category[move] == Category.BOMB and rules.category[target] != Category.ROCKET


@kernel
def strongest_bomb(unseen: np.uint64, limit: int) -> int:
    """Returns the top rank of the highest unseen bomb or the rocket, -1 if no hand of ``limit``
    cards can hold one.
    """
    if limit >= 2 and unseen & JOKERS == JOKERS:
        return highest(unseen)
    if limit >= 4:
        return highest(at_least(unseen, 4))
    return np.int64(_NO_BOMB)


@kernel
def holds_top(rules: Rules, cards: np.uint64, category: int, length: int, top: int) -> bool:
    """Returns whether the cards contain a move of a category, length and top whose main cards they
    contain.
    """
    if not HAS_KICKERS[category]:
        return True
    for move in range(rules.first[category, length, top], rules.first[category, length, top + 1]):
        if contains(cards, rules.cards[move]):
            return True
    return False


@kernel
def highest_beater(rules: Rules, unseen: np.uint64, limit: int, category: int, length: int) -> int:
    """Returns the highest top of a category and length among the unseen cards, -1 if no hand of
    ``limit`` cards holds one.
    """
    if length * RANK_SIZES[category] > limit:
        return np.int64(-1)
    tops = tops_of(unseen, category, length)
    while tops != np.uint64(0):
        top = highest(tops)
        if holds_top(rules, unseen, category, length, top):
            return top
        tops &= ~above(top - 1)
    return np.int64(-1)


@kernel
def is_beatable(rules: Rules, unseen: np.uint64, limit: int, move: int) -> bool:
    """Returns whether unseen cards, at most ``limit`` of them in one hand, can beat a move that is
    not pass.
    """
    category = rules.category[move]
    if category == Category.ROCKET:
        return False
    bomb = strongest_bomb(unseen, limit)
    if category == Category.BOMB:
        return bomb > rules.top[move]
    return (
        bomb != _NO_BOMB
        or highest_beater(rules, unseen, limit, category, rules.length[move]) > rules.top[move]
    )
