"""The policy network plays sure wins, as the games that it learned from do."""

import numpy as np

from fpmcts.players import load_player
from fpmcts.players.policy import PolicyAgent
from games import make
from games.decision import FORCED, SURE_WIN
from games.generic import forced_win
from games.kernels import kernel
from games.table import Table
from tests.games import driver
from tests.inference.endgames import GAME, FakeEvaluator, random_games, running, views


@kernel
def _sure(rules, positions, found):
    for i in range(found.size):
        found[i] = forced_win(rules, positions, i)


def agents() -> tuple[PolicyAgent, PolicyAgent]:
    """The same networks with sure wins and without."""
    evaluate = FakeEvaluator(seed=3).evaluate
    return PolicyAgent(GAME, evaluate, solve=True, win_only=True), PolicyAgent(GAME, evaluate)


def test_sure_wins_and_nothing_else_change() -> None:
    played = random_games(400, 5, most_cards=8)
    lanes = running(played)
    positions, found = views(played, lanes), np.empty(lanes.size, np.int16)
    _sure(GAME.rules, positions, found)
    assert 20 < (found >= 0).sum() < lanes.size - 20
    solves, alone = agents()
    moves, stated = [], []
    for agent in (solves, alone):
        agent.start(400, 1)
        moves.append(agent.act(lanes, positions, played.records))
        stated.append(agent.probabilities(positions))
    np.testing.assert_array_equal(moves[0], np.where(found >= 0, found, moves[1]))
    assert (moves[0] != moves[1]).any()
    np.testing.assert_array_equal(stated[0][found < 0], stated[1][found < 0])
    for i, move in enumerate(moves[0]):  # the move has all of the probability
        legal = driver.legal_actions(GAME, positions, i)
        assert legal[stated[0][i].argmax()] == move and stated[0][i].sum() == 1.0


def test_a_decision_says_that_it_is_a_sure_win() -> None:
    solves, alone = agents()
    table, reasons = Table(GAME, seed=4), set()
    while not table.is_over:
        decision, other = solves.decide(table), alone.decide(table)
        reasons.add(decision.reason)
        if decision.reason == SURE_WIN:
            assert decision.policy == {decision.move: 1.0} and decision.value == 1.0
        else:
            assert decision.move == other.move and decision.policy == other.policy
        assert other.reason != SURE_WIN
        table.play(decision.move)
    assert {SURE_WIN, FORCED} <= reasons


def test_the_player_solves_as_it_was_trained() -> None:
    assert load_player("policy", make("doudizhu")).solve
    assert not load_player("policy", make("doudizhu"), solve=False).solve
    assert not load_player("policy", make("no_limit_holdem")).solve
