"""Matches between greedy policies of poker, in symmetric play, millions of hands a second.

Each deal is played once for every seating of the players, so that nobody has better cards or a
better seat. The results are means over deals with standard errors over deals, not hands, in
milli-big-blinds per hand (mbb/h). Source: Heinrich & Silver 2015, 4.3.

A player is an array of bytes: the slot that it plays in each information set, as returned by
``DenseLearner.greedy_slots``. An array of one byte plays that slot everywhere.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from fpmcts.tabular.walks import GOLDEN, below
from games.base.estimate import Estimate, estimates
from games.kernels import Stream, deal_seeds, kernel, mix64
from games.play.deals import OWN, bucket, deal, outcome
from games.play.tables import Tables

UNIFORM, CALLS = 255, 254
"""Instead of a slot: a uniformly random legal action; calling or checking."""
RANDOM, ALWAYS_CALL = np.array([UNIFORM], np.uint8), np.array([CALLS], np.uint8)
"""Players that do not learn."""


@kernel
def _play(
    betting: Any,
    deals: Any,
    players: tuple[np.ndarray, ...],
    seatings: np.ndarray,
    seeds: np.ndarray,
    passive: int,
    won: np.ndarray,
) -> None:
    """Plays each deal with every seating.

    Args:
        betting: A ``PublicTree``.
        deals: The deals, for the kernels of ``games.play.deals``.
        players: K players.
        seatings: int64 ``[S, P]``, the player in each seat.
        seeds: uint64 ``[N]``, one for each deal.
        passive: The action that calls.
        won: float64 ``[N, K]``, zeros: receives each player's total winnings, in chips.
    """
    dealt = np.empty(betting.hand.max() + 1 + OWN, dtype=np.int64)
    for i in range(len(seeds)):
        state = seeds[i]
        deal(deals, mix64(state), dealt)
        for s in range(len(seatings)):
            node = np.int64(0)
            while node >= 0:
                state += GOLDEN
                player, infoset = players[seatings[s, betting.player[node]]], 0
                if len(player) > 1:
                    infoset = betting.base[node] + bucket(deals, dealt, betting.hand[node])
                slot = np.int64(player[infoset])
                if slot == UNIFORM:
                    slot = below(mix64(state), betting.num_actions[node])
                elif slot == CALLS:
                    slot = np.int64(passive - betting.actions[node, 0])
                node = np.int64(betting.child[node, slot])
            order = outcome(deals, dealt) if betting.showdown[~node] else 0
            for seat in range(seatings.shape[1]):
                won[i, seatings[s, seat]] += betting.payoffs[~node, order, seat]


def symmetric_play(
    game: Tables,
    players: Sequence[np.ndarray],
    line_up: Sequence[int],
    num_deals: int,
    seed: int = 0,
) -> list[Estimate]:
    """Returns each player's winnings in mbb/h per seat.

    Args:
        game: The game.
        players: The players.
        line_up: For each seat an index into ``players``: ``[0, 1, 1]`` is one of player 0 against
            two of player 1. All distinct orders of it are played.
        num_deals: At least 2.
        seed: Seed of cards and choices.

    Raises:
        ValueError: The line-up has the wrong length, an unknown player, or lacks a player; there
            are fewer than two deals; or a policy is not of this game.
    """
    seats, known = game.num_players, set(range(len(players)))
    if len(line_up) != seats or set(line_up) != known:
        raise ValueError(
            f"line_up = {list(line_up)}: expected {seats} numbers, each of 0 to {max(known)} among "
            "them"
        )
    if num_deals < 2:
        raise ValueError(f"num_deals = {num_deals}: expected at least 2")
    for player in players:
        if len(player) not in (1, game.num_infosets):
            raise ValueError(
                f"a policy of {len(player):,} entries: {game.name} expects {game.num_infosets:,}"
            )
    seatings = np.array(sorted(set(permutations(line_up))), dtype=np.int64)
    won = np.zeros((num_deals, len(players)))
    seeds = deal_seeds(seed, num_deals, Stream.EVALUATION)
    _play(game.betting, game.deals, tuple(players), seatings, seeds, game.rules.passive, won)
    won *= 1000 / game.rules.unit / (len(seatings) * np.bincount(line_up))
    return estimates(won)
