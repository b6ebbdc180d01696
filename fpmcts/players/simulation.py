"""Values of moves and cards in a game that is too large for exact ones, from rollouts of a stored
policy.

The game provides the worlds with their probabilities (``games.registry.Positions``). All moves are
tried in the same worlds with the same random numbers, so that their comparison is paired. After the
move the policy plays in every seat, including the mover's.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fpmcts.players.luck import Luck, luck_of, play_out
from games.agent import Agent, OpenPolicy
from games.decision import HiddenCards
from games.estimate import Estimate
from games.interface import Game
from games.question import Question
from games.registry import positions_of
from games.table import Table


class Simulated(NamedTuple):
    """Values of a decision's moves from rollouts in W worlds.

    Attributes:
        returns: float64 ``[W, n]``, return in each world of each of the n moves asked about.
        hidden: The hidden cards of those worlds.
    """

    returns: np.ndarray
    hidden: HiddenCards


def simulate(
    agent: Agent, question: Question, num: int, cancel: Callable[[], bool] | None = None
) -> Simulated:
    """Returns the mover's returns of the moves asked about in ``num`` worlds.

    Args:
        agent: A player that states its policy.
        question: A decision in a game of two players.
        num: Number of worlds, at least 2.
        cancel: Whether to stop.

    Raises:
        Cancelled: ``cancel`` returned True.
    """
    assert isinstance(agent, OpenPolicy)
    game, rng = question.game, np.random.default_rng(question.seed)
    after, hidden = positions_of(game).after_moves(agent, question, num, rng)
    returns = [
        play_out(game, agent, states, question.seed, cancel)[:, question.seat] for states in after
    ]
    return Simulated(np.stack(returns, axis=1), hidden)


def poker_luck(
    game: Game,
    agent: Agent,
    table: Table,
    start: Sequence[Estimate],
    num: int,
    seed: int,
    cancel: Callable[[], bool] | None = None,
) -> Luck:
    """Returns the luck of the cards in a game, from ``num`` rollouts of each position; see
    ``fpmcts.players.luck.luck_of``.
    """
    dealt, later = positions_of(game).of_table(table, num, np.random.default_rng(seed))
    return luck_of(game, agent, table, start, dealt, later, seed, win_only=False, cancel=cancel)
