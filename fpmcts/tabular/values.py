"""What each move is worth against a policy, exactly, in games whose deals can be listed: for the
player who judges a hand that was played.

The others follow the policy. The mover does not see their cards: those are weighed by the
probability that the deal and the others' moves lead here (its own moves say nothing of them). After
the move it plays as well as it can against the policy, so that a move's regret, what it loses to
the best one, is that of this move alone, whatever follows. Against an equilibrium the best moves
are worth what the equilibrium is worth.

The others may have made moves that their policy never makes. Each of these counts as if made with
probability ``TREMBLE``, so that there is an answer everywhere; where the policy leads it changes
values by less than 1e-9 chips.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fpmcts.tabular.best_response import after, expected, histories, reach, respond
from games.tables import Tables

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
        moves: float64 ``[M, P]``, what each move changed; this shows what nobody at the table could
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
    """The values of all moves against one policy; all histories are passed once, when the first
    value is asked for.

    Args:
        game: A game whose deals can be listed.
        policy: float64 ``[game.num_infosets, game.max_actions]``.

    Raises:
        ValueError: Not a policy of this game, or its deals cannot be listed.
    """

    def __init__(self, game: Tables, policy: np.ndarray) -> None:
        self._game, self._histories = game.full, histories(game, policy)

    def at(self, cards: np.ndarray, node: int) -> MoveValues:
        """Returns what the mover's moves are worth.

        Args:
            cards: int8 ``[K]``, as in ``games.deals.bucket_of``; what the mover cannot see is not
                read.
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
        """Returns where the result of a hand came from.

        Args:
            cards: int8 ``[K]``, all cards of the deal, as in ``games.deals.bucket_of``.
            slots: For each move, which of the legal actions it was.

        Raises:
            ValueError: The moves do not lead to the end of a hand.
        """
        deals, betting = self._game.deals.cards, self._game.betting

        def mean(values: np.ndarray, seen: int) -> np.ndarray:
            same = (deals[:, :seen] == cards[:seen]).all(axis=1)
            return np.asarray(values[same].mean(axis=0))

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
        ``[P, D, E]``), and the value of each action weighted with it (``[I, A]``).
        """
        # No move of the others is below TREMBLE.
        game = self._histories._replace(policy=np.maximum(self._histories.policy, TREMBLE))
        reached = np.empty((self._game.num_players, *game.rows.shape))
        sums = np.zeros(game.policy.shape)
        for player, weight in enumerate(reached):
            reach(game, player, weight)
            respond(game, player, weight, sums)
        return reached, sums
