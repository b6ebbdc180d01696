"""Sure wins: hands that win whatever the others hold and do.

The hand is partitioned into moves of which at most one can be beaten by unseen cards. Played in an
order with that one last, the others can only pass. A set of unseen cards counts as a beater if it
fits in the larger of the two other hands, a partner's included, so a sure win is never claimed
wrongly; wins that rest on a partner or on how the unseen cards are divided are missed.

The partition is searched from the lowest card up: that card is in some move, every move that
contains it is tried, and the rest is searched in the same way. Most hands are rejected before. The
*cover* is the rank mask of the ranks that any unbeatable move of the hand contains; all cards
outside it must go into the one move that can be beaten.
"""

import numpy as np

from games.doudizhu.auction import Phase
from games.doudizhu.beaters import beats, highest_beater, is_beatable, strongest_bomb, whole_move
from games.doudizhu.cards import (
    CHAIN_RANKS,
    JOKERS,
    NUM_SEATS,
    ONES,
    above,
    at_least,
    highest,
    lowest,
    size,
)
from games.doudizhu.legal import HAS_KICKERS, LONGEST, SHORTEST, leads, replies, tops_of
from games.doudizhu.moves import MAX_LEGAL, PASS, Category, Rules
from games.doudizhu.state import States, hand_size, unseen_cards
from games.kernels import kernel

MAX_NODES = 200
"""Partial partitions that a search visits at most; one takes about 0.2 microseconds."""

_MOST_MOVES = 20
_NONE = -1


@kernel
def _cover(rules: Rules, hand: np.uint64, unseen: np.uint64, limit: int) -> np.uint64:
    """Returns a rank mask that includes every rank of every unbeatable move in the hand."""
    bomb = strongest_bomb(unseen, limit)
    cover = at_least(hand, 4) & above(bomb)
    if hand & JOKERS == JOKERS:
        cover |= JOKERS
    if bomb != _NONE:
        return cover
    for category in range(1, Category.BOMB):
        for length in range(SHORTEST[category], LONGEST[category] + 1):
            tops = tops_of(hand, category, length)
            if tops == np.uint64(0):
                break
            beater = highest_beater(rules, unseen, limit, category, length)
            winners = tops & above(beater - 1) if beater > 0 else tops
            if HAS_KICKERS[category] and winners != np.uint64(0):
                return ONES
            for k in range(length):
                cover |= winners >> np.uint64(4 * k)
    return cover


@kernel
def may_be_one_move(hand: np.uint64, ranks: np.uint64) -> bool:
    """Returns False where no move in the hand contains all of ``ranks`` (a rank mask); True may be
    wrong.
    """
    num_ranks = size(ranks)
    if num_ranks <= 1:
        return True
    trios = at_least(hand, 3)
    if num_ranks <= 2 * size(trios) or (num_ranks == 3 and at_least(hand, 4) != np.uint64(0)):
        return True
    span = above(lowest(ranks) - 1) & ~above(highest(ranks))
    return ranks == JOKERS or at_least(hand, 1) & CHAIN_RANKS & span == span


@kernel
def _candidates(
    rules: Rules, hand: np.uint64, cover: np.uint64, spare: bool, moves: np.ndarray
) -> int:
    """Returns the number of moves that contain a card of the lowest rank, written to ``moves``
    (int16 ``[max_legal]``).

    None if the cards outside the cover cannot all go into one move, or if that one is no longer to
    ``spare``.
    """
    ranks = at_least(hand, 1)
    exposed = ranks & ~cover
    if exposed != np.uint64(0) and not (spare and may_be_one_move(hand, exposed)):
        return np.int64(0)
    low_cards = np.uint64(15) << np.uint64(4 * lowest(ranks))
    n = np.int64(0)
    for k in range(leads(rules, hand, moves)):
        moves[n] = moves[k]
        n += (rules.cards[moves[k]] & low_cards) != np.uint64(0)
    return n


