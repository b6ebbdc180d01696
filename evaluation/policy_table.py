"""The policy networks of a small poker game as a table, for exact measures."""

import numpy as np

from agents.general.policy import PolicyAgent
from games.interface import Game
from inference.replay import Evaluate


def policy_table(game: Game, evaluate: Evaluate) -> np.ndarray:
    """Returns the policies of networks at temperature 1: float64 ``[num_infosets, max_actions]``, a policy of ``game.tables``.

    Raises:
        ValueError: The information states of the game cannot be listed.
    """
    agent = PolicyAgent(game, evaluate, temperature=1.0)
    return agent.probabilities(game.information_states())[:, : game.tables.max_actions]
