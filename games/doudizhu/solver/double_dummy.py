"""Double-dummy solver for endgames: the value of a position with all three hands open under perfect
play.

The landlord plays against the two peasants as one team. The value is the landlord's, in units of
the current stake: +-1 if only the win counts, +-2^(bombs and rockets played from here on) if points
count. It is found by yes-or-no questions: "is the value at least t?". The values are numbered so
that a question has an integer t: +-(b + 1) for +-2^b, so that 0 is no value. A question is answered
by depth-first proof-number search over an AND/OR tree, the landlord choosing at the OR nodes.

- *Proof numbers*: each position has two numbers, the estimated effort to prove "yes" and "no". The
  search goes on at the position on which the answer depends with the least effort. Efforts of moves
  that must all be refuted are not added up, since they share positions: the largest counts, and one
  for each other move.
- *First estimates*: 2^(k + 1), k the ranks of the team's better hand that the other team can beat;
  more for the team against which a seat has several replies.
- *Forced passes* are not positions: the turn passes to the next seat that can reply, or back to the
  owner of the target, who leads.
- *Known answers*: the mover can play its last cards at once, or leads and holds at most one group
  that the other team can beat; no more bombs can be played than there are in the hands.
- *Equal positions*: only the order of the ranks matters, so ranks that nobody holds are left out.
  While a hand has a chain, one rank of each gap stays, and neighbours remain neighbours. Of a move
  to beat only category, length and the lowest rank that beats it count. All targets that only a
  bomb can beat are the same.

The table stores the whole position beside the numbers, so that two positions cannot be taken for
each other. After ``forget`` an answer and the nodes that it takes do not depend on what was solved
before.

Source: Nagai 2002, "Df-pn algorithm for searching AND/OR trees and its applications"; Ueda et al.
2008, "Weak proof-number search"; Pawlewicz & Lew 2007, "Improving depth-first PN-search: 1 + ε
trick".
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.beaters import beats, whole_move
from games.doudizhu.cards import (
    HAND_SIZES,
    JOKERS,
    NUM_SEATS,
    TWO,
    above,
    at_least,
    highest,
    lowest,
    size,
)
from games.doudizhu.legal import legal_moves, replies, tops_of
from games.doudizhu.moves import MAX_LEGAL, PASS, Category, Rules
from games.doudizhu.state import States, is_bomb
from games.kernels import kernel, mix64
from games.kernels.rows import zeros

TABLE_BITS = 16
MAX_DEPTH = 3 * sum(HAND_SIZES) + 1
"""Positions in a line: every move with cards is followed by at most two passes, and the root."""
UNSOLVED = 0
"""Returned if the node budget did not suffice; no position has this value."""

YES, NO = 0, 1
"""The answers; also the side that wants each: the landlord and the peasants."""
AT, BEGIN, END = range(3)
"""Columns of ``Line.spans``."""
MOVE, SEAT, TARGET, PASSES, THRESHOLD = range(5)
"""Columns of ``Positions.columns``. One array per field would take a fifth longer, since numba
passes every array of a tuple to every kernel.
"""
_INFINITE = 1 << 30
"""The effort to prove a refuted answer; that of the proved one is 0."""
_STEEPEST = 12
"""Maximum exponent of a first estimate."""
_ONLY_BOMBS, _ONLY_ROCKET = 32767, 32766
"""Stand for targets of which nothing of their kind beats, in place of the id of a move."""
_TARGET_BITS = 15
_SEAT_BITS = 2
_OFFSET = 16
"""Added to a threshold, which is between -14 and 14."""


class Line(NamedTuple):
    """The positions on the line that is being searched.

    Attributes:
        hands: uint64 ``[D, 3]``.
        spans: int64 ``[D, 3]``: ``AT``, the row of the position in ``Positions``; ``BEGIN`` and
            ``END``, the rows of the positions after its moves.
        limits: int64 ``[D, 2]``: the search goes on while both numbers are below.
    """

    hands: np.ndarray
    spans: np.ndarray
    limits: np.ndarray


class Positions(NamedTuple):
    """The root, then the positions after each move from each position of the line.

    Attributes:
        columns: int16 ``[P, 5]``: ``MOVE``, which leads there; ``SEAT`` to move, after forced
            passes; ``TARGET``, the move to beat, 0 = a lead; ``PASSES`` since it was played;
            ``THRESHOLD``: the question is whether the value is at least this.
        keys: uint64 ``[P, 4]``, what the table compares: three hands, and a word of target, seat,
            passes, threshold and whether there are chains.
        numbers: int64 ``[P, 2]``, the efforts to prove ``YES`` and ``NO``.
    """

    columns: np.ndarray
    keys: np.ndarray
    numbers: np.ndarray


class Solver(NamedTuple):
    """The memory of the search. For one thread at a time.

    Attributes:
        table: uint64 ``[S, 5]``, the transposition table: a key and the two numbers. Rows 2k and 2k
            + 1 are a bucket, the newer first. S is a power of two.
        nodes: int64 ``[1]``, those that are left.
        moves: int16 ``[520]``, the moves of a position that is being opened.
        others: int16 ``[520]``, the replies of the next one.
        line: The line that is being searched.
        positions: The positions beside it.
    """

    table: np.ndarray
    nodes: np.ndarray
    moves: np.ndarray
    others: np.ndarray
    line: Line
    positions: Positions


def new_solver(bits: int = TABLE_BITS) -> Solver:
    """Returns a solver with an empty table of 2**bits positions, 40 bytes each."""
    return Solver(
        table=np.zeros((1 << bits, 5), np.uint64),
        nodes=np.zeros(1, np.int64),
        moves=np.zeros(MAX_LEGAL, np.int16),
        others=np.zeros(MAX_LEGAL, np.int16),
        line=Line(*zeros(MAX_DEPTH + 1, "3u8", "3i8", "2i8")),
        positions=Positions(*zeros(MAX_DEPTH * MAX_LEGAL, "5i2", "4u8", "2i8")),
    )


@kernel
def forget(solver: Solver) -> None:
    """Empties the table."""
    solver.table[:] = 0


@kernel
def most_doubled(hands: np.ndarray) -> int:
    """Returns the highest number of a value: one more than the bombs in the hands, the rocket
    included.
    """
    most = np.int64(1)
    for hand in hands:
        most += size(at_least(hand, 4)) + np.int64(hand & JOKERS == JOKERS)
    return most


@kernel
def _bucket(table: np.ndarray, key: np.ndarray) -> int:
    """Returns the first of the two rows where a position belongs."""
    x = mix64(key[0] + key[3] * np.uint64(0x9E3779B97F4A7C15))
    x = mix64(x + key[1])
    x = mix64(x + key[2])
    return np.int64(x & np.uint64(len(table) - 2))


@kernel
def _find(table: np.ndarray, key: np.ndarray) -> int:
    """Returns the row of a position in the table, -1 if it is not there."""
    row = _bucket(table, key)
    for at in (row, row + 1):
        if (
            table[at, 3] == key[3]
            and table[at, 0] == key[0]
            and table[at, 1] == key[1]
            and table[at, 2] == key[2]
        ):
            return at
    return -1


@kernel
def _store(table: np.ndarray, key: np.ndarray, numbers: np.ndarray) -> None:
    """Keeps the numbers of a position."""
    row = _find(table, key)
    if row < 0:
        row = _bucket(table, key)
        for k in range(5):
            table[row + 1, k] = table[row, k]
        for k in range(4):
            table[row, k] = key[k]
    table[row, 4] = np.uint64(numbers[YES] | numbers[NO] << 32)


@kernel
def _chains(hand: np.uint64) -> bool:
    """Returns whether a hand has ranks for a chain of solos, pairs or trios."""
    return (
        tops_of(hand, Category.SOLO_CHAIN, 5)
        | tops_of(hand, Category.PAIR_CHAIN, 3)
        | tops_of(hand, Category.TRIO_CHAIN, 2)
    ) != np.uint64(0)


@kernel
def _set_key(rules: Rules, hands: np.ndarray, positions: Positions, at: int, beats_it: int) -> None:
    """Writes the key of a position, without the ranks that nobody holds.

    Twos and jokers, which no chain contains, keep their places while there are chains; jokers also
    while one hand holds both.

    Args:
        beats_it: The lowest rank that the seats still to answer beat the target with, bombs aside;
            -1: none.
    """
    key, target = positions.keys[at], np.int64(positions.columns[at, TARGET])
    chains = _chains(hands[0]) or _chains(hands[1]) or _chains(hands[2])
    rocket = False
    for hand in hands:
        rocket |= hand & JOKERS == JOKERS
    for k in range(4):
        key[k] = 0
    ranks = at_least(hands[0] | hands[1] | hands[2], 1)
    place, last, code = np.int64(0), np.int64(-1), np.int64(0)
    while ranks != np.uint64(0):
        rank = lowest(ranks)
        ranks &= ranks - np.uint64(1)
        if (rocket and rank > TWO) or (chains and rank >= TWO):
            place = rank
        elif chains and place > 0 and rank > last + 1:
            place += 1
        for k in range(NUM_SEATS):
            count = (hands[k] >> np.uint64(4 * rank)) & np.uint64(15)
            key[k] |= count << np.uint64(4 * place)
        if rank == beats_it:
            code = np.int64(rules.first[rules.category[target], rules.length[target], place])
        last = rank
        place += 1
    if target != PASS and beats_it < 0:
        code = np.int64(_ONLY_ROCKET if is_bomb(rules, target) else _ONLY_BOMBS)
    word = np.int64(positions.columns[at, THRESHOLD] + _OFFSET) << 1 | np.int64(chains)
    word = (word << 1 | positions.columns[at, PASSES]) << _SEAT_BITS | positions.columns[at, SEAT]
    key[3] = np.uint64(word << _TARGET_BITS | code)


@kernel
def _exposed(hand: np.uint64, first: np.uint64, second: np.uint64) -> int:
    """Returns how many ranks of a hand are not above all ranks of its opponents' hands."""
    return size(at_least(hand, 1) & ~above(highest(at_least(first | second, 1))))


