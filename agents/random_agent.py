"""Uniform over the legal moves, in any game."""

import numpy as np

from games.interface import Game, Records, Rules, States, legal
from games.kernels import kernel, random_below, streams


@kernel
def _draw(rules: Rules, views: States, games: np.ndarray, rng: np.ndarray, scratch: np.ndarray, moves: np.ndarray) -> None:
    """Writes a legal move of each row to ``moves``, drawn from the stream of its game."""
    for k in range(len(games)):
        n = legal(rules, views, k, scratch)
        moves[k] = scratch[random_below(rng, games[k], n)]


class RandomAgent:
    """Plays each legal move with the same probability."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self.game = game
        self._rng = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Forgets everything; the games to come are 0 .. ``num_games`` - 1."""
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``."""
        moves = np.empty(len(games), np.int16)
        _draw(self.game.rules, views, games, self._rng, np.empty(self.game.spec.max_legal, np.int16), moves)
        return moves
