"""RHCP with team play: the policy of PIMC's rollouts. Like RHCP it sees its own hand and what is
public.

RHCP looks at its own cards and the move to beat alone. These rules go before it, the first that
applies:

1. A sure win is played (``games.doudizhu.solver.sure_win``).
2. Before the partner, the peasant D leads its lowest solo to a partner with one card.
3. While an opponent holds a single card, no solo is led if there is another move than a bomb, and
   no solo below the highest otherwise; an opponent's solo is answered with the highest. While an
   opponent holds two cards (and none one), no pair is led if there is another move than a bomb.
4. The partner's move is never beaten with a bomb. Where the landlord has not yet passed on it, it
   is not beaten with a 2 or a joker either, and only if it is a solo or a pair.

Rules 2 to 4 do not replace a move that is the whole hand. Of other leads the one that leaves the
best hand is taken, by RHCP's score.

As a player it wins 59.9 +- 0.5 % against RHCP (2,000 duplicate decks, +- the standard error over
decks), as landlord 55.2 %, as peasants 64.5 %. Passing on the partner's move whenever the landlord
has passed, or if it is a ten or higher, made it no stronger.
"""

from dataclasses import dataclass

import numpy as np

from games.doudizhu.cards import TWO, Seat, at_least, highest, lowest
from games.doudizhu.legal import leads
from games.doudizhu.moves import MAX_LEGAL, PASS, Category, Rules
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rhcp_kernels import Memo, choose, rest_score
from games.doudizhu.solver.sure_win import sure_win
from games.doudizhu.state import States, hand_size, is_bomb, target_seat
from games.kernels import kernel
from games.play.registry import player

_NONE = -1


@kernel
def fewest_opposing(states: States, i: int, seat: int) -> int:
    """Returns the number of cards in the shortest hand of the other team."""
    if seat == Seat.LANDLORD:
        return min(
            hand_size(states, i, np.int64(Seat.DOWN)), hand_size(states, i, np.int64(Seat.UP))
        )
    return hand_size(states, i, np.int64(Seat.LANDLORD))


@kernel
def _best_lead_but(rules: Rules, memo: Memo, hand: np.uint64, category: int) -> int:
    """Returns the lead, neither a bomb nor of the category, that leaves the best hand by RHCP's
    score; -1 if there is none.
    """
    best, best_score, moves = np.int64(_NONE), np.int64(0), np.empty(MAX_LEGAL, np.int16)
    for k in range(leads(rules, hand, moves)):
        move = np.int64(moves[k])
        if rules.category[move] != category and not is_bomb(rules, move):
            score = rest_score(memo, hand, rules.cards[move], np.int64(0))[0]
            if best == _NONE or score > best_score:
                best, best_score = move, score
    return best


@kernel
def _lead(rules: Rules, memo: Memo, states: States, i: int, own: int) -> int:
    """Returns the lead by the rules 2 and 3, else RHCP's, which is ``own``."""
    seat = np.int64(states.seat[i])
    hand = states.hands[i, seat]
    if seat == Seat.DOWN and hand_size(states, i, np.int64(Seat.UP)) == 1:
        return np.int64(rules.first[Category.SOLO, 1, lowest(at_least(hand, 1))])
    fewest = fewest_opposing(states, i, seat)
    if (fewest == 1 and rules.category[own] == Category.SOLO) or (
        fewest == 2 and rules.category[own] == Category.PAIR
    ):
        other = _best_lead_but(rules, memo, hand, rules.category[own])
        if other != _NONE:
            return other
        if fewest == 1:
            return np.int64(rules.first[Category.SOLO, 1, highest(at_least(hand, 1))])
    return own


@kernel
def _reply(rules: Rules, states: States, i: int, own: int) -> int:
    """Returns the reply by the rules 3 and 4, else RHCP's, which is ``own``."""
    seat, target = np.int64(states.seat[i]), np.int64(states.target[i])
    owner = target_seat(states, i)
    if seat != Seat.LANDLORD and owner != Seat.LANDLORD:
        if is_bomb(rules, own):
            return PASS
        if states.passes[i] == 0 and (
            rules.category[target] > Category.PAIR or rules.top[own] >= TWO
        ):
            return PASS
    elif rules.category[target] == Category.SOLO and fewest_opposing(states, i, seat) == 1:
        top = highest(at_least(states.hands[i, seat], 1))
        if top > rules.top[target]:
            return np.int64(rules.first[Category.SOLO, 1, top])
    return own


@kernel
def choose_for_team(rules: Rules, memo: Memo, states: States, i: int) -> int:
    """Returns the policy's move for the seat to move in lane ``i``."""
    sure = sure_win(rules, states, i)
    if sure >= 0:
        return sure
    own = np.int64(choose(rules, memo, states, i))
    if rules.cards[own] == states.hands[i, states.seat[i]]:
        return own
    if states.target[i] == PASS:
        return _lead(rules, memo, states, i, own)
    return _reply(rules, states, i, own)


@kernel
def _act(rules: Rules, memo: Memo, views: States, moves: np.ndarray) -> None:
    for i in range(len(moves)):
        moves[i] = choose_for_team(rules, memo, views, i)


@player("team_play", games=["doudizhu"], teaches=True)
@dataclass
class TeamPlay(RHCP):
    """RHCP with rules for team play; it beats RHCP."""

    _act = staticmethod(_act)
