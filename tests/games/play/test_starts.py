"""Deals that are listed (``starts``), and networks of games with other options."""

from typing import Any

import numpy as np
import pytest

from games import make
from games.kernels.rows import take
from tests.games import driver


@pytest.mark.parametrize(
    ("name", "options", "deals"),
    [
        ("kuhn", {}, 6),
        ("leduc", {}, 120),
        ("examples.sealed_bids", {}, 6),
        ("goofspiel", {}, 1),
        ("goofspiel", {"cards": 4, "prizes": "random"}, 24),
        ("phantom_tictactoe", {"variant": "small"}, 1),
    ],
)
def test_deals_are_listed(name: str, options: dict[str, Any], deals: int) -> None:
    """All are different and equally likely, and random deals are among them."""
    game = make(name, **options)
    states, chances = game.starts()
    rows = [str(take(states, slice(i, i + 1))) for i in range(len(chances))]
    assert len(set(rows)) == deals and chances.dtype == np.float64
    assert chances.sum() == pytest.approx(1) and (chances == chances[0]).all()
    dealt = game.deal(np.arange(9, dtype=np.uint64) << np.uint64(16))
    assert {str(take(dealt, slice(i, i + 1))) for i in range(9)} <= set(rows)
    assert driver.current_seat(game.rules, states, 0) >= 0
    small = game.deal(np.arange(1000))
    assert {str(take(small, slice(i, i + 1))) for i in range(1000)} == set(rows)
