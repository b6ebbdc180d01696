"""RHCP's kernels: the value of a hand, and the choice of a lead or a reply. The rules are in
``games/doudizhu/players/rhcp.py``.

The value of a hand is a pair (sum, rounds): the values of the groups that RHCP would lead one after
the other, and their number. Hands compare by their *score*, sum - 7 * rounds. All of it depends on
the hand alone, so it is kept in a table between moves and games (`Memo`).
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.beaters import whole_move
from games.doudizhu.cards import HAND_SIZES, JOKERS, above, at_least, lowest
from games.doudizhu.moves import PASS, Category, Rules
from games.doudizhu.players.rhcp_groups import (
    NO_CARDS,
    classify,
    group_value,
    lead_candidates,
    reply_candidates,
)
from games.doudizhu.state import States
from games.kernels import kernel

MEMO_BITS = 18
DEPTH = HAND_SIZES[0] + 1
NUM_CANDIDATES = 4096
"""Capacity for the candidates on the way from a hand to no cards. There are at most 512 at a lead
where trios take kickers, and at most five such leads in 20 cards; any other lead has fewer than 30,
and there are at most 20 leads.
"""
WORST = -1000
"""Less than the sum of any hand."""
ROUND = 7
"""What one more round costs, in points of group value."""
ROCKET_SUM = 20
"""The rocket replies only from a hand of a larger sum."""


class Frames(NamedTuple):
    """The hands whose values are being found, from the first to one that a candidate of the one
    before leaves.

    Attributes:
        hands: uint64 ``[21]``.
        begins: int64 ``[21]``, the next candidate to look at.
        ends: int64 ``[21]``, the end of the candidates.
        leads: uint64 ``[21]``, the best candidate so far.
        sums: int64 ``[21]``, of its rest.
        rounds: int64 ``[21]``, of its rest.
    """

    hands: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    leads: np.ndarray
    sums: np.ndarray
    rounds: np.ndarray


class Memo(NamedTuple):
    """What is known of S hands, by a hash of the hand; a later hand replaces an earlier one. For
    one thread at a time.

    Attributes:
        hands: uint64 ``[S]``, 0 = empty.
        leads: uint64 ``[S]``, the cards that RHCP leads.
        sums: int16 ``[S]``, group values added up.
        rounds: int16 ``[S]``, number of groups.
        candidates: uint64 ``[4096]``, room for candidates.
        frames: The stack of the recursion.
    """

    hands: np.ndarray
    leads: np.ndarray
    sums: np.ndarray
    rounds: np.ndarray
    candidates: np.ndarray
    frames: Frames


def new_memo(bits: int = MEMO_BITS) -> Memo:
    """Returns an empty table of 2**bits hands, 20 bytes each."""
    return Memo(
        hands=np.zeros(1 << bits, np.uint64),
        leads=np.zeros(1 << bits, np.uint64),
        sums=np.zeros(1 << bits, np.int16),
        rounds=np.zeros(1 << bits, np.int16),
        candidates=np.zeros(NUM_CANDIDATES, np.uint64),
        frames=Frames(*(np.zeros(DEPTH, kind) for kind in ("u8", "i8", "i8", "u8", "i8", "i8"))),
    )


@kernel
def _slot(memo: Memo, hand: np.uint64) -> np.uint64:
    """Returns where the hand belongs in the memo: the high bits of a product depend on every card
    (Knuth, TAOCP 6.4).
    """
    high = hand * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
    return high * np.uint64(len(memo.hands)) >> np.uint64(32)


@kernel
def _keep(memo: Memo, hand: np.uint64, cards: np.uint64, rest_sum: int, rest_rounds: int) -> None:
    """Keeps the cards led from a hand, with the value that follows from the value of the rest."""
    category, _, top = classify(cards)
    slot = _slot(memo, hand)
    memo.hands[slot] = hand
    memo.leads[slot] = cards
    memo.sums[slot] = rest_sum + group_value(category, top)
    memo.rounds[slot] = rest_rounds + 1


@kernel
def _is_known(memo: Memo, hand: np.uint64) -> bool:
    """Returns whether the memo has the hand."""
    return memo.hands[_slot(memo, hand)] == hand


@kernel
def _open(memo: Memo, hand: np.uint64, depth: int, n: int) -> int:
    """Starts on a hand that the memo lacks, with candidates from ``memo.candidates[n]``; returns
    the new depth.

    A group is done at once. The rocket comes first where it is held, as it goes before everything
    else.
    """
    category, _, _ = classify(hand)
    if (
        category != Category.PASS
        and category != Category.FOUR_SOLOS
        and category != Category.FOUR_PAIRS
    ):
        _keep(memo, hand, hand, 0, 0)
        return depth
    frames = memo.frames
    frames.hands[depth] = hand
    frames.sums[depth] = WORST
    frames.rounds[depth] = 0
    frames.begins[depth] = n
    if hand & JOKERS == JOKERS:
        memo.candidates[n] = JOKERS
        n += 1
    frames.ends[depth] = lead_candidates(hand, memo.candidates, n)
    return depth + 1


@kernel
def _compare(memo: Memo, depth: int, cards: np.uint64, rest: np.uint64) -> None:
    """Takes the next candidate of a frame as the lead if its rest, which the memo has, is as good
    as the best so far.

    The rocket does not compete: it is the lead if its rest takes one round.
    """
    frames = memo.frames
    slot = _slot(memo, rest)
    total, rounds = np.int64(memo.sums[slot]), np.int64(memo.rounds[slot])
    frames.begins[depth] += 1
    if cards == JOKERS:
        if rounds > 1:
            return
        frames.begins[depth] = frames.ends[depth]
    if total - ROUND * rounds >= frames.sums[depth] - ROUND * frames.rounds[depth]:
        frames.leads[depth], frames.sums[depth], frames.rounds[depth] = cards, total, rounds


@kernel
def hand_value(memo: Memo, hand: np.uint64, n: int) -> tuple[int, int]:
    """Returns (sum, rounds) of a hand, and keeps it with its lead; ``memo.candidates`` is free from
    ``n`` up.

    A recursion over the hands that candidates leave, with a stack of its own. The rest of a
    candidate is used as soon as it is known, before another hand can replace it in the memo.
    """
    if hand == NO_CARDS:
        return 0, 0
    frames = memo.frames
    depth = 0 if _is_known(memo, hand) else _open(memo, hand, 0, n)
    while depth > 0:
        at = depth - 1
        if frames.begins[at] == frames.ends[at]:
            _keep(memo, frames.hands[at], frames.leads[at], frames.sums[at], frames.rounds[at])
            depth -= 1
            continue
        cards = memo.candidates[frames.begins[at]]
        rest = frames.hands[at] - cards
        if _is_known(memo, rest):
            _compare(memo, at, cards, rest)
        else:
            depth = _open(memo, rest, depth, frames.ends[at])
    slot = _slot(memo, hand)
    return np.int64(memo.sums[slot]), np.int64(memo.rounds[slot])


@kernel
def rest_score(memo: Memo, hand: np.uint64, cards: np.uint64, n: int) -> tuple[int, int]:
    """Returns (score, sum) of the hand without the cards."""
    total, rounds = hand_value(memo, hand - cards, n)
    return total - ROUND * rounds, total


@kernel
def lead(memo: Memo, hand: np.uint64) -> np.uint64:
    """Returns the cards that RHCP leads."""
    if classify(hand)[0] != Category.PASS:
        return hand
    hand_value(memo, hand, 0)
    return memo.leads[_slot(memo, hand)]


@kernel
def reply(memo: Memo, hand: np.uint64, category: int, length: int, top: int) -> np.uint64:
    """Returns the cards with which RHCP answers a move of this category, length and top, 0 for
    pass.
    """
    own_category, own_length, own_top = classify(hand)
    if own_category == Category.ROCKET:
        return hand
    if own_category == category:
        if own_length == length and own_top > top:
            return hand
    elif own_category == Category.BOMB and category != Category.ROCKET:
        return hand
    if category == Category.ROCKET:
        return NO_CARDS

    total, rounds = hand_value(memo, hand, 0)
    best = total - ROUND * (rounds + 1)
    chosen = NO_CARDS
    end = reply_candidates(hand, category, length, top, memo.candidates)
    for k in range(end):
        score, _ = rest_score(memo, hand, memo.candidates[k], end)
        if score >= best:
            best, chosen = score, memo.candidates[k]
    if chosen != NO_CARDS:
        return chosen

    bombs = at_least(hand, 4)
    if category == Category.BOMB:
        bombs &= above(top)
    while bombs != NO_CARDS:
        bomb = np.uint64(4) << np.uint64(4 * lowest(bombs))
        score, rest_sum = rest_score(memo, hand, bomb, 0)
        if score >= best or rest_sum > 0:
            best, chosen = score, bomb
        bombs &= bombs - np.uint64(1)
    if chosen != NO_CARDS:
        return chosen
    return JOKERS if hand & JOKERS == JOKERS and total > ROCKET_SUM else NO_CARDS


@kernel
def choose(rules: Rules, memo: Memo, states: States, i: int) -> int:
    """Returns RHCP's move for the seat to move in lane ``i``; it looks at that hand and the move to
    beat only.
    """
    hand = states.hands[i, states.seat[i]]
    target = states.target[i]
    if target == PASS:
        return whole_move(rules, lead(memo, hand))
    return whole_move(
        rules, reply(memo, hand, rules.category[target], rules.length[target], rules.top[target])
    )


@kernel
def act(rules: Rules, memo: Memo, views: States, moves: np.ndarray) -> None:
    """Writes RHCP's move in every lane to ``moves`` (int16 ``[B]``)."""
    for i in range(len(moves)):
        moves[i] = choose(rules, memo, views, i)
