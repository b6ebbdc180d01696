"""The policy networks of a small game as a table, for exact measures."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from fpmcts.players.policy import PolicyAgent
from fpmcts.tabular.best_response import best_response_values as tree_responses
from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, num_actions_of
from fpmcts.tabular.information_sets import information_sets
from fpmcts.tabular.listed_game import Listing, listing
from fpmcts.tabular.listed_game import best_response_values as listed_responses
from games.kernels import kernel
from games.kernels.rows import States
from games.play.interface import Game, seats_to_move
from inference.replay import Evaluate

Probabilities = Callable[[States], np.ndarray]
"""From views to the probability of each legal action: float64 ``[N, max_legal]``."""


def policy_table(game: Game, probabilities: Probabilities) -> np.ndarray:
    """Returns a policy of ``game.tables``: float64 ``[num_infosets, max_actions]``.

    Raises:
        ValueError: The information sets of the game cannot be listed.
    """
    return probabilities(game.information_states())[:, : game.tables.max_actions]


class ExactMeasure:
    """Exact best responses to policies, in games that are small enough; data of the game is
    computed once.

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
        """Returns the information sets, the view of the mover at each, and the places of their
        rows.
        """
        assert self._listed is not None
        table, states = information_sets(self._listed)
        return table, self.game.view(states, seats_to_move(self.game, states)), table.places()

    def nash_conv(self, evaluate: Evaluate) -> float | None:
        """Returns NashConv of the policies of networks at temperature 1, in the game's unit; None
        if the game is too large or has partners.
        """
        if not self.fits or self.game.spec.has_partners:
            return None
        return self.nash_conv_of(PolicyAgent(self.game, evaluate, temperature=1.0).probabilities)

    def nash_conv_of(self, probabilities: Probabilities) -> float:
        """Returns NashConv of a policy, in the game's unit.

        Raises:
            ValueError: The game has partners.
        """
        if self.game.spec.has_partners:
            raise ValueError(f"{self.game.spec.name} has partners: NashConv is not computed")
        return float(self.best_responses(probabilities).sum())  # the policy's own values sum to 0

    def best_responses(self, probabilities: Probabilities) -> np.ndarray:
        """Returns the value of a best response in each seat: float64 ``[num_seats]``."""
        if self.game.has_tree:
            return tree_responses(self.game.tables, policy_table(self.game, probabilities))
        return listed_responses(*self._rows(probabilities))

    def _rows(self, probabilities: Probabilities) -> tuple[Listing, Rows]:
        """Returns the listed game, and a policy as its rows."""
        assert self._listed is not None
        table, views, places = self._sets
        policy = np.asarray(probabilities(views), np.float64)
        expected = (len(places), self.game.spec.max_legal)
        if policy.shape != expected:
            raise ValueError(f"the policy has the shape {policy.shape}; expected {expected}")
        wrong = _write(table.rows, places, policy)
        if wrong >= 0:
            legal = [self.game.action_text(a) for a in self.game.legal_actions(views, wrong)]
            raise ValueError(
                f"the policy {policy[wrong].tolist()} where {', '.join(legal)} are legal: expected "
                "so many probabilities that sum to 1, then zeros"
            )
        return self._listed, table.rows


@kernel
def _write(rows: Rows, places: np.ndarray, policy: np.ndarray) -> int:
    """Writes the probabilities of each set (float64 ``[N, max_legal]``) to its row; returns the
    first that is no distribution over its legal moves, -1 if all are.
    """
    for i in range(places.size):
        n, total, rest = num_actions_of(rows, places[i]), 0.0, 0.0
        for k in range(n):
            if not policy[i, k] >= 0.0:
                return i
            total += policy[i, k]
            rows.words[places[i] + HEADER + k] = policy[i, k]
        for k in range(n, policy.shape[1]):
            rest += abs(policy[i, k])
        if not abs(total - 1.0) <= 1e-5 or not rest <= 0.0:
            return i
    return -1
