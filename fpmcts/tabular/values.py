"""What each move is worth against a policy, exactly, on a full game tree: for whoever judges a hand
that was played.

The others follow the policy. The mover does not see their cards: those are weighed by the
probability that the deal and the others' moves lead here (its own moves say nothing of them). After
the move it goes on as well as it can against the policy, so that a move's regret, what it loses to
the best one, is that of this move alone, whatever follows. Against an equilibrium the best moves
are worth what the equilibrium is worth.

The others may have made moves that their policy never makes. Each of these counts as if made with
probability ``TREMBLE``, so that there is an answer everywhere; where the policy leads it changes
values by less than 1e-9 chips.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fpmcts.tabular.best_response import reach, respond
from games.poker.tables import PokerTables
from games.poker.tree import Kind

TREMBLE = 1e-12


class Account(NamedTuple):
    """Where the result of one hand came from, in chips: M moves, P players.

    ``start + deal + later + moves.sum(0)`` is what each player won.

    All of it is the change of one number, the expected return of each player when all follow the
    policy and all cards lie open, from node to node of the hand that was played. Source: Burch et
    al., "AIVAT: a new variance reduction technique for agent evaluation in imperfect information
    games", 2018, whose correction terms these differences at chance nodes are.

    Attributes:
        start: float64 ``[P]``, what a seat can expect before the deal.
        deal: float64 ``[P]``, what the private cards changed: 0 on the mean over all deals.
        later: float64 ``[P]``, what the public cards changed, likewise.
        moves: float64 ``[M, P]``, what each move changed; this tells what nobody at the table could
            know.
        regrets: float64 ``[M]``, what each move lost for its mover, see ``MoveValues.regrets``.
    """

    start: np.ndarray
    deal: np.ndarray
    later: np.ndarray
    moves: np.ndarray
    regrets: np.ndarray


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
    """The values of all moves against one policy; the whole tree is passed once, when the first
    value is asked for.

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
            cards: int8 ``[K]``, as in ``games.poker.state.States``; what the mover cannot see is
                not read.
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

    def account(self, cards: np.ndarray, slots: Sequence[int]) -> Account:
        """Returns where the result of a hand came from.

        Args:
            cards: int8 ``[K]``, all cards of the deal, as in ``games.poker.state.States``.
            slots: For each move, which of the legal actions it was.

        Raises:
            ValueError: The moves do not lead to the end of a hand.
        """
        tree, value = self._tree, self._history_values
        history, moved = 0, list(slots)[::-1]
        changes: list[np.ndarray] = []
        regrets: list[float] = []
        chance = np.zeros((0, self._game.num_players))
        while tree.kind[history] != Kind.TERMINAL:
            if tree.kind[history] == Kind.CHANCE:
                after = tree.first_child[history] + self._dealt(history, cards)
                chance = np.vstack([chance, value[after] - value[history]])
            else:
                if not moved or not 0 <= moved[-1] < tree.num_children[history]:
                    raise ValueError(
                        f"slots {list(slots)}: expected the moves of a hand that was played to "
                        "its end"
                    )
                regrets.append(
                    float(self.at(cards, int(tree.betting_node[history])).regrets[moved[-1]])
                )
                after = tree.first_child[history] + moved.pop()
                changes.append(value[after] - value[history])
            history = int(after)
        if moved:
            raise ValueError(
                f"slots {list(slots)}: expected {len(changes)} moves, after which the hand is over"
            )
        moves = np.array(changes).reshape(len(changes), self._game.num_players)
        return Account(value[0], chance[0], chance[1:].sum(axis=0), moves, np.array(regrets))

    def _dealt(self, history: int, cards: np.ndarray) -> int:
        """Returns which child of a chance node a deal leads to; ``tree.build`` lists them in the
        order of the cards.
        """
        deals, players = self._game.deals.cards, self._game.num_players
        before = (
            players + self._game.betting.round[self._tree.betting_node[self._tree.parent[history]]]
            if history
            else 0
        )
        after = int(self._tree.betting_node[self._tree.first_child[history]])
        shown = players + self._game.betting.round[after]
        rows = deals[(deals[:, :before] == cards[:before]).all(axis=1)]
        return int(
            np.flatnonzero((np.unique(rows[:, :shown], axis=0) == cards[:shown]).all(axis=1))[0]
        )

    @cached_property
    def _history_values(self) -> np.ndarray:
        """Returns what each player wins on the mean from each history on when all follow the
        policy: float64 ``[H, P]``.
        """
        tree = self._tree
        result = np.where((tree.kind == Kind.TERMINAL)[:, None], tree.payoffs, 0.0)
        step = tree.chance.copy()
        drawn = tree.kind[tree.parent] == Kind.DECISION
        drawn[0] = False
        step[drawn] = self._policy[tree.infoset[tree.parent[drawn]], self._slots[drawn]]
        for start, end in reversed(list(pairwise(tree.levels[1:]))):
            np.add.at(result, tree.parent[start:end], step[start:end, None] * result[start:end])
        return result

    @cached_property
    def _hands(self) -> np.ndarray:
        """Returns the private cards of all players in the order in which ``tree.build`` deals them:
        int8 ``[G, P]``.
        """
        return np.asarray(np.unique(self._game.deals.cards[:, : self._game.num_players], axis=0))

    @cached_property
    def _hand(self) -> np.ndarray:
        """Returns which of ``_hands`` each history has (int64 ``[H]``); 0 at the root, where none
        is dealt.
        """
        tree = self._tree
        result = np.arange(len(tree.kind)) - tree.first_child[0]
        result[0] = 0
        for start, end in pairwise(tree.levels[2:]):
            result[start:end] = result[tree.parent[start:end]]
        return result

    @cached_property
    def _slots(self) -> np.ndarray:
        """Returns which child of its parent each history is (int64 ``[H]``); of no meaning at the
        root.
        """
        return np.asarray(
            np.arange(len(self._tree.kind)) - self._tree.first_child[self._tree.parent]
        )

    @cached_property
    def _others(self) -> np.ndarray:
        """Returns the policy with no move below ``TREMBLE``."""
        return np.maximum(self._policy, TREMBLE)

    @cached_property
    def _reach(self) -> np.ndarray:
        """Returns the probability of each history due to chance and all but one player: float64
        ``[P, H]``.
        """
        result = np.ones((self._game.num_players, len(self._tree.kind)))
        for player, weight in enumerate(result):
            reach(self._tree, self._others, player, weight)
        return result

    @cached_property
    def _values(self) -> np.ndarray:
        """Returns the value of each action of each information state in chips: float64 ``[I,
        A]``.
        """
        tree, result = self._tree, np.zeros(self._policy.shape)
        for player, weight in enumerate(self._reach):
            sums = np.zeros(self._policy.shape)
            respond(tree, self._others, player, np.empty(len(weight)), sums)
            rows, decides = tree.infoset_player == player, tree.player == player
            total = np.bincount(tree.infoset[decides], weight[decides], minlength=len(rows))
            result[rows] = sums[rows] / total[rows, None]
        return result
