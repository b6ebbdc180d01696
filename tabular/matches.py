"""Matches between policies over information states, in symmetric play.

Each deal is played once for every way in which the players can take the seats, so that no one has better cards or a better seat
than another; what is reported is the mean over the deals, and its standard error is over deals, not hands. Results are in milli
big blinds per hand, mbb/h. Source: Heinrich & Silver 2015, 4.3.

A player is a policy that is kept as it was learned: the best action of each information state in a byte, or the visits of its
average policy.
"""

from collections.abc import Sequence
from enum import IntEnum
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from games.kernels import Stream, deal_seeds, kernel, mix64
from games.poker.betting import Action
from games.poker.deals import OWN, bucket, deal, outcome
from games.poker.tables import PokerTables
from tabular.learner import GOLDEN, TabularLearner
from tabular.self_play import UCT

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
UNIFORM = 255
"""In place of a slot: each legal action with the same probability."""


class Kind(IntEnum):
    """How a player chooses."""

    RANDOM = 0
    ALWAYS_CALL = 1
    SLOTS = 2
    WEIGHTS = 3


class Player(NamedTuple):
    """A player of a match.

    Attributes:
        kind: ``Kind``.
        slots: uint8 ``[I]``, the slot that is played in each information state, or ``UNIFORM``.
        first_row: int32 ``[D]``, where the rows of a node begin in ``weights``; -1: it has none, and play is uniform.
        weights: uint32 ``[R, C]``, from column ``first`` on what the slots are played in proportion to; all 0: uniformly.
        first: As above.
    """

    kind: int
    slots: np.ndarray
    first_row: np.ndarray
    weights: np.ndarray
    first: int


class Result(NamedTuple):
    """What a player won, in mbb/h, the standard error of that, and on how many deals."""

    mean: float
    error: float
    deals: int


def _player(kind: Kind, slots: Any = (), first_row: Any = (), weights: Any = ((),), first: int = 0) -> Player:
    """Returns a player; what is not given is empty, of the same types for all."""
    need = ["C", "W"]
    rows: np.ndarray = np.require(first_row, np.int32, need)
    return Player(int(kind), np.require(slots, np.uint8, need), rows, np.require(weights, np.uint32, need), first)


def random_player() -> Player:
    """Returns the player who plays each legal action with the same probability."""
    return _player(Kind.RANDOM)


def always_call() -> Player:
    """Returns the player who always calls or checks."""
    return _player(Kind.ALWAYS_CALL)


def greedy_player(slots: np.ndarray) -> Player:
    """Returns the player of a greedy policy, from ``TabularLearner.greedy_slots``."""
    return _player(Kind.SLOTS, slots)


def average_player(learner: TabularLearner) -> Player:
    """Returns the player of a learner's average policy as it is now; the tables of UCT and Smooth UCT are copied."""
    betting, width = learner.game.betting, learner.game.max_actions
    if isinstance(learner, UCT):
        first_row = learner.tables.get("first_row", betting.base)
        return _player(Kind.WEIGHTS, first_row=first_row.copy(), weights=learner.tables["visits"][:, :width].copy())
    weights = np.round(learner.average_policy() * 2**30)
    return _player(Kind.WEIGHTS, first_row=betting.base, weights=weights)


@kernel
def _choose(player: Player, node: int, base: int, bucket_of: int, num_actions: int, calls: int, low: np.uint64) -> int:
    """Returns the slot that a player chooses.

    Args:
        player: Who chooses.
        node: Where, in the betting tree.
        base: The information state of bucket 0.
        bucket_of: The bucket.
        num_actions: Number of legal actions.
        calls: The slot of calling.
        low: 32 random bits.
    """
    if player.kind == Kind.ALWAYS_CALL:
        return calls
    if player.kind == Kind.SLOTS and player.slots[base + bucket_of] != UNIFORM:
        return np.int64(player.slots[base + bucket_of])
    if player.kind == Kind.WEIGHTS and player.first_row[node] >= 0:
        row = player.first_row[node] + bucket_of
        total = np.uint64(0)
        for slot in range(num_actions):
            total += np.uint64(player.weights[row, player.first + slot])
        if total > 0:
            mark = (low * total) >> _HALF
            for slot in range(num_actions - 1):
                weight = np.uint64(player.weights[row, player.first + slot])
                if mark < weight:
                    return slot
                mark -= weight
            return num_actions - 1
    return np.int64((low * np.uint64(num_actions)) >> _HALF)


