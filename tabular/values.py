"""What each move is worth against a policy, exactly, on a full game tree: for whoever judges a hand that was played.

The others follow the policy. The mover does not see their cards: those are weighed by the probability that the deal and the
others' moves lead here (its own moves say nothing of them). After the move it goes on as well as it can against the policy, so
that a move's regret, what it loses to the best one, is that of this move alone, whatever follows. Against an equilibrium the best
moves are worth what the equilibrium is worth.

The others may have made moves that their policy never makes. Each of these counts as if made with probability ``TREMBLE``, so
that there is an answer everywhere; where the policy leads it changes values by less than 1e-9 chips.
"""

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from games.poker.tables import PokerTables
from games.poker.tree import Kind

TREMBLE = 1e-12


class MoveValues(NamedTuple):
    """Of one decision with n legal moves: P players, C cards in the deck.

    Attributes:
        policy: float64 ``[n]``, the policy's own probabilities.
        values: float64 ``[n]``, the expected return of each move in chips.
        regrets: float64 ``[n]``, what each loses to the best one, in chips, at least 0.
        cards: float64 ``[P, C]``, the probability that a player holds a card, as the mover sees it.
    """

    policy: np.ndarray
    values: np.ndarray
    regrets: np.ndarray
    cards: np.ndarray


class PolicyValues:
    """The values of all moves against one policy; the whole tree is passed once, when the first value is asked for.

    Args:
        game: A game with a full tree.
        policy: float64 ``[game.num_infosets, game.max_actions]``.

    Raises:
        ValueError: Not a policy of this game, or no full tree.
    """

    def __init__(self, game: PokerTables, policy: np.ndarray) -> None:
        self._tree, self._policy = game.tree, game.tree_policy(policy)
        self._game = game if game.finest is None else game.finest

    def at(self, cards: np.ndarray, node: int) -> MoveValues:
        """Returns what the mover's moves are worth.

        Args:
            cards: int8 ``[K]``, as in ``games.poker.state.States``; what the mover cannot see is not read.
            node: A decision node of the betting tree.
        """
        infoset = int(self._game.infosets(cards[None], np.array([node], np.int32))[0])
        count = int(self._tree.infoset_actions[infoset])
        values = self._values[infoset, :count]
        histories = np.flatnonzero(self._tree.infoset == infoset)
        likely = self._reach[self._tree.infoset_player[infoset]][histories]
        deals = self._hands[self._hand[histories]]
        held = np.zeros((deals.shape[1], int(self._game.deals.cards.max()) + 1))
        for player, cards_of in enumerate(deals.T):
            np.add.at(held[player], cards_of, likely / likely.sum())
        return MoveValues(self._policy[infoset, :count], values, values.max() - values, held)

    @cached_property
    def _hands(self) -> np.ndarray:
        """Returns the private cards of all players in the order in which ``tree.build`` deals them: int8 ``[G, P]``."""
        return np.asarray(np.unique(self._game.deals.cards[:, : self._game.num_players], axis=0))

    @cached_property
    def _hand(self) -> np.ndarray:
        """Returns which of ``_hands`` each history has (int64 ``[H]``); 0 at the root, where none is dealt."""
        tree = self._tree
        result = np.arange(len(tree.kind)) - tree.first_child[0]
        result[0] = 0
        for start, end in pairwise(tree.levels[2:]):
            result[start:end] = result[tree.parent[start:end]]
        return result

    @cached_property
    def _slots(self) -> np.ndarray:
        """Returns which child of its parent each history is (int64 ``[H]``); of no meaning at the root."""
        return np.asarray(np.arange(len(self._tree.kind)) - self._tree.first_child[self._tree.parent])

    @cached_property
    def _reach(self) -> np.ndarray:
        """Returns the probability of each history due to chance and all but one player: float64 ``[P, H]``."""
        tree = self._tree
        result = np.ones((self._game.num_players, len(tree.kind)))
        for player, reach in enumerate(result):
            theirs = (tree.kind[tree.parent] == Kind.DECISION) & (tree.player[tree.parent] != player)
            theirs[0] = False
            step = tree.chance.copy()
            step[theirs] = np.maximum(self._policy[tree.infoset[tree.parent[theirs]], self._slots[theirs]], TREMBLE)
            for start, end in pairwise(tree.levels[1:]):
                reach[start:end] = reach[tree.parent[start:end]] * step[start:end]
        return result

    @cached_property
    def _values(self) -> np.ndarray:
        """Returns the value of each action of each information state in chips: float64 ``[I, A]``."""
        tree, legal = self._tree, self._game.legal
        result = np.zeros(self._policy.shape)
        for player, reach in enumerate(self._reach):
            sums, value = np.zeros(self._policy.shape), np.where(tree.kind == Kind.TERMINAL, reach * tree.payoffs[:, player], 0.0)
            for start, end in reversed(list(pairwise(tree.levels[1:]))):
                own = start + np.flatnonzero(tree.player[start:end] == player)
                best = np.where(legal, sums, -np.inf)[tree.infoset[own]].argmax(axis=1)
                value[own] = value[tree.first_child[own] + best]
                at, slots = tree.parent[start:end], self._slots[start:end]
                mine = tree.player[at] == player
                np.add.at(sums, (tree.infoset[at[mine]], slots[mine]), value[start:end][mine])
                np.add.at(value, at[~mine], value[start:end][~mine])
            rows, decides = tree.infoset_player == player, tree.player == player
            weight = np.bincount(tree.infoset[decides], reach[decides], minlength=len(rows))
            result[rows] = sums[rows] / weight[rows, None]
        return result
