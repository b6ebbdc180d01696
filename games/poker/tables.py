"""A poker game as tabular algorithms see it: information states are rows of a table
(``LimitPoker.tables``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from games.poker import betting as bets
from games.poker import deals
from games.poker import tree as full_tree
from games.poker.betting import BettingRules, BettingTree
from games.poker.deals import EnumeratedDeals
from games.poker.tree import GameTree


def _nothing(policy: np.ndarray) -> dict[str, float]:
    """Returns no measures."""
    return {}


@dataclass(frozen=True, eq=False)
class PokerTables:
    """The information states of a limit poker game, all of them or up to buckets.

    A *policy* is float64 ``[num_infosets, max_actions]``: in each row the probabilities of the
    legal actions in ascending order (``betting.Action``), then zeros.

    Attributes:
        name: As in ``game=NAME``.
        rules: The bets.
        betting: The betting tree with the information states that tables are kept for.
        deals: The cards, a NamedTuple with kernels (``deals.register_deals``).
        bucket_names: For each round a text for each bucket.
        finest: The same game with all its information states where ``betting`` merges some; None
            where it merges none.
        measures: What the game can tell of a policy besides its exploitability, by name
            (``policy_measures``).
    """

    name: str
    rules: BettingRules
    betting: BettingTree
    deals: Any
    bucket_names: tuple[tuple[str, ...], ...]
    finest: "PokerTables | None" = None
    measures: Callable[[np.ndarray], dict[str, float]] = _nothing

    @property
    def num_players(self) -> int:
        """Returns the number of players."""
        return self.rules.num_players

    @property
    def num_infosets(self) -> int:
        """Returns the number of information states of all players; player 0's come first."""
        return int(self.betting.num_buckets.sum())

    @property
    def max_actions(self) -> int:
        """Returns the largest number of legal actions."""
        return int(self.betting.child.shape[1])

    def _by_infoset(self, values: np.ndarray) -> np.ndarray:
        """Returns a number per node of the betting tree for each information state."""
        order = np.argsort(self.betting.base)
        result: np.ndarray = np.repeat(values[order], self.betting.num_buckets[order])
        return result

    @cached_property
    def infoset_player(self) -> np.ndarray:
        """Returns whose each information state is (int8 ``[num_infosets]``)."""
        return self._by_infoset(self.betting.player)

    @cached_property
    def infoset_actions(self) -> np.ndarray:
        """Returns the number of legal actions of each information state (int8
        ``[num_infosets]``).
        """
        return self._by_infoset(self.betting.num_actions)

    @cached_property
    def legal(self) -> np.ndarray:
        """Returns which entries of a policy are actions: bool ``[num_infosets, max_actions]``, True
        where legal.
        """
        return np.arange(self.max_actions) < self.infoset_actions[:, None]

    def infoset_texts(self) -> list[str]:
        """Returns a text for each information state: the mover's cards, then the bets so far, as in
        ``"K cr"``.
        """
        texts = [""] * self.num_infosets
        for node, sequence in enumerate(bets.sequences(self.betting)[0]):
            for bucket, name in enumerate(self.bucket_names[self.betting.round[node]]):
                texts[self.betting.base[node] + bucket] = f"{name} {sequence}".strip()
        return texts

    def infosets(self, cards: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Returns the information state of the mover at each position (int64 ``[n]``).

        Args:
            cards: int8 ``[n, K]``, as in ``state.States``; what the mover cannot see is not read.
            nodes: int32 ``[n]``, decision nodes of the betting tree.
        """
        rows = np.empty(len(nodes), dtype=np.int64)
        deals.infosets(self.betting, self.deals, cards, nodes, rows)
        return rows

    def uniform_policy(self) -> np.ndarray:
        """Returns the policy that plays each legal action with the same probability."""
        return self.legal / self.infoset_actions[:, None]

    def check_policy(self, policy: np.ndarray) -> np.ndarray:
        """Returns the policy as contiguous float64.

        Raises:
            ValueError: Wrong shape, probabilities that are negative, not finite or do not sum to 1
                within 1e-6, or given to actions that are not legal.
        """
        shape = (self.num_infosets, self.max_actions)
        if np.shape(policy) != shape:
            raise ValueError(f"policy of shape {np.shape(policy)}: {self.name} expects {shape}")
        policy = np.ascontiguousarray(policy, dtype=np.float64)
        wrong = ~((policy >= 0).all(axis=1) & (abs(policy.sum(axis=1) - 1) <= 1e-6)) | (
            policy * ~self.legal
        ).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"policy[{row}] = {policy[row]} ({self.infoset_texts()[row]!r}): "
                f"expected {self.infoset_actions[row]} probabilities that sum to 1, then zeros"
            )
        return policy

    def policy_measures(self, policy: np.ndarray) -> dict[str, float]:
        """Returns what the game can tell of a policy, by name, such as its distance to a known
        equilibrium.
        """
        return self.measures(self.check_policy(policy))

    @property
    def has_tree(self) -> bool:
        """Returns whether the game is small enough for ``tree``."""
        return isinstance(self.deals, EnumeratedDeals)

    @cached_property
    def tree(self) -> GameTree:
        """Returns the full game tree, over all information states even where the tables merge some.

        Raises:
            ValueError: The deals of this game cannot be listed.
        """
        if not self.has_tree:
            raise ValueError(f"{self.name} is too large for a full game tree")
        return (
            full_tree.build(self.betting, self.deals) if self.finest is None else self.finest.tree
        )

    @cached_property
    def table_infoset(self) -> np.ndarray:
        """Returns the information state here of each information state of ``tree`` (int32)."""
        if self.finest is None:
            return np.arange(self.num_infosets, dtype=np.int32)
        result = np.full(self.finest.num_infosets, -1, dtype=np.int32)
        for node, hand in enumerate(self.betting.hand):
            fine = self.finest.betting.base[node] + self.finest.deals.buckets[:, hand]
            result[fine] = self.betting.base[node] + self.deals.buckets[:, hand]
        return result

    def tree_policy(self, policy: np.ndarray) -> np.ndarray:
        """Returns a policy over the information states of ``tree``: float64, as ``check_policy``
        for its errors.
        """
        return np.ascontiguousarray(self.check_policy(policy)[self.table_infoset])
