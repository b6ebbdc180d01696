"""Forced wins: hands that win whatever the others hold and do, even if a lead is beaten and won
back.

A sure win (``sure_win``) plays moves that nobody beats. Here a lead may be beaten if the hand can
answer everything that unseen cards could play on it: 4522 with no joker and no 2 unseen leads the
4, wins the lead back with a 2, leads the other 2, which nothing beats, and goes out with the 5.
The proof searches everything that can happen:

    mover to play ──▶ some move ──▶ the next seat passes or beats it,    ──▶ mover to play
     (one must win)                 the previous one passes or beats that
                                             (all must be won)

The proof overestimates the others: each may play any unseen cards that fit in its hand, and kickers
that it plays stay unseen. So a forced win is never claimed wrongly. The proof misses wins that give
the others the lead, that depend on a partner (which may spoil them, but may also go out) or on how
the unseen cards are divided, or that need more than ``MAX_NODES``.
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.auction import Phase
from games.doudizhu.beaters import (
    beats,
    highest_beater,
    holds_top,
    is_beatable,
    strongest_bomb,
    whole_move,
)
from games.doudizhu.cards import JOKERS, NUM_SEATS, Seat, above, at_least, lowest
from games.doudizhu.legal import legal_moves, tops_of
from games.doudizhu.moves import MAX_LEGAL, PASS, RANK_SIZES, Category, Rules, main_cards
from games.doudizhu.solver.sure_win import may_be_one_move, sure_win
from games.doudizhu.state import States, hand_size, unseen_cards
from games.kernels import kernel, mix64

MAX_NODES = 2000
"""Maximum positions of the seat to move that a proof visits."""

_NONE = -1
_MOST_CARDS = 20
_DEEPEST = 21
"""A proof plays a card or more at each step."""
_ROOM = 4096
"""Maximum pending positions; a move that needs more is abandoned."""
_KNOWN_BITS = 10
_SHIFT = np.uint64(64 - _KNOWN_BITS)
_MOST_BEATERS = 32
"""Most beaters of one move: at most 14 tops of its category, nine bombs and the rocket."""


class Positions(NamedTuple):
    """Positions of the seat to move, as the proof knows them: K of them.

    Attributes:
        hand: uint64 ``[K]``, its cards.
        target: int64 ``[K]``, the move to beat, 0 = it leads.
        unseen: uint64 ``[K]``, the cards of the others; where kickers were played, more than these.
        left: int64 ``[K, 2]``, cards in the hands of the next and of the previous seat.
    """

    hand: np.ndarray
    target: np.ndarray
    unseen: np.ndarray
    left: np.ndarray


@kernel
def _make_positions(count: int) -> Positions:
    return Positions(
        np.empty(count, np.uint64),
        np.empty(count, np.int64),
        np.empty(count, np.uint64),
        np.empty((count, 2), np.int64),
    )


@kernel
def _put(
    at: Positions, k: int, hand: np.uint64, target: int, unseen: np.uint64, after: int, before: int
) -> None:
    """Writes a position to row ``k``; the next seat has ``after`` cards, the previous one
    ``before``.
    """
    at.hand[k], at.target[k], at.unseen[k] = hand, target, unseen
    at.left[k, 0], at.left[k, 1] = after, before


@kernel
def _wins_back(rules: Rules, at: Positions, k: int, move: int) -> bool:
    """Returns whether, after a move, the rest of the hand can beat the strongest answer that the
    larger other hand could give.
    """
    rest, unseen, limit = (
        at.hand[k] - rules.cards[move],
        at.unseen[k],
        max(at.left[k, 0], at.left[k, 1]),
    )
    if not is_beatable(rules, unseen, limit, move):
        return True
    bomb, theirs = strongest_bomb(rest, _MOST_CARDS), strongest_bomb(unseen, limit)
    if theirs != _NONE or bomb != _NONE:
        return bomb > theirs
    category, length = rules.category[move], rules.length[move]
    beater = highest_beater(rules, unseen, limit, category, length)
    return highest_beater(rules, rest, _MOST_CARDS, category, length) > beater


@kernel
def _may_be_won(rules: Rules, at: Positions, k: int, moves: np.ndarray, count: int) -> bool:
    """Returns False where no lead can win: if the others only pass, every move but the last must be
    one that could be won back.

    Args:
        moves: int16 ``[>= count]``, the leads.
    """
    ranks, covered = at_least(at.hand[k], 1), np.uint64(0)
    for j in range(count):
        held = at_least(rules.cards[moves[j]], 1)
        if held & ~covered != np.uint64(0) and _wins_back(rules, at, k, np.int64(moves[j])):
            covered |= held
    exposed = ranks & ~covered
    return exposed == np.uint64(0) or may_be_one_move(at.hand[k], exposed)


@kernel
def _beaters(rules: Rules, unseen: np.uint64, limit: int, move: int, beaters: np.ndarray) -> int:
    """Returns the number of ways in which ``limit`` of the unseen cards beat a move, and writes
    them, the weakest first: one move of each category and top (int64 ``[_MOST_BEATERS]``), since
    kickers make no difference.
    """
    n, own = 0, np.int64(rules.category[move])
    if own == Category.ROCKET:
        return n
    for kind in range(own, Category.BOMB + 1):
        length = np.int64(rules.length[move]) if kind == own else np.int64(1)
        if (kind != own and kind != Category.BOMB) or length * RANK_SIZES[kind] > limit:
            continue
        tops = tops_of(unseen, kind, length)
        if kind == own:
            tops &= above(rules.top[move])
        while tops != np.uint64(0):
            top = lowest(tops)
            tops &= tops - np.uint64(1)
            if holds_top(rules, unseen, kind, length, top):
                beaters[n] = rules.first[kind, length, top]
                n += 1
    if limit >= 2 and unseen & JOKERS == JOKERS:
        beaters[n] = rules.first[Category.ROCKET, 1, 0]
        n += 1
    return n


@kernel
def _add_overtaken(
    rules: Rules, waiting: Positions, k: int, move: int, is_enemy: bool, beaters: np.ndarray
) -> int:
    """Row ``k`` is the position in which nobody has answered a move; adds after it those in which
    the previous seat has. Returns their end, -1 if that seat is an enemy and can go out.

    Args:
        beaters: Scratch, see ``_beaters``.
    """
    unseen, before, end = waiting.unseen[k], waiting.left[k, 1], np.int64(k + 1)
    for j in range(_beaters(rules, unseen, before, move, beaters)):
        beater, left = beaters[j], before - rules.size[beaters[j]]
        if left == 0 and is_enemy:
            return np.int64(_NONE)
        if left > 0:  # else a partner has gone out
            fewer = unseen - main_cards(rules, beater)
            _put(waiting, end, waiting.hand[k], beater, fewer, waiting.left[k, 0], left)
            end += 1
    return end


@kernel
def _add_answers(
    rules: Rules,
    here: Positions,
    d: int,
    move: int,
    enemies: np.ndarray,
    waiting: Positions,
    first: int,
    beaters: np.ndarray,
) -> int:
    """Adds the positions that the others may leave after a move, the hardest last; returns their
    end, -1 if the move is lost.

    Args:
        here: Row ``d`` is the position before the move.
        enemies: bool ``[2]``, whether the next and the previous seat play against the mover.
        waiting: They are written from row ``first`` on.
        beaters: int64 ``[2, _MOST_BEATERS]``, scratch.
    """
    room = len(waiting.hand) - 1 - _MOST_BEATERS
    if first > room:
        return np.int64(_NONE)
    rest, unseen = here.hand[d] - rules.cards[move], here.unseen[d]
    after, before = here.left[d, 0], here.left[d, 1]
    _put(waiting, first, rest, PASS, unseen, after, before)
    end = _add_overtaken(rules, waiting, first, move, enemies[1], beaters[1])
    for k in range(_beaters(rules, unseen, after, move, beaters[0])):
        beater, left = beaters[0, k], after - rules.size[beaters[0, k]]
        if left == 0 and not enemies[0]:
            continue  # a partner has gone out
        if end == _NONE or left == 0 or end > room:
            return np.int64(_NONE)
        _put(waiting, end, rest, beater, unseen - main_cards(rules, beater), left, before)
        end = _add_overtaken(rules, waiting, end, beater, enemies[1], beaters[1])
    return end


@kernel
def _key(at: Positions, k: int) -> np.uint64:
    """Returns a hash of a position whose lowest bit is 0."""
    rest = (
        np.uint64(at.target[k])
        ^ np.uint64(at.left[k, 0]) << np.uint64(20)
        ^ np.uint64(at.left[k, 1]) << np.uint64(40)
    )
    return mix64(at.hand[k] ^ mix64(at.unseen[k] ^ mix64(rest))) & ~np.uint64(1)


@kernel
def _proof(
    rules: Rules,
    hand: np.uint64,
    target: int,
    unseen: np.uint64,
    left: np.ndarray,
    enemies: np.ndarray,
) -> int:
    """Returns the first move of a forced win, -1 if none is proved. Depth first, long moves first;
    ``MAX_NODES`` positions.

    The stack is explicit: numba cannot load a kernel that calls a recursive one of another module
    from its disk cache.

    Args:
        left: int64 ``[2]``, cards of the next and the previous seat.
        enemies: bool ``[2]``.
    """
    # Positions whose moves are tried, one at each depth, and those that wait for their proof. What
    # a move asks for begins at ``first`` of its depth; once all of that is won, so is the position.
    here, waiting = _make_positions(_DEEPEST), _make_positions(_ROOM)
    moves, untried = np.empty((_DEEPEST, MAX_LEGAL), np.int16), np.zeros(_DEEPEST, np.int64)
    first, end = np.zeros(_DEEPEST, np.int64), np.int64(1)
    # Keys of positions that were decided; lowest bit: won.
    known = np.zeros(1 << _KNOWN_BITS, np.uint64)
    beaters = np.empty((2, _MOST_BEATERS), np.int64)
    _put(waiting, 0, hand, target, unseen, left[0], left[1])
    depth = np.int64(-1)
    for _ in range(MAX_NODES):
        end -= 1
        hand, target, key = waiting.hand[end], waiting.target[end], _key(waiting, end)
        entry = known[key >> _SHIFT]
        is_known, whole = entry & ~np.uint64(1) == key, whole_move(rules, hand)
        is_won = (is_known and entry != key) or (whole != PASS and beats(rules, whole, target))
        if is_won and depth < 0:
            return whole
        if not is_won:
            depth += 1
            _put(
                here,
                depth,
                hand,
                target,
                waiting.unseen[end],
                waiting.left[end, 0],
                waiting.left[end, 1],
            )
            first[depth], untried[depth] = end, 0
            if not is_known:
                untried[depth] = legal_moves(rules, hand, target, moves[depth])
                if target == PASS and not _may_be_won(
                    rules, here, depth, moves[depth], untried[depth]
                ):
                    untried[depth] = 0
            end = np.int64(_NONE)
        # Go back to where something waits: past positions that are won, and to the next move of
        # those that are not.
        while depth >= 0 and (end == _NONE or end == first[depth]):
            if end == _NONE and untried[depth] > 0:
                untried[depth] -= 1
                move = np.int64(moves[depth, untried[depth]])
                if move != PASS and _wins_back(rules, here, depth, move):
                    end = _add_answers(
                        rules, here, depth, move, enemies, waiting, first[depth], beaters
                    )
                continue
            if end != _NONE and depth == 0:
                return np.int64(moves[0, untried[0]])
            key = _key(here, depth)
            known[key >> _SHIFT] = key if end == _NONE else key | np.uint64(1)
            depth -= 1
        if depth < 0:
            break
    return np.int64(_NONE)


@kernel
def forced_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or -1: a
    sure win or a proved one.
    """
    move = sure_win(rules, states, i)
    seat = np.int64(states.seat[i])
    if move >= 0 or states.winner[i] >= 0 or states.phase[i] != Phase.PLAYING:
        return move
    left, enemies = np.empty(2, np.int64), np.empty(2, np.bool_)
    for k in range(2):
        other = (seat + 1 + k) % NUM_SEATS
        left[k] = hand_size(states, i, other)
        enemies[k] = seat == Seat.LANDLORD or other == Seat.LANDLORD
    return _proof(
        rules,
        states.hands[i, seat],
        np.int64(states.target[i]),
        unseen_cards(states, i, seat),
        left,
        enemies,
    )
