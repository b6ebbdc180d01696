"""The policy networks of a small poker game as a table, for exact measures."""

import numpy as np

from fpmcts.selfplay import observe_movers
from games.kernels import kernel
from games.poker.limit_poker import LimitPoker
from games.poker.state import Rules, States, legal
from inference.replay import Evaluate
from networks.decode import legal_logits, softmax


@kernel
def _probabilities(rules: Rules, decoder: np.ndarray, states: States, policy: np.ndarray, table: np.ndarray) -> None:
    """Writes the probabilities of the legal actions of each state to ``table`` (float64 ``[I, A]``), zeros after them."""
    actions = np.empty(table.shape[1], np.int16)
    for i in range(table.shape[0]):
        num_legal = legal(rules, states, i, actions)
        legal_logits(decoder, policy, i, actions, num_legal, table[i])
        softmax(table[i], num_legal, 1.0, table[i])


def policy_table(game: LimitPoker, evaluate: Evaluate) -> np.ndarray:
    """Returns the policies of networks at temperature 1: float64 ``[num_infosets, max_actions]``, a policy of ``game.poker``.

    Raises:
        ValueError: The information states of the game cannot be listed.
    """
    states = game.information_states()
    rows = np.arange(len(states.node))
    observations = np.empty((len(rows), *game.spec.observation_shape), np.int8)
    seats = np.empty(len(rows), np.int8)
    observe_movers(game.rules, states, rows, observations, seats)
    table = np.zeros((len(rows), game.poker.max_actions))
    _probabilities(game.rules, game.decoder, states, evaluate(observations, seats).policy, table)
    return table
