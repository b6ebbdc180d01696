"""What a player is: a function of what its seat can see."""

from typing import Protocol

import numpy as np

from games.interface import Records, States


class Agent(Protocol):
    """A player of many games at once, in any seat of each.

    All randomness comes from the seed given to ``start``, one stream per game (``games.kernels.streams``), so that game *i* does
    not depend on the other games or on how they are batched.
    """

    name: str
    """For reports."""

    def start(self, num_games: int, seed: int) -> None:
        """Forgets everything; the games to come are 0 .. ``num_games`` - 1."""
        ...

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for the seat to move in each of n games.

        Args:
            games: int64 ``[n]``, the numbers of the games, all different.
            views: n rows; row k is game ``games[k]``, the cards that the mover cannot see erased.
            records: The moves of all games, indexed by the number of the game.
        """
        ...


class OpenPolicy(Protocol):
    """A player of poker that can say with which probabilities it moves: they depend on its view alone."""

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each action of the seat to move at each of n views.

        Returns:
            float64 ``[n, A]``, A the most actions that are ever legal: those of the legal actions in ascending order, then zeros.
        """
        ...
