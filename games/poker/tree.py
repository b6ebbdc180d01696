"""The whole game as a tree of histories, for exact computations: best responses, CFR+."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from games.poker.betting import BettingTree
from games.poker.deals import EnumeratedDeals


class Kind(IntEnum):
    """What happens at a node."""

    CHANCE = 0
    DECISION = 1
    TERMINAL = 2


class GameTree(NamedTuple):
    """A game tree in breadth-first order: H nodes in L levels, I information states, P players.

    The children of a node are consecutive, and larger than it. All histories of one information
    state lie on one level.

    Attributes:
        kind: int8 ``[H]``, ``Kind``.
        player: int8 ``[H]``, who acts at a decision, else -1.
        infoset: int32 ``[H]``, the mover's information state at a decision, else -1.
        parent: int32 ``[H]``, -1 at the root.
        first_child: int32 ``[H]``; child k of a decision is the k-th legal action. Terminal nodes:
            0.
        num_children: int32 ``[H]``.
        chance: float64 ``[H]``, probability of the edge into the node where chance moves, else 1.
        payoffs: float64 ``[H, P]``, chips won at a terminal node, else 0.
        betting_node: int32 ``[H]``, the node of the betting tree at a decision, else -1.
        levels: int32 ``[L + 1]``, the first node of each level, then H.
        infoset_player: int8 ``[I]``, whose information state it is.
        infoset_actions: int32 ``[I]``, its number of legal actions.
    """

    kind: np.ndarray
    player: np.ndarray
    infoset: np.ndarray
    parent: np.ndarray
    first_child: np.ndarray
    num_children: np.ndarray
    chance: np.ndarray
    payoffs: np.ndarray
    betting_node: np.ndarray
    levels: np.ndarray
    infoset_player: np.ndarray
    infoset_actions: np.ndarray


class _History(NamedTuple):
    """A node while the tree grows: the node of the betting tree, the deals that lead here, whether
    their cards are due.
    """

    betting_node: int
    deals: np.ndarray
    parent: int
    chance: float
    due: bool


def build(betting: BettingTree, deals: EnumeratedDeals) -> GameTree:
    """Returns the tree of all histories of a game whose deals are enumerated.

    Chance deals the private cards in one move at the root, and one public card before each later
    round.
    """
    num_players = betting.payoffs.shape[2]
    histories = [_History(0, np.arange(len(deals.outcome)), -1, 1.0, due=True)]
    kind: list[Kind] = []
    infoset: list[int] = []
    first_child: list[int] = []
    num_children: list[int] = []
    payoffs: list[np.ndarray] = []
    depth: list[int] = []
    for number, history in enumerate(histories):  # grows while it is read: breadth first
        node, rows = history.betting_node, history.deals
        depth.append(0 if number == 0 else depth[history.parent] + 1)
        own, pays, following = -1, np.zeros(num_players), []
        if node < 0:
            kind.append(Kind.TERMINAL)
            pays = betting.payoffs[~node, deals.outcome[rows[0]]]
        elif history.due:
            kind.append(Kind.CHANCE)
            cards = deals.cards[rows, : num_players + betting.round[node]]
            seen, group = np.unique(cards, axis=0, return_inverse=True)
            for k in range(len(seen)):
                same = rows[group.reshape(-1) == k]
                following.append(_History(node, same, number, len(same) / len(rows), due=False))
        else:
            kind.append(Kind.DECISION)
            own = betting.base[node] + deals.buckets[rows[0], betting.hand[node]]
            for after in betting.child[node, : betting.num_actions[node]]:
                due = after >= 0 and betting.round[after] > betting.round[node]
                following.append(_History(int(after), rows, number, 1.0, due=bool(due)))
        infoset.append(own)
        payoffs.append(pays)
        first_child.append(len(histories) if following else 0)
        num_children.append(len(following))
        histories += following

    infosets, kinds = np.array(infoset, dtype=np.int32), np.array(kind, dtype=np.int8)
    decision = kinds == Kind.DECISION
    betting_node = np.where(decision, [history.betting_node for history in histories], -1).astype(
        np.int32
    )
    total = int((betting.base + betting.num_buckets).max())
    depths = np.array(depth)
    assert all(len(np.unique(depths[infosets == i])) == 1 for i in range(total)), (
        "an information state without or on two levels"
    )
    owner = np.repeat(betting.player, betting.num_buckets)
    order = np.repeat(betting.base, betting.num_buckets) + np.concatenate(
        [np.arange(n) for n in betting.num_buckets]
    )
    infoset_player, infoset_actions = (
        np.empty(total, dtype=np.int8),
        np.empty(total, dtype=np.int32),
    )
    infoset_player[order] = owner
    infoset_actions[order] = np.repeat(betting.num_actions, betting.num_buckets)
    return GameTree(
        kind=kinds,
        player=np.where(decision, betting.player[betting_node], -1).astype(np.int8),
        infoset=infosets,
        parent=np.array([history.parent for history in histories], dtype=np.int32),
        first_child=np.array(first_child, dtype=np.int32),
        num_children=np.array(num_children, dtype=np.int32),
        chance=np.array([history.chance for history in histories]),
        payoffs=np.array(payoffs),
        betting_node=betting_node,
        levels=np.searchsorted(depths, np.arange(depths.max() + 2)).astype(np.int32),
        infoset_player=infoset_player,
        infoset_actions=infoset_actions,
    )
