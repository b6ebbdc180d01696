"""The double-dummy solver: endgames worked out by hand, and plain minimax over the rules of
``tests/games/doudizhu/oracle.py``.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.double_dummy import DoubleDummySolver
from games.doudizhu.cards import COPIES, RANK_NAMES
from games.doudizhu.moves import Category
from games.doudizhu.solver.double_dummy import UNSOLVED
from games.doudizhu.state import States
from tests.games.doudizhu import oracle
from tests.games.doudizhu.positions import GAME, endgame

Hands = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
POINTS = DoubleDummySolver(GAME, points=True)
"""A solver whose table fills up from test to test."""
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
def minimax(
    hands: Hands, seat: int, target: oracle.Reading | None, passes: int, points: bool
) -> int:
    """The landlord's value by the definition: every move of every seat, nothing left out."""
    values = []
    if target is not None:
        free = passes == 1
        values.append(
            minimax(hands, (seat + 1) % 3, None if free else target, 0 if free else 1, points)
        )
    for rest, reading in moves_of(hands[seat]):
        if target is None or oracle.answers(reading, target):
            after = tuple(rest if other == seat else hand for other, hand in enumerate(hands))
            over = not any(rest)
            value = (
                (1 if seat == 0 else -1)
                if over
                else minimax(after, (seat + 1) % 3, reading, 0, points)
            )
            values.append(2 * value if points and reading[0] in DOUBLES else value)
    return max(values) if seat == 0 else min(values)


def position(
    hands: tuple[str, str, str], seat: int = 0, target: str = "", passes: int = 0
) -> States:
    """A running game with these hands; the move to beat is that of the seat before, or with one
    pass the seat before that.
    """
    states = endgame(*hands)
    states.seat[0], states.passes[0] = seat, passes
    states.target[0] = GAME.parse_action(target) if target else 0
    return states


def text(hand: tuple[int, ...]) -> str:
    return "".join(RANK_NAMES[rank] * count for rank, count in enumerate(hand))


class Endgame(NamedTuple):
    """A position for ``minimax``, and for the solver."""

    hands: Hands
    seat: int
    target: oracle.Reading | None
    passes: int
    states: States

    def value(self, points: bool) -> int:
        return minimax(self.hands, self.seat, self.target, self.passes, points)


def random_endgame(rng: np.random.Generator, most: int = 10) -> Endgame:
    """A random endgame of 3 to ``most`` cards, two in three of them replies.

    Mostly of few ranks, so that there are chains, trios and bombs. One in three has a bomb or the
    rocket in some hand.
    """
    num_ranks = int(rng.choice([2, 3, 4, 5, 8, 15]))
    ranks = rng.choice(15, num_ranks, replace=False)
    if rng.random() < 0.6:
        ranks = np.arange(num_ranks) + rng.integers(0, 16 - num_ranks)
    deck = rng.permutation(np.repeat(ranks, COPIES[ranks]))
    if rng.random() < 1 / 3 and most >= 6:
        bomb = int(rng.integers(14))
        first = np.array([13, 14]) if bomb == 13 else np.full(4, bomb)
        deck = np.concatenate([first, deck[~np.isin(deck, first)]])
    if len(deck) < 4:
        return random_endgame(rng, most)
    total = min(int(rng.integers(3, most + 1)), len(deck) - 1)
    cuts = np.sort(rng.choice(np.arange(1, total), 2, replace=False))
    parts = np.split(deck[:total], cuts)
    if rng.random() < 0.5:
        parts = sorted(parts, key=len, reverse=True)
    hands = tuple(tuple(np.bincount(part, minlength=15).tolist()) for part in parts)
    seat, target, passes, target_text = int(rng.integers(3)), None, 0, ""
    if rng.random() < 2 / 3:
        others = tuple(np.bincount(deck[total : total + 6], minlength=15).tolist())
        played = moves_of(others)
        rest, target = played[int(rng.integers(len(played)))]
        passes = int(rng.integers(2))
        target_text = text(tuple(a - b for a, b in zip(others, rest, strict=True)))
    states = position((text(hands[0]), text(hands[1]), text(hands[2])), seat, target_text, passes)
    return Endgame((hands[0], hands[1], hands[2]), seat, target, passes, states)


@pytest.mark.parametrize("count", [250, pytest.param(5_000, marks=pytest.mark.slow)])
def test_equals_minimax(count: int) -> None:
    """Both objectives by turns with one table for all positions, and with a table so small that
    entries replace each other.
    """
    rng, doubled = np.random.default_rng(1), 0
    solvers = [DoubleDummySolver(GAME, table_bits=bits) for bits in (2, 16)]
    for _ in range(count):
        endgame = random_endgame(rng)
        for points in (False, True):
            expected = endgame.value(points)
            for solver in solvers:
                solver.points = points
                assert solver.values(endgame.states)[0] == expected, (endgame[:4], points)
            doubled += points and abs(expected) > 1
    assert doubled > 10


@pytest.mark.parametrize(
    ("wins", "loses"),
    [
        pytest.param(("67889TJ", "K", "4"), ("6899TJQ", "A", "4"), id="a gap in a chain"),
        pytest.param(("345667", "5", "6"), ("35799J", "7", "9"), id="chains and no chains"),
        pytest.param(("334", "33", "A2"), ("334", "33", "LB"), id="the rocket and two solos"),
    ],
)
def test_equal_orders_of_ranks_are_not_equal_positions(
    wins: tuple[str, str, str], loses: tuple[str, str, str]
) -> None:
    """One table for positions that are the same but for neighbours and the rocket."""
    for first, second in ((wins, loses), (loses, wins)):
        solver = DoubleDummySolver(GAME)
        for hands in (first, second):
            assert solver.values(position(hands))[0] == (1 if hands == wins else -1)


seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.booleans(), st.lists(st.integers(1, 60), max_size=4))
def test_nodes_change_no_answer(seed: int, points: bool, budgets: list[int]) -> None:
    """With too few nodes there is no answer; where there is one it is right, whatever an attempt
    before left in the table.
    """
    endgame = random_endgame(np.random.default_rng(seed), 12)
    expected = DoubleDummySolver(GAME, points).values(endgame.states)[0]
    solver = DoubleDummySolver(GAME, points, table_bits=8)
    for budget in budgets:
        solver.max_nodes = budget
        assert solver.values(endgame.states)[0] in (0.0, expected)
    assert expected != 0.0


def test_too_few_nodes_say_so() -> None:
    """The deal of a whole game is far beyond a thousand nodes; zero is not a value."""
    deal = GAME.deal(np.array([1], np.uint64))
    assert DoubleDummySolver(GAME, max_nodes=1000).values(deal)[0] == UNSOLVED


def test_errors() -> None:
    views = GAME.view(position(("34", "5", "6")), np.array([0]))
    with pytest.raises(ValueError, match=r"rows \[0\]: expected running games with all hands open"):
        POINTS.values(views)
