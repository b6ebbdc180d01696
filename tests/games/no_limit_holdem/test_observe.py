"""What networks read of a hand of no-limit Hold'em."""

from itertools import combinations

import numpy as np
import pytest

from games import make
from games.no_limit_holdem.hand_strength import hand_strength
from games.no_limit_holdem.observe import FIRST_OF_HAND, observe
from games.play.table import Table
from games.poker.hands import parse_cards
from tests.games.limit_holdem.hand_strengths import category, strengths

GAME = make("no_limit_holdem")


@pytest.mark.parametrize(
    "hole, board",
    [
        ("AsKs", "QsJs2h"),
        ("7c2d", "7h7s2c3d"),
        ("9h8h", "7d6c2hKh"),
        ("Ts9h", "As7s4s2c"),
        ("KdQs", "As7s4s2sJh"),
        ("2c2d", "AsKsQsJsTs"),
    ],
)
def test_strength_of_a_hand(hole: str, board: str) -> None:
    own, shown = parse_cards(hole), parse_cards(board)
    rest = [card for card in range(52) if card not in own + shown]
    mine = strengths([own + shown])[0]
    others = strengths([[a, b, *shown] for a, b in combinations(rest, 2)])
    beaten = np.mean(np.where(others < mine, 1.0, np.where(others == mine, 0.5, 0.0)))
    straight = category(mine) >= 4
    outs = (
        0.0
        if straight or len(shown) == 5
        else np.mean([category(s) >= 4 for s in strengths([[*own, *shown, c] for c in rest])])
    )
    states = Table(GAME, seed=1).view(1)
    states.hole[0, 1] = own
    states.board[0, : len(shown)] = shown
    states.shown[0] = len(shown)
    found = hand_strength(GAME.rules.hands, states, 0, 1)
    assert found.category == category(mine)
    assert found.beaten == pytest.approx(beaten, abs=1e-12)
    assert found.outs == pytest.approx(outs, abs=1e-12)
    planes = np.zeros(GAME.spec.observation_shape, np.int8)
    observe(GAME.rules, states, 0, 1, planes)
    of_category = planes[FIRST_OF_HAND + 2 : FIRST_OF_HAND + 11].max(axis=1)
    assert np.flatnonzero(of_category).tolist() == [found.category]
    assert planes[FIRST_OF_HAND].min() == planes[FIRST_OF_HAND].max() >= 0
