"""The exact value of each move against a policy, in games whose deals can be listed: for the review
of a hand.

The others follow the policy. The mover does not see their cards: these are weighted by the
probability that the deal and the others' moves lead here (its own moves carry no information).
After the move it plays a best response to the policy, so a move's regret, its loss against the best
move, does not depend on later mistakes. Against an equilibrium the best moves have the value of the
equilibrium.

The others may have made moves that their policy never makes. Each of these counts as made with
probability ``TREMBLE``, so that every position has values; where the policy leads, this changes
them by less than 1e-9 chips.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fpmcts.tabular.best_response import after, expected, histories, reach, respond
from games.play.tables import Tables

TREMBLE = 1e-12


class Account(NamedTuple):
    """The result of one hand, split into its sources, in chips: M moves, P players.

    ``start + deal + later + moves.sum(0)`` is each player's winnings.

    Every part is a change, from node to node of the hand, in each player's expected return when all
    follow the policy and all cards are open. Source: Burch et al., "AIVAT: a new variance reduction
    technique for agent evaluation in imperfect information games", 2018, whose correction terms
    these differences at chance nodes are.

    Attributes:
        start: float64 ``[P]``, expected return of a seat before the deal.
        deal: float64 ``[P]``, change by the private cards; its mean over all deals is 0.
        later: float64 ``[P]``, change by the public cards, likewise.
        moves: float64 ``[M, P]``, change by each move; this uses cards that nobody at the table
            could know.
        regrets: float64 ``[M]``, loss of each move for its mover, see ``MoveValues.regrets``.
    """

    start: np.ndarray
    deal: np.ndarray
    later: np.ndarray
    moves: np.ndarray
    regrets: np.ndarray


class MoveValues(NamedTuple):
    """Values at one decision with n legal moves: P players, C cards in the deck.

    Attributes:
        policy: float64 ``[n]``, the policy's own probabilities.
        values: float64 ``[n]``, the expected return of each move in chips.
        regrets: float64 ``[n]``, the loss of each move against the best one, in chips, at least 0.
        cards: float64 ``[P, C]``, the probability that a player holds a card, as the mover sees it.
    """

    policy: np.ndarray
    values: np.ndarray
    regrets: np.ndarray
    cards: np.ndarray


class PolicyValues:
    """The values of all moves against one policy; the first request traverses all histories once.

    Args:
        game: A game whose deals can be listed.
        policy: float64 ``[game.num_infosets, game.max_actions]``.

    Raises:
        ValueError: Not a policy of this game, or its deals cannot be listed.
    """

    def __init__(self, game: Tables, policy: np.ndarray) -> None:
        self._game, self._histories = game.full, histories(game, policy)

    def at(self, cards: np.ndarray, node: int) -> MoveValues:
        """Returns the values of the mover's moves.

        Args:
            cards: int8 ``[K]``, as in ``games.play.deals.bucket_of``; cards that the mover cannot
                see are not read.
            node: A decision node of the public tree.
        """
        infoset = int(self._game.infosets(cards[None], np.array([node], np.int32))[0])
        count, mover = self._game.betting.num_actions[node], self._game.betting.player[node]
        reached, sums = self._responses
        likely = np.where(self._histories.rows[node] == infoset, reached[mover, node], 0.0)
        values = sums[infoset, :count] / likely.sum()
        deals, num_players = self._game.deals.cards, self._game.num_players
        held = np.zeros((num_players, int(deals.max()) + 1))
        for player in range(num_players):
            np.add.at(held[player], deals[:, player], likely / likely.sum())
        policy = self._histories.policy[infoset, :count]
        return MoveValues(policy, values, values.max() - values, held)

    def account(self, cards: np.ndarray, slots: Sequence[int]) -> Account:
        """Returns the result of a hand, split into its sources.

        Args:
            cards: int8 ``[K]``, all cards of the deal, as in ``games.play.deals.bucket_of``.
            slots: For each move, its index among the legal actions.

        Raises:
            ValueError: The moves do not lead to the end of a hand.
        """
        deals, betting = self._game.deals.cards, self._game.betting

        def mean(values: np.ndarray, seen: int) -> np.ndarray:
            same = (deals[:, :seen] == cards[:seen]).all(axis=1)
            return values[same].mean(axis=0)

        node, seen, whole = 0, self._game.num_players, self._expected[0]
        start, now = mean(whole, 0), mean(whole, seen)
        deal, later = now - start, np.zeros_like(now)
        moves, regrets = np.zeros((len(slots), len(now))), np.zeros(len(slots))
        for k, slot in enumerate(slots):
            if node < 0:
                raise ValueError(
                    f"slots {list(slots)}: expected {k} moves, after which the hand is over"
                )
            if not 0 <= slot < betting.num_actions[node]:
                break
            regrets[k] = self.at(cards, node).regrets[slot]
            node = int(betting.child[node, slot])
            values = after(self._histories, self._expected, node)
            moved = mean(values, seen)
            if node >= 0:
                seen = self._game.num_players + int(betting.round[node])
            moves[k], now = moved - now, mean(values, seen)
            later += now - moved
        if node >= 0:
            raise ValueError(
                f"slots {list(slots)}: expected the moves of a hand that was played to its end"
            )
        return Account(start, deal, later, moves, regrets)

    @cached_property
    def _expected(self) -> np.ndarray:
        return expected(self._histories)

    @cached_property
    def _responses(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the probability of each history due to chance and all but one player (float64
        ``[P, D, E]``), and the value of each action weighted by it (``[I, A]``).
        """
        # No move of the others has a probability below TREMBLE.
        game = self._histories._replace(policy=np.maximum(self._histories.policy, TREMBLE))
        reached = np.empty((self._game.num_players, *game.rows.shape))
        sums = np.zeros(game.policy.shape)
        for player, weight in enumerate(reached):
            reach(game, player, weight)
            respond(game, player, weight, sums)
        return reached, sums
