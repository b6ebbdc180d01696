"""The uniformly random player, in any game."""

from dataclasses import dataclass

import numpy as np

from games.kernels import kernel
from games.kernels.generic import legal
from games.kernels.rows import Rules, States, num_rows
from games.play.interface import Records
from games.play.lockstep import draw_legal
from games.play.registry import Player, player


@kernel
def _spread(rules: Rules, views: States, scratch: np.ndarray, probabilities: np.ndarray) -> None:
    """Writes the same probability for each legal move of each row to ``probabilities``, which holds
    zeros.
    """
    for k in range(len(probabilities)):
        n = legal(rules, views, k, scratch)
        probabilities[k, :n] = 1.0 / n


@player("random", states_policy=True)
@dataclass
class Random(Player):
    """Plays each legal move with the same probability."""

    needs_moves = False

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        moves = np.empty(len(games), np.int16)
        draw_legal(
            self.game.rules,
            views,
            games,
            self.rng,
            np.empty(self.game.spec.max_legal, np.int16),
            moves,
        )
        return moves

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal move at each view, see
        ``games.play.agent.OpenPolicy``.
        """
        spec = self.game.spec
        result = np.zeros((num_rows(views), spec.max_legal))
        _spread(self.game.rules, views, np.empty(spec.max_legal, np.int16), result)
        return result
