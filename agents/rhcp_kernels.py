"""RHCP's kernels: groups, the value of a hand, and the choice of a lead or a reply. The rules are in ``agents/rhcp.py``.

A *group* is a set of cards that RHCP knows as one play. The value of a hand is a pair (sum, rounds): the values of the groups
that RHCP would lead one after the other, and their number. Hands compare by their *score*, sum - 7 * rounds. All of it depends on
the hand alone, so it is kept in a table between moves and games (`Memo`).

Candidates are written in the order in which RHCP tries them, and a later candidate wins a tie. Cards are packed sets (uint64).
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    HAND_SIZES,
    LITTLE_JOKER,
    NUM_RANKS,
    ONES,
    above,
    at_least,
    count,
    highest,
    lowest,
    size,
)
from games.doudizhu.legal import JOKERS
from games.doudizhu.moves import MAIN_COPIES, PASS, Category, Rules
from games.doudizhu.state import States
from games.kernels import kernel

NO_CARDS = np.uint64(0)
MEMO_BITS = 18
DEPTH = HAND_SIZES[0] + 1
NUM_CANDIDATES = 4096
"""Capacity for the candidates on the way from a hand to no cards. There are at most 512 at a lead where trios take kickers, and
at most five such leads in 20 cards; any other lead has fewer than 30, and there are at most 20 leads."""
WORST = -1000
ROUND = 7
"""What one more round costs, in points of group value."""
ROCKET_SUM = 20
"""The rocket replies only from a hand of a larger sum."""
SHORTEST_CHAIN = np.array([0, 5, 3, 2])
"""int64 ``[4]``: the fewest ranks in a chain of solos, pairs and trios."""
KICKER_SIZE = np.array([{"SOLO": 1, "PAIR": 2}.get(c.name.rstrip("S").partition("_")[2], 0) for c in Category])
"""int64 ``[15]``: cards in each kicker beside trios, by category; 0 without kickers. RHCP does not reply with four + two."""


class Frames(NamedTuple):
    """The hands whose values are being found, from the first to one that a candidate of the one before leaves.

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
    """What is known of S hands, by a hash of the hand; a later hand replaces an earlier one. For one thread at a time.

    Attributes:
        hands: uint64 ``[S]``, 0 = empty; S is a power of two.
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
        frames=Frames(
            hands=np.zeros(DEPTH, np.uint64),
            begins=np.zeros(DEPTH, np.int64),
            ends=np.zeros(DEPTH, np.int64),
            leads=np.zeros(DEPTH, np.uint64),
            sums=np.zeros(DEPTH, np.int64),
            rounds=np.zeros(DEPTH, np.int64),
        ),
    )


@kernel
def row_of(start: int, length: int) -> np.uint64:
    """Returns the rank mask of ``length`` (1 to 12) ranks in a row."""
    return (ONES & ((np.uint64(1) << np.uint64(4 * length)) - np.uint64(1))) << np.uint64(4 * start)


@kernel
def _is_row(ranks: np.uint64) -> bool:
    """Returns whether the ranks of a mask, not empty, are in a row of 3 to A: adding one to the row carries beyond it."""
    filled = ranks * np.uint64(15)
    return (ranks & ~CHAIN_RANKS) == NO_CARDS and ((filled + (ranks & (~ranks + np.uint64(1)))) & filled) == NO_CARDS


@kernel
def classify(cards: np.uint64) -> tuple[int, int, int]:
    """Returns (category, length, top) of a group, (0, 0, 0) for any other set of cards.

    Kickers of planes are of distinct ranks here: RHCP does not see the other planes. The jokers are not kickers together.
    """
    one, two, three, four = at_least(cards, 1), at_least(cards, 2), at_least(cards, 3), at_least(cards, 4)
    solos, pairs, trios, fours = size(one ^ two), size(two ^ three), size(three ^ four), size(four)
    jokers_kick = cards & JOKERS == JOKERS
    category, length, main = Category.PASS, 1, one
    if fours == 1 and trios == 0:
        main = four
        if solos == 0 and pairs == 0:
            category = Category.BOMB
        elif solos + 2 * pairs == 2 and not jokers_kick:
            category = Category.FOUR_SOLOS
        elif solos == 0 and pairs == 2:
            category = Category.FOUR_PAIRS
    elif fours == 0 and trios > 0:
        main, length = three, trios
        if trios == 1 or _is_row(three):
            if solos == 0 and pairs == 0:
                category = Category.TRIO if trios == 1 else Category.TRIO_CHAIN
            elif solos == trios and pairs == 0 and not jokers_kick:
                category = Category.TRIO_SOLO if trios == 1 else Category.PLANE_SOLOS
            elif pairs == trios and solos == 0:
                category = Category.TRIO_PAIR if trios == 1 else Category.PLANE_PAIRS
    elif fours == 0 and solos == 0 and pairs > 0:
        length = pairs
        if pairs == 1:
            category = Category.PAIR
        elif pairs >= SHORTEST_CHAIN[2] and _is_row(two):
            category = Category.PAIR_CHAIN
    elif fours == 0 and pairs == 0 and solos > 0:
        length = solos
        if solos == 1:
            category = Category.SOLO
        elif cards == JOKERS:
            return Category.ROCKET, 1, BIG_JOKER
        elif solos >= SHORTEST_CHAIN[1] and _is_row(one):
            category = Category.SOLO_CHAIN
    if category == Category.PASS:
        return 0, 0, 0
    return category, length, lowest(main) + length - 1


@kernel
def group_value(category: int, top: int) -> int:
    """Returns the value of a group; the ranks of ``agents/rhcp.py`` are ``top`` + 3."""
    rank = top + 3
    if category == Category.ROCKET:
        return 20
    if category == Category.BOMB:
        return rank + 4
    if category == Category.FOUR_SOLOS or category == Category.FOUR_PAIRS:
        return (rank - 3) // 2
    if category == Category.SOLO_CHAIN or category == Category.PAIR_CHAIN:
        return rank - 9
    if category == Category.TRIO_CHAIN or category == Category.PLANE_SOLOS or category == Category.PLANE_PAIRS:
        return (rank - 2) // 2
    return rank - 10


@kernel
def _add_groups(hand: np.uint64, row: np.uint64, copies: int, kicker: int, out: np.ndarray, n: int) -> int:
    """Writes the groups of ``copies`` cards at each rank of the row, with a kicker of ``kicker`` cards (0 = none) for each.

    The kickers are of distinct ranks outside the row, every choice in the order of a dictionary; both jokers are no choice.
    Returns the new end of ``out``. Level k of the loop extends the choices of k kickers, in out[begin:end], by one more.
    """
    main = row * np.uint64(copies)
    out[n] = main
    begin, end = n, n + 1
    if kicker > 0:
        others = at_least(hand, kicker) & ~row
        for _ in range(size(row)):
            extended = end
            for k in range(begin, end):
                choices = others & above(highest(out[k] - main))
                while choices != NO_CARDS:
                    out[extended] = out[k] + np.uint64(kicker) * row_of(lowest(choices), 1)
                    extended += 1
                    choices &= choices - np.uint64(1)
            begin, end = end, extended
    for k in range(begin, end):
        out[n] = out[k]
        n += out[k] & JOKERS != JOKERS
    return n


@kernel
def _add_kicked_trios(hand: np.uint64, start: int, trios: np.uint64, out: np.ndarray, n: int) -> int:
    """Writes the groups with kickers whose lowest trio is ``start``; returns the new end of ``out``."""
    n = _add_groups(hand, row_of(start, 1), 3, 1, out, n)
    n = _add_groups(hand, row_of(start, 1), 3, 2, out, n)
    for kicker, longest in ((1, 4), (2, 3)):
        for length in range(2, longest + 1):
            row = row_of(start, length)
            if row & trios & CHAIN_RANKS != row:
                break
            n = _add_groups(hand, row, 3, kicker, out, n)
    return n


@kernel
def lead_candidates(hand: np.uint64, out: np.ndarray, n: int) -> int:
    """Writes the groups that compete for the lead from a hand that is no group, from ``out[n]``; returns the new end."""
    begin = n
    fours = at_least(hand, 4)
    trios = at_least(hand, 3) & ~fours
    for start in range(LITTLE_JOKER):
        if row_of(start, 1) & trios != NO_CARDS:
            n = _add_kicked_trios(hand, start, trios, out, n)
    if n > begin:
        return n
    loose = at_least(hand, 1) & ~fours & ~JOKERS
    if loose != NO_CARDS:
        rank = lowest(loose)
        for copies in range(1, count(hand, rank) + 1):
            n = _add_groups(hand, row_of(rank, 1), copies, 0, out, n)
        for copies in range(1, count(hand, rank) + 1):
            held = at_least(hand, copies) & CHAIN_RANKS
            length = SHORTEST_CHAIN[copies]
            while rank + length <= LITTLE_JOKER and row_of(rank, length) & held == row_of(rank, length):
                n = _add_groups(hand, row_of(rank, length), copies, 0, out, n)
                length += 1
        return n
    joker = hand & JOKERS
    out[n] = joker if joker != NO_CARDS and joker != JOKERS else row_of(lowest(fours), 1) * np.uint64(4)
    return n + 1


@kernel
def reply_candidates(hand: np.uint64, category: int, length: int, top: int, out: np.ndarray) -> int:
    """Returns the number of groups of the same category and length above ``top``, written to ``out``; none for four + two."""
    if category == Category.FOUR_SOLOS or category == Category.FOUR_PAIRS or category == Category.ROCKET:
        return 0
    copies, kicker = MAIN_COPIES[category], KICKER_SIZE[category]
    held = at_least(hand, copies)
    if length > 1:
        held &= CHAIN_RANKS
        if kicker > 0:
            held &= ~at_least(hand, 4)
    n = 0
    for start in range(top - length + 2, NUM_RANKS - length + 1):
        row = row_of(start, length)
        if row & held == row:
            n = _add_groups(hand, row, copies, kicker, out, n)
    return n


@kernel
def _slot(memo: Memo, hand: np.uint64) -> np.uint64:
    """Returns where the hand belongs in the memo: the middle bits of a product depend on every card (Knuth, TAOCP 6.4)."""
    return (hand * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & np.uint64(len(memo.hands) - 1)


@kernel
def _keep(memo: Memo, hand: np.uint64, lead: np.uint64, rest_sum: int, rest_rounds: int) -> None:
    """Keeps the lead from a hand, with the value that follows from the value of the rest."""
    category, _, top = classify(lead)
    slot = _slot(memo, hand)
    memo.hands[slot] = hand
    memo.leads[slot] = lead
    memo.sums[slot] = rest_sum + group_value(category, top)
    memo.rounds[slot] = rest_rounds + 1


@kernel
def _is_known(memo: Memo, hand: np.uint64) -> bool:
    """Returns whether the memo has the hand."""
    return memo.hands[_slot(memo, hand)] == hand


@kernel
def _open(memo: Memo, hand: np.uint64, depth: int, n: int) -> int:
    """Starts on a hand that the memo lacks, with candidates from ``memo.candidates[n]``; returns the new depth.

    A group is done at once. The rocket comes first where it is held, as it goes before everything else.
    """
    category, _, _ = classify(hand)
    if category != Category.PASS and category != Category.FOUR_SOLOS and category != Category.FOUR_PAIRS:
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
    """Takes the next candidate of a frame as the lead if its rest, which the memo has, is as good as the best so far.

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
    """Returns (sum, rounds) of a hand, and keeps it with its lead; ``memo.candidates`` is free from ``n`` up.

    A recursion over the hands that candidates leave, with a stack of its own. The rest of a candidate is used as soon as it is
    known, before another hand can replace it in the memo.
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
    """Returns the cards with which RHCP answers a move of this category, length and top, 0 for pass."""
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
def find_move(rules: Rules, cards: np.uint64) -> int:
    """Returns the id of a group, pass for no cards."""
    category, length, top = classify(cards)
    move = np.int64(rules.first[category, length, top]) if category != Category.PASS else PASS
    while rules.cards[move] != cards:
        move += 1
    return move


@kernel
def choose(rules: Rules, memo: Memo, states: States, i: int) -> int:
    """Returns RHCP's move for the seat to move in lane ``i``; it looks at that hand and the move to beat only."""
    hand = states.hands[i, states.seat[i]]
    target = states.target[i]
    if target == PASS:
        return find_move(rules, lead(memo, hand))
    return find_move(rules, reply(memo, hand, rules.category[target], rules.length[target], rules.top[target]))


@kernel
def act(rules: Rules, memo: Memo, views: States, moves: np.ndarray) -> None:
    """Writes RHCP's move in every lane to ``moves`` (int16 ``[B]``)."""
    for i in range(len(moves)):
        moves[i] = choose(rules, memo, views, i)
