"""The rules of imperfect-information Goofspiel as kernels over bit masks.

Two seats hold the cards 0 .. n-1 each. Every round shows a prize; seat 0 bids a card, then seat 1
bids without seeing it; then both learn which seat won the round, or that it was a draw, and nothing
else. A draw discards the prize. The last round is forced and is played together with the one before
it, so a game has 2 (n - 1) moves.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
4.1; Lanctot, "Monte Carlo sampling and regret minimization", 2013.

Cards and prizes are numbered 0 .. n-1; the value of number k is k + ``lowest_prize``. Sequences are
packed into 64 bits, four for each round, round 0 lowest. Keys are sums of random numbers, one for
each event that a seat has seen (Zobrist hashing), updated move by move.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel

MOST_CARDS = 13
DRAW = 0
"""The result of a round: a draw, or won by seat 0 or seat 1."""


class Rules(NamedTuple):
    """The tables and settings of a game with n cards.

    Attributes:
        cards: n.
        lowest: The value of the lowest prize.
        wins_only: Whether the return is the sign of the difference of points.
        is_random: Whether chance orders the prizes.
        lists: int16 ``[2**n, n]``, the cards of every set, ascending.
        counts: int8 ``[2**n]``, the number of cards of every set.
        start_keys: uint64 ``[2]``, by seat.
        bid_keys: uint64 ``[2 (n - 1), n]``, by turn and card.
        made_key: Key for "seat 1 has seen that seat 0 bid".
        result_keys: uint64 ``[2 (n - 1), 3]``, by turn and result.
        prize_keys: uint64 ``[2 (n - 1) + 1, n]``, by the number of moves made and the prize that
            they reveal. Zero where nothing is revealed: before odd turns, and for prizes whose
            order is known.
    """

    cards: int
    lowest: int
    wins_only: bool
    is_random: bool
    lists: np.ndarray
    counts: np.ndarray
    start_keys: np.ndarray
    bid_keys: np.ndarray
    made_key: np.uint64
    result_keys: np.ndarray
    prize_keys: np.ndarray


class States(NamedTuple):
    """B states. In a seat's view, the opponent's hand, bids and key are 0, and so are random prizes
    to come.

    Attributes:
        turn: int8 ``[B]``, the number of moves made; the round is ``turn // 2``, the seat to move
            ``turn % 2``.
        hands: int16 ``[B, 2]``, the cards of each seat as a set of bits.
        bids: uint64 ``[B, 2]``, the cards that each seat has bid, packed.
        results: uint64 ``[B]``, the results of the finished rounds, packed.
        prizes: uint64 ``[B]``, the prizes of all rounds, packed.
        points: int16 ``[B]``, the points of seat 0 minus those of seat 1.
        keys: uint64 ``[B, 2]``, the key of each seat's information set.
    """

    turn: np.ndarray
    hands: np.ndarray
    bids: np.ndarray
    results: np.ndarray
    prizes: np.ndarray
    points: np.ndarray
    keys: np.ndarray


@kernel(forceinline=True)
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 at the end."""
    turn = np.int64(states.turn[i])
    return int(turn & 1 if turn < 2 * rules.cards - 2 else np.int64(-1))


@kernel(forceinline=True)
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal cards and writes them, ascending."""
    hand = np.int64(states.hands[i, np.int64(states.turn[i]) & 1])
    count = np.int64(rules.counts[hand])
    for k in range(count):
        actions[k] = rules.lists[hand, k]
    return int(count)


@kernel(inline="always")
def nibble(packed: np.uint64, number: int) -> int:
    """Returns the entry of a round in a packed sequence."""
    return int(np.int64((packed >> np.uint64(4 * number)) & np.uint64(15)))


@kernel(forceinline=True)
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a card. Branch-free for speed: after the bid of seat 0, its card is compared with
    itself, a draw without effect.
    """
    turn, card = np.int64(states.turn[i]), np.int64(action)
    seat, number = turn & 1, turn >> 1
    states.hands[i, seat] ^= np.int64(1) << card
    states.bids[i, seat] |= np.uint64(card) << np.uint64(4 * number)
    other, prizes = nibble(states.bids[i, 0], number), states.prizes[i]
    won, lost = np.int64(other > card), np.int64(other < card)
    result = won + 2 * lost
    key = rules.result_keys[turn, result] + rules.prize_keys[turn + 1, nibble(prizes, number + 1)]
    states.keys[i, seat] += rules.bid_keys[turn, card]
    states.keys[i, 0] += key
    states.keys[i, 1] += key
    # In the last turn each seat has one card left: the higher bit is the higher card.
    first, second, last = (
        states.hands[i, 0],
        states.hands[i, 1],
        np.int64(turn == 2 * rules.cards - 3),
    )
    won_last, lost_last = np.int64(first > second) & last, np.int64(first < second) & last
    results = np.uint64(result) | np.uint64(won_last + 2 * lost_last) << np.uint64(4)
    states.results[i] |= results << np.uint64(4 * number)
    states.points[i] += (won - lost) * (nibble(prizes, number) + rules.lowest) + (
        won_last - lost_last
    ) * (nibble(prizes, number + 1) + rules.lowest)
    states.turn[i] = turn + 1


@kernel(forceinline=True)
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns a seat's return."""
    points = np.int64(states.points[i]) * (1 - 2 * seat)
    if rules.wins_only:
        return np.float64(np.int64(points > 0) - np.int64(points < 0))
    return np.float64(points)


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns a move as a seat sees it: its own, or only that the opponent made one."""
    return int(action) if np.int64(states.turn[i]) & 1 == seat else -2  # HIDDEN_MOVE


@kernel(forceinline=True)
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns the key of a seat's information set."""
    # In odd turns, seat 1 has seen that seat 0 bid.
    return states.keys[i, seat] + rules.made_key * np.uint64(np.int64(states.turn[i]) & seat)


@kernel
def start_row(rules: Rules, prizes: np.uint64, states: States, i: int) -> None:
    """Writes the start of a game with the given order of prizes (packed) to lane ``i``."""
    first = rules.prize_keys[0, nibble(prizes, 0)]
    states.turn[i] = 0
    states.results[i] = 0
    states.prizes[i] = prizes
    states.points[i] = 0
    for seat in range(2):
        states.hands[i, seat] = (1 << rules.cards) - 1
        states.bids[i, seat] = 0
        states.keys[i, seat] = rules.start_keys[seat] + first


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    """Makes lane ``i`` the view of a seat."""
    states.hands[i, 1 - seat] = 0
    states.bids[i, 1 - seat] = 0
    states.keys[i, 1 - seat] = 0
    if rules.is_random:
        turn = np.int64(states.turn[i])
        shown = np.int64(rules.cards) if turn == 2 * rules.cards - 2 else (turn >> 1) + 1
        states.prizes[i] &= (np.uint64(1) << np.uint64(4 * shown)) - np.uint64(1)


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view of a seat before the first move."""
    start_row(rules, views.prizes[i], starts, j)
    starts.hands[j, 1 - seat] = 0
    starts.keys[j, 1 - seat] = 0


@kernel
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Adds the prizes shown since to an earlier view."""
    earlier.prizes[j] = views.prizes[i]
