"""RLCard's rule player ``doudizhu-rule-v1``, move for move, with its oddities.

Lead: something with the lowest card. The hand is sorted into the rocket, the bombs, the trios (in a
row: one chain of trios, never with kickers), then chains of five or more solos, pairs and solos;
the group with the lowest card is played. A chain of solos takes the whole row of ranks left after
the bombs, the trios and the rocket, so it breaks pairs. Chains of pairs are never led.

Reply: the lowest move of the same category and length; of moves with the same top the first in
RLCard's table, which is sorted by the ranks of the kickers, except that of planes with solos those
with the black joker come first and then those with the red one. Without such a move the peasant
before the landlord passes, and the other two draw from all legal moves: pass, bombs and the rocket.
(RLCard means to pass where the partner holds the table, but it looks at the seat that moved last,
not at the one that played the move to beat.) Where a move of the same category exists, the partner
is beaten like anyone else.

Source: RLCard 1.2.0, ``rlcard/models/doudizhu_rule_models.py``, and its table of moves. The answers
of the original are in tests/games/doudizhu/players/data; on 16,100 other positions made the same
way the two differed nowhere.
"""

from dataclasses import dataclass

import numpy as np

from games.doudizhu.beaters import whole_move
from games.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    JOKERS,
    LITTLE_JOKER,
    Seat,
    at_least,
    count,
    lowest,
    row_of,
)
from games.doudizhu.moves import PASS, Category, Rules
from games.doudizhu.state import States, legal
from games.kernels import kernel, random_below
from games.play.interface import Records
from games.play.registry import Player, player

SHORTEST_CHAIN = 5
"""Ranks in a chain of solos."""
NO_JOKER = 2


@kernel
def _row_length(ranks: np.uint64, start: int) -> int:
    """Returns how many ranks from ``start`` up are in the mask without a gap; chains end at the
    ace.
    """
    length = 0
    while row_of(start + length, 1) & ranks & CHAIN_RANKS != np.uint64(0):
        length += 1
    return length


@kernel
def lead_cards(hand: np.uint64) -> np.uint64:
    """Returns the cards that the rule player leads."""
    if hand == JOKERS:
        return hand
    rank = lowest(at_least(hand, 1))
    copies = count(hand, rank)
    trios = at_least(hand, 3) & ~at_least(hand, 4)
    if copies == 3:
        return row_of(rank, max(_row_length(trios, rank), 1)) * np.uint64(3)
    if copies < 3:
        length = _row_length(at_least(hand, 1) & ~at_least(hand, 3), rank)
        if length >= SHORTEST_CHAIN:
            return row_of(rank, length)
    return row_of(rank, 1) * np.uint64(copies)


@kernel
def _joker_order(rules: Rules, move: int) -> int:
    """Returns the place of a plane with solos in RLCard's table: 0 with the black joker, 1 with the
    red one, 2 with none.
    """
    if rules.category[move] != Category.PLANE_SOLOS:
        return NO_JOKER
    if count(rules.cards[move], LITTLE_JOKER) > 0:
        return 0
    return 1 if count(rules.cards[move], BIG_JOKER) > 0 else NO_JOKER


@kernel
def _same_kind(rules: Rules, target: int, moves: np.ndarray, num_moves: int) -> int:
    """Returns the lowest of the legal moves (ascending ids) of the target's category, PASS if there
    is none.

    Legal moves of one category have the target's length, and ids go by the top and then by the
    kickers.
    """
    best = PASS
    for move in moves[:num_moves]:
        if (
            move == PASS
            or rules.category[move] != rules.category[target]
            or _has_joker_kickers(rules, move)
        ):
            continue
        if best == PASS or (
            rules.top[move] == rules.top[best]
            and _joker_order(rules, move) < _joker_order(rules, best)
        ):
            best = move
    return best


@kernel
def _has_joker_kickers(rules: Rules, move: int) -> bool:
    """Returns whether both jokers are kickers of the move, which RLCard's table does not have."""
    return rules.category[move] != Category.ROCKET and rules.cards[move] & JOKERS == JOKERS


@kernel
def _act(
    rules: Rules,
    views: States,
    games: np.ndarray,
    rng: np.ndarray,
    scratch: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Writes the rule player's move in every row; ``rng`` (one stream per game) is drawn from where
    it plays at random.
    """
    for k in range(len(games)):
        seat = np.int64(views.seat[k])
        if views.target[k] == PASS:
            moves[k] = whole_move(rules, lead_cards(views.hands[k, seat]))
            continue
        num_moves = legal(rules, views, k, scratch)
        moves[k] = _same_kind(rules, views.target[k], scratch, num_moves)
        if moves[k] == PASS and seat != Seat.UP:
            moves[k] = scratch[random_below(rng, games[k], num_moves)]


@player("rlcard_rule", games=["doudizhu"])
@dataclass
class RLCardRule(Player):
    """Plays Doudizhu as RLCard's rule player ``doudizhu-rule-v1`` does."""

    needs_moves = False

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        moves = np.empty(len(games), np.int16)
        _act(
            self.game.rules,
            views,
            games,
            self.rng,
            np.empty(self.game.spec.max_legal, np.int16),
            moves,
        )
        return moves
