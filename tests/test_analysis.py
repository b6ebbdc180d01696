"""The analysis of single decisions: what a choice gives away, and whom a solved world is won
for.
"""

import numpy as np
import pytest

from examples.analysis import Judged, given_away, solved_worlds
from examples.double_dummy import DoubleDummySolver
from tests.games.positions import GAME
from tests.players.test_double_dummy import position


def judged(worth: np.ndarray, *choices: int, game: int = 0) -> Judged:
    moves = ["pass", *(f"move {k}" for k in range(1, worth.shape[1]))]
    return Judged(game, "open", "a hand", moves, worth, np.array(choices))


def test_one_judgement_picks_and_the_other_says_the_worth() -> None:
    """The first picks move 1, worth 0.2 to the second; the second move 2, worth -0.1 to the
    first.
    """
    one = judged(np.array([[0.0, 0.5, -0.1, np.nan], [0.1, 0.2, 0.4, 0.9]]), 0, 1, 3)
    expected = [(0.2 - 0.1 + -0.1 - 0.0) / 2, (0.0 + -0.1 - 0.5) / 2, np.nan]
    np.testing.assert_allclose(given_away(one), expected)


@pytest.mark.parametrize(
    ("hands", "seat", "moves", "expected"),
    [
        (
            ("35", "4", "44"),
            0,
            ("3", "5"),
            [False, True],
        ),  # the 4 beats the 3 and is out; nothing beats the 5
        (("5", "7", "46"), 2, ("4", "6"), [False, True]),  # the landlord's last card beats the 4
    ],
)
def test_worlds_are_won_for_the_team_that_moves(
    hands: tuple[str, str, str], seat: int, moves: tuple[str, ...], expected: list[bool]
) -> None:
    numbers = np.array([GAME.parse_action(move) for move in moves], np.int16)
    solver = DoubleDummySolver(GAME)
    assert solved_worlds(GAME, solver, position(hands, seat), numbers).tolist() == [expected]
