"""The policy networks of a small game as a table, for exact measures."""

from functools import cached_property

import numpy as np

from fpmcts.players.policy import PolicyAgent
from fpmcts.tabular.best_response import nash_conv as tree_nash_conv
from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, num_actions_of
from fpmcts.tabular.information_sets import information_sets
from fpmcts.tabular.listed_game import listing
from fpmcts.tabular.listed_game import nash_conv as listed_nash_conv
from games.interface import Game, seats_to_move
from games.kernels import kernel
from games.rows import States
from inference.replay import Evaluate


def policy_table(game: Game, evaluate: Evaluate) -> np.ndarray:
    """Returns the policies of networks at temperature 1: float64 ``[num_infosets, max_actions]``, a
    policy of ``game.tables``.

    Raises:
        ValueError: The information states of the game cannot be listed.
    """
    agent = PolicyAgent(game, evaluate, temperature=1.0)
    return agent.probabilities(game.information_states())[:, : game.tables.max_actions]


class ExactMeasure:
    """NashConv of the policies of networks, exactly, in games that are small enough; what depends
    on the game alone is made once.

    Attributes:
        game: The game.
        fits: Whether it can be computed.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        try:
            self._listed = None if game.has_tree else listing(game)
        except ValueError:  # its deals cannot be listed
            self._listed = None
        self.fits = game.has_tree or (self._listed is not None and self._listed.fits)

    @cached_property
    def _sets(self) -> tuple[HashTable, States, np.ndarray]:
        """Returns the information sets, the view of the mover at each, and where their rows are."""
        assert self._listed is not None
        table, states = information_sets(self._listed)
        return table, self.game.view(states, seats_to_move(self.game, states)), table.places()

    def nash_conv(self, evaluate: Evaluate) -> float | None:
        """Returns NashConv of the policies at temperature 1, in the game's unit; None where it does
        not fit.
        """
        if self.game.has_tree:
            return tree_nash_conv(self.game.tables, policy_table(self.game, evaluate))
        if self._listed is None or not self.fits:
            return None
        table, views, places = self._sets
        policy = PolicyAgent(self.game, evaluate, temperature=1.0).probabilities(views)
        _write(table.rows, places, policy)
        return listed_nash_conv(self._listed, table.rows)


@kernel
def _write(rows: Rows, places: np.ndarray, policy: np.ndarray) -> None:
    """Writes the probabilities of each set (float64 ``[N, max_legal]``) to its row."""
    for i in range(places.size):
        for k in range(num_actions_of(rows, places[i])):
            rows.words[places[i] + HEADER + k] = policy[i, k]