@kernel
def _runs_out(hand: np.uint64, first: np.uint64, second: np.uint64) -> bool:
    """Returns whether a hand on lead wins by moves of one rank each, of which its opponents cannot
    beat any but the last; False may be wrong.

    Trios that cannot be beaten take along a rank that could be, as does a trio that is the last
    move.
    """
    if (at_least(first, 4) | at_least(second, 4)) != np.uint64(0):
        return False
    if first & JOKERS == JOKERS or second & JOKERS == JOKERS:
        return False
    exposed, carriers, weak_trios = np.int64(0), np.int64(0), np.int64(0)
    for copies in range(1, 4):
        held = at_least(hand, copies) & ~at_least(hand, copies + 1)
        best = highest(at_least(first, copies) | at_least(second, copies))
        strong = size(held & above(best))
        if copies < 3:
            exposed += size(held) - strong
        else:
            carriers, weak_trios = strong, size(held) - strong
    return weak_trios <= 1 and exposed - carriers <= 1


@kernel(inline="always")
def _place(positions: Positions, at: int, seat: int, target: int, passes: int) -> None:
    positions.columns[at, SEAT] = seat
    positions.columns[at, TARGET] = target
    positions.columns[at, PASSES] = passes


@kernel
def _side(positions: Positions, at: int) -> int:
    """Returns the answer that the seat to move wants."""
    return YES if positions.columns[at, SEAT] == 0 else NO


