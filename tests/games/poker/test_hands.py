"""Strengths of poker hands: known counts of every hand of five cards, and random hands against
another evaluator."""

from itertools import combinations

import numpy as np
import pytest
from phevaluator.evaluator import (
    _evaluate_cards,
)  # equivalence classes: 1 is the best hand, 7462 the worst

from games.poker import hands
from games.poker.hands import parse_cards
from tests.games.limit_holdem.hand_strengths import category, strengths

COUNTS = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
"""Hands of five cards in each category; counted by hand in any textbook of combinatorics."""
CLASSES = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)
"""How many differ in strength; 7,462 in all."""


def test_all_hands_of_five_cards_by_category() -> None:
    cards = np.fromiter(combinations(range(hands.NUM_CARDS), 5), np.dtype((np.int8, 5)))
    found = strengths(cards)
    classes, counts = np.unique(found, return_counts=True)
    assert classes.tolist() == list(range(1, 7463))
    categories = np.array([category(strength) for strength in classes])
    assert tuple(np.bincount(categories).tolist()) == CLASSES
    assert tuple(np.bincount(categories, counts).astype(int).tolist()) == COUNTS


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_against_the_other_evaluator(size: int) -> None:
    """60,000 hands; of seven cards 18 have a straight flush, the rarest category."""
    deck = np.random.default_rng(size).random((60_000, hands.NUM_CARDS))
    cards = deck.argpartition(size, axis=1)[:, :size]
    others = [hands.NUM_STRENGTHS + 1 - _evaluate_cards(*hand) for hand in cards.tolist()]
    assert strengths(cards).tolist() == others


def test_texts() -> None:
    assert parse_cards("2c 2d As") == parse_cards("2c2dAs") == [0, 1, 51]
    assert hands.card_texts([0, 1, 51]) == ["2c", "2d", "As"]
    for text, message in (("As 1d", "'1d' is none"), ("As As", "no card twice")):
        with pytest.raises(ValueError, match=message):
            parse_cards(text)
