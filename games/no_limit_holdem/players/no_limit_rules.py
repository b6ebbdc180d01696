"""Rule players of no-limit Hold'em: they look at their cards or at nothing, do not learn, and do
not model their opponents.

``hand_only`` and ``best_hand`` are the rule players of Van den Broeck, Driessens & Ramon 2009, 5.1;
how they bet and call is that of the authors' program, as far as it is known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from games.kernels import kernel, random_below, random_float
from games.kernels.rows import States, num_rows
from games.no_limit_holdem.betting import legal, pot, situation
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD, Rules
from games.play.interface import Records
from games.play.registry import Player, player
from games.poker.hands import EMPTY_KEY, NUM_CARDS, HandTables, strength_with, sums

SAMPLES = 100
"""Boards and hands that ``best_hand`` samples per decision."""
RAISES = 0.8
"""Probability that a maniac raises where it may."""
QUEEN, KING, ACE = 10, 11, 12
SLIP = 0.05
"""Probability that ``hand_only`` is one higher or lower than its rule."""


@kernel
def _raise_or_call(rules: Rules, views: States, i: int, wanted: float, most_call: float) -> int:
    """Returns a raise to ``wanted`` chips in this round if that is legal, else a call of up to
    ``most_call`` chips, or a fold.
    """
    here = situation(rules, views, i)
    if here.most > 0 and wanted >= here.least:
        return FIRST_AMOUNT + min(np.int64(wanted), here.most)
    return CALL if here.to_call <= most_call else FOLD


@kernel
def _shifted(number: float, rng: np.ndarray, lane: int) -> float:
    if random_float(rng, lane) < SLIP:
        number += 1.0 if random_float(rng, lane) < 0.5 else -1.0
    return number + 2.0 * random_float(rng, lane) - 1.0


@kernel
def hand_only(rules: Rules, views: States, i: int, rng: np.ndarray, lane: int) -> int:
    """Returns the move of a player that looks only at its two cards; before the flop it checks or
    calls.

    It bets up to a number of big blinds and calls up to a multiple of the minimum raise: 3 and 5
    with a pair, 2 and 3 with an ace, 1 and 2 with a king, 0 and 2 with a queen, else 0 and 0, each
    a little more or less by chance.
    """
    if views.round[i] == 0:
        return CALL
    seat = views.seat[i]
    high, low = views.hole[i, seat, 0] // 4, views.hole[i, seat, 1] // 4
    high = max(high, low)
    bets, calls = 0.0, 0.0
    if views.hole[i, seat, 0] // 4 == views.hole[i, seat, 1] // 4:
        bets, calls = 3.0, 5.0
    elif high == ACE:
        bets, calls = 2.0, 3.0
    elif high == KING:
        bets, calls = 1.0, 2.0
    elif high == QUEEN:
        bets, calls = 0.0, 2.0
    bets, calls = _shifted(bets, rng, lane), _shifted(calls, rng, lane)
    big = np.int64(views.big_blind[i])
    return _raise_or_call(
        rules, views, i, bets * big, max(calls, 0.0) * max(np.int64(views.last_raise[i]), big)
    )


@kernel
def _share_of_wins(tables: HandTables, views: States, i: int, rng: np.ndarray, lane: int) -> float:
    """Returns the share of random boards and hands of the seats still in on which the seat to move
    has the single best hand.
    """
    hole, known, rivals = views.hole[i, views.seat[i]], np.int64(views.shown[i]), -1
    key, masks = sums(tables, views.board[i], 0, known)
    deck, size = np.empty(NUM_CARDS, np.int8), 0
    for card in range(NUM_CARDS):
        if not masks & tables.bits[card] and card != hole[0] and card != hole[1]:
            deck[size] = card
            size += 1
    for s in range(views.folded.shape[1]):
        rivals += 1 - views.folded[i, s]
    needed, wins = 5 - known + 2 * rivals, 0
    for _ in range(SAMPLES):
        for k in range(needed):
            j = k + random_below(rng, lane, size - k)
            deck[k], deck[j] = deck[j], deck[k]
        drawn_key, drawn_masks = sums(tables, deck, 0, 5 - known)
        full_key, full_masks = key + drawn_key - EMPTY_KEY, masks | drawn_masks
        own = strength_with(tables, full_key, full_masks, hole[0], hole[1], 7)
        best = True
        for k in range(5 - known, needed, 2):
            best = best and own > strength_with(
                tables, full_key, full_masks, deck[k], deck[k + 1], 7
            )
        wins += best
    return wins / SAMPLES


@kernel
def best_hand(rules: Rules, views: States, i: int, rng: np.ndarray, lane: int) -> int:
    """Returns the move of a player that decides by its winning probability w: with E = w (pot + to
    call) it bets E / 2 or calls up to E.

    Before the flop E is doubled.
    """
    here = situation(rules, views, i)
    worth = _share_of_wins(rules.hands, views, i, rng, lane) * (pot(rules, views, i) + here.to_call)
    if views.round[i] == 0:
        worth *= 2.0
    return _raise_or_call(rules, views, i, views.street_paid[i, views.seat[i]] + 0.5 * worth, worth)


@kernel
def maniac(rules: Rules, views: States, i: int, rng: np.ndarray, lane: int) -> int:
    """Returns a raise of a listed size in four of five decisions where one is allowed, else a
    call.
    """
    actions = np.empty(rules.sizes.size + 2, np.int16)
    count, first = legal(rules, views, i, actions), 0
    while first < count and actions[first] <= CALL:
        first += 1
    if first == count or random_float(rng, lane) >= RAISES:
        return CALL
    return np.int64(actions[first + random_below(rng, lane, count - first)])


def _of_rows(rule: Callable[..., int]) -> Callable[..., None]:
    """Returns a kernel that writes the moves of a rule for all rows."""

    @kernel
    def moves(
        rules: Rules, views: States, rng: np.ndarray, games: np.ndarray, out: np.ndarray
    ) -> None:
        for k in range(len(games)):
            out[k] = rule(rules, views, k, rng, games[k])

    return moves


class _ByRule(Player):
    """A player whose moves a kernel chooses."""

    rule: ClassVar[Callable[..., None]]

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view."""
        moves = np.empty(num_rows(views), np.int16)
        type(self).rule(self.game.rules, views, self.rng, np.asarray(games, np.int64), moves)
        return moves


@player("hand_only", games=["no_limit_holdem"])
@dataclass
class HandOnly(_ByRule):
    """Looks only at its two cards (Van den Broeck, Driessens & Ramon 2009, 5.1)."""

    rule = _of_rows(hand_only)


@player("best_hand", games=["no_limit_holdem"])
@dataclass
class BestHand(_ByRule):
    """Bets by its winning probability against random hands.

    Source: Van den Broeck, Driessens & Ramon 2009, 5.1.
    """

    rule = _of_rows(best_hand)


@player("maniac", games=["no_limit_holdem"])
@dataclass
class Maniac(_ByRule):
    """Raises in four out of five decisions, else calls."""

    rule = _of_rows(maniac)
