"""The rule sets: known counts, readings by the oracle, texts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.doudizhu.cards import unpack
from games.doudizhu.moves import RULE_SETS, Category, move_text, parse_move, rule_set
from tests.games.doudizhu.oracle import readings

C = Category

SINGLE = (
    "PASS 1 SOLO 15 PAIR 13 TRIO 13 BOMB 13 ROCKET 1 TRIO_SOLO 182 TRIO_PAIR 156 FOUR_PAIRS 858"
)
CHAINS = {C.SOLO_CHAIN: range(5, 13), C.PAIR_CHAIN: range(3, 11), C.TRIO_CHAIN: range(2, 7)}


@pytest.mark.parametrize(
    ("name", "four_solos", "planes", "total"),
    [
        ("standard", 1326, (968, 3282, 7184, 10388), 27_472),
        # Both jokers as kickers: of each four, and of each plane with any others that it may have.
        ("douzero", 1326 + 13, (968 + 11, 3282 + 100, 7184 + 405, 10388 + 946), 28_947),
        # Kickers of distinct ranks: 14 choose 2 of each four, 13 choose 2 of each plane of two, …
        ("botzone", 13 * 91, (11 * 78, 10 * 220, 9 * 330, 8 * 252), 13_551),
    ],
)
def test_counts(name: str, four_solos: int, planes: tuple[int, ...], total: int) -> None:
    """The standard ones are those of Zha et al. 2021 (DouZero) and of RLCard, with pass."""
    words = SINGLE.split()
    expected = {
        (C[word], word != "PASS"): int(count)
        for word, count in zip(words[::2], words[1::2], strict=True)
    }
    expected |= {(C.FOUR_SOLOS, 1): four_solos}
    expected |= {(chain, n): 13 - n for chain, lengths in CHAINS.items() for n in lengths}
    expected |= {(C.PLANE_SOLOS, n): count for n, count in enumerate(planes, 2)}
    expected |= {(C.PLANE_PAIRS, n): count for n, count in enumerate((605, 1200, 1134), 2)}
    rules = rule_set(name)
    counts = Counter((C(c), int(n)) for c, n in zip(rules.category, rules.length, strict=True))
    assert counts == expected and sum(counts.values()) == total


def test_every_move_has_its_one_reading() -> None:
    """Planes with solos are four moves in five, so only every ninth of them is read."""
    rules = rule_set("standard")
    assert len(np.unique(rules.cards)) == len(rules.cards)
    for move, counts in enumerate(unpack(rules.cards).tolist()):
        if move % 9 and rules.category[move] == C.PLANE_SOLOS:
            continue
        tables = (C(rules.category[move]), int(rules.length[move]), int(rules.top[move]))
        assert readings(tuple(counts)) == ({tables} if move else set()), move_text("standard", move)
        assert rules.size[move] == sum(counts)


def test_douzero_adds_moves_with_both_jokers_only() -> None:
    standard, douzero = (set(rule_set(name).cards.tolist()) for name in ("standard", "douzero"))
    jokers = 0x11 << 52
    assert standard < douzero
    assert all(cards & jokers == jokers for cards in douzero - standard)
    assert set(rule_set("botzone").cards.tolist()) < douzero


@given(st.sampled_from(RULE_SETS), st.integers(0, 13_550), st.randoms())
def test_text_round_trip_in_any_order(name: str, move: int, random: object) -> None:
    text = list(move_text(name, move))
    if move:
        random.shuffle(text)
    assert parse_move(name, "".join(text).lower()) == move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("34", "not a move"),
        ("33333", "the deck has 4"),
        ("3X", "no card 'X'"),
    ],
)
def test_texts_that_are_no_moves(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_move("standard", text)
