"""What holds for every heuristic player: no hidden card counts, no neighbour in the batch does, the
strength is as published.
"""

import numpy as np
import pytest

from agents.agent import Agent
from agents.doudizhu.rhcp import RHCP
from agents.doudizhu.rlcard_rule import RLCardRule
from agents.general.random_agent import Random
from agents.heuristic_games import generate_games
from evaluation.duplicate import duplicate_match
from games import make
from games.batches import num_rows, put, take
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL
from games.doudizhu.state import States, step
from games.interface import Records
from games.kernels import streams

GAME = make("doudizhu")
AGENTS = [Random, RHCP, RLCardRule]
NO_RECORDS = Records(np.zeros((1, 1), np.int16), np.zeros(1, np.int16))


def random_positions(count: int, seed: int) -> States:
    """Returns full states after a random number of moves of games in which every other move is
    random.
    """
    games = generate_games(GAME, streams(seed, count), epsilon=0.5)
    states = take(games.deals, np.arange(count))
    rng = np.random.default_rng(seed)
    for i, length in enumerate(games.records.lengths):
        for move in games.records.moves[i, : rng.integers(length)]:
            step(GAME.rules, states, i, int(move))
    return states


def moves_of(agent: Agent, games: np.ndarray, states: States, total: int) -> np.ndarray:
    """Returns the moves of a fresh player."""
    agent.start(total, seed=5)
    return agent.act(games, states, NO_RECORDS)


@pytest.mark.parametrize("make_agent", AGENTS)
def test_hidden_cards_change_nothing(make_agent: type) -> None:
    """The move is the same on the view, on the full state, and with the hands of the others
    exchanged.
    """
    states = random_positions(300, 1)
    n = num_rows(states)
    swapped = take(states, np.arange(n))
    rows, seats = np.arange(n), states.seat.astype(np.int64)
    right, left = (seats + 1) % 3, (seats + 2) % 3
    swapped.hands[rows, right], swapped.hands[rows, left] = (
        states.hands[rows, left],
        states.hands[rows, right],
    )
    agent = make_agent().at(GAME)
    moves = moves_of(agent, rows, states, n)
    assert (states.hands != swapped.hands).any()
    np.testing.assert_array_equal(moves, moves_of(agent, rows, swapped, n))
    np.testing.assert_array_equal(moves, moves_of(agent, rows, GAME.view(states, seats), n))


@pytest.mark.parametrize("make_agent", AGENTS)
def test_batches_change_nothing(make_agent: type) -> None:
    states = random_positions(60, 2)
    n = num_rows(states)
    agent = make_agent().at(GAME)
    together = moves_of(agent, np.arange(n), states, n)
    agent.start(n, seed=5)
    order = np.random.default_rng(0).permutation(n)
    for i in order:
        assert agent.act(np.array([i]), take(states, np.array([i])), NO_RECORDS)[0] == together[i]


@pytest.mark.parametrize("make_agent", AGENTS)
def test_moves_are_legal(make_agent: type) -> None:
    states = random_positions(400, 3)
    scratch = np.empty(MAX_LEGAL, np.int16)
    for i, move in enumerate(
        moves_of(make_agent().at(GAME), np.arange(num_rows(states)), states, num_rows(states))
    ):
        n = legal_moves(GAME.rules, states.hands[i, states.seat[i]], states.target[i], scratch)
        assert move in scratch[:n]


def test_random_agent_is_uniform() -> None:
    """Chi-square over the legal moves of one lead; false alarm 1e-4 (Wilson-Hilferty: z = 3.72)."""
    states = random_positions(1, 7)
    states.hands[0, states.seat[0]] = 0x1111
    states.target[0] = 0
    draws = 4000
    many = GAME.empty(draws)
    put(many, slice(None), States(*(np.repeat(field, draws, axis=0) for field in states)))
    moves = moves_of(Random().at(GAME), np.arange(draws), many, draws)
    counts = np.unique(moves, return_counts=True)[1]
    assert len(counts) == 4
    free = len(counts) - 1
    chi2 = ((counts - draws / 4) ** 2 / (draws / 4)).sum()
    assert chi2 < free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3


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
