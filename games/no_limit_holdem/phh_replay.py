"""Plays hand histories through the game: are all moves legal, and does everybody end with the stack
that the file tells?
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import is_legal, num_left, raise_bounds, start_row, step, to_call
from games.no_limit_holdem.deals import returns_of
from games.no_limit_holdem.phh import CALL as TOLD_CALL
from games.no_limit_holdem.phh import FOLD as TOLD_FOLD
from games.no_limit_holdem.phh import UNSEEN, Hand
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD, NUM_BOARD, Rules, States, empty
from games.poker.hands import tables


class Hands(NamedTuple):
    """N hands of S players as arrays; M moves in all.

    Attributes:
        stacks: int32 ``[N, S]``, before the hand. antes, blinds: the same, by seat.
        big_blind: int32 ``[N]``, the least bet.
        hole: int8 ``[N, S, 2]``. board: int8 ``[N, 5]``. Both -1 where unseen.
        first: int64 ``[N + 1]``, where the moves of each hand begin.
        seats: int8 ``[M]``, who moved. actions: int32 ``[M]``, what, in the game's codes. boards:
            int8 ``[M]``, cards there.
    """

    stacks: np.ndarray
    antes: np.ndarray
    blinds: np.ndarray
    big_blind: np.ndarray
    hole: np.ndarray
    board: np.ndarray
    first: np.ndarray
    seats: np.ndarray
    actions: np.ndarray
    boards: np.ndarray


class Replay(NamedTuple):
    """What came of playing N hands.

    Attributes:
        fault: int8 ``[N]``, a ``FAULTS`` number, 0 = none. at: int32 ``[N]``, the move where it is.
        told: int32 ``[N, 3]``, what the message quotes.
        settled: bool ``[N]``, whether all cards that decide the hand are open.
        returns: float64 ``[N, S]``, net chips, where ``settled``.
    """

    fault: np.ndarray
    at: np.ndarray
    told: np.ndarray
    settled: np.ndarray
    returns: np.ndarray


FAULTS = (
    "",
    "move {at}: p{0} moves, where it is the turn of p{1}",
    "move {at}: {0} cards on the board, where the betting has {1}",
    "move {at}: p{0} folds without a bet to call",
    "move {at}: p{0} bets or raises to {1}, where the least is {2}",
    "move {at}: p{0} bets or raises to {1}, where the most is {2} (0: no raise is allowed)",
    "move {at}: the hand is over before it",
    "ends after {at} moves, where p{0} is to move",
)


def replay_rules(seats: int) -> Rules:
    """Returns rules for hands that bring their own stacks and posts."""
    none = np.zeros(seats, np.int32)
    return Rules(np.array([0.0, np.inf]), none, none, none, 0, tables())


def pack(hands: Sequence[Hand]) -> Hands:
    """Returns hands of one number of players as arrays."""
    code = {TOLD_FOLD: FOLD, TOLD_CALL: CALL}
    moves = [[code.get(move, FIRST_AMOUNT + move) for move in hand.moves] for hand in hands]
    first = np.zeros(len(hands) + 1, np.int64)
    np.cumsum([len(m) for m in moves], out=first[1:])
    board = [(*hand.board, *[UNSEEN] * (NUM_BOARD - len(hand.board))) for hand in hands]
    return Hands(
        np.array([hand.stacks for hand in hands], np.int32),
        np.array([hand.antes for hand in hands], np.int32),
        np.array([hand.blinds for hand in hands], np.int32),
        np.array([hand.min_bet or max(hand.blinds) for hand in hands], np.int32),
        np.array([hand.hole for hand in hands], np.int8),
        np.array(board, np.int8),
        first,
        np.array([seat for hand in hands for seat in hand.seats], np.int8),
        np.array([move for own in moves for move in own], np.int32),
        np.array([count for hand in hands for count in hand.boards], np.int8),
    )


@kernel
def start(rules: Rules, hands: Hands, n: int, states: States, i: int) -> None:
    """Writes the beginning of a hand to lane ``i``."""
    start_row(
        rules, states, i, hands.stacks[n], hands.antes[n], hands.blinds[n], hands.big_blind[n]
    )
    states.hole[i] = hands.hole[n]
    states.board[i] = hands.board[n]


@kernel
def _fault(
    rules: Rules, states: States, seat: int, action: int, board: int, told: np.ndarray
) -> int:
    """Returns what is wrong with a move, 0 = nothing."""
    told[0] = seat + 1
    if states.seat[0] < 0:
        return 6
    if states.seat[0] != seat:
        told[1] = states.seat[0] + 1
        return 1
    if states.shown[0] != board:
        told[0], told[1] = board, states.shown[0]
        return 2
    if is_legal(rules, states, 0, action):
        return 0
    if action == FOLD and to_call(rules, states, 0) == 0:
        return 3
    least, most = raise_bounds(rules, states, 0)
    told[1], told[2] = action - FIRST_AMOUNT, most
    if action - FIRST_AMOUNT > most:
        return 5
    told[2] = least
    return 4


@kernel
def _replay(rules: Rules, hands: Hands, states: States, out: Replay) -> None:
    strengths = np.zeros(hands.stacks.shape[1], np.int32)
    for n in range(len(hands.stacks)):
        start(rules, hands, n, states, 0)
        for k in range(hands.first[n], hands.first[n + 1]):
            fault = _fault(
                rules,
                states,
                np.int64(hands.seats[k]),
                np.int64(hands.actions[k]),
                hands.boards[k],
                out.told[n],
            )
            if fault:
                out.fault[n], out.at[n] = fault, k - hands.first[n] + 1
                break
            step(rules, states, 0, np.int64(hands.actions[k]))
        if out.fault[n]:
            continue
        if states.seat[0] >= 0:
            out.fault[n], out.at[n], out.told[n, 0] = (
                7,
                hands.first[n + 1] - hands.first[n],
                states.seat[0] + 1,
            )
            continue
        open_ = True
        if num_left(rules, states, 0) > 1:
            open_ = hands.board[n].min() >= 0
            for seat in range(len(strengths)):
                open_ = open_ and (states.folded[0, seat] == 1 or hands.hole[n, seat].min() >= 0)
        out.settled[n] = open_
        if open_:
            returns_of(rules, states, 0, strengths, out.returns[n])


def replay(hands: Hands) -> Replay:
    """Returns what comes of playing hands."""
    count, seats = hands.stacks.shape
    out = Replay(
        np.zeros(count, np.int8),
        np.zeros(count, np.int32),
        np.zeros((count, 3), np.int32),
        np.zeros(count, np.bool_),
        np.zeros((count, seats)),
    )
    _replay(replay_rules(seats), hands, empty(1, seats), out)
    return out


def by_seats(hands: Sequence[Hand]) -> dict[int, list[int]]:
    """Returns the places of the hands of each number of players."""
    found: dict[int, list[int]] = {}
    for n, hand in enumerate(hands):
        found.setdefault(len(hand.stacks), []).append(n)
    return found


def faults(hands: Sequence[Hand]) -> list[str]:
    """Returns for each hand what keeps it from being played, or in what it ends otherwise than the
    file says; "" = nothing.
    """
    said = [""] * len(hands)
    for places in by_seats(hands).values():
        played = replay(pack([hands[n] for n in places]))
        for k, n in enumerate(places):
            hand = hands[n]
            if played.fault[k]:
                said[n] = FAULTS[played.fault[k]].format(*played.told[k], at=played.at[k])
            elif played.settled[k] and hand.finishing_stacks is not None:
                ends = tuple(
                    stack + int(won)
                    for stack, won in zip(hand.stacks, played.returns[k], strict=True)
                )
                if ends != hand.finishing_stacks and not _is_raked(ends, hand):
                    said[n] = (
                        f"ends with stacks {list(ends)}, where the file says "
                        f"{list(hand.finishing_stacks)}"
                    )
    return said


def _is_raked(ends: tuple[int, ...], hand: Hand) -> bool:
    """Returns whether the file pays winners less than the game and everybody else the same: the
    house took its share.
    """
    assert hand.finishing_stacks is not None
    pairs = list(zip(hand.stacks, ends, hand.finishing_stacks, strict=True))
    return all(told == end or before <= told < end for before, end, told in pairs)
