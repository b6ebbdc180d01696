"""Replays hand histories in the game, and checks that all moves are legal and that the final stacks
are those of the file.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import is_legal, num_left, raise_bounds, start_row, step
from games.no_limit_holdem.deals import returns_of
from games.no_limit_holdem.phh import CALL as PHH_CALL
from games.no_limit_holdem.phh import FOLD as PHH_FOLD
from games.no_limit_holdem.phh import UNSEEN, Hand
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD, NUM_BOARD, Rules, States, empty
from games.poker.hands import tables


class Hands(NamedTuple):
    """N hands of S players as arrays; M moves in all.

    Attributes:
        stacks: int32 ``[N, S]``, before the hand.
        antes, blinds: The same, by seat.
        big_blind: int32 ``[N]``, the minimum bet.
        hole: int8 ``[N, S, 2]``, -1 where unseen.
        board: int8 ``[N, 5]``, -1 where unseen.
        first: int64 ``[N + 1]``, start of the moves of each hand.
        seats: int8 ``[M]``, the seat of each move.
        actions: int32 ``[M]``, the moves as actions of the game.
        boards: int8 ``[M]``, number of public cards at each move.
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
    """The result of replaying N hands.

    Attributes:
        whole: bool ``[N]``, whether all moves are legal and end the hand.
        settled: bool ``[N]``, whether all cards that decide the hand are open.
        returns: float64 ``[N, S]``, net chips, where ``settled``.
    """

    whole: np.ndarray
    settled: np.ndarray
    returns: np.ndarray


def replay_rules(seats: int) -> Rules:
    """Returns rules for hands with their own stacks and posts."""
    none = np.zeros(seats, np.int32)
    return Rules(np.array([0.0, np.inf]), none, none, none, 0, tables())


def pack(hands: Sequence[Hand]) -> Hands:
    """Returns hands with equally many players as arrays."""
    code = {PHH_FOLD: FOLD, PHH_CALL: CALL}
    moves = [code.get(move, FIRST_AMOUNT + move) for hand in hands for move in hand.moves]
    unseen = (UNSEEN,) * NUM_BOARD

    def of_hands(kind: type[np.number], values: Iterable[object]) -> np.ndarray:
        return np.array(list(values), kind)

    return Hands(
        of_hands(np.int32, (hand.stacks for hand in hands)),
        of_hands(np.int32, (hand.antes for hand in hands)),
        of_hands(np.int32, (hand.blinds for hand in hands)),
        of_hands(np.int32, (hand.min_bet or max(hand.blinds) for hand in hands)),
        of_hands(np.int8, (hand.hole for hand in hands)),
        of_hands(np.int8, ((hand.board + unseen)[:NUM_BOARD] for hand in hands)),
        np.cumsum([0, *(len(hand.moves) for hand in hands)]),
        of_hands(np.int8, (seat for hand in hands for seat in hand.seats)),
        of_hands(np.int32, moves),
        of_hands(np.int8, (count for hand in hands for count in hand.boards)),
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
def _play(rules: Rules, hands: Hands, n: int, states: States) -> int:
    """Plays a hand in row 0 up to the first illegal move; returns the number of moves played."""
    start(rules, hands, n, states, 0)
    for k in range(hands.first[n], hands.first[n + 1]):
        action = np.int64(hands.actions[k])
        fits = states.seat[0] == hands.seats[k] and states.shown[0] == hands.boards[k]
        if not fits or not is_legal(rules, states, 0, action):
            return k - hands.first[n]
        step(rules, states, 0, action)
    return hands.first[n + 1] - hands.first[n]


@kernel
def _replay(rules: Rules, hands: Hands, states: States, out: Replay) -> None:
    strengths = np.zeros(hands.stacks.shape[1], np.int32)
    for n in range(len(hands.stacks)):
        played = _play(rules, hands, n, states)
        out.whole[n] = states.seat[0] < 0 and played == hands.first[n + 1] - hands.first[n]
        if not out.whole[n]:
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
    """Returns the result of replaying hands."""
    count, seats = hands.stacks.shape
    out = Replay(np.zeros(count, np.bool_), np.zeros(count, np.bool_), np.zeros((count, seats)))
    _replay(replay_rules(seats), hands, empty(1, seats), out)
    return out


def _fault(hand: Hand) -> str:
    """Returns why a hand cannot be played."""
    seats = len(hand.stacks)
    rules, states = replay_rules(seats), empty(1, seats)
    at = int(_play(rules, pack([hand]), 0, states))
    turn, shown = int(states.seat[0]), int(states.shown[0])
    if at == len(hand.moves):
        return f"ends after {at} moves, where p{turn + 1} is to move"
    place, seat, move = f"move {at + 1}: p{hand.seats[at] + 1}", hand.seats[at], hand.moves[at]
    if turn < 0:
        return f"{place} moves, but the hand is over before it"
    if turn != seat:
        return f"{place} moves, where it is the turn of p{turn + 1}"
    if shown != hand.boards[at]:
        return f"{place}: {hand.boards[at]} cards on the board, where the betting has {shown}"
    if move == PHH_FOLD:
        return f"{place} folds without a bet to call"
    least, most = raise_bounds(rules, states, 0)
    bound = f"most is {most} (0: no raise is allowed)" if move > most else f"least is {least}"
    return f"{place} bets or raises to {move}, where the {bound}"


def faults(hands: Sequence[Hand]) -> list[str]:
    """Returns, for each hand, why it cannot be played or how its end differs from the file; "" if
    neither.
    """
    found = [""] * len(hands)
    for seats in {len(hand.stacks) for hand in hands}:
        places = [n for n, hand in enumerate(hands) if len(hand.stacks) == seats]
        played = replay(pack([hands[n] for n in places]))
        for k, n in enumerate(places):
            if not played.whole[k]:
                found[n] = _fault(hands[n])
            elif played.settled[k]:
                found[n] = _end_fault(hands[n], played.returns[k])
    return found


def _end_fault(hand: Hand, returns: np.ndarray) -> str:
    """Returns how the final stacks differ from the file's; a rake taken from the winners is not an
    error.
    """
    before, ends = np.array(hand.stacks), hand.stacks + returns.astype(np.int64)
    stated = ends if hand.finishing_stacks is None else np.array(hand.finishing_stacks)
    if ((stated == ends) | (before <= stated) & (stated < ends)).all():
        return ""
    return f"ends with stacks {ends.tolist()}, where the file says {stated.tolist()}"
