"""Double-dummy solver for endgames: the value of a position with all three hands open under perfect
play.

The landlord plays against the two peasants as one team. The value is the landlord's, in units of
the current stake: +-1 if only the win counts, +-2^(bombs and rockets played from here on) if points
count. It is found as in MTD(f), by yes-or-no questions: "is the value at least t?". The values are
numbered so that a question has an integer t: +-(b + 1) for +-2^b, so that 0 is no value. The search
for one question is a depth-first AND/OR search with a transposition table, the landlord choosing at
the OR nodes.

- *Forced passes* are not nodes: the turn passes to the next seat that can reply, or back to the
  owner of the target, who leads.
- *Targets* are normalised: of a move to beat only category, length and top count, and the top is
  raised to just below the lowest that any seat still to answer could play. What only a bomb can
  beat is the same target whatever it is.
- *Finishing moves* answer at once.
- *Bounds*: no more bombs can be played than there are in the hands.
- *Order*: the move remembered in the table; moves that no opponent can beat, long ones first; for
  replies the lowest, and pass first where the partner holds the table. History counts (Schaeffer,
  1989) break ties.

The table stores the whole position beside the bounds, so that two positions cannot be taken for
each other. After ``forget`` an answer and the nodes that it takes do not depend on what was solved
before.

Source: Knuth & Moore 1975 (alpha-beta); Plaat et al. 1996, "Best-first fixed-depth minimax
algorithms" (MTD).
"""

from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import (
    HAND_SIZES,
    JOKERS,
    NUM_SEATS,
    above,
    at_least,
    lowest,
    size,
)
from games.doudizhu.legal import leads, replies, tops_of
from games.doudizhu.moves import MAX_LEGAL, PASS, Category, Rules
from games.doudizhu.state import States, is_bomb
from games.kernels import kernel, mix64
from games.rows import zeros

TABLE_BITS = 16
MAX_DEPTH = 3 * sum(HAND_SIZES) + 1
"""Positions in a line: every move with cards is followed by at most two passes, and the root."""
UNSOLVED = 0
"""Returned if the node budget did not suffice; no position has this value."""
UNANSWERED = -1

_TARGET_BITS, _BOUND_BITS = 15, 5
_KEY_BITS = _TARGET_BITS + 3  # the target, the seat, the passes
_BOUND_OFFSET = 16
_MOST = 15
"""Above the number of any value: at most 13 bombs are played."""
_KEY_MASK = np.uint64((1 << _KEY_BITS) - 1)
_HISTORY_LIMIT = 1 << 20
_HISTORY_ROOM = 1 << 10
"""Moves share counts by the low bits of their ids, so that the counts are quickly cleared."""


class Frames(NamedTuple):
    """The positions on the line that is being searched; the question at each is whether the value
    is at least its threshold.

    Attributes:
        hands: uint64 ``[D, 3]``.
        seats: int64 ``[D]``, the seat to move.
        targets: int64 ``[D]``, the move to beat, normalised; 0 = a lead.
        passes: int64 ``[D]``, passes since the target was played.
        thresholds: int64 ``[D]``.
        begins: int64 ``[D]``, the next of ``Solver.moves`` to try.
        ends: int64 ``[D]``, the end of the moves.
    """

    hands: np.ndarray
    seats: np.ndarray
    targets: np.ndarray
    passes: np.ndarray
    thresholds: np.ndarray
    begins: np.ndarray
    ends: np.ndarray


class Solver(NamedTuple):
    """The memory of the search. For one thread at a time.

    Attributes:
        table: uint64 ``[S, 4]``, the transposition table: the three hands, and one word of target,
            seat, passes, bounds and move. Rows 2k and 2k + 1 are a bucket, the newer first. S is a
            power of two.
        nodes: int64 ``[1]``, those that are left.
        history: int64 ``[2, 1024]``, cut-offs by moves of the landlord and of the peasants, weighed
            by the square of the cards left.
        moves: int16 ``[D * 520]``, the moves of all frames.
        scores: int64 ``[D * 520]``, what orders them.
        frames: The line that is being searched.
    """

    table: np.ndarray
    nodes: np.ndarray
    history: np.ndarray
    moves: np.ndarray
    scores: np.ndarray
    frames: Frames


