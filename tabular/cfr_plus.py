"""CFR+: reference values by full passes over the game tree.

Source: Tammelin, "Solving large imperfect information games using CFR+", 2014: regrets never fall below 0, the players update
in turn, and iteration t weighs t in the average policy.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from games.kernels import kernel
from games.poker.tables import PokerTables
from tabular.learner import Options, PokerLearner
from tabular.poker_table import PokerTable

_DECISION, _TERMINAL = 1, 2  # Kind, as plain integers for compiled code


@kernel
def _match(regrets: np.ndarray, num_actions: np.ndarray, policy: np.ndarray) -> None:
    """Writes the policy in proportion to the regrets (none negative), uniform where all are 0, to ``policy`` ``[I, A]``."""
    for infoset in range(len(regrets)):
        total = 0.0
        for k in range(num_actions[infoset]):
            total += regrets[infoset, k]
        for k in range(num_actions[infoset]):
            policy[infoset, k] = (
                regrets[infoset, k] / total if total > 0.0 else 1.0 / num_actions[infoset]
            )


@kernel
def iterate(
    tree: Any,
    rows: np.ndarray,
    num_actions: np.ndarray,
    regrets: np.ndarray,
    weights: np.ndarray,
    counter: np.ndarray,
    iterations: int,
) -> None:
    """Runs iterations; each updates every player once, in turn.

    Args:
        tree: A ``GameTree``.
        rows: int32 ``[I_tree]``, the row of the tables for each information state of the tree.
        num_actions: int32 ``[I]``, number of legal actions of each row.
        regrets: float64 ``[I, A]``, changed in place.
        weights: float64 ``[I, A]``, changed in place: the average policy before normalisation.
        counter: int64 ``[1]``, changed in place: iterations so far.
        iterations: How many.
    """
    num_nodes = len(tree.kind)
    policy, change = np.zeros(regrets.shape), np.empty(regrets.shape)
    own = np.empty(num_nodes)  # the player's own probability of each history
    value = np.empty(num_nodes)  # that of the others and chance; then the value weighted with it
    for t in range(counter[0] + 1, counter[0] + iterations + 1):
        for player in range(tree.payoffs.shape[1]):
            _match(regrets, num_actions, policy)
            own[0] = value[0] = 1.0
            for node in range(num_nodes):
                start = tree.first_child[node]
                for k in range(tree.num_children[node]):
                    own[start + k] = own[node]
                    value[start + k] = value[node] * tree.chance[start + k]
                    if tree.kind[node] == _DECISION:
                        chance = policy[rows[tree.infoset[node]], k]
                        if tree.player[node] == player:
                            own[start + k] *= chance
                        else:
                            value[start + k] *= chance
            change[:] = 0.0
            for node in range(num_nodes - 1, -1, -1):
                start = tree.first_child[node]
                if tree.kind[node] == _TERMINAL:
                    value[node] *= tree.payoffs[node, player]
                elif tree.player[node] == player:
                    row = rows[tree.infoset[node]]
                    total = 0.0
                    for k in range(tree.num_children[node]):
                        total += policy[row, k] * value[start + k]
                    for k in range(tree.num_children[node]):
                        change[row, k] += value[start + k] - total
                        # Once for each history of the information state; the player's own probability is that of all of them.
                        weights[row, k] += t * own[node] * policy[row, k]
                    value[node] = total
                else:
                    total = 0.0
                    for k in range(tree.num_children[node]):
                        total += value[start + k]
                    value[node] = total
            # Only the player's own rows changed, and other regrets are not negative.
            for row in range(len(regrets)):
                for k in range(num_actions[row]):
                    regrets[row, k] = max(regrets[row, k] + change[row, k], 0.0)
    counter[0] += iterations


@dataclass(frozen=True)
class CFRPlusOptions(Options):
    """CFR+ has no options."""


class CFRPlus(PokerLearner):
    """CFR+ on the full game tree. An "episode" is an iteration over the whole tree; nothing is
    random.

    Tables: ``regrets`` and ``weights``, float64 ``[I, A]``.
    """

    def __init__(self, name: str, game: PokerTables, seed: int, options: CFRPlusOptions) -> None:
        super().__init__(name, game, seed, options, PokerTable(game, 2 * game.max_actions))
        self.chunk = 1000

    def _columns(self) -> dict[str, np.ndarray]:
        halves = self.table.rows.reshape(2, -1, self.game.max_actions)
        return {"regrets": halves[0], "weights": halves[1]}

    def weights(self) -> np.ndarray:
        """Returns the average policy before normalisation, iteration t weighted t."""
        return self.tables["weights"]

    def _run_chunk(self, count: int) -> None:
        game, (regrets, weights) = self.game, self._columns().values()
        rows, sizes = game.table_infoset, game.infoset_actions
        iterate(game.tree, rows, sizes, regrets, weights, self.counter, count)