@kernel
def _play(
    betting: Any, deals: Any, players: tuple[Player, ...], seatings: np.ndarray, seeds: np.ndarray, won: np.ndarray
) -> None:
    """Plays each deal with every seating.

    Args:
        betting: A ``BettingTree``.
        deals: The cards, for the kernels of ``games.poker.deals``.
        players: K players.
        seatings: int64 ``[S, P]``, who sits in each seat.
        seeds: uint64 ``[N]``, one for each deal.
        won: float64 ``[N, K]``, zeros: becomes what each player won in all, in chips.
    """
    dealt = np.empty(betting.hand.max() + 1 + OWN, dtype=np.int64)
    for i in range(len(seeds)):
        state = seeds[i]
        deal(deals, mix64(state), dealt)
        for s in range(len(seatings)):
            node = np.int64(0)
            while node >= 0:
                state += GOLDEN
                k = seatings[s, betting.player[node]]
                calls = np.int64(betting.actions[node, 0] == Action.FOLD)
                slot = _choose(
                    players[k], node, np.int64(betting.base[node]), bucket(deals, dealt, betting.hand[node]),
                    np.int64(betting.num_actions[node]), calls, mix64(state) & _LOW,
                )  # fmt: skip
                node = np.int64(betting.child[node, slot])
            order = outcome(deals, dealt) if betting.showdown[~node] else 0
            for seat in range(seatings.shape[1]):
                won[i, seatings[s, seat]] += betting.payoffs[~node, order, seat]


def symmetric_play(
    game: PokerTables, players: Sequence[Player], line_up: Sequence[int], num_deals: int, seed: int = 0
) -> list[Result]:
    """Returns what each player wins per hand and seat.

    Args:
        game: The game.
        players: Who plays.
        line_up: For each seat an index of ``players``: ``[0, 1, 1]`` is one of player 0 against two of player 1. All different
            orders of it are played.
        num_deals: At least 2.
        seed: Of cards and choices.

    Raises:
        ValueError: A line-up of another length, with players that are not there, or without one; fewer than two deals; a policy
            that is not of this game.
    """
    seats = game.num_players
    if len(line_up) != seats or set(line_up) != set(range(len(players))):
        raise ValueError(f"line_up = {list(line_up)}: expected {seats} numbers, each of 0 to {len(players) - 1} among them")
    if num_deals < 2:
        raise ValueError(f"num_deals = {num_deals}: expected at least 2")
    for player in players:
        sizes = {
            Kind.SLOTS: (len(player.slots), game.num_infosets),
            Kind.WEIGHTS: (len(player.first_row), len(game.betting.base)),
        }
        got, expected = sizes.get(Kind(player.kind), (0, 0))
        if got != expected:
            raise ValueError(f"a policy of {got:,} entries: {game.name} expects {expected:,}")
    seatings = np.array(sorted(set(permutations(line_up))), dtype=np.int64)
    won = np.zeros((num_deals, len(players)))
    _play(game.betting, game.deals, tuple(players), seatings, deal_seeds(seed, num_deals, Stream.EVALUATION), won)
    hands = len(seatings) * np.bincount(line_up)  # hands and seats of each player per deal
    won *= 1000 / max(game.rules.forced) / hands
    errors = won.std(axis=0, ddof=1) / np.sqrt(num_deals)
    return [Result(float(mean), float(error), num_deals) for mean, error in zip(won.mean(axis=0), errors, strict=True)]
