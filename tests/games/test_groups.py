"""The fewest groups of a hand against a search over every partition, and the planes against the hand."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.doudizhu.cards import COPIES, pack
from games.doudizhu.game import Doudizhu
from games.doudizhu.groups import BOMB, CARRIED, NUM_KINDS, PAIR, PAIR_CHAIN, SOLO, SOLO_CHAIN, TRIO, TRIO_CHAIN, write_groups
from games.doudizhu.observe import Encoding, num_planes
from tests.games import driver
from tests.games.positions import random_game

SHORTEST = {1: 5, 2: 3, 3: 2}
RANKS = "3456789TJQKA2LB"


def planes_of(counts: np.ndarray) -> tuple[int, np.ndarray]:
    out = np.full((NUM_KINDS + 2, 15), 7, np.int8)
    groups = write_groups(pack(counts), out, 1)
    assert np.all(out[[0, -1]] == 7)  # nothing else is written
    return groups, out[1:-1].astype(int)


def naive_fewest(counts: np.ndarray) -> int:
    """Every partition: the lowest card is a solo, or part of a pair, of a trio or of a chain that begins with it."""
    rest, whole = counts.copy(), 0
    for rank in np.flatnonzero(counts == 4):
        rest[rank], whole = 0, whole + 1
    if rest[13] and rest[14]:
        rest[13:], whole = 0, whole + 1

    @cache
    def best(held: tuple[int, ...], groups: int, small: int, room: int) -> int:
        rank = next((r for r in range(15) if held[r]), None)
        if rank is None:
            return groups + max(0, small - room)
        found = []
        for copies in range(1, held[rank] + 1):
            left = list(held)
            left[rank] -= copies
            trio = copies == 3
            found.append(best(tuple(left), groups + trio, small + (not trio), room + trio))
            last = rank
            while last + 1 < 12 and left[last + 1] >= copies:
                last += 1
                left[last] -= copies
                if last - rank + 1 >= SHORTEST[copies]:
                    found.append(best(tuple(left), groups + 1, small, room + trio * (last - rank + 1)))
        return min(found)

    return whole + best(tuple(int(c) for c in rest), 0, 0, 0)


def random_hand(generator: np.random.Generator, size: int, low: int = 0) -> np.ndarray:
    """Returns counts; ``low`` > 0 takes the cards from few ranks, where chains are."""
    deck = np.repeat(np.arange(15), COPIES)
    deck = deck[(deck >= low) & (deck < low + 8)] if low else deck
    return np.bincount(generator.choice(deck, size, replace=False), minlength=15)


@pytest.mark.parametrize("low", [0, 3])
@pytest.mark.parametrize("size", [1, 2, 5, 8, 11, 14, 17, 20])
def test_fewest_groups_against_every_partition(size: int, low: int) -> None:
    generator = np.random.default_rng(size)
    for _ in range(25):
        counts = random_hand(generator, size, low)
        assert planes_of(counts)[0] == naive_fewest(counts), counts


@pytest.mark.parametrize(
    ("hand", "groups"),
    [
        ("3", 1), ("33", 1), ("3334", 1), ("3333", 1), ("LB", 1), ("34567", 1), ("3456", 4), ("334455", 1), ("333444", 1),
        ("3334445566", 1), ("33344456", 1), ("345678", 1), ("3456789TJQKA2", 2), ("333344", 2), ("LB2", 2), ("JQKA2", 5),
        ("34567789", 2), ("34567345", 3), ("3344556", 2), ("334455667", 2),
    ],
)  # fmt: skip
def test_hands_by_hand(hand: str, groups: int) -> None:
    assert planes_of(np.bincount([RANKS.index(card) for card in hand], minlength=15))[0] == groups


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 20))
def test_planes_divide_the_hand(seed: int, size: int) -> None:
    counts = random_hand(np.random.default_rng(seed), size)
    groups, planes = planes_of(counts)
    np.testing.assert_array_equal(planes.sum(axis=0), counts)
    assert set(planes[SOLO]) <= {0, 1} and set(planes[PAIR]) <= {0, 2} and set(planes[TRIO]) <= {0, 3}
    assert np.all(planes[PAIR_CHAIN] % 2 == 0) and np.all(planes[TRIO_CHAIN] % 3 == 0)
    assert not planes[SOLO_CHAIN : TRIO_CHAIN + 1, 12:].any()  # neither 2 nor joker
    single = np.count_nonzero(planes[[SOLO, PAIR, TRIO]])
    bombs = np.count_nonzero(planes[BOMB, :13] == 4) + int(planes[BOMB, 13] == 1)
    chains = groups - single - bombs
    chained = planes[SOLO_CHAIN : TRIO_CHAIN + 1].sum()
    assert (chains == 0) == (chained == 0) and 5 * chains <= chained
    trios = (planes[TRIO] > 0).sum() + planes[TRIO_CHAIN].sum() // 3
    assert np.count_nonzero(planes[CARRIED]) <= trios


def test_the_encoding_adds_them_to_the_default() -> None:
    default, game = Doudizhu(), Doudizhu(encoding="groups")
    states, moves = random_game(3)
    for move in moves:
        for seat in range(3):
            planes, first = driver.observation(game, states, 0, seat), num_planes(Encoding.DEFAULT)
            np.testing.assert_array_equal(planes[:first], driver.observation(default, states, 0, seat))
            groups, expected = planes_of(planes[:4].sum(axis=0))
            np.testing.assert_array_equal(planes[first:-1], expected)
            assert np.all(planes[-1] == groups)
        driver.step(game.rules, states, 0, move)
