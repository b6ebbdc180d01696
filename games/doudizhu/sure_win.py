"""Sure wins: hands that win whatever the others hold and do.

The hand is partitioned into moves of which at most one can be beaten by unseen cards. Played in an order with that one last, the
others can only pass. A set of unseen cards counts as a beater if it fits in the larger of the two other hands, a partner's
included, so a sure win is never claimed wrongly; wins that rest on a partner or on how the unseen cards are divided are missed.

The partition is searched from the lowest card up: that card is in some move, every move that contains it is tried, and the rest
is searched in the same way. Most hands are rejected before. The *cover* is the rank mask of the ranks that any unbeatable
move of the hand contains; all cards outside it must go into the one move that can be beaten.
"""

import numpy as np

from games.doudizhu.beaters import beats, highest_beater, is_beatable, strongest_bomb, whole_move
from games.doudizhu.cards import CHAIN_RANKS, NUM_SEATS, ONES, above, at_least, highest, lowest, size
from games.doudizhu.hidden import unseen_cards
from games.doudizhu.legal import CHAINS, HAS_KICKERS, JOKERS, LONGEST, SHORTEST, leads, replies
from games.doudizhu.moves import MAIN_COPIES, MAX_LEGAL, PASS, Category, Rules
from games.doudizhu.state import States, hand_size
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
        run = at_least(hand, MAIN_COPIES[category])
        if CHAINS[category]:
            run &= CHAIN_RANKS
        tops = run
        for length in range(1, LONGEST[category] + 1):
            if tops == np.uint64(0):
                break
            if length >= SHORTEST[category]:
                beater = highest_beater(rules, unseen, limit, category, length)
                winners = tops & above(beater - 1) if beater > 0 else tops
                if HAS_KICKERS[category] and winners != np.uint64(0):
                    return ONES
                for k in range(length):
                    cover |= winners >> np.uint64(4 * k)
            tops &= run << np.uint64(4 * length)
    return cover


@kernel
def _may_be_one_move(hand: np.uint64, ranks: np.uint64) -> bool:
    """Returns False where no move in the hand contains all of ``ranks`` (a rank mask); True may be wrong."""
    num_ranks = size(ranks)
    if num_ranks <= 1:
        return True
    trios = at_least(hand, 3)
    if num_ranks <= 2 * size(trios) or (num_ranks == 3 and at_least(hand, 4) != np.uint64(0)):
        return True
    span = above(lowest(ranks) - 1) & ~above(highest(ranks))
    return ranks == JOKERS or at_least(hand, 1) & CHAIN_RANKS & span == span


@kernel
def _opening(
    rules: Rules, start: np.uint64, unseen: np.uint64, limit: int, cover: np.uint64, nodes: int, first: int, moves: np.ndarray
) -> tuple[int, int]:  # fmt: skip
    """Searches a partition of the hand into unbeatable moves and one more, depth first.

    The stack is kept by hand: numba cannot load a kernel that calls a recursive one of another module from its disk cache.

    Args:
        start: The hand.
        nodes: Nodes that may still be visited.
        first: The row of ``moves`` to begin with.
        moves: Room for the candidates, int16 ``[20, max_legal]``, one row for each depth.

    Returns:
        A move to begin with (``PASS`` for the empty hand, -1 if no partition was found), and the nodes left.
    """
    hands = np.empty(_MOST_MOVES + 2, dtype=np.uint64)
    left = np.empty(_MOST_MOVES + 2, dtype=np.int64)  # candidates not yet tried
    chosen = np.empty(_MOST_MOVES + 2, dtype=np.int64)
    beatable = np.zeros(_MOST_MOVES + 2, dtype=np.bool_)  # of the chosen moves; at most one is True
    spare = True
    depth, entering = first, True
    hands[depth] = start
    while depth >= first:
        hand = hands[depth]
        ranks = at_least(hand, 1)
        if entering:
            entering = False
            if ranks == np.uint64(0):
                for k in range(first, depth):
                    if not beatable[k]:
                        return chosen[k], nodes
                return (chosen[first] if depth > first else np.int64(PASS)), nodes
            exposed = ranks & ~cover
            if nodes == 0 or (exposed != np.uint64(0) and not (spare and _may_be_one_move(hand, exposed))):
                left[depth] = 0
            else:
                nodes -= 1
                left[depth] = leads(rules, hand, moves[depth])
        if left[depth] == 0:
            depth -= 1
            if depth >= first and beatable[depth]:
                beatable[depth] = False
                spare = True
            continue
        left[depth] -= 1
        move = np.int64(moves[depth, left[depth]])
        cards = rules.cards[move]
        if cards & (np.uint64(15) << np.uint64(4 * lowest(ranks))) == np.uint64(0):
            continue
        if is_beatable(rules, unseen, limit, move):
            if not spare:
                continue
            beatable[depth] = True
            spare = False
        chosen[depth] = move
        depth += 1
        hands[depth] = hand - cards
        entering = True
    return np.int64(_NONE), nodes


@kernel
def _sure_reply(rules: Rules, hand: np.uint64, target: int, unseen: np.uint64, limit: int, cover: np.uint64) -> int:
    """Returns an unbeatable reply that leaves a partition with at most one move that can be beaten, or -1."""
    moves = np.empty((_MOST_MOVES, MAX_LEGAL), dtype=np.int16)
    nodes = MAX_NODES
    for k in range(replies(rules, hand, target, moves[0]) - 1, 0, -1):
        move = np.int64(moves[0, k])
        if not is_beatable(rules, unseen, limit, move):
            rest, nodes = _opening(rules, hand - rules.cards[move], unseen, limit, cover, nodes, 1, moves)
            if rest != _NONE:
                return move
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
    if cover == np.uint64(0) or (exposed != np.uint64(0) and not _may_be_one_move(hand, exposed)):
        return np.int64(_NONE)
    if target != PASS:
        return _sure_reply(rules, hand, target, unseen, limit, cover)
    moves = np.empty((_MOST_MOVES, MAX_LEGAL), dtype=np.int16)
    return _opening(rules, hand, unseen, limit, cover, MAX_NODES, 0, moves)[0]


@kernel
def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or -1."""
    seat = np.int64(states.seat[i])
    if states.winner[i] >= 0:
        return np.int64(_NONE)
    limit = max(hand_size(states, i, (seat + 1) % NUM_SEATS), hand_size(states, i, (seat + 2) % NUM_SEATS))
    return sure_win_of(rules, states.hands[i, seat], states.target[i], unseen_cards(states, i, seat), limit)
