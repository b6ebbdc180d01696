"""A game for tabular algorithms with dense rows (``Game.tables``): a tree of public moves, and
deals of private and public cards, independent of the moves.

An information set is a node of the tree together with the *bucket* of the cards that the mover
can see; it is a row of a table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from games.play import deals
from games.play.deals import EnumeratedDeals


class PublicTree(NamedTuple):
    """All sequences of public moves as arrays: D decision nodes, T terminal nodes, S positions,
    P players, R rounds, A action slots (the most legal actions of any node), O outcomes.

    Node 0 is the start and every child has a larger number than its parent. A *slot* is the
    position of an action among the legal ones; policies and tables are indexed by slots.

    Sequences with equal payoffs in every outcome end in one terminal node.

    Attributes:
        player: int8 ``[D]``, the player to act.
        round: int8 ``[D]``, number of times that public cards were dealt before it.
        num_actions: int8 ``[D]``, number of legal actions, at least 1.
        actions: int8 ``[D, A]``, the action of each slot, ascending; -1 = none.
        child: int32 ``[D, A]``, the node that an action leads to: a decision node, or ``~t`` for
            the terminal node t. Slots without an action repeat the last child.
        base: int32 ``[D]``, the information set of bucket 0; that of bucket b is ``base + b``.
            Those of player 0 come first.
        num_buckets: int32 ``[D]``, buckets of its round.
        hand: int8 ``[D]``, index of the mover's bucket in a deal: ``player * R + round``.
        position: int32 ``[D]``, the position in the betting: nodes with the same chips, players and
            duties share it.
        paid: float64 ``[S, P]``, chips that each player has paid at a position.
        pot: float64 ``[D]``, chips in the pot at the beginning of the node's round.
        potential: float64 ``[D]``, maximum chips that the remaining players can add from the
            beginning of the round to the end of the game ("remaining betting potential", Heinrich &
            Silver 2015, equation 3).
        payoffs: float64 ``[T, O, P]``, each player's winnings, in chips.
        showdown: bool ``[T]``, whether more than one player is left.
    """

    player: np.ndarray
    round: np.ndarray
    num_actions: np.ndarray
    actions: np.ndarray
    child: np.ndarray
    base: np.ndarray
    num_buckets: np.ndarray
    hand: np.ndarray
    position: np.ndarray
    paid: np.ndarray
    pot: np.ndarray
    potential: np.ndarray
    payoffs: np.ndarray
    showdown: np.ndarray


def sequences(tree: PublicTree) -> tuple[list[str], dict[str, int]]:
    """Returns the bets that lead to each decision node, and all complete sequences with the
    terminal node that each leads to.

    Bets are ``f``, ``c``, ``r``, and ``/`` between rounds.
    """
    texts, ends = [""] * len(tree.player), {}
    for node in range(len(texts)):
        for slot in range(tree.num_actions[node]):
            after, longer = tree.child[node, slot], texts[node] + "fcr"[tree.actions[node, slot]]
            if after < 0:
                ends[longer] = int(~after)
            else:
                texts[after] = longer + "/" * int(tree.round[after] - tree.round[node])
    return texts, ends


def _nothing(policy: np.ndarray) -> dict[str, float]:
    """Returns no measures."""
    return {}


@dataclass(frozen=True, eq=False)
class Tables:
    """The information sets of a game, all of them or up to buckets.

    A *policy* is float64 ``[num_infosets, max_actions]``: in each row the probabilities of the
    legal actions in ascending order, then zeros.

    Attributes:
        name: As in ``game=NAME``.
        rules: The bets, ``games.poker.betting.BettingRules``.
        betting: The public tree with the information sets that tables are kept for.
        deals: The cards, a NamedTuple with kernels (``deals.register_deals``).
        bucket_names: For each round a text for each bucket.
        finest: The same game with all its information sets if ``betting`` merges some, else None.
        measures: The game's own measures of a policy by name, such as its distance to a known
            equilibrium, in addition to exploitability.
        greedy_measures: The same of a greedy policy.
    """

    name: str
    rules: Any
    betting: PublicTree
    deals: Any
    bucket_names: tuple[tuple[str, ...], ...]
    finest: "Tables | None" = None
    measures: Callable[[np.ndarray], dict[str, float]] = _nothing
    greedy_measures: Callable[[np.ndarray], dict[str, float]] = _nothing

    @property
    def num_players(self) -> int:
        """Returns the number of players."""
        return int(self.betting.payoffs.shape[2])

    @property
    def num_infosets(self) -> int:
        """Returns the number of information sets of all players; player 0's come first."""
        return int(self.betting.num_buckets.sum())

    @property
    def max_actions(self) -> int:
        """Returns the largest number of legal actions."""
        return int(self.betting.child.shape[1])

    def _by_infoset(self, values: np.ndarray) -> np.ndarray:
        """Returns a number per node of the tree for each information set."""
        order = np.argsort(self.betting.base)
        return np.repeat(values[order], self.betting.num_buckets[order])

    @cached_property
    def infoset_player(self) -> np.ndarray:
        """Returns the player of each information set (int8 ``[num_infosets]``)."""
        return self._by_infoset(self.betting.player)

    @cached_property
    def infoset_actions(self) -> np.ndarray:
        """Returns the number of legal actions of each information set (int8
        ``[num_infosets]``).
        """
        return self._by_infoset(self.betting.num_actions)

    @cached_property
    def legal(self) -> np.ndarray:
        """Returns a mask of the legal entries of a policy: bool ``[num_infosets, max_actions]``."""
        return np.arange(self.max_actions) < self.infoset_actions[:, None]

    def infoset_texts(self) -> list[str]:
        """Returns a text for each information set: the mover's cards, then the moves so far, as
        in ``"K cr"``.
        """
        texts = [""] * self.num_infosets
        for node, sequence in enumerate(sequences(self.betting)[0]):
            for bucket, name in enumerate(self.bucket_names[self.betting.round[node]]):
                texts[self.betting.base[node] + bucket] = f"{name} {sequence}".strip()
        return texts

    def infosets(self, cards: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Returns the information set of the mover at each position (int64 ``[n]``).

        Args:
            cards: int8 ``[n, K]``, as in ``state.States``; cards that the mover cannot see are not
                read.
            nodes: int32 ``[n]``, decision nodes of the tree.
        """
        rows = np.empty(len(nodes), dtype=np.int64)
        deals.infosets(self.betting, self.deals, cards, nodes, rows)
        return rows

    def uniform_policy(self) -> np.ndarray:
        """Returns the policy that plays each legal action with the same probability."""
        return self.legal / self.infoset_actions[:, None]

    def completed(self, policy: np.ndarray) -> np.ndarray:
        """Returns a policy with its rows of zeros replaced by the uniform policy."""
        none = ~policy.any(axis=1, keepdims=True)
        return np.where(none, self.uniform_policy(), policy)

    def check_policy(self, policy: np.ndarray) -> np.ndarray:
        """Returns the policy as contiguous float64.

        Raises:
            ValueError: The shape is wrong, or probabilities are negative, not finite, given to
                illegal actions, or do not sum to 1 within 1e-6.
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

    @property
    def has_tree(self) -> bool:
        """Returns whether the deals can be listed, so that policies can be measured exactly."""
        return isinstance(self.deals, EnumeratedDeals)

    @property
    def full(self) -> "Tables":
        """Returns the tables with all information sets."""
        return self if self.finest is None else self.finest

    @cached_property
    def table_infoset(self) -> np.ndarray:
        """Returns the information set here of each information set of ``full`` (int32)."""
        full = self.full
        result = np.full(full.num_infosets, -1, dtype=np.int32)
        for node, hand in enumerate(self.betting.hand):
            fine = full.betting.base[node] + full.deals.buckets[:, hand]
            result[fine] = self.betting.base[node] + self.deals.buckets[:, hand]
        return result

    def full_policy(self, policy: np.ndarray) -> np.ndarray:
        """Returns a policy over the information sets of ``full``: float64; errors as of
        ``check_policy``, and ValueError if the deals cannot be listed.
        """
        if not self.has_tree:
            raise ValueError(f"{self.name} is too large: its deals cannot be listed")
        return np.ascontiguousarray(self.check_policy(policy)[self.table_infoset])
