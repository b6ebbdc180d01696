"""The public betting tree of a limit poker game, and the information sets over it.

In limit poker everything public, except for the cards, is the sequence of bets. The tree of these
sequences is small and the same for every deal. An information set is a node of it together with
the *bucket* of the cards that the mover can see, ``(a, n)`` in the notation of Heinrich & Silver
2015, 4.3. If every hand has its own bucket, nothing is abstracted; an abstraction maps several
hands to one bucket, and may forget the buckets of earlier rounds. Algorithms do not see the
difference.

A terminal node pays by the *outcome* of the deal: the order of the players' hands, so that one
table covers folds, showdowns, split pots and side cases among three players.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from games.play.tables import PublicTree


class Action(IntEnum):
    """What a player may do; the legal ones are listed in ascending order."""

    FOLD = 0
    CALL = 1
    """Call, or check if there is nothing to call."""
    RAISE = 2
    """Raise, or bet if there is no bet yet."""


@dataclass(frozen=True)
class BettingRules:
    """Forced bets, bet sizes and the limit on raises.

    Attributes:
        forced: Ante or blind of each player, in chips, at least 0.
        raises: Size of a bet or raise in each round, in chips, above 0.
        max_raises: Number of bets and raises that a round allows, at least 0. A blind that counts
            as the first bet is not among them.
        first: The player that acts first in each round; if folded, the next one that is not.

    Raises:
        ValueError: On construction, for values that do not fit together.
    """

    forced: tuple[float, ...]
    raises: tuple[float, ...]
    max_raises: tuple[int, ...]
    first: tuple[int, ...]

    def __post_init__(self) -> None:
        num_players, num_rounds = len(self.forced), len(self.raises)
        if (
            num_players < 2
            or num_rounds < 1
            or len(self.max_raises) != num_rounds
            or len(self.first) != num_rounds
        ):
            raise ValueError(
                f"{self}: expected at least two players, and as many raises, max_raises and "
                "first as rounds"
            )
        if min(self.forced) < 0 or min(self.raises) <= 0 or min(self.max_raises) < 0:
            raise ValueError(f"{self}: expected forced >= 0, raises > 0 and max_raises >= 0")
        if not all(0 <= player < num_players for player in self.first):
            raise ValueError(f"{self}: expected players 0 to {num_players - 1} in first")

    @property
    def num_players(self) -> int:
        """Returns the number of players."""
        return len(self.forced)

    @property
    def unit(self) -> float:
        """Returns the big blind; the first bet where all players pay the same."""
        return max(self.forced) if len(set(self.forced)) > 1 else self.raises[0]

    @property
    def passive(self) -> int:
        """Returns the action that is always legal."""
        return Action.CALL

    @property
    def num_rounds(self) -> int:
        """Returns the number of betting rounds."""
        return len(self.raises)

    @property
    def max_moves(self) -> int:
        """Returns an upper bound on the moves of one hand: in a round each player acts once more
        than there may be raises.
        """
        return self.num_players * sum(raises + 1 for raises in self.max_raises)


@cache
def outcomes(num_players: int) -> tuple[tuple[int, ...], ...]:
    """Returns the orders that the hands at a showdown can have: for each outcome the rank of each
    player's hand, 0 the weakest.

    Equal hands share a rank. Two players have 3 outcomes, ``(0, 0), (0, 1), (1, 0)``; three have
    13.
    """
    return tuple(
        ranks
        for ranks in product(range(num_players), repeat=num_players)
        if set(ranks) == set(range(max(ranks) + 1))
    )


def outcome_of(strengths: tuple[int, ...]) -> int:
    """Returns the outcome of a deal from the strength of each player's hand (larger wins)."""
    order = sorted(set(strengths))
    return outcomes(len(strengths)).index(tuple(order.index(strength) for strength in strengths))


def _payoffs(paid: tuple[float, ...], folded: tuple[bool, ...]) -> np.ndarray:
    """Returns each player's winnings at a terminal node by outcome: float64 ``[O, P]``."""
    rows = []
    for ranks in outcomes(len(paid)):
        best = max(rank for rank, out in zip(ranks, folded, strict=True) if not out)
        winners = [rank == best and not out for rank, out in zip(ranks, folded, strict=True)]
        rows.append(
            [sum(paid) / sum(winners) * won - own for won, own in zip(winners, paid, strict=True)]
        )
    return np.array(rows)


class _Bets(NamedTuple):
    """A position in the betting: chips paid, players that folded, the round, its raises, the player
    to act, and the number still to act.
    """

    paid: tuple[float, ...]
    folded: tuple[bool, ...]
    round: int
    raises: int
    player: int
    waiting: int
    start: tuple[float, ...]
    """The chips each player had paid when the round began."""
    over: bool


def _next_player(folded: tuple[bool, ...], player: int) -> int:
    """Returns the first player from ``player`` on that has not folded."""
    while folded[player]:
        player = (player + 1) % len(folded)
    return player


def _start_round(
    rules: BettingRules, paid: tuple[float, ...], folded: tuple[bool, ...], number: int
) -> _Bets:
    """Returns the position at the beginning of a round."""
    return _Bets(
        paid,
        folded,
        number,
        0,
        _next_player(folded, rules.first[number]),
        folded.count(False),
        paid,
        over=False,
    )