@kernel
def _is_at_least(value: int, threshold: int) -> int:
    return YES if value >= threshold else NO


@kernel
def _known(rules: Rules, hands: np.ndarray, positions: Positions, at: int, points: bool) -> int:
    """Returns the answer at a position if it is known without a search, else -1."""
    seat = np.int64(positions.columns[at, SEAT])
    threshold = np.int64(positions.columns[at, THRESHOLD])
    target, side = np.int64(positions.columns[at, TARGET]), _side(positions, at)
    if points and abs(threshold) > 1:
        most = most_doubled(hands)
        if threshold > most:
            return NO
        if threshold <= -most:
            return YES
    sign = 1 if side == YES else -1
    move = whole_move(rules, hands[seat])
    if move != PASS and beats(rules, move, target):
        value = 2 if points and is_bomb(rules, move) else 1
        return side if _is_at_least(sign * value, threshold) == side else -1
    if target == PASS and _is_at_least(sign, threshold) == side:
        first, second = (hands[1], hands[2]) if side == YES else (hands[0], np.uint64(0))
        if _runs_out(hands[seat], first, second):
            return side
    return -1


@kernel
def _settle(rules: Rules, solver: Solver, hands: np.ndarray, at: int, points: bool) -> None:
    """Plays the forced passes of a position and writes its key and numbers."""
    positions = solver.positions
    numbers = positions.numbers[at]
    seat, target = np.int64(positions.columns[at, SEAT]), np.int64(positions.columns[at, TARGET])
    passes, num_replies = np.int64(positions.columns[at, PASSES]), np.int64(0)
    while target != PASS:
        num_replies = replies(rules, hands[seat], target, solver.others)
        if num_replies > 1:
            break
        seat, passes = (seat + 1) % NUM_SEATS, passes + 1
        if passes == NUM_SEATS - 1:
            target, passes = np.int64(PASS), np.int64(0)
    _place(positions, at, seat, target, passes)
    answer = _known(rules, hands, positions, at, points)
    if answer >= 0:
        numbers[answer], numbers[1 - answer] = 0, _INFINITE
        return
    beats_it = np.int64(-1)
    if target != PASS:
        category, length = rules.category[target], rules.length[target]
        tops = tops_of(hands[seat], category, length)
        if passes == 0:
            tops |= tops_of(hands[(seat + 1) % NUM_SEATS], category, length)
        tops &= above(rules.top[target])
        if tops != np.uint64(0):
            beats_it = lowest(tops)
    _set_key(rules, hands, positions, at, beats_it)
    row = _find(solver.table, positions.keys[at])
    if row >= 0:
        word = np.int64(solver.table[row, 4])
        numbers[YES], numbers[NO] = word & (2 * _INFINITE - 1), word >> 32
        return
    landlord = _exposed(hands[0], hands[1], hands[2])
    peasants = min(
        _exposed(hands[1], hands[0], np.uint64(0)), _exposed(hands[2], hands[0], np.uint64(0))
    )
    numbers[YES] = np.int64(2) << min(landlord, _STEEPEST - 1)
    numbers[NO] = np.int64(2) << min(peasants, _STEEPEST - 1)
    numbers[NO if seat == 0 else YES] += num_replies


