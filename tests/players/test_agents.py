"""What holds for every heuristic player: no hidden card counts, no neighbour in the batch does, the
strength is as published.
"""

import numpy as np
import pytest

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players.random_agent import Random
from fpmcts.training.heuristic_games import generate_games
from games import make
from games.doudizhu.players.pimc import PIMC
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rlcard_rule import RLCardRule
from games.doudizhu.state import States, step
from games.kernels import streams
from games.kernels.rows import num_rows, take
from games.play.agent import Agent
from games.play.interface import Records
from games.play.registry import Player

GAME = make("doudizhu")
AGENTS = [(Random(), 150), (RHCP(), 150), (RLCardRule(), 150), (PIMC(worlds=8, candidates=6), 30)]
NO_RECORDS = Records(np.zeros((1, 1), np.int16), np.zeros(1, np.int16))


def random_positions(count: int, seed: int) -> States:
    """Returns full states after a random number of moves of games in which every other move is
    random.
    """
    seeds = streams(seed, count)
    games, states = generate_games(GAME, seeds, epsilon=0.5), GAME.deal(seeds)
    rng = np.random.default_rng(seed)
    for i, length in enumerate(games.records.lengths):
        for move in games.records.moves[i, : rng.integers(length)]:
            step(GAME.rules, states, i, int(move))
    return states


def moves_of(
    agent: Agent, games: np.ndarray, states: States, total: int, seed: int = 5
) -> np.ndarray:
    """Returns the moves of a fresh player."""
    agent.start(total, seed)
    return agent.act(games, states, NO_RECORDS)


@pytest.mark.parametrize(("player", "count"), AGENTS)
def test_hidden_cards_and_batches_change_nothing(player: Player, count: int) -> None:
    """The move is the same on the view, on the full state, with the hands of the others exchanged,
    and alone.
    """
    agent, states = player.at(GAME), random_positions(count, 1)
    rows, seats = np.arange(num_rows(states)), states.seat.astype(np.int64)
    swapped, right, left = take(states, rows), (seats + 1) % 3, (seats + 2) % 3
    swapped.hands[rows, right] = states.hands[rows, left]
    swapped.hands[rows, left] = states.hands[rows, right]
    moves = moves_of(agent, rows, states, len(rows))
    for other in (swapped, GAME.view(states, seats)):
        assert (states.hands != other.hands).any()
        np.testing.assert_array_equal(moves, moves_of(agent, rows, other, len(rows)))
    agent.start(len(rows), seed=5)
    for i in np.random.default_rng(0).permutation(rows)[::4]:
        assert agent.act(np.array([i]), take(states, np.array([i])), NO_RECORDS)[0] == moves[i]


@pytest.mark.parametrize(
    ("first", "second", "published", "tolerance"),
    [
        (RHCP, Random, 0.941, 0.025),
        (RHCP, RLCardRule, 0.682, 0.06),
        (RLCardRule, Random, 0.943, 0.025),
    ],
)
def test_strength_is_as_published(
    first: type, second: type, published: float, tolerance: float
) -> None:
    """Win rates of the DouZero paper, table 1, over 600 decks played both ways.

    The standard error over decks is 0.0061 against random and 0.013 between the rule players, so
    the tolerances are 4 and 4.6 of them: for players of exactly the published strength a false
    alarm in fewer than 1 of 10,000 seeds.
    """
    result = duplicate_match(GAME, first().at(GAME), second().at(GAME), 600, seed=1)
    assert abs(result.total.wp.mean - published) < tolerance
