"""Whole games of RHCP."""

import numpy as np
import pytest

from fpmcts.training.heuristic_games import GAMES_PER_TASK, generate_games, teachers
from games import make
from games.batches import take
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rhcp_kernels import new_memo
from games.doudizhu.players.teamplay import choose_for_team
from games.doudizhu.state import step
from games.kernels import Stream, deal_seeds

GAME = make("doudizhu")


@pytest.mark.parametrize("teacher", teachers("doudizhu"))
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_games_replay(epsilon: float, teacher: str) -> None:
    """The deals are those of the seeds, every move is legal, the last one ends the game, and each
    choice is the teacher's.
    """
    seeds = deal_seeds(3, 40, Stream.BOOTSTRAP)
    games = generate_games(GAME, seeds, epsilon=epsilon, teacher=teacher)
    for field, expected in zip(games.deals, GAME.deal(seeds), strict=True):
        np.testing.assert_array_equal(field, expected)
    states = take(games.deals, np.arange(40))
    scratch = np.empty(MAX_LEGAL, np.int16)
    agent, memo = RHCP().at(GAME), new_memo()
    for i, length in enumerate(games.records.lengths):
        for k in range(length):
            row = take(states, np.array([i]))
            assert states.winner[i] == -1
            if teacher == "rhcp":
                choice = int(
                    agent.act(np.zeros(1, np.int64), GAME.view(row, row.seat), games.records)[0]
                )
            else:
                choice = choose_for_team(GAME.rules, memo, states, i)
            assert choice == games.choices[i, k]
            n = legal_moves(GAME.rules, states.hands[i, states.seat[i]], states.target[i], scratch)
            assert games.records.moves[i, k] in scratch[:n]
            step(GAME.rules, states, i, int(games.records.moves[i, k]))
        assert states.winner[i] >= 0
        assert (games.records.moves[i, length:] == -1).all() and (
            games.choices[i, length:] == -1
        ).all()
    differ = games.records.moves != games.choices
    assert differ.any() == (epsilon > 0)


def test_a_game_depends_on_its_seed_alone() -> None:
    seeds = deal_seeds(4, GAMES_PER_TASK + 30, Stream.BOOTSTRAP)
    games = generate_games(GAME, seeds, threads=2, epsilon=0.1)
    again = generate_games(GAME, seeds, threads=1, epsilon=0.1)
    for one, other in zip(
        (*games.deals, *games.records, games.choices),
        (*again.deals, *again.records, again.choices),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    last = generate_games(GAME, seeds[-7:], epsilon=0.1)
    np.testing.assert_array_equal(last.records.moves, games.records.moves[-7:])
