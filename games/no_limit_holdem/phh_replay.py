"""Replays hand histories in the game, and checks that all moves are legal and that the hand ends as
the file says.
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

MOST_RAKE = 1 / 4
"""The largest share of a pot that may be missing at the end: rooms take a tenth at most, and more
of small pots.
"""


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
        trims_antes: bool ``[N]``, whether antes are won as side pots of what each seat put in.
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
    trims_antes: np.ndarray


class Replayed(NamedTuple):
    """The result of replaying N hands.

    Attributes:
        whole: bool ``[N]``, whether all moves are legal and end the hand.
        settled: bool ``[N]``, whether all cards that decide the hand are open.
        returns: float64 ``[N, S]``, net chips, where ``settled``.
        paid: int32 ``[N, S]``, chips put in and not returned, where ``whole``.
        folded: bool ``[N, S]``, likewise.
    """

    whole: np.ndarray
    settled: np.ndarray
    returns: np.ndarray
    paid: np.ndarray
    folded: np.ndarray


class Verdict(NamedTuple):
    """What a replay says about a hand.

    Attributes:
        fault: Why it cannot be played, or how its end differs from the file's; "" if neither.
        checked: What the end in the file was compared with: "all" cards are known; the "pot", the
            hand was won by unseen cards; "" nothing, the file does not state an end.
    """

    fault: str
    checked: str = ""


def replay_rules(seats: int) -> Rules:
    """Returns rules for hands with their own stacks and posts."""
    none = np.zeros(seats, np.int32)
    return Rules(np.array([0.0, np.inf]), none, none, none, 0, tables())


def pack(hands: Sequence[Hand]) -> Hands:
    """Returns hands with equally many players as arrays."""
    code = {PHH_FOLD: FOLD, PHH_CALL: CALL}
    moves = [code.get(move, FIRST_AMOUNT + move) for hand in hands for move in hand.moves]
    unseen = (UNSEEN,) * NUM_BOARD

    def of_hands(kind: type[np.generic], values: Iterable[object]) -> np.ndarray:
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
        of_hands(np.bool_, (hand.trims_antes for hand in hands)),
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
def _replay(rules: Rules, hands: Hands, states: States, out: Replayed) -> None:
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
        out.paid[n] = states.paid[0]
        out.folded[n] = states.folded[0]
        if open_:
            if hands.trims_antes[n]:
                states.ante[0] = 0  # antes then count for the side pots as bets do
            returns_of(rules, states, 0, strengths, out.returns[n])


def replay(hands: Hands) -> Replayed:
    """Returns the result of replaying hands."""
    count, seats = hands.stacks.shape
    kinds = (np.float64, np.int32, np.bool_)
    out = Replayed(
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        *(np.zeros((count, seats), kind) for kind in kinds),
    )
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


def verdicts(hands: Sequence[Hand]) -> list[Verdict]:
    """Returns what the replay of each hand says about it."""
    found = [Verdict("")] * len(hands)
    for seats in {len(hand.stacks) for hand in hands}:
        places = [n for n, hand in enumerate(hands) if len(hand.stacks) == seats]
        played = replay(pack([hands[n] for n in places]))
        for k, n in enumerate(places):
            found[n] = _end(hands[n], played, k) if played.whole[k] else Verdict(_fault(hands[n]))
    return found


def _end(hand: Hand, played: Replayed, k: int) -> Verdict:
    """Compares the end of hand ``k`` with the file's; a rake taken from the winners is no fault."""
    before, paid = np.array(hand.stacks), played.paid[k]
    is_settled, pot = bool(played.settled[k]), int(paid.sum())
    most = played.returns[k].astype(np.int64) + paid if is_settled else pot * ~played.folded[k]
    least = (1 - MOST_RAKE) * most if is_settled else np.zeros(len(paid))
    shifts = {"finishing_stacks": before - paid, "winnings": 0 * paid, "payoffs": -paid}
    checked = ""
    for key, shift in shifts.items():
        stated = getattr(hand, key)
        if stated is None or key == "winnings" and not any(stated):  # converters write 0: unknown
            continue
        checked, won, name = "all" if is_settled else "pot", stated - shift, key.split("_")[-1]
        fits = (won >= least) & (won <= most) & ((1 - MOST_RAKE) * pot <= won.sum() <= pot)
        if not fits.all():
            end = f"{name} {hand.amounts((most + shift).tolist())}"
            if not is_settled:
                end = f"a pot of {hand.amounts([pot])[0]}, which {name} do not fit"
            return Verdict(f"ends with {end}, where the file says {hand.amounts(stated)}", checked)
    return Verdict("", checked)
