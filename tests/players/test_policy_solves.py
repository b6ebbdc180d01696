"""The policy network plays sure wins, as the games that it learned from do."""

import numpy as np

from fpmcts.players.policy import PolicyAgent
from tests.games import driver
from tests.inference.endgames import GAME, FakeEvaluator, random_games, running, views


def test_sure_wins_and_nothing_else_change() -> None:
    played = random_games(400, 5, most_cards=8)
    lanes = running(played)
    positions = views(played, lanes)
    found = np.array([driver.forced_win(GAME.rules, positions, i) for i in range(lanes.size)])
    assert 20 < (found >= 0).sum() < lanes.size - 20
    evaluate, moves, stated = FakeEvaluator(seed=3).evaluate, [], []
    for agent in (PolicyAgent(GAME, evaluate, solve=True), PolicyAgent(GAME, evaluate)):
        agent.start(400, 1)
        moves.append(agent.act(lanes, positions, played.records))
        stated.append(agent.probabilities(positions))
    np.testing.assert_array_equal(moves[0], np.where(found >= 0, found, moves[1]))
    assert (moves[0] != moves[1]).any()
    np.testing.assert_array_equal(stated[0][found < 0], stated[1][found < 0])
    for i, move in enumerate(moves[0]):  # the move has all of the probability
        legal = driver.legal_actions(GAME, positions, i)
        assert legal[stated[0][i].argmax()] == move and stated[0][i].sum() == 1.0
