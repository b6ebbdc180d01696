"""The benchmark of endgames: what a choice gives away."""

import numpy as np
import pytest

from agents.doudizhu.double_dummy import DoubleDummySolver
from agents.general.policy import PolicyAgent
from agents.trained import checkpoint_of, load_trained
from benchmarks import endgames
from benchmarks.endgames import (
    Endgame,
    Gatherer,
    Judge,
    Judged,
    by_situation,
    clustered_error,
    given_away,
    report,
    situation,
    solved_worlds,
    worst,
)
from evaluation.decks import evaluation_decks
from evaluation.match import play_games
from games.batches import concatenate
from tests.agents.test_double_dummy import position
from tests.games.positions import GAME


def endgame(wins: np.ndarray, *choices: int, situation: str = "landlord leads", game: int = 0) -> Endgame:
    moves = ["pass", *(f"move {k}" for k in range(1, wins.shape[1]))]
    return Endgame(game, situation, "a hand", moves, wins, np.array(choices))


def test_a_blunder_gives_away_what_the_best_move_wins() -> None:
    wins = np.zeros((10, 3), np.bool_)
    wins[:, 0] = True
    wins[::2, 1] = True  # 3 of the first five worlds, 2 of the others
    np.testing.assert_allclose(given_away(endgame(wins, 0, 1, 2)), [0.0, 0.5, 1.0])
    judged = Judged([endgame(wins, 0, 1), endgame(wins, 1, 1, game=1)], left_out=1, finished=0.875, seconds=(0.0,) * 3)
    table = report(judged, ["a", "b"], games=2, met=8)
    assert [list(column.cells) for column in table.columns][3:5] == [["1", "2"], ["500.0", "1000.0"]]
    assert [list(column.cells) for column in table.columns][6] == ["2.000", "4.000"]
    assert "87.5 % of the worlds solved, 1 decisions left out" in str(table.title)
    line = "b: landlord leads with a hand: move 1 wins 0.50, pass 1.00 of 10 worlds"
    assert worst([endgame(wins, 0, 1)], ["a", "b"], 1, 1) == [line]
    assert worst([endgame(wins, 0, 1)], ["a", "b"], 0, 1) == []


def test_blunders_by_situation() -> None:
    wins = np.zeros((4, 2), np.bool_)
    wins[:, 1] = True
    answers = [endgame(wins, 0, 1, situation="x"), endgame(~wins, 0, 1, situation="x"), endgame(wins, 0, 0, situation="w")]
    table = by_situation(answers, ["a", "b"])
    assert [list(column.cells) for column in table.columns] == [["w", "x"], ["1", "2"], ["1 (1)", "1 (1)"], ["1 (1)", "1 (0)"]]


def test_the_draw_of_the_worlds_is_no_mistake() -> None:
    """Moves that win alike: the best of 8 in 20 worlds would seem 0.16 better than any other."""
    rng = np.random.default_rng(0)
    away = [given_away(endgame(rng.random((20, 8)) < 0.5, 0))[0] for _ in range(3000)]
    assert abs(np.mean(away)) < 5 * np.std(away) / np.sqrt(3000)


def test_decisions_of_one_game_count_once() -> None:
    """Four equal values of each game: the error is that of one value of each."""
    values = np.random.default_rng(1).normal(size=50)
    alone = clustered_error(values, np.arange(50))
    assert alone == pytest.approx(values.std() / np.sqrt(50))
    assert clustered_error(np.repeat(values, 4), np.repeat(np.arange(50), 4)) == pytest.approx(alone)


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


def test_a_world_that_is_not_solved_counts_for_no_move() -> None:
    """One node is enough for the game that is over, and for none of three hands."""
    hard, plain = position(("3579J", "468TQ", "468TQ"), 0), position(("3", "4", "44"), 0)
    numbers = np.array([GAME.parse_action("3")], np.int16)
    solver = DoubleDummySolver(GAME, max_nodes=1)
    assert solved_worlds(GAME, solver, concatenate([hard, plain]), numbers).tolist() == [[True]]


@pytest.mark.parametrize(
    ("seat", "target", "passes", "expected"),
    [
        (0, "pass", 0, "landlord leads"),
        (0, "5", 1, "landlord answers a peasant"),
        (1, "5", 0, "peasant after answers the landlord"),
        (1, "5", 1, "peasant after answers the partner"),
        (2, "5", 0, "peasant before answers the partner"),
        (2, "5", 1, "peasant before answers the landlord"),
    ],
)
def test_situations(seat: int, target: str, passes: int, expected: str) -> None:
    view = position(("46", "46", "46"), seat)
    view.target[0], view.passes[0] = GAME.parse_action(target), passes
    assert situation(view, 0) == expected


@pytest.mark.slow
def test_decisions_are_judged_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty games of the shipped policy; another player who is the policy chooses what it chose, and batches change nothing."""
    trained = load_trained(checkpoint_of("doudizhu", None), "doudizhu")
    gatherer = Gatherer(trained, share=0.5, most_cards=20)
    play_games(trained.game, [gatherer], np.zeros((20, 3), np.int64), evaluation_decks(trained.game, 0, 20), seed=0)
    decisions = gatherer.decisions()
    assert decisions is not None and 5 < len(decisions.games) < gatherer.met
    results = []
    for at_once in (1, 8):
        monkeypatch.setattr(endgames, "AT_ONCE", at_once)
        other = PolicyAgent(trained.game, trained.evaluator.evaluate)
        results.append(Judge(trained, [other], num_worlds=8, max_nodes=50_000).judged(decisions, seed=0))
    for one, many in zip(results[0].endgames, results[1].endgames, strict=True):
        assert one.choices[0] == one.choices[1]
        assert (one.text, one.situation, one.moves) == (many.text, many.situation, many.moves)
        np.testing.assert_array_equal(one.wins, many.wins)
        np.testing.assert_array_equal(one.choices, many.choices)
