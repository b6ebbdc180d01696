"""Exact best responses on any game: known values. Poker's full trees, with policies that are not
uniform, are in ``tests/evaluation/test_exact_measure.py``; other games in
``tests/adapters/test_open_spiel.py``.
"""

import pytest

from fpmcts.tabular import listed_game
from fpmcts.tabular.listed_game import best_response_values, listing, nash_conv, uniform
from games import make as make_game


@pytest.mark.parametrize(
    ("cards", "lowest", "expected"),
    [
        (4, 0, 1.75),
        (6, 0, 1.791667),
        (6, 1, 1.622222),
    ],
)
def test_the_uniform_policy_of_goofspiel(
    cards: int, lowest: int, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Source: OpenSpiel's values for prizes 1 to n."""
    monkeypatch.setattr(listed_game, "_FIRST_ROOM", 4)  # lists that have to grow
    listed = listing(make_game("goofspiel", cards=cards, lowest_prize=lowest))
    assert nash_conv(listed, uniform()) == pytest.approx(expected, abs=1e-6)


def test_a_game_that_does_not_fit_is_refused_with_numbers() -> None:
    listed = listing(make_game("goofspiel", cards=13))
    with pytest.raises(
        ValueError,
        match=(
            r"goofspiel: an exact best response would visit about \d.\de\+\d\d decisions; "
            r"expected at most 1e\+09"
        ),
    ):
        nash_conv(listed, uniform())
    with pytest.raises(ValueError, match="cannot be listed"):
        listing(make_game("doudizhu"))


@pytest.mark.slow
def test_small_phantom_tictactoe() -> None:
    """Histories of one information set lie at different depths. Source: a separate program in C++
    gave the same.
    """
    values = best_response_values(
        listing(make_game("phantom_tictactoe", variant="small")), uniform()
    )
    assert values == pytest.approx([0.94270833, 0.4952381], abs=1e-8)