@kernel
def _after_bomb(threshold: int) -> int:
    """Returns the threshold after a bomb, which doubles what follows: the number of the value goes
    one away from zero, the threshold comes one nearer.
    """
    return threshold - 1 if threshold >= 2 else (threshold + 1 if threshold <= -2 else 1)


@kernel
def _expand(rules: Rules, solver: Solver, depth: int, points: bool) -> None:
    """Writes the positions after the moves from the last position of the line, up to one that
    answers its question.
    """
    line, positions = solver.line, solver.positions
    at, child = line.spans[depth, AT], line.spans[depth, BEGIN]
    hands, seat = line.hands[depth], np.int64(positions.columns[at, SEAT])
    target, side = np.int64(positions.columns[at, TARGET]), _side(positions, at)
    own = hands[seat]
    for move in solver.moves[: legal_moves(rules, own, target, solver.moves)]:
        rest = own - rules.cards[move]
        if rest == np.uint64(0):
            continue  # a win that is not enough
        passes, threshold = np.int64(0), np.int64(positions.columns[at, THRESHOLD])
        beaten = np.int64(move)
        if move == PASS:
            passes, beaten = np.int64(positions.columns[at, PASSES]) + 1, target
            if passes == NUM_SEATS - 1:
                passes, beaten = np.int64(0), np.int64(PASS)
        elif points and is_bomb(rules, move):
            threshold = _after_bomb(threshold)
        _place(positions, child, (seat + 1) % NUM_SEATS, beaten, passes)
        positions.columns[child, MOVE] = move
        positions.columns[child, THRESHOLD] = threshold
        hands[seat] = rest
        _settle(rules, solver, hands, child, points)
        hands[seat] = own
        child += 1
        if positions.numbers[child - 1, side] == 0:
            break
    line.spans[depth, END] = child


