"""The policy networks of a small game as a table, for exact measures."""

import numpy as np

from agents.general.policy import PolicyAgent
from games.interface import Game
from inference.replay import Evaluate
from tabular.best_response import nash_conv


def policy_table(game: Game, evaluate: Evaluate) -> np.ndarray:
    """Returns the policies of networks at temperature 1: float64 ``[num_infosets, max_actions]``, a policy of ``game.tables``.

    Raises:
        ValueError: The information states of the game cannot be listed.
    """
    agent = PolicyAgent(game, evaluate, temperature=1.0)
    return agent.probabilities(game.information_states())[:, : game.tables.max_actions]


def exact_nash_conv(game: Game, evaluate: Evaluate) -> float | None:
    """Returns NashConv of the policies of networks at temperature 1, in the game's unit; None where it cannot be computed."""
    return nash_conv(game.tables, policy_table(game, evaluate)) if game.has_tree else None
