"""Whole games of heuristic players, and the samples that the supervised start learns from."""

import numpy as np
import pytest

from fpmcts.training.heuristic_games import LANES, generate_games, teachers
from games import make
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rhcp_kernels import new_memo
from games.doudizhu.players.teamplay import choose_for_team
from games.doudizhu.state import step
from games.kernels import Stream, deal_seeds
from games.kernels.rows import named, num_rows, take

GAME = make("doudizhu")


@pytest.mark.parametrize("teacher", teachers("doudizhu"))
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_games_replay(epsilon: float, teacher: str) -> None:
    """The deals are those of the seeds, every move is legal, the last one ends the game. Each
    unforced decision is a sample, in order: the teacher's choice, and the seat's return at the end
    over the stake at the decision.
    """
    seeds = deal_seeds(3, 40, Stream.BOOTSTRAP)
    games = generate_games(GAME, seeds, epsilon, teacher)
    records, samples = games.records, games.decisions
    states, wanted, random_moves = GAME.deal(seeds), list[tuple[int, int, float]](), 0
    scratch = np.empty(MAX_LEGAL, np.int16)
    agent, memo = RHCP().at(GAME), new_memo()
    for i, length in enumerate(records.lengths):
        made = []
        for move in records.moves[i, :length].tolist():
            row = take(states, np.array([i]))
            assert states.winner[i] == -1
            if teacher == "rhcp":
                choice = int(agent.act(np.zeros(1, np.int64), GAME.view(row, row.seat), records)[0])
            else:
                choice = choose_for_team(GAME.rules, memo, states, i)
            seat = int(states.seat[i])
            n = legal_moves(GAME.rules, states.hands[i, seat], states.target[i], scratch)
            assert move in scratch[:n]
            if n > 1:
                made.append((seat, choice, int(states.bombs[i])))
            random_moves += move != choice
            step(GAME.rules, states, i, move)
        assert (records.moves[i, length:] == -1).all()
        landlord, bombs = int(states.winner[i]) == 0, int(states.bombs[i])
        for seat, choice, before in made:
            sign = 1 if landlord == (seat == 0) else -1
            wanted.append((seat, choice, sign * 2.0 ** (bombs - before)))
    assert (states.winner >= 0).all() and (random_moves > 0) == (epsilon > 0)
    columns = samples.states.seat, samples.actions[:, 0], samples.result
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == wanted
    assert np.all(samples.target[:, 0] == 1.0)


def test_a_game_depends_on_its_seed_alone() -> None:
    seeds = deal_seeds(4, LANES + 30, Stream.BOOTSTRAP)
    games, last = generate_games(GAME, seeds, 0.1), generate_games(GAME, seeds[-7:], 0.1)
    np.testing.assert_array_equal(last.records.moves, games.records.moves[-7:])
    count = num_rows(last.decisions)
    for (name, one), (_, other) in zip(named(last.decisions), named(games.decisions), strict=True):
        np.testing.assert_array_equal(one, other[-count:], err_msg=name)


def test_epsilon_is_the_share_of_random_moves() -> None:
    """With epsilon 1 every move is random, and RHCP's choice, one of n > 1 legal ones, is met with
    probability 1/n.
    """
    seeds = deal_seeds(5, 100, Stream.BOOTSTRAP)
    games, states = generate_games(GAME, seeds, 1.0), GAME.deal(seeds)
    choices = iter(games.decisions.actions[:, 0].tolist())
    scratch = np.empty(MAX_LEGAL, np.int16)
    met, expected, variance = 0, 0.0, 0.0
    for i, length in enumerate(games.records.lengths):
        for move in games.records.moves[i, :length].tolist():
            hand = states.hands[i, states.seat[i]]
            if (n := legal_moves(GAME.rules, hand, states.target[i], scratch)) > 1:
                expected, variance = expected + 1 / n, variance + (1 - 1 / n) / n
                met += move == next(choices)
            step(GAME.rules, states, i, move)
    assert abs(met - expected) < 4 * variance**0.5  # false alarm: 1 of 16,000 seeds


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="epsilon=1.1"):
        generate_games(GAME, deal_seeds(1, 1, Stream.BOOTSTRAP), 1.1)