@kernel
def _search(rules: Rules, solver: Solver, points: bool) -> None:
    """Searches the root, whose hands and position are in place, until its answer is proved or no
    nodes are left.
    """
    line, positions = solver.line, solver.positions
    line.spans[0, AT], line.spans[0, BEGIN], line.limits[0] = 0, 1, _INFINITE
    depth = np.int64(0)
    solver.nodes[0] -= 1
    _expand(rules, solver, depth, points)
    while True:
        at, limits = line.spans[depth, AT], line.limits[depth]
        side = _side(positions, at)
        best, least, second = np.int64(-1), np.int64(_INFINITE), np.int64(_INFINITE)
        against, unproved = np.int64(0), np.int64(0)
        for child in range(line.spans[depth, BEGIN], line.spans[depth, END]):
            effort = positions.numbers[child, side]
            if effort < least:
                best, least, second = child, effort, least
            elif effort < second:
                second = effort
            against = max(against, positions.numbers[child, 1 - side])
            unproved += positions.numbers[child, 1 - side] > 0
        if 0 < against < _INFINITE:
            against = min(against + unproved - 1, np.int64(_INFINITE - 1))
        if least >= limits[side] or against >= limits[1 - side]:
            positions.numbers[at, side], positions.numbers[at, 1 - side] = least, against
            _store(solver.table, positions.keys[at], positions.numbers[at])
            if depth == 0:
                return
            depth -= 1
            continue
        if solver.nodes[0] <= 0:
            return
        solver.nodes[0] -= 1
        below = line.limits[depth + 1]
        below[side] = min(limits[side], second + second // 4 + 1)
        below[1 - side] = _INFINITE
        if limits[1 - side] < _INFINITE:
            below[1 - side] = limits[1 - side] - against + positions.numbers[best, 1 - side]
        line.hands[depth + 1] = line.hands[depth]
        mover, move = positions.columns[at, SEAT], positions.columns[best, MOVE]
        line.hands[depth + 1, mover] -= rules.cards[move]
        line.spans[depth + 1, AT], line.spans[depth + 1, BEGIN] = best, line.spans[depth, END]
        depth += 1
        _expand(rules, solver, depth, points)


@kernel
def _answer(
    rules: Rules, solver: Solver, states: States, i: int, threshold: int, points: bool
) -> int:
    """Returns whether the value of lane ``i`` is at least the threshold, ``YES`` or ``NO``; -1 if
    the nodes ran out.
    """
    hands, positions = solver.line.hands[0], solver.positions
    hands[:] = states.hands[i]
    _place(positions, 0, states.seat[i], states.target[i], states.passes[i])
    positions.columns[0, THRESHOLD] = threshold
    _settle(rules, solver, hands, 0, points)
    numbers = positions.numbers[0]
    if numbers[YES] > 0 and numbers[NO] > 0 and solver.nodes[0] > 0:
        _search(rules, solver, points)
    return YES if numbers[YES] == 0 else (NO if numbers[NO] == 0 else -1)


@kernel
def solve(
    rules: Rules, solver: Solver, states: States, i: int, points: bool, max_nodes: int
) -> float:
    """Returns the landlord's value of lane ``i``, a running game with all hands open, in units of
    the stake.

    +-1 if ``points`` is false, else +-2^(bombs and rockets played from here on); 0 (``UNSOLVED``)
    if it takes more than ``max_nodes`` nodes. A position solved once stays in the table until
    ``forget``.
    """
    most = most_doubled(states.hands[i]) if points else 1
    solver.nodes[0] = max_nodes
    answer = _answer(rules, solver, states, i, np.int64(1), points)
    if answer < 0:
        return np.float64(UNSOLVED)
    landlord_wins = answer == YES
    value = np.int64(1)  # the number of the value is at least this far from zero
    while value < most:
        threshold = value + 1 if landlord_wins else -value
        answer = _answer(rules, solver, states, i, threshold, points)
        if answer < 0:
            return np.float64(UNSOLVED)
        if (answer == YES) != landlord_wins:
            break
        value += 1
    size_of_value = np.float64(np.int64(1) << (value - 1))
    return size_of_value if landlord_wins else -size_of_value
