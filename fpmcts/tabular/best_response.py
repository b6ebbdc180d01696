"""Exact best responses on a full game tree: how far a policy is from a Nash equilibrium.

For two players in a zero-sum game

- *NashConv* is what both players together can gain, ``sum_i R_i(b_i, pi_-i) - R_i(pi)``; the values
  of the policy itself cancel. This is the "exploitability" delta of Heinrich & Silver 2015, 4.2.
- *Exploitability*, as most other libraries use the word, is half of it: the gain per player.

Both are in chips per hand. The work is one pass down the tree for the probabilities of chance and
the others, and one pass up: an information state takes the action with the largest sum over its
histories. Lower levels are complete before a level begins.
"""

from typing import Any

import numpy as np

from games.kernels import kernel
from games.poker.tables import PokerTables
from games.poker.tree import GameTree

_DECISION, _TERMINAL = 1, 2  # Kind, as plain integers for compiled code


@kernel
def reach(tree: Any, policy: np.ndarray, player: int, weight: np.ndarray) -> None:
    """Writes the probability of each history due to chance and all but ``player`` (-1: due to all)
    to ``weight`` ``[H]``.
    """
    weight[0] = 1.0
    for node in range(len(weight)):
        first = tree.first_child[node]
        if tree.kind[node] == _DECISION and tree.player[node] != player:
            for k in range(tree.num_children[node]):
                weight[first + k] = weight[node] * policy[tree.infoset[node], k]
        else:
            for k in range(tree.num_children[node]):
                weight[first + k] = weight[node] * tree.chance[first + k]


@kernel
def respond(
    tree: Any,
    policy: np.ndarray,
    player: int,
    value: np.ndarray,
    actions: np.ndarray,
) -> float:
    """Returns what a player's best response wins.

    Args:
        tree: The game tree.
        policy: float64 ``[I, A]``, of all players; the player's own rows are not read.
        player: Who responds.
        value: float64 ``[H]``, scratch: the probability, then the value of each history, weighted
            with it.
        actions: float64 ``[I, A]``, zeros: becomes the weighted values of the player's actions.
    """
    reach(tree, policy, player, value)
    for level in range(len(tree.levels) - 2, -1, -1):
        start, end = tree.levels[level], tree.levels[level + 1]
        for node in range(start, end):
            first = tree.first_child[node]
            if tree.kind[node] == _TERMINAL:
                value[node] *= tree.payoffs[node, player]
            elif tree.player[node] == player:
                for k in range(tree.num_children[node]):
                    actions[tree.infoset[node], k] += value[first + k]
            else:
                total = 0.0
                for k in range(tree.num_children[node]):
                    total += value[first + k]
                value[node] = total
        for node in range(start, end):
            if tree.player[node] == player:
                infoset = tree.infoset[node]
                best = 0
                for k in range(1, tree.num_children[node]):
                    if actions[infoset, k] > actions[infoset, best]:
                        best = k
                value[node] = value[tree.first_child[node] + best]
    return value[0]


@kernel
def _profile_values(tree: Any, policy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Returns what each player wins when all follow the policy: float64 ``[P]``; ``weight``
    (float64 ``[H]``) is scratch.
    """
    reach(tree, policy, -1, weight)
    result = np.zeros(tree.payoffs.shape[1])
    for node in range(len(weight)):
        if tree.kind[node] == _TERMINAL:
            for player in range(len(result)):
                result[player] += weight[node] * tree.payoffs[node, player]
    return result


@kernel
def _best_response_values(tree: Any, policy: np.ndarray) -> np.ndarray:
    """Returns what each player's best response wins against the others' policy: float64 ``[P]``."""
    result = np.empty(tree.payoffs.shape[1])
    value = np.empty(len(tree.kind))
    for player in range(len(result)):
        result[player] = respond(tree, policy, player, value, np.zeros(policy.shape))
    return result


def profile_values(game: PokerTables, policy: np.ndarray) -> np.ndarray:
    """Returns what each player wins when all follow the policy, in chips per hand: float64 ``[P]``.

    Args:
        game: A game with a full tree.
        policy: float64 ``[game.num_infosets, game.max_actions]``.

    Raises:
        ValueError: Not a policy of this game, or no full tree.
    """
    tree: GameTree = game.tree
    return _profile_values(tree, game.tree_policy(policy), np.empty(len(tree.kind)))


def best_response_values(game: PokerTables, policy: np.ndarray) -> np.ndarray:
    """Returns what a best response of each player wins against the others' policy, in chips per
    hand: float64 ``[P]``.

    The responder sees everything that the full game shows, suits included, even where the policy
    does not. Arguments and errors as ``profile_values``.
    """
    return _best_response_values(game.tree, game.tree_policy(policy))


def nash_conv(game: PokerTables, policy: np.ndarray) -> float:
    """Returns NashConv in chips per hand: what all players together gain by best responses, 0 in
    equilibrium.

    The delta of Heinrich & Silver 2015, 4.2; twice the exploitability. Arguments and errors as
    ``profile_values``.
    """
    # The game is zero-sum, so the values of the policy itself sum to 0.
    return float(best_response_values(game, policy).sum())


def exploitability(game: PokerTables, policy: np.ndarray) -> float:
    """Returns NashConv divided by the number of players: half of it for two. Arguments and errors
    as ``nash_conv``.
    """
    return nash_conv(game, policy) / game.num_players