@kernel
def _opening(
    rules: Rules, hand: np.uint64, unseen: np.uint64, limit: int, cover: np.uint64, nodes: int
) -> tuple[int, int]:
    """Searches a partition of a hand into unbeatable moves and at most one other, depth first, long
    moves first.

    The stack is explicit: numba cannot load a kernel that calls a recursive one of another module
    from its disk cache.

    Returns:
        A move to begin with, -1 if no partition was found, and what is left of ``nodes``.
    """
    moves = np.empty((_MOST_MOVES, MAX_LEGAL), dtype=np.int16)
    hands = np.empty(_MOST_MOVES, dtype=np.uint64)
    untried = np.empty(_MOST_MOVES, dtype=np.int64)
    chosen = np.empty(_MOST_MOVES, dtype=np.int64)
    # True for at most one of the chosen moves, and then nothing is to spare.
    beatable = np.zeros(_MOST_MOVES, dtype=np.bool_)
    depth, spare = 0, True
    hands[0] = hand
    untried[0] = _candidates(rules, hand, cover, spare, moves[0])
    while nodes > 0:
        if untried[depth] == 0:
            if depth == 0:
                break
            depth -= 1
            spare |= beatable[depth]
            continue
        untried[depth] -= 1
        move = np.int64(moves[depth, untried[depth]])
        beatable[depth] = is_beatable(rules, unseen, limit, move)
        if beatable[depth] and not spare:
            continue
        chosen[depth] = move
        rest = hands[depth] - rules.cards[move]
        if rest == np.uint64(0):
            return (chosen[1] if beatable[0] and depth > 0 else chosen[0]), nodes
        spare &= not beatable[depth]
        depth += 1
        hands[depth] = rest
        untried[depth] = _candidates(rules, rest, cover, spare, moves[depth])
        nodes -= 1
    return np.int64(_NONE), nodes


@kernel
def _sure_reply(
    rules: Rules, hand: np.uint64, target: int, unseen: np.uint64, limit: int, cover: np.uint64
) -> int:
    """Returns an unbeatable reply that leaves a partition with at most one move that can be beaten,
    or -1.
    """
    moves = np.empty(MAX_LEGAL, dtype=np.int16)
    nodes = np.int64(MAX_NODES)
    for k in range(replies(rules, hand, target, moves) - 1, 0, -1):
        if not is_beatable(rules, unseen, limit, moves[k]):
            rest, nodes = _opening(rules, hand - rules.cards[moves[k]], unseen, limit, cover, nodes)
            if rest != _NONE:
                return np.int64(moves[k])
    return np.int64(_NONE)


@kernel
def sure_win_of(rules: Rules, hand: np.uint64, target: int, unseen: np.uint64, limit: int) -> int:
    """Returns the first move of a sure win, -1 if none is found within ``MAX_NODES``.

    Args:
        hand: The cards of the seat to move, packed.
        target: The move to beat, 0 if the seat leads.
        unseen: The cards of the two others together.
        limit: The cards in the larger of their hands.
    """
    move = whole_move(rules, hand)
    if move != PASS and beats(rules, move, target):
        return move
    cover = _cover(rules, hand, unseen, limit)
    exposed = at_least(hand, 1) & ~cover
    if cover == np.uint64(0) or (exposed != np.uint64(0) and not may_be_one_move(hand, exposed)):
        return np.int64(_NONE)
    if target != PASS:
        return _sure_reply(rules, hand, target, unseen, limit, cover)
    return _opening(rules, hand, unseen, limit, cover, np.int64(MAX_NODES))[0]


@kernel
def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or
    -1.
    """
    seat = np.int64(states.seat[i])
    if states.winner[i] >= 0 or states.phase[i] != Phase.PLAYING:
        return np.int64(_NONE)
    limit = max(
        hand_size(states, i, (seat + 1) % NUM_SEATS), hand_size(states, i, (seat + 2) % NUM_SEATS)
    )
    return sure_win_of(
        rules, states.hands[i, seat], states.target[i], unseen_cards(states, i, seat), limit
    )
