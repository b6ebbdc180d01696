"""The policy decoder: outputs by hand and by counting."""

import numpy as np
import pytest

from games.doudizhu.cards import NUM_RANKS, RANK_NAMES, unpack
from games.doudizhu.game import Doudizhu
from games.doudizhu.moves import Category, main_cards
from tests.tables import rows

GAME = Doudizhu()


@pytest.mark.parametrize(
    ("text", "outputs"),
    rows(
        """
L            | 0:L
22           | 1:2
999T         | 3:9 36:T
999TT        | 4:9 37:T
34567        | 5:3
3456789TJQKA | 12:3
99TTJJ       | 13:9
333444       | 21:3
33344499     | 26:3 38:9 38:9
3334449922   | 30:3 39:9 39:2
9999TT       | 33:9 40:T 40:T
9999TT22     | 34:9 41:T 41:2
2222         | 35:2
"""
    ),
)
def test_outputs_by_hand(text: str, outputs: str) -> None:
    """A plane and a rank each."""
    row = GAME.decoder[GAME.parse_action(text)]
    pairs = (output.split(":") for output in outputs.split())
    expected = [int(plane) * NUM_RANKS + RANK_NAMES.index(rank) for plane, rank in pairs]
    assert row[row >= 0].tolist() == expected


def test_the_last_outputs_are_pass_and_the_rocket() -> None:
    assert [GAME.decoder[GAME.parse_action(text), 0] for text in ("pass", "LB")] == [630, 631]


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
