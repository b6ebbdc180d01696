"""The policy decoder: outputs by hand and by counting."""

import numpy as np
import pytest

from games.doudizhu.cards import NUM_RANKS, unpack
from games.doudizhu.game import Doudizhu
from games.doudizhu.moves import Category, main_cards

GAME = Doudizhu()
NINE, TEN, TWO, LITTLE = 6, 7, 12, 13


def output(plane: int, rank: int) -> int:
    return plane * NUM_RANKS + rank


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("pass", [630]),
        ("LB", [631]),
        ("L", [output(0, LITTLE)]),
        ("22", [output(1, TWO)]),
        ("999T", [output(3, NINE), output(36, TEN)]),
        ("999TT", [output(4, NINE), output(37, TEN)]),
        ("34567", [output(5, 0)]),
        ("3456789TJQKA", [output(12, 0)]),
        ("99TTJJ", [output(13, NINE)]),
        ("333444", [output(21, 0)]),
        ("33344499", [output(26, 0), output(38, NINE), output(38, NINE)]),
        ("3334449922", [output(30, 0), output(39, NINE), output(39, TWO)]),
        ("9999TT", [output(33, NINE), output(40, TEN), output(40, TEN)]),
        ("9999TT22", [output(34, NINE), output(41, TEN), output(41, TWO)]),
        ("2222", [output(35, TWO)]),
    ],
)
def test_outputs_by_hand(text: str, outputs: list[int]) -> None:
    row = GAME.decoder[GAME.parse_action(text)]
    assert row[row >= 0].tolist() == outputs


def test_every_kicker_has_its_output() -> None:
    rules, decoder = GAME.rules, GAME.decoder
    kickers = unpack(rules.cards) - np.array(
        [unpack(main_cards(rules, move)) for move in range(len(rules.cards))]
    )
    pairs = np.isin(rules.category, [Category.TRIO_PAIR, Category.PLANE_PAIRS, Category.FOUR_PAIRS])
    expected = kickers.sum(axis=1) // np.where(pairs, 2, 1)
    np.testing.assert_array_equal((decoder[:, 1:] >= 0).sum(axis=1), expected)
    ranks = np.where(decoder[:, 1:] >= 0, decoder[:, 1:] % NUM_RANKS, NUM_RANKS)
    for rank in range(NUM_RANKS):
        np.testing.assert_array_equal(
            (ranks == rank).sum(axis=1), kickers[:, rank] // np.where(pairs, 2, 1)
        )