def new_solver(bits: int = TABLE_BITS) -> Solver:
    """Returns a solver with an empty table of 2**bits positions, 32 bytes each."""
    return Solver(
        table=np.zeros((1 << bits, 4), np.uint64),
        nodes=np.zeros(1, np.int64),
        history=np.zeros((2, _HISTORY_ROOM), np.int64),
        moves=np.zeros((MAX_DEPTH + 1) * MAX_LEGAL, np.int16),
        scores=np.zeros((MAX_DEPTH + 1) * MAX_LEGAL, np.int64),
        frames=Frames(*zeros(MAX_DEPTH + 1, "3u8", *["i8"] * 6)),
    )


@kernel
def forget(solver: Solver) -> None:
    """Empties the table and the history."""
    solver.table[:] = 0
    solver.history[:] = 0


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
def _bucket(solver: Solver, hands: np.ndarray, key: np.uint64) -> int:
    """Returns the first of the two rows where a position belongs."""
    x = mix64(hands[0] + key * np.uint64(0x9E3779B97F4A7C15))
    x = mix64(x + hands[1])
    x = mix64(x + hands[2])
    return np.int64(x & np.uint64(len(solver.table) - 2))


@kernel
def _key(frames: Frames, depth: int) -> np.uint64:
    """Returns what the table compares beside the hands.

    The objective is not part of it: if the win alone counts, the only question is whether the value
    is at least 1, and that has the same answer if points count.
    """
    return np.uint64(
        frames.targets[depth]
        | frames.seats[depth] << _TARGET_BITS
        | frames.passes[depth] << (_TARGET_BITS + 2)
    )


@kernel
def _find(solver: Solver, hands: np.ndarray, key: np.uint64) -> int:
    """Returns the row of a position in the table, -1 if it is not there."""
    row = _bucket(solver, hands, key)
    table = solver.table
    for at in (row, row + 1):
        word = table[at, 3]
        if (
            word & _KEY_MASK == key
            and table[at, 0] == hands[0]
            and table[at, 1] == hands[1]
            and table[at, 2] == hands[2]
        ):
            return at
    return -1


@kernel
def _bounds(word: np.uint64) -> tuple[int, int, int]:
    """Returns (lower bound, upper bound, best move) of an entry."""
    low = np.int64((word >> np.uint64(_KEY_BITS)) & np.uint64(31)) - _BOUND_OFFSET
    high = np.int64((word >> np.uint64(_KEY_BITS + _BOUND_BITS)) & np.uint64(31)) - _BOUND_OFFSET
    return low, high, np.int64(word >> np.uint64(_KEY_BITS + 2 * _BOUND_BITS))


@kernel
def _store(solver: Solver, depth: int, answer: int, move: int) -> None:
    """Keeps the answer at a frame, with the move that gave it (0 if none did)."""
    frames = solver.frames
    hands, threshold, table = frames.hands[depth], frames.thresholds[depth], solver.table
    key = _key(frames, depth)
    row = _find(solver, hands, key)
    low, high = -_MOST, _MOST
    if row >= 0:
        low, high, _ = _bounds(table[row, 3])
    else:
        row = _bucket(solver, hands, key)
        for k in range(4):
            table[row + 1, k] = table[row, k]
        for k in range(NUM_SEATS):
            table[row, k] = hands[k]
    if answer == 1:
        low = max(low, threshold)
    else:
        high = min(high, threshold - 1)
    word = low + _BOUND_OFFSET | (high + _BOUND_OFFSET) << _BOUND_BITS | move << (2 * _BOUND_BITS)
    table[row, 3] = key | np.uint64(word) << np.uint64(_KEY_BITS)


@kernel
def _normal_target(rules: Rules, target: int, hand: np.uint64, following: np.uint64) -> int:
    """Returns the highest move that the same moves of two hands beat; a solo of the red joker if
    only bombs do.
    """
    category, length, top = rules.category[target], rules.length[target], rules.top[target]
    tops = (tops_of(hand, category, length) | tops_of(following, category, length)) & above(top)
    if tops != np.uint64(0):
        return np.int64(rules.first[category, length, lowest(tops) - 1])
    if category == Category.BOMB:
        return np.int64(rules.first[Category.BOMB, 1, 12])
    return np.int64(rules.first[Category.SOLO, 1, 14])


