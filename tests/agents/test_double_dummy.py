"""The double-dummy solver: endgames worked out by hand, and plain minimax over the rules of ``tests/games/oracle.py``."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.double_dummy import DoubleDummySolver
from games.doudizhu.cards import COPIES, pack, parse_cards
from games.doudizhu.moves import Category
from games.doudizhu.state import States
from games.interface import concatenate, take
from tests.games import oracle
from tests.games.positions import GAME, endgame

Hands = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
DOUBLES = (Category.BOMB, Category.ROCKET)


@cache
def moves_of(hand: tuple[int, ...]) -> list[tuple[tuple[int, ...], oracle.Reading]]:
    """The moves in a hand: what is left after each, and its reading."""
    found = []
    for subset in oracle.subsets(hand):
        for reading in oracle.readings(subset):
            found.append((tuple(a - b for a, b in zip(hand, subset, strict=True)), reading))
    return found


@cache
def minimax(hands: Hands, seat: int, target: oracle.Reading | None, passes: int, points: bool) -> int:
    """The landlord's value by the definition: every move of every seat, nothing left out."""
    values = []
    if target is not None:
        free = passes == 1
        values.append(minimax(hands, (seat + 1) % 3, None if free else target, 0 if free else 1, points))
    for rest, reading in moves_of(hands[seat]):
        if target is None or oracle.answers(reading, target):
            after = tuple(rest if other == seat else hand for other, hand in enumerate(hands))
            over = not any(rest)
            value = (1 if seat == 0 else -1) if over else minimax(after, (seat + 1) % 3, reading, 0, points)
            values.append(2 * value if points and reading[0] in DOUBLES else value)
    return max(values) if seat == 0 else min(values)


def position(hands: tuple[str, str, str], seat: int = 0, target: str = "", passes: int = 0) -> States:
    """A running game with these hands; the move to beat is that of the seat before, or with one pass the seat before that."""
    states = endgame(*hands)
    states.seat[0], states.passes[0] = seat, passes
    states.target[0] = GAME.parse_action(target) if target else 0
    return states


def text(hand: tuple[int, ...]) -> str:
    return "".join("3456789TJQKA2LB"[rank] * count for rank, count in enumerate(hand))


def random_position(rng: np.random.Generator, least: int = 3, most: int = 10) -> tuple[Hands, int, oracle.Reading | None, int, States]:
    """A random endgame, mostly of few ranks, so that there are chains, trios and bombs; two in three are replies."""
    total = int(rng.integers(least, most + 1))
    num_ranks = int(rng.choice([2, 3, 4, 5, 8, 15]))
    start = int(rng.integers(0, 16 - num_ranks))
    ranks = np.arange(start, start + num_ranks) if rng.random() < 0.6 else rng.choice(15, num_ranks, replace=False)
    if rng.random() < 0.2:
        ranks = np.union1d(ranks, [13, 14])
    deck = rng.permutation(np.repeat(ranks, COPIES[ranks]))
    total = min(total, len(deck) - 1)
    cuts = np.sort(rng.choice(np.arange(1, total), 2, replace=False)) if total > 2 else None
    if cuts is None:
        return random_position(rng, least, most)
    hands = tuple(tuple(np.bincount(part, minlength=15).tolist()) for part in np.split(deck[:total], cuts))
    seat = int(rng.integers(3))
    target, passes, target_text = None, 0, ""
    if rng.random() < 2 / 3:
        others = tuple(np.bincount(deck[total : total + 6], minlength=15).tolist())
        played = moves_of(others)
        rest, target = played[int(rng.integers(len(played)))]
        passes = int(rng.integers(2))
        target_text = text(tuple(a - b for a, b in zip(others, rest, strict=True)))
    texts = (text(hands[0]), text(hands[1]), text(hands[2]))
    return hands, seat, target, passes, position(texts, seat, target_text, passes)


@pytest.mark.parametrize(
    ("hands", "seat", "target", "win", "points", "why"),
    [
        (("3", "4", "5"), 0, "", 1, 1, "the last card"),
        (("34", "5", "6"), 0, "", -1, -1, "whatever is led, D beats it and is out"),
        (("3B", "5", "6"), 0, "", 1, 1, "nothing beats the red joker, then the 3"),
        (("33334", "5", "6"), 0, "", 1, 2, "the bomb, then the 4"),
        (("33334", "5", "6"), 1, "", -1, -1, "D is out before C can double"),
        (("8T", "39", "4"), 1, "", -1, -1, "D leads the 3 below its partner's 4, who is out"),
        (("8T", "59", "4"), 1, "", 1, 1, "D has nothing below the 4: C takes the 9, or the 5, with its T and is out with the 8"),
    ],
)
def test_endgames_by_hand(hands: tuple[str, str, str], seat: int, target: str, win: int, points: int, why: str) -> None:
    states = position(hands, seat, target)
    assert DoubleDummySolver(GAME).values(states)[0] == win, why
    assert DoubleDummySolver(GAME, points=True).values(states)[0] == points, why


def test_equals_minimax() -> None:
    """Each objective with one table for all positions, and with a table so small that entries replace each other."""
    rng = np.random.default_rng(1)
    solvers = [(points, DoubleDummySolver(GAME, points, table_bits=bits)) for points in (False, True) for bits in (2, 16)]
    doubled = 0
    for _ in range(600):
        hands, seat, target, passes, states = random_position(rng)
        for points, solver in solvers:
            expected = minimax(hands, seat, target, passes, points)
            assert solver.values(states)[0] == expected, ([text(hand) for hand in hands], seat, target, passes, points)
            doubled += points and abs(expected) > 1
    assert doubled > 100


if __name__ == "__main__":
    test_equals_minimax()
