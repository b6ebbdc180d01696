"""Move generation against enumeration: all subsets of small hands, and all moves on hands of 20
cards."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from games.doudizhu.cards import pack, parse_cards, unpack
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL, PASS, RULE_SETS, Category, rule_set
from tests.games.doudizhu.oracle import DECK, answers, readings, subsets

RULES = rule_set("standard")


def generated(hand: np.uint64, target: int, rules: object = RULES) -> list[int]:
    actions = np.full(MAX_LEGAL, -1, dtype=np.int16)
    return actions[: legal_moves(rules, hand, target, actions)].tolist()


def enumerated(hand: tuple[int, ...], target: int) -> set[tuple[int, ...]]:
    """The legal moves by the oracle, as counts; the empty tuple of cards is a pass."""
    moves = {cards: found.pop() for cards in subsets(hand) if (found := readings(cards))}
    if target == PASS:
        return set(moves)
    (target_reading,) = readings(tuple(unpack(RULES.cards[target]).tolist()))
    return {cards for cards, reading in moves.items() if answers(reading, target_reading)} | {
        (0,) * 15
    }


def assert_generated(hand: tuple[int, ...], target: int) -> None:
    moves = generated(np.uint64(pack(np.array(hand))), target)
    assert moves == sorted(set(moves))
    assert {tuple(unpack(RULES.cards[move]).tolist()) for move in moves} == enumerated(hand, target)


def test_all_hands_of_up_to_three_cards() -> None:
    for size in range(1, 4):
        for ranks in combinations_with_replacement(range(15), size):
            hand = tuple(ranks.count(rank) for rank in range(15))
            if all(np.array(hand) <= DECK):
                assert_generated(hand, PASS)


def test_random_hands_of_few_ranks() -> None:
    # Few ranks make many trios, planes and bombs: 4 to 12 cards of a window of four ranks and a
    # joker.
    rng = np.random.default_rng(1)
    for _ in range(30):
        start = rng.integers(0, 10)
        hand = np.zeros(15, dtype=int)
        hand[start : start + 4] = rng.integers(0, 5, size=4)
        hand[13 + rng.integers(2)] = rng.integers(2)
        hand = tuple(hand.tolist())
        assert_generated(hand, PASS)
        assert_generated(hand, int(rng.integers(1, len(RULES.cards))))
        reachable = [move for move in generated(pack(np.array(hand)), PASS) if RULES.top[move] > 0]
        if reachable:  # a target of a category and length that the hand has
            assert_generated(hand, int(rng.choice(reachable)) - 1)


@pytest.mark.parametrize("name", RULE_SETS)
def test_hands_of_20_cards_against_all_moves(name: str) -> None:
    rules = rule_set(name)
    rng, move_counts = np.random.default_rng(3), unpack(rules.cards)
    counts = rng.multivariate_hypergeometric(DECK, 20, size=150).astype(np.int8)
    for hand in counts:
        held = (move_counts <= hand).all(axis=1)
        assert generated(pack(hand), PASS, rules) == (np.flatnonzero(held[1:]) + 1).tolist()
        target = int(rng.integers(1, 2000))
        same = (rules.category == rules.category[target]) & (rules.length == rules.length[target])
        bombs = rules.category >= Category.BOMB
        beats = held & ((same & (rules.top > rules.top[target])) | bombs)
        beats[PASS] = True
        assert generated(pack(hand), target, rules) == np.flatnonzero(beats).tolist()


def test_the_most_legal_moves() -> None:
    # The hand that an exhaustive search over all hands of 20 cards found.
    assert len(generated(parse_cards("333444555666789TJQKA"), PASS)) == MAX_LEGAL - 1
