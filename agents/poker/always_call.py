"""Never folds and never raises, in poker."""

import numpy as np

from agents.agent import Agent
from games.batches import States
from games.interface import Records
from games.poker.betting import Action
from games.poker.game import LimitPoker


class AlwaysCallAgent(Agent):
    """Checks or calls, whatever its cards."""

    name = "always_call"

    def __init__(self, game: LimitPoker) -> None:
        self.game = game

    def start(self, num_games: int, seed: int) -> None:
        """Does nothing: there is no memory and no chance."""

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a call (int16 ``[n]``) for each view."""
        return np.full(len(games), Action.CALL, np.int16)

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see ``agents.agent.OpenPolicy``."""
        return np.asarray(self.game.betting.actions[views.node] == Action.CALL, np.float64)
