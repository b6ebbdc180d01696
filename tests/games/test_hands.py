"""Strengths of poker hands: every hand of five cards, random ones of six and seven, against another
evaluator; known counts."""

from itertools import combinations

import numpy as np
import pytest
from phevaluator.evaluator import (
    _evaluate_cards,
)  # equivalence classes: 1 is the best hand, 7462 the worst

from games.poker import hands
from games.poker.hands import parse_cards
from tests.games.hand_strengths import category, strengths

COUNTS = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
"""Hands of five cards in each category; counted by hand in any textbook of combinatorics."""
CLASSES = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)
"""How many differ in strength; 7,462 in all."""
SEVEN_CARDS = (
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
)
"""Hands of seven cards in each category, 133,784,560 in all. Source: Wikipedia, "Poker
probability", 7-card poker hands."""


def others(cards: np.ndarray) -> np.ndarray:
    """Returns the strengths that the other library gives."""
    return np.array([hands.NUM_STRENGTHS + 1 - _evaluate_cards(*hand) for hand in cards.tolist()])


def random_hands(count: int, size: int, seed: int) -> np.ndarray:
    return (
        np.random.default_rng(seed)
        .random((count, hands.NUM_CARDS))
        .argpartition(size, axis=1)[:, :size]
    )


def every_five_cards() -> np.ndarray:
    return np.array(list(combinations(range(hands.NUM_CARDS), 5)), dtype=np.int8)


def test_all_hands_of_five_cards_by_category() -> None:
    found = strengths(every_five_cards())
    classes, counts = np.unique(found, return_counts=True)
    assert classes.tolist() == list(range(1, 7463))
    categories = np.array([category(strength) for strength in classes])
    assert tuple(np.bincount(categories).tolist()) == CLASSES
    assert tuple(np.bincount(categories, counts).astype(int).tolist()) == COUNTS


@pytest.mark.parametrize(("size", "count"), [(5, 100_000), (6, 100_000), (7, 200_000)])
def test_random_hands_against_the_other_evaluator(size: int, count: int) -> None:
    cards = random_hands(count, size, seed=size)
    assert np.array_equal(strengths(cards), others(cards))


def test_frequencies_of_seven_cards() -> None:
    """500,000 random hands: each category within 5 standard errors (a false alarm in 200,000)."""
    count, total = 500_000, sum(SEVEN_CARDS)
    assert total == 133_784_560
    classes, times = np.unique(strengths(random_hands(count, 7, seed=3)), return_counts=True)
    found = np.bincount([category(strength) for strength in classes], times, minlength=9)
    expected = np.array(SEVEN_CARDS) / total
    assert (abs(found / count - expected) < 5 * np.sqrt(expected * (1 - expected) / count)).all()


def test_texts() -> None:
    assert parse_cards("2c 2d As") == parse_cards("2c2dAs") == [0, 1, 51]
    assert hands.card_texts([0, 1, 51]) == ["2c", "2d", "As"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("As 1d", "'1d' is none"),
        ("As As", "no card twice"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_cards(text)