def _play(rules: BettingRules, state: _Bets, action: Action) -> _Bets:
    """Returns the position after an action."""
    paid, folded, player = list(state.paid), list(state.folded), state.player
    raises, waiting = state.raises, state.waiting - 1
    if action == Action.FOLD:
        folded[player] = True
    else:
        paid[player] = max(state.paid)
    if action == Action.RAISE:
        paid[player] += rules.raises[state.round]
        raises, waiting = raises + 1, folded.count(False) - 1
    over = folded.count(False) == 1 or (waiting == 0 and state.round + 1 == rules.num_rounds)
    if waiting == 0 and not over:
        return _start_round(rules, tuple(paid), tuple(folded), state.round + 1)
    following = _next_player(tuple(folded), (player + 1) % rules.num_players)
    return _Bets(
        tuple(paid), tuple(folded), state.round, raises, following, waiting, state.start, over
    )


def _potential(rules: BettingRules, state: _Bets) -> float:
    """Returns the maximum chips that the remaining players can add from the beginning of the round
    on.
    """
    rounds = range(state.round, rules.num_rounds)
    most = max(state.start) + sum(
        rules.raises[number] * rules.max_raises[number] for number in rounds
    )
    return sum(most - own for own, out in zip(state.start, state.folded, strict=True) if not out)


@cache
def build(rules: BettingRules) -> PublicTree:
    """Returns the betting tree with one bucket per round: an information set for each node. It is
    cached, since three-player limit Hold'em has millions of nodes.
    """
    states, actions, following, ends = _reachable(rules)
    # The nodes, breadth first: each needs only the number of its position, which a row of
    # ``following`` continues.
    level, nodes, children, count = np.zeros(1, dtype=np.int32), [], [], 1
    while len(level):
        after = following[level]
        child = after.copy()
        going_on = (after >= 0) & (actions[level] >= 0)
        child[going_on] = np.arange(count, count + np.count_nonzero(going_on))
        for slot in range(1, child.shape[1]):
            empty = actions[level, slot] < 0
            child[empty, slot] = child[empty, slot - 1]
        nodes.append(level)
        children.append(child)
        level = after[going_on]
        count += len(level)
    node = np.concatenate(nodes)

    player = np.array([state.player for state in states], dtype=np.int8)
    rounds = np.array([state.round for state in states], dtype=np.int8)
    tree = PublicTree(
        player=player[node],
        round=rounds[node],
        num_actions=(actions >= 0).sum(axis=1, dtype=np.int8)[node],
        actions=actions[node],
        child=np.concatenate(children),
        base=np.empty(len(node), dtype=np.int32),
        num_buckets=np.empty(len(node), dtype=np.int32),
        hand=(player * np.int8(rules.num_rounds) + rounds)[node],
        position=node,
        paid=np.array([state.paid for state in states], dtype=np.float64),
        pot=np.array([sum(state.start) for state in states])[node],
        potential=np.array([_potential(rules, state) for state in states])[node],
        payoffs=np.array([_payoffs(paid, folded) for paid, folded in ends]),
        showdown=np.array([folded.count(False) > 1 for _, folded in ends]),
    )
    return with_buckets(tree, (1,) * rules.num_rounds)


def with_buckets(tree: PublicTree, num_buckets: tuple[int, ...]) -> PublicTree:
    """Returns the tree with other information sets; all arrays but ``base`` and ``num_buckets`` are
    shared.

    Args:
        tree: The bets.
        num_buckets: Number of buckets in each round, the same for all players.

    Raises:
        ValueError: ``num_buckets`` does not fit the rounds.
    """
    num_rounds = int(tree.round.max()) + 1
    if len(num_buckets) != num_rounds or min(num_buckets) < 1:
        raise ValueError(
            f"num_buckets {num_buckets}: expected {num_rounds} positive numbers, one for each round"
        )
    buckets = np.array(num_buckets, dtype=np.int32)[tree.round]
    order = np.argsort(tree.player, kind="stable")
    base = np.empty(len(buckets), dtype=np.int32)
    base[order] = np.cumsum(buckets[order]) - buckets[order]
    return tree._replace(base=base, num_buckets=buckets)


def _reachable(
    rules: BettingRules,
) -> tuple[list[_Bets], np.ndarray, np.ndarray, list[tuple[tuple[float, ...], tuple[bool, ...]]]]:
    """Returns the reachable positions of the betting with their actions and successors, and the
    ends: chips paid, players that folded.

    Many sequences of bets lead to the same position: three players have 9.7 million nodes in limit
    Hold'em, but some thousand positions.

    Returns:
        The positions; their actions (int8 ``[S, A]``, -1 = none); the position after each (int32
        ``[S, A]``, ``~t`` at the end t); the ends.
    """
    states = [_start_round(rules, rules.forced, (False,) * rules.num_players, 0)]
    number = {states[0]: 0}
    ends: dict[tuple[tuple[float, ...], tuple[bool, ...]], int] = {}
    actions: list[list[int]] = []
    following: list[list[int]] = []
    for state in states:  # grows during the loop
        behind = state.paid[state.player] < max(state.paid)
        legal = (
            [Action.FOLD] * behind
            + [Action.CALL]
            + [Action.RAISE] * (state.raises < rules.max_raises[state.round])
        )
        actions.append([*legal])
        following.append([])
        for action in legal:
            after = _play(rules, state, action)
            if after.over:
                following[-1].append(~ends.setdefault((after.paid, after.folded), len(ends)))
                continue
            if after not in number:
                number[after] = len(states)
                states.append(after)
            following[-1].append(number[after])
    width = max(map(len, actions))
    return (
        states,
        np.array([row + [-1] * (width - len(row)) for row in actions], dtype=np.int8),
        np.array([row + [-1] * (width - len(row)) for row in following], dtype=np.int32),
        list(ends),
    )
