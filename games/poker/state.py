"""Batches of positions, for whoever plays with actions and cards rather than with tables: deals, legal actions, moves, the end.

A position is a deal and a node of the betting tree. The kernels have the arguments of the generic ones in ``games/interface.py``,
with the ``BettingTree`` as ``rules``; seats are the players.
"""

from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel, mix64
from games.poker.betting import BettingTree
from games.poker.deals import EnumeratedDeals


class States(NamedTuple):
    """A batch of B states.

    Attributes:
        cards: int8 ``[B, K]``, as in ``EnumeratedDeals``: one card for each player, then the public cards, future ones included.
        outcome: int32 ``[B]``, the order of the hands (``betting.outcomes``).
        node: int32 ``[B]``, the node of the betting tree, ``~t`` at the terminal node t.
    """

    cards: np.ndarray
    outcome: np.ndarray
    node: np.ndarray


@kernel
def _rows(seeds: np.ndarray, count: int) -> np.ndarray:
    """Returns a uniform integer below ``count`` for each seed: int64 ``[B]``."""
    result = np.empty(len(seeds), dtype=np.int64)
    for i in range(len(seeds)):
        result[i] = ((mix64(seeds[i]) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
    return result


def deal(deals: EnumeratedDeals, seeds: np.ndarray) -> States:
    """Returns random deals before the first bet; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone."""
    rows = _rows(seeds, len(deals.outcome))
    return States(cards=deals.cards[rows], outcome=deals.outcome[rows], node=np.zeros(len(rows), dtype=np.int32))


@kernel
def legal(rules: BettingTree, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``, 0 at the end; writes them (``Action``), ascending, to ``actions``."""
    node = states.node[i]
    count = rules.num_actions[node] if node >= 0 else 0
    for slot in range(count):
        actions[slot] = rules.actions[node, slot]
    return count


@kernel
def step(rules: BettingTree, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    node = states.node[i]
    # Legal actions are consecutive: fold needs something to call, and calling is always legal.
    states.node[i] = rules.child[node, action - rules.actions[node, 0]]


@kernel
def current_seat(rules: BettingTree, states: States, i: int) -> int:
    """Returns the player to act, -1 when the hand is over."""
    node = states.node[i]
    return rules.player[node] if node >= 0 else -1


@kernel
def team_return(rules: BettingTree, states: States, i: int, seat: int) -> float:
    """Returns the chips that a player has won; the hand must be over."""
    return rules.payoffs[~states.node[i], states.outcome[i], seat]


@kernel
def copy_row(rules: Any, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``."""
    target.cards[j] = source.cards[i]
    target.outcome[j] = source.outcome[i]
    target.node[j] = source.node[i]
