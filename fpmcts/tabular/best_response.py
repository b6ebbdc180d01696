"""Exact best responses on dense tables, in games whose deals can be listed: the distance of a
policy from a Nash equilibrium.

For two players in a zero-sum game

- *NashConv* is the total that both players can gain, ``sum_i R_i(b_i, pi_-i) - R_i(pi)``; the
  values of the policy itself cancel. This is the "exploitability" delta of Heinrich & Silver 2015,
  4.2.
- *Exploitability*, as most other libraries use the word, is half of it: the gain per player.

Both are in chips per hand. A history is one of D nodes of the public tree with one of E deals. One
pass down the public tree computes the probabilities of chance and the others. One pass up, for all
deals at once, gives each information set the action with the largest sum over its histories.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.play.tables import PublicTree, Tables


class Histories(NamedTuple):
    """A game with all its information sets, and a policy.

    Attributes:
        betting: The public tree.
        rows: int64 ``[D, E]``, the mover's information set in each history.
        outcome: int32 ``[E]``, the outcome of each deal.
        policy: float64 ``[I, A]``.
    """

    betting: PublicTree
    rows: np.ndarray
    outcome: np.ndarray
    policy: np.ndarray


def histories(game: Tables, policy: np.ndarray) -> Histories:
    """Returns the histories of a game with a policy. Raises ValueError: see ``profile_values``."""
    policy, full = game.full_policy(policy), game.full
    betting, deals = full.betting, full.deals
    rows = betting.base[:, None] + deals.buckets.T[betting.hand].astype(np.int64)
    return Histories(betting, rows, deals.outcome, policy)


@kernel
def reach(game: Histories, player: int, weight: np.ndarray) -> None:
    """Writes the probability of each history due to chance and all but ``player`` to ``weight``
    ``[D, E]``.
    """
    betting, (num_nodes, num_deals) = game.betting, weight.shape
    weight[0] = 1.0 / num_deals
    for node in range(num_nodes):
        for slot in range(betting.num_actions[node]):
            after = betting.child[node, slot]
            if after < 0:
                continue
            for deal in range(num_deals):
                weight[after, deal] = weight[node, deal]
                if betting.player[node] != player:
                    weight[after, deal] *= game.policy[game.rows[node, deal], slot]


@kernel
def respond(game: Histories, player: int, weight: np.ndarray, actions: np.ndarray) -> float:
    """Returns the value of a player's best response; the player's own policy is not read.

    Args:
        game: The game and the policy of the others.
        player: The player that responds.
        weight: As written by ``reach``.
        actions: float64 ``[I, A]``, zeros: receives the weighted values of the player's actions.
    """
    betting, (num_nodes, num_deals) = game.betting, weight.shape
    value = np.zeros(weight.shape)  # of each history, weighted by its probability
    worth = np.empty((actions.shape[1], num_deals))
    for node in range(num_nodes - 1, -1, -1):
        own, count = betting.player[node] == player, betting.num_actions[node]
        for slot in range(count):
            after = betting.child[node, slot]
            for deal in range(num_deals):
                row = game.rows[node, deal]
                if after >= 0:
                    worth[slot, deal] = value[after, deal]
                else:
                    worth[slot, deal] = (
                        weight[node, deal] * betting.payoffs[~after, game.outcome[deal], player]
                    )
                    if not own:
                        worth[slot, deal] *= game.policy[row, slot]
                if own:
                    actions[row, slot] += worth[slot, deal]
                else:
                    value[node, deal] += worth[slot, deal]
        if own:
            for deal in range(num_deals):
                best = np.argmax(actions[game.rows[node, deal], :count])
                value[node, deal] = worth[best, deal]
    return value[0].sum()


def expected(game: Histories) -> np.ndarray:
    """Returns each player's expected winnings from each history on when all follow the policy:
    float64 ``[D, E, P]``.
    """
    betting = game.betting
    value = np.zeros((*game.rows.shape, betting.payoffs.shape[2]))
    for node in range(len(value) - 1, -1, -1):
        for slot in range(betting.num_actions[node]):
            chance = game.policy[game.rows[node], slot, None]
            value[node] += chance * after(game, value, betting.child[node, slot])
    return value


def after(game: Histories, value: np.ndarray, node: int) -> np.ndarray:
    """Returns ``value`` at a node in each deal, the payoffs where the game is over: float64 ``[E,
    P]``.
    """
    return value[node] if node >= 0 else game.betting.payoffs[~node, game.outcome]


def profile_values(game: Tables, policy: np.ndarray) -> np.ndarray:
    """Returns each player's expected winnings when all follow the policy, in chips per hand:
    float64 ``[P]``.

    Args:
        game: A game whose deals can be listed.
        policy: float64 ``[game.num_infosets, game.max_actions]``.

    Raises:
        ValueError: Not a policy of this game, or its deals cannot be listed.
    """
    return expected(histories(game, policy))[0].mean(axis=0)


def best_response_values(game: Tables, policy: np.ndarray) -> np.ndarray:
    """Returns the value of each player's best response to the others' policy, in chips per hand:
    float64 ``[P]``.

    The responder sees everything that the full game shows, suits included, even where the policy
    does not. Arguments and errors as ``profile_values``.
    """
    found, result = histories(game, policy), []
    weight = np.empty(found.rows.shape)
    for player in range(game.num_players):
        reach(found, player, weight)
        result.append(respond(found, player, weight, np.zeros_like(found.policy)))
    return np.array(result)


def nash_conv(game: Tables, policy: np.ndarray) -> float:
    """Returns NashConv in chips per hand: the total gain of all players by best responses, 0 in
    equilibrium.

    The delta of Heinrich & Silver 2015, 4.2; twice the exploitability. Arguments and errors as
    ``profile_values``.
    """
    # The game is zero-sum, so the values of the policy itself sum to 0.
    return float(best_response_values(game, policy).sum())
