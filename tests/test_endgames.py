"""The benchmark of endgames: what a choice gives away."""

import numpy as np
import pytest

from agents.doudizhu.double_dummy import DoubleDummySolver
from benchmarks.endgames import Endgame, given_away, report, solved_worlds, worst
from tests.agents.test_double_dummy import position
from tests.games.positions import GAME


def endgame(wins: np.ndarray, *choices: int) -> Endgame:
    return Endgame("a hand", [f"move {k}" for k in range(wins.shape[1])], wins, np.array(choices))


def test_a_blunder_gives_away_what_the_best_move_wins() -> None:
    wins = np.zeros((10, 3), np.bool_)
    wins[:, 0] = True
    wins[::2, 1] = True  # 3 of the first five worlds, 2 of the others
    np.testing.assert_allclose(given_away(endgame(wins, 0, 1, 2)), [0.0, 0.5, 1.0])
    table = report([endgame(wins, 0, 1), endgame(wins, 1, 1)], ["a", "b"], games=2, met=8)
    assert [list(column.cells) for column in table.columns][3] == ["500.0", "1000.0"]
    assert [list(column.cells) for column in table.columns][5] == ["2.000", "4.000"]
    assert worst([endgame(wins, 0, 1)], ["a", "b"], 1, 1) == ["b: a hand: move 1 wins 0.50, move 0 1.00 of 10 worlds"]


def test_the_draw_of_the_worlds_is_no_mistake() -> None:
    """Moves that win alike: the best of 8 in 20 worlds would seem 0.16 better than any other."""
    rng = np.random.default_rng(0)
    away = [given_away(endgame(rng.random((20, 8)) < 0.5, 0))[0] for _ in range(3000)]
    assert abs(np.mean(away)) < 5 * np.std(away) / np.sqrt(3000)


@pytest.mark.parametrize(
    ("hands", "seat", "moves", "expected"),
    [
        (("35", "4", "44"), 0, ("3", "5"), [False, True]),  # the 4 beats the 3 and is out; nothing beats the 5
        (("5", "7", "46"), 2, ("4", "6"), [False, True]),  # the landlord's last card beats the 4
        (("5", "7", "46"), 1, ("7",), [True]),  # out at once
    ],
)
def test_worlds_are_won_for_the_team_that_moves(
    hands: tuple[str, str, str], seat: int, moves: tuple[str, ...], expected: list[bool]
) -> None:
    numbers = np.array([GAME.parse_action(move) for move in moves], np.int16)
    assert solved_worlds(GAME, DoubleDummySolver(GAME), position(hands, seat), numbers).tolist() == [expected]
