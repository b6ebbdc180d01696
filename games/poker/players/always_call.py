"""A poker player that never folds and never raises."""

from dataclasses import dataclass

import numpy as np

from games.kernels import kernel
from games.kernels.generic import legal
from games.kernels.rows import Rules, States, num_rows
from games.play.interface import Records
from games.play.registry import Player, player


@kernel
def _mark(
    rules: Rules, views: States, passive: int, scratch: np.ndarray, probabilities: np.ndarray
) -> None:
    """Writes 1 for the passive move of each row to ``probabilities``, which holds zeros."""
    for k in range(len(probabilities)):
        for slot in range(legal(rules, views, k, scratch)):
            if scratch[slot] == passive:
                probabilities[k, slot] = 1.0


@player("always_call", games=["poker", "no_limit_holdem"], states_policy=True)
@dataclass
class AlwaysCall(Player):
    """Checks or calls with any cards."""

    def prepare(self) -> None:
        """Finds the move. Raises ValueError for a game without one (``Game.passive``)."""
        if self.game.passive is None:
            raise ValueError(f"always_call: {self.game.spec.name} has no move that only goes along")
        self.passive = self.game.passive

    def start(self, num_games: int, seed: int) -> None:
        """Does nothing: the player has no memory and is deterministic."""

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a call (int16 ``[n]``) for each view."""
        return np.full(len(games), self.passive, np.int16)

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see
        ``games.play.agent.OpenPolicy``.
        """
        most = self.game.spec.max_legal
        result = np.zeros((num_rows(views), most))
        _mark(self.game.rules, views, self.passive, np.empty(most, np.int16), result)
        return result
