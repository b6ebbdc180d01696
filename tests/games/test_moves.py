"""The rule sets: counts by arithmetic, readings by the oracle, texts."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.doudizhu.cards import unpack
from games.doudizhu.moves import RULE_SETS, Category, move_text, parse_move, rule_set
from tests.games.oracle import readings

C = Category


def coefficient(polynomials: list[list[int]], power: int) -> int:
    """The coefficient of x^power in a product: the ways to choose ``power`` kickers, one polynomial
    per rank."""
    product = np.array([1])
    for polynomial in polynomials:
        product = np.convolve(product, polynomial)
    return int(product[power])


def planes_with_solos(length: int, joker_pair: bool) -> int:
    """A rank beside the chain gives up to 3 kickers, or 2 where 3 would extend the chain of trios;
    the jokers 1 together."""
    jokers = [1, 2, 1] if joker_pair else [1, 2]
    total = 0
    for start in range(12 - length + 1):
        neighbours = (start > 0) + (start + length < 12)
        ranks = [[1, 1, 1]] * neighbours + [[1, 1, 1, 1]] * (13 - length - neighbours)
        total += coefficient([*ranks, jokers], length)
    return total


def expected_counts(joker_pair: bool) -> dict[tuple[Category, int], int]:
    """The moves of each category and length."""
    counts = {
        (C.PASS, 0): 1,
        (C.SOLO, 1): 15,
        (C.PAIR, 1): 13,
        (C.TRIO, 1): 13,
        (C.BOMB, 1): 13,
        (C.ROCKET, 1): 1,
    }
    counts |= {(C.TRIO_SOLO, 1): 13 * 14, (C.TRIO_PAIR, 1): 13 * 12}
    counts |= {(C.SOLO_CHAIN, n): 13 - n for n in range(5, 13)}
    counts |= {(C.PAIR_CHAIN, n): 13 - n for n in range(3, 11)}
    counts |= {(C.TRIO_CHAIN, n): 13 - n for n in range(2, 7)}
    counts |= {(C.PLANE_SOLOS, n): planes_with_solos(n, joker_pair) for n in range(2, 6)}
    counts |= {(C.PLANE_PAIRS, n): (13 - n) * comb(13 - n, n) for n in range(2, 5)}
    four_solos = coefficient([[1, 1, 1]] * 12 + [[1, 2, 1] if joker_pair else [1, 2]], 2)
    return counts | {(C.FOUR_SOLOS, 1): 13 * four_solos, (C.FOUR_PAIRS, 1): 13 * comb(12, 2)}


@pytest.mark.parametrize("name", RULE_SETS)
def test_counts_follow_from_the_rules(name: str) -> None:
    rules = rule_set(name)
    counts = Counter((C(c), int(n)) for c, n in zip(rules.category, rules.length, strict=True))
    assert counts == expected_counts(joker_pair=name == "douzero")


def test_standard_counts_are_the_published_ones() -> None:
    # The table of Zha et al. 2021 (DouZero) and of RLCard: 27,472 actions with pass.
    expected = expected_counts(joker_pair=False)
    assert [expected[C.PLANE_SOLOS, n] for n in range(2, 6)] == [968, 3282, 7184, 10388]
    assert [expected[C.PLANE_PAIRS, n] for n in range(2, 5)] == [605, 1200, 1134]
    assert (expected[C.FOUR_SOLOS, 1], expected[C.FOUR_PAIRS, 1]) == (1326, 858)
    assert len(rule_set("standard").cards) == sum(expected.values()) == 27_472


def test_every_move_has_its_one_reading() -> None:
    """Of the planes with solos, which are four moves in five, every ninth is read."""
    rules = rule_set("standard")
    assert len(np.unique(rules.cards)) == len(rules.cards)
    for move, counts in enumerate(unpack(rules.cards).tolist()):
        if move % 9 and rules.category[move] == C.PLANE_SOLOS:
            continue
        tables = (C(rules.category[move]), int(rules.length[move]), int(rules.top[move]))
        assert readings(tuple(counts)) == ({tables} if move else set()), move_text("standard", move)
        assert rules.size[move] == sum(counts)


@pytest.mark.parametrize("name", RULE_SETS)
def test_ids_are_ordered_and_first_bounds_them(name: str) -> None:
    rules = rule_set(name)
    order = np.lexsort((rules.top, rules.length, rules.category))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    for category, length, top in {
        *zip(rules.category[1:], rules.length[1:], rules.top[1:], strict=True)
    }:
        same = (rules.category == category) & (rules.length == length) & (rules.top == top)
        ids = range(rules.first[category, length, top], rules.first[category, length, top + 1])
        np.testing.assert_array_equal(np.flatnonzero(same), ids)


def test_douzero_adds_moves_with_both_jokers_only() -> None:
    standard, douzero = (set(rule_set(name).cards.tolist()) for name in ("standard", "douzero"))
    jokers = 0x11 << 52
    assert standard < douzero
    assert all(cards & jokers == jokers for cards in douzero - standard)


@given(st.sampled_from(RULE_SETS), st.integers(0, 27_471), st.randoms())
def test_text_round_trip_in_any_order(name: str, move: int, random: object) -> None:
    text = list(move_text(name, move))
    if move:
        random.shuffle(text)
    assert parse_move(name, "".join(text).lower()) == move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("34", "no move"),
        ("", "no move"),
        ("33333", "the deck has 4"),
        ("BB", "the deck has 1"),
        ("3X", "no card 'X'"),
    ],
)
def test_texts_that_are_no_moves(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_move("standard", text)