@kernel
def _can_beat(rules: Rules, hand: np.uint64, move: int) -> bool:
    """Returns whether a hand may beat a move; True may be wrong where kickers are missing."""
    category = rules.category[move]
    if category == Category.ROCKET:
        return False
    if hand & JOKERS == JOKERS:
        return True
    if category != Category.BOMB and at_least(hand, 4) != np.uint64(0):
        return True
    if size(hand) < rules.size[move]:
        return False
    return tops_of(hand, category, rules.length[move]) & above(rules.top[move]) != np.uint64(0)


@kernel
def _score(rules: Rules, solver: Solver, depth: int, move: int, best: int) -> int:
    """Returns the place of a move in the order of trial, the highest first."""
    frames = solver.frames
    seat, target = frames.seats[depth], frames.targets[depth]
    if move == best and move != PASS:
        return 1 << 40
    side = min(seat, 1)
    learned = min(solver.history[side, move & (_HISTORY_ROOM - 1)], _HISTORY_LIMIT - 1)
    owner = (seat + 2 - frames.passes[depth]) % NUM_SEATS
    if move == PASS:
        return (1 << 36 if seat > 0 and owner > 0 else 4 << 24) + learned
    score = np.int64(16 + rules.size[move])
    if target != PASS:
        score = np.int64(16 - rules.top[move]) if not is_bomb(rules, move) else np.int64(1)
    elif is_bomb(rules, move):
        score = np.int64(2)
    beaten = False
    for other in range(NUM_SEATS):
        if other != seat and (other == 0 or seat == 0):
            beaten |= _can_beat(rules, frames.hands[depth, other], move)
    if not beaten:
        score += 64
    return (score << 24) + learned


@kernel
def _open(rules: Rules, solver: Solver, depth: int, points: bool) -> int:
    """Returns the answer at the frame ``depth`` if it is plain, else -1 with its moves in place.

    The frame holds hands, seat, target, passes and threshold; forced passes are played here.
    """
    frames = solver.frames
    begin = np.int64(0) if depth == 0 else frames.ends[depth - 1]
    frames.begins[depth] = begin
    moves = solver.moves[begin : begin + MAX_LEGAL]
    hands, threshold = frames.hands[depth], frames.thresholds[depth]
    seat, target, passes = frames.seats[depth], frames.targets[depth], frames.passes[depth]

    num_moves = 0
    while target != PASS:
        num_moves = replies(rules, hands[seat], target, moves)
        if num_moves > 1:
            break
        passes += 1
        seat = (seat + 1) % NUM_SEATS
        if passes == NUM_SEATS - 1:
            target, passes = np.int64(PASS), np.int64(0)
    if target != PASS:
        following = hands[(seat + 1) % NUM_SEATS] if passes == 0 else np.uint64(0)
        target = _normal_target(rules, target, hands[seat], following)
    frames.seats[depth], frames.targets[depth], frames.passes[depth] = seat, target, passes

    if points and abs(threshold) > 1:
        most = most_doubled(hands)
        if threshold > most:
            return 0
        if threshold <= -most:
            return 1
    best = np.int64(PASS)
    row = _find(solver, hands, _key(frames, depth))
    if row >= 0:
        low, high, best = _bounds(solver.table[row, 3])
        if low >= threshold:
            return 1
        if high < threshold:
            return 0

    if target == PASS:
        num_moves = leads(rules, hands[seat], moves)
    wanted = 1 if seat == 0 else 0
    kept = 0
    for k in range(num_moves):
        move = np.int64(moves[k])
        if rules.cards[move] == hands[seat]:
            value = 2 if points and is_bomb(rules, move) else 1
            if (1 if (value if seat == 0 else -value) >= threshold else 0) == wanted:
                return wanted
        else:
            moves[kept] = move
            solver.scores[begin + kept] = _score(rules, solver, depth, move, best)
            kept += 1
    if kept == 0:
        return 1 - wanted
    frames.ends[depth] = begin + kept
    return UNANSWERED


