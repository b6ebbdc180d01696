"""The rule sets: every move there is, from first principles, as tables indexed by move id.

Id 0 is pass. The others are ordered by category, then length, then top rank, then the cards of the
kickers, so the moves that differ in their kickers alone are consecutive. Bombs and the rocket come
last: a move doubles the stake if its id is at least ``first[Category.BOMB, 1, 0]``.

Kickers of a plane come from outside its trios. Solo kickers may repeat a rank up to three times (a
fourth would be a bomb inside the move), but three of a kind may not extend the chain of trios. Pair
kickers are of distinct ranks. Every set of cards therefore has one reading.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import (
    ACE,
    BIG_JOKER,
    JOKERS,
    LITTLE_JOKER,
    NUM_RANKS,
    cards_text,
    pack,
    parse_cards,
    row_of,
)
from games.kernels import kernel

PASS = 0
"""The move id of passing."""

RULE_SETS = ("standard", "douzero", "botzone")


class Category(IntEnum):
    """What a move is; only moves of one category and length compare by their top rank."""

    PASS = 0
    SOLO = 1
    PAIR = 2
    TRIO = 3
    TRIO_SOLO = 4
    TRIO_PAIR = 5
    SOLO_CHAIN = 6
    PAIR_CHAIN = 7
    TRIO_CHAIN = 8
    PLANE_SOLOS = 9
    PLANE_PAIRS = 10
    FOUR_SOLOS = 11
    FOUR_PAIRS = 12
    BOMB = 13
    ROCKET = 14


CHAIN_LENGTHS = {
    Category.SOLO_CHAIN: range(5, 13),
    Category.PAIR_CHAIN: range(3, 11),
    Category.TRIO_CHAIN: range(2, 7),
    Category.PLANE_SOLOS: range(2, 6),
    Category.PLANE_PAIRS: range(2, 5),
}
"""Ranks in a row, for the categories that chain; a move has at most 20 cards."""

MAIN_COPIES = np.array([0, 1, 2, 3, 3, 3, 1, 2, 3, 3, 3, 4, 4, 4, 1], dtype=np.int8)
"""int8 ``[15]``: cards per main rank, by category."""

RANK_SIZES = np.array([0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6, 8, 4, 2], dtype=np.int8)
"""int8 ``[15]``: cards per rank of the length, kickers included, by category."""

MAX_LEGAL = 520
"""Room for the legal moves of a state: 519 at most, of 333444555666789TJQKA (every hand of 20 cards
was tried), and one for the generator's last write, which may not count.
"""


class Rules(NamedTuple):
    """A rule set with an observation encoding and the rules of the auction; M moves with pass.

    Attributes:
        cards: uint64 ``[M]``, the packed cards of each move.
        category: int8 ``[M]``, a ``Category``.
        top: int8 ``[M]``, the highest main rank, which is what compares; -1 for pass.
        length: int8 ``[M]``, the number of main ranks in a row: 1 unless the category chains, 0 for
            pass.
        size: int8 ``[M]``, the number of cards.
        first: int16 ``[15, 13, 16]``: the moves of a category and length with top rank t are the
            ids from ``first[category, length, t]`` up to but not including ``first[category,
            length, t + 1]``.
        encoding: An ``observe.Encoding``.
        bidding: A place in ``auction.BIDDINGS``.
        doubling: A place in ``auction.DOUBLINGS``.
        forced: Whether seat 0 becomes the landlord, as if it had called 1, when nobody calls.
    """

    cards: np.ndarray
    category: np.ndarray
    top: np.ndarray
    length: np.ndarray
    size: np.ndarray
    first: np.ndarray
    encoding: int
    bidding: int = 0
    doubling: int = 0
    forced: bool = False


def _solo_kickers(
    main: tuple[int, ...], copies: int, count: int, rules: str
) -> Iterator[tuple[int, ...]]:
    """Yields the ranks of every choice of solo kickers beside main ranks that are held ``copies``
    times.
    """
    others = [rank for rank in range(NUM_RANKS) if rank not in main]
    extends = (
        {rank for rank in (main[0] - 1, main[-1] + 1) if rank <= ACE} if copies == 3 else set()
    )
    for ranks in combinations_with_replacement(others, count):
        held = {rank: ranks.count(rank) for rank in ranks}
        jokers = (held.get(LITTLE_JOKER, 0), held.get(BIG_JOKER, 0))
        most = 1 if rules == "botzone" else 3
        if max(held.values()) > most or max(jokers) > 1:
            continue
        if jokers == (1, 1) and rules == "standard":
            continue
        if not any(held.get(rank) == 3 for rank in extends):
            yield ranks


def _pair_kickers(main: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    """Yields the ranks, each twice, of every choice of pair kickers."""
    for ranks in combinations([rank for rank in range(LITTLE_JOKER) if rank not in main], count):
        yield tuple(sorted(2 * ranks))


def _kickers(category: Category, main: tuple[int, ...], rules: str) -> Iterator[tuple[int, ...]]:
    """Yields the ranks of every choice of kickers, one empty choice where a category has none."""
    if category in (Category.TRIO_SOLO, Category.PLANE_SOLOS):
        yield from _solo_kickers(main, 3, len(main), rules)
    elif category in (Category.TRIO_PAIR, Category.PLANE_PAIRS):
        yield from _pair_kickers(main, len(main))
    elif category == Category.FOUR_SOLOS:
        yield from _solo_kickers(main, 4, 2, rules)
    elif category == Category.FOUR_PAIRS:
        yield from _pair_kickers(main, 2)
    else:
        yield ()


def _mains(category: Category, length: int) -> Iterator[tuple[int, ...]]:
    """Yields the main ranks of the moves of a category and length, ascending."""
    if category == Category.ROCKET:
        yield (LITTLE_JOKER, BIG_JOKER)
        return
    highest = (
        ACE
        if category in CHAIN_LENGTHS
        else BIG_JOKER
        if category == Category.SOLO
        else LITTLE_JOKER - 1
    )
    for start in range(highest - length + 2):
        yield tuple(range(start, start + length))


@cache
def rule_set(name: str = "standard", encoding: int = 0) -> Rules:
    """Returns the tables of a rule set (see ``RULE_SETS``).

    ``standard`` has 27,471 moves and pass. In ``douzero`` both jokers may also be kickers of one
    plane or one four + two; in ``botzone``, too, but solo kickers are of distinct ranks there.
    """
    rows = [(Category.PASS, -1, 0)]
    ranks: list[tuple[int, ...]] = [()]
    first = np.zeros((len(Category), 13, NUM_RANKS + 1), dtype=np.int16)
    for category in list(Category)[1:]:
        for length in CHAIN_LENGTHS.get(category, (1,)):
            first[category, length] = len(rows)
            for main in _mains(category, length):
                for kickers in _kickers(category, main, name):
                    rows.append((category, main[-1], length))
                    ranks.append(main * int(MAIN_COPIES[category]) + kickers)
                first[category, length, main[-1] + 1 :] = len(rows)
    counts = np.zeros((len(rows), NUM_RANKS), dtype=np.int8)
    np.add.at(
        counts,
        (
            np.repeat(np.arange(len(ranks)), [len(move) for move in ranks]),
            np.concatenate(ranks).astype(int),
        ),
        1,
    )
    category, top, length = np.array(rows, dtype=np.int8).T.copy()
    return Rules(
        pack(counts), category, top, length, counts.sum(axis=1, dtype=np.int8), first, encoding
    )


@cache
def _ids(name: str) -> dict[int, int]:
    """Returns the id of each set of cards that is a move."""
    return {int(cards): move for move, cards in enumerate(rule_set(name).cards)}


@kernel
def main_cards(rules: Rules, move: int) -> np.uint64:
    """Returns the cards of a move without its kickers."""
    category, length = rules.category[move], rules.length[move]
    if category == Category.ROCKET:
        return JOKERS
    return row_of(rules.top[move] - length + 1, length) * np.uint64(MAIN_COPIES[category])


@cache
def move_text(name: str, move: int) -> str:
    """Returns the text of a move of a rule set: its main cards, then its kickers; ``pass`` for 0.

    >>> texts = ("3444", "76543", "BL", "PASS")
    >>> [move_text("standard", parse_move("standard", text)) for text in texts]
    ['4443', '34567', 'LB', 'pass']
    """
    rules = rule_set(name)
    if not 0 <= move < len(rules.cards):
        raise ValueError(f"move id {move}: expected 0 to {len(rules.cards) - 1}")
    if move == PASS:
        return "pass"
    main = main_cards(rules, move)
    return cards_text(main) + cards_text(rules.cards[move] - main)


def parse_move(name: str, text: str) -> int:
    """Returns the id of a move in a rule set, from the text of its cards in any order or ``pass``.

    Raises:
        ValueError: The text names no cards, or the cards are not a move.
    """
    if text.strip().lower() == "pass":
        return PASS
    cards = int(parse_cards(text))
    if cards == 0 or cards not in _ids(name):
        raise ValueError(
            f"{text!r} is not a move of the rule set {name!r}: expected cards such as 3334, 34567, "
            "LB, or pass"
        )
    return _ids(name)[cards]