@kernel
def _next_move(solver: Solver, depth: int) -> int:
    """Returns the best of the moves of a frame that were not tried, and puts it among those that
    were.
    """
    frames = solver.frames
    at = frames.begins[depth]
    best = at
    for k in range(at + 1, frames.ends[depth]):
        if solver.scores[k] > solver.scores[best]:
            best = k
    move = np.int64(solver.moves[best])
    solver.moves[best], solver.scores[best] = solver.moves[at], solver.scores[at]
    solver.moves[at] = move
    frames.begins[depth] = at + 1
    return move


@kernel
def _play(rules: Rules, frames: Frames, depth: int, move: int, points: bool) -> None:
    """Writes the position and the question after a move, which does not end the game, to the frame
    below.

    A bomb doubles what follows: the number of the value goes one away from zero, the threshold
    comes one nearer.
    """
    seat, child = frames.seats[depth], depth + 1
    threshold = frames.thresholds[depth]
    for k in range(NUM_SEATS):
        frames.hands[child, k] = frames.hands[depth, k]
    frames.seats[child] = (seat + 1) % NUM_SEATS
    frames.targets[child], frames.passes[child] = move, 0
    if move == PASS:
        frames.targets[child], frames.passes[child] = (
            frames.targets[depth],
            frames.passes[depth] + 1,
        )
        if frames.passes[child] == NUM_SEATS - 1:
            frames.targets[child], frames.passes[child] = PASS, 0
    else:
        frames.hands[child, seat] -= rules.cards[move]
        if points and is_bomb(rules, move):
            threshold = (
                threshold - 1 if threshold >= 2 else (threshold + 1 if threshold <= -2 else 1)
            )
    frames.thresholds[child] = threshold


@kernel
def _is_at_least(
    rules: Rules, solver: Solver, states: States, i: int, threshold: int, points: bool
) -> int:
    """Returns 1 if the value of lane ``i`` is at least the threshold, 0 if not, -1 if the nodes ran
    out.
    """
    frames = solver.frames
    for seat in range(NUM_SEATS):
        frames.hands[0, seat] = states.hands[i, seat]
    frames.seats[0], frames.targets[0], frames.passes[0] = (
        states.seat[i],
        states.target[i],
        states.passes[i],
    )
    frames.thresholds[0] = threshold
    depth = np.int64(0)  # the frame to open; those before are open
    while True:
        answer = _open(rules, solver, depth, points)
        if answer == UNANSWERED:
            solver.nodes[0] -= 1
            if solver.nodes[0] < 0:
                return UNANSWERED
            depth += 1
        while True:  # hand an answer up, as long as it answers the frame above too
            if depth == 0:
                return answer
            above_it = depth - 1
            wanted = 1 if frames.seats[above_it] == 0 else 0
            if answer == wanted:
                move = np.int64(solver.moves[frames.begins[above_it] - 1])
                hands = frames.hands[above_it]
                cards = size(hands[0] + hands[1] + hands[2])
                solver.history[1 - wanted, move & (_HISTORY_ROOM - 1)] += cards * cards
                _store(solver, above_it, answer, move)
                depth = above_it
            elif frames.begins[above_it] == frames.ends[above_it]:
                answer = 1 - wanted
                _store(solver, above_it, answer, np.int64(PASS))
                depth = above_it
            else:
                break
        _play(rules, frames, depth - 1, _next_move(solver, depth - 1), points)


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
    answer = _is_at_least(rules, solver, states, i, np.int64(1), points)
    if answer == UNANSWERED:
        return np.float64(UNSOLVED)
    landlord_wins = answer == 1
    value = np.int64(1)  # the number of the value is at least this far from zero
    while value < most:
        answer = _is_at_least(
            rules, solver, states, i, value + 1 if landlord_wins else -value, points
        )
        if answer == UNANSWERED:
            return np.float64(UNSOLVED)
        if (answer == 1) != landlord_wins:
            break
        value += 1
    size_of_value = np.float64(np.int64(1) << (value - 1))
    return size_of_value if landlord_wins else -size_of_value
