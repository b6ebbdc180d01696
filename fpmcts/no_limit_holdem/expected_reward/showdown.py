"""The value of a showdown for one seat with known cards, on random boards, given a model's
prediction of the others' hands.

For each opponent, a model gives the probabilities of ``BINS`` bins of strength: sixths of all hands
that a board leaves. Within a bin all hands are equally likely. ``Boards`` holds completions of the
board and, for each, every hand in order of strength, so that a bin is a range of them. N boards, H
= 990 hands that share no card with the seat or the board.

Source: Van den Broeck, Driessens & Ramon 2009, section 2, "the opponent model", and the leaf nodes
there.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel, random_below, random_float
from games.no_limit_holdem.settlement import settle
from games.no_limit_holdem.state import Rules, States
from games.poker.hands import NUM_STRENGTHS, HandTables, strength_with, sums

BINS = 6
HANDS = 990
"""Two-card hands from the 45 cards that are neither on the board nor in the seat's hand."""
_ALL_HANDS = 1081
_RETRIES = 8
"""Attempts to draw a hand that shares no card with another opponent's; the last one is kept anyway.
"""


class Boards(NamedTuple):
    """Boards of five cards, for one seat's hand.

    Attributes:
        cards: int8 ``[N, 5]``.
        own: int64 ``[N]``, the strength of the seat's hand.
        hands: int8 ``[N, H, 2]``, the hands of others, ascending in strength.
        strengths: int16 ``[N, H]``.
        first: int16 ``[N, BINS + 1]``, the start of each bin in ``hands``; the last entry is H.
        beaten: float64 ``[N, BINS]``, the share of a bin's hands that the seat's hand beats.
        tied: float64 ``[N, BINS]``, the share that ties with it.
    """

    cards: np.ndarray
    own: np.ndarray
    hands: np.ndarray
    strengths: np.ndarray
    first: np.ndarray
    beaten: np.ndarray
    tied: np.ndarray


def empty_boards(count: int) -> Boards:
    """Returns room for ``count`` boards."""
    return Boards(
        np.zeros((count, 5), np.int8),
        np.zeros(count, np.int64),
        np.zeros((count, HANDS, 2), np.int8),
        np.zeros((count, HANDS), np.int16),
        np.zeros((count, BINS + 1), np.int16),
        np.zeros((count, BINS)),
        np.zeros((count, BINS)),
    )


@kernel
def bin_of(weaker: int, equal: int) -> int:
    """Returns the bin of a hand, given how many of the 1,081 hands are weaker and how many are
    equally strong, itself included.
    """
    return min(BINS - 1, (BINS * (2 * weaker + equal)) // (2 * _ALL_HANDS))


@kernel
def complete(own: np.ndarray, board: np.ndarray, known: int, rng: np.ndarray) -> None:
    """Deals the cards of a board (int8 ``[5]``) from position ``known`` on, without repeats and
    without those in ``own``.
    """
    for k in range(known, 5):
        fresh = False
        while not fresh:
            card = random_below(rng, 0, 52)
            fresh = card != own[0] and card != own[1]
            for j in range(k):
                fresh = fresh and board[j] != card
        board[k] = card


@kernel
def fill_board(tables: HandTables, own: np.ndarray, boards: Boards, row: int) -> None:
    """Fills in the fields that follow from a row's cards; the seat holds ``own`` (int8 ``[2]``)."""
    board = boards.cards[row]
    (key, masks), seen = sums(tables, board, 0, 5), np.uint64(0)
    for k in range(5):
        seen |= np.uint64(1) << np.uint64(board[k])
    mine = strength_with(tables, key, masks, own[0], own[1], 7)
    boards.own[row] = mine
    found, pairs = np.empty(HANDS, np.int64), np.empty((HANDS, 2), np.int8)
    counts, places = np.zeros(NUM_STRENGTHS + 1, np.int32), np.zeros(NUM_STRENGTHS + 1, np.int32)
    num = 0
    for high in range(1, 52):
        if (seen >> np.uint64(high)) & np.uint64(1):
            continue
        mine_high = high == own[0] or high == own[1]
        for low in range(high):
            if (seen >> np.uint64(low)) & np.uint64(1):
                continue
            strength = strength_with(tables, key, masks, high, low, 7)
            counts[strength] += 1
            if not (mine_high or low == own[0] or low == own[1]):
                places[strength] += 1
                found[num], pairs[num, 0], pairs[num, 1] = strength, high, low
                num += 1
    first, strengths, hands = boards.first[row], boards.strengths[row], boards.hands[row]
    boards.beaten[row], boards.tied[row] = 0.0, 0.0
    weaker = place = 0
    reached = -1
    for strength in range(NUM_STRENGTHS + 1):
        if counts[strength] == 0:
            continue
        bin_here = bin_of(weaker, counts[strength])
        while reached < bin_here:
            reached += 1
            first[reached] = place
        weaker += counts[strength]
        size = places[strength]
        places[strength] = place
        place += size
        if strength < mine:
            boards.beaten[row, bin_here] += size
        elif strength == mine:
            boards.tied[row, bin_here] += size
    while reached < BINS:
        reached += 1
        first[reached] = place
    for b in range(BINS):
        size = max(1, first[b + 1] - first[b])
        boards.beaten[row, b] /= size
        boards.tied[row, b] /= size
    for k in range(HANDS):
        at = places[found[k]]
        places[found[k]] += 1
        strengths[at], hands[at, 0], hands[at, 1] = found[k], pairs[k, 0], pairs[k, 1]


@kernel
def fill_boards(
    tables: HandTables,
    own: np.ndarray,
    shown: np.ndarray,
    known: int,
    boards: Boards,
    rng: np.ndarray,
) -> int:
    """Fills in random boards that begin with the ``known`` cards of ``shown`` (int8 ``[5]``);
    returns the number of rows used.

    If all possible boards fit, as they do once four cards are known, each takes one row.
    """
    most = len(boards.own)
    if known == 5 or (known == 4 and most >= 46):
        num = 0
        for card in range(52):
            fresh = card != own[0] and card != own[1]
            for k in range(4):
                fresh = fresh and card != shown[k]
            if fresh if known == 4 else card == shown[4]:
                boards.cards[num] = shown
                boards.cards[num, 4] = card
                fill_board(tables, own, boards, num)
                num += 1
        return num
    for row in range(most):
        boards.cards[row] = shown
        complete(own, boards.cards[row], known, rng)
        fill_board(tables, own, boards, row)
    return most


@kernel
def expected_net(
    boards: Boards,
    row: int,
    bins: np.ndarray,
    paid: np.ndarray,
    ante: np.ndarray,
    folded: np.ndarray,
    seat: int,
    ties: np.ndarray,
) -> float:
    """Returns the net chips that a seat wins on average on a board, the others' hands being
    independent.

    The chips between two successive levels of the contenders' bets form a pot; antes belong to the
    lowest, the main pot, as in ``games.no_limit_holdem.settlement``. In each pot, take Π (w + t z)
    over the opponents, with w the chance to beat one and t the chance to tie: the coefficient of
    z^m is the chance to share the pot with m of them. Odd chips are split, unlike in play.

    Args:
        boards: The boards.
        row: The board's row.
        bins: float64 ``[S, BINS]``, the probabilities for each opponent that has not folded.
        paid: int32 ``[S]``, chips paid into the pot in the hand, antes included.
        ante: int32 ``[S]``.
        folded: int8 ``[S]``.
        seat: The seat with known cards; it has not folded.
        ties: float64 ``[S]``, scratch.
    """
    num_seats = len(paid)
    net, own, below = -float(paid[seat]), np.int64(paid[seat] - ante[seat]), np.int64(-1)
    while below < own:
        height, floor = own, max(below, np.int64(0))
        for s in range(num_seats):
            if not folded[s] and below < paid[s] - ante[s] < height:
                height = np.int64(paid[s] - ante[s])
        pot = np.int64(0)
        ties[:] = 0.0
        ties[0] = 1.0
        rivals = 0
        for s in range(num_seats):
            bet = np.int64(paid[s] - ante[s])
            pot += min(max(bet - floor, np.int64(0)), height - floor)
            if below < 0:
                pot += ante[s]
            if s != seat and not folded[s] and bet >= height:
                beats = draws = total = 0.0
                for b in range(BINS):
                    if boards.first[row, b + 1] > boards.first[row, b]:
                        total += bins[s, b]
                        beats += bins[s, b] * boards.beaten[row, b]
                        draws += bins[s, b] * boards.tied[row, b]
                if total > 0.0:
                    beats, draws = beats / total, draws / total
                rivals += 1
                for m in range(rivals, 0, -1):
                    ties[m] = ties[m] * beats + ties[m - 1] * draws
                ties[0] *= beats
        share = 0.0
        for m in range(rivals + 1):
            share += ties[m] / (m + 1)
        net += share * pot
        below = height
    return net


@kernel
def drawn_net(
    rules: Rules,
    states: States,
    boards: Boards,
    row: int,
    bins: np.ndarray,
    seat: int,
    count: int,
    rng: np.ndarray,
    strengths: np.ndarray,
    out: np.ndarray,
) -> float:
    """Returns the mean net chips of a seat on a board over ``count`` draws of the others' hands,
    without shared cards as far as possible.

    Args:
        rules: Rules of the game.
        states: The end of a hand, in lane 0.
        boards: The boards.
        row: The board's row.
        bins: float64 ``[S, BINS]``, see ``expected_net``.
        seat: The seat with known cards.
        count: Number of draws.
        rng: uint64 ``[1]``, a stream; changed in place.
        strengths: int32 ``[S]``, scratch.
        out: float64 ``[S]``, scratch.
    """
    total = 0.0
    for _ in range(count):
        taken = np.uint64(0)
        for s in range(len(out)):
            strengths[s] = 0
            if s == seat:
                strengths[s] = boards.own[row]
            elif not states.folded[0, s]:
                for _attempt in range(_RETRIES):
                    k = _draw(boards, row, bins[s], rng)
                    cards = np.uint64(1) << np.uint64(boards.hands[row, k, 0]) | np.uint64(
                        1
                    ) << np.uint64(boards.hands[row, k, 1])
                    if not taken & cards:
                        break
                taken |= cards
                strengths[s] = boards.strengths[row, k]
        settle(rules, states, 0, strengths, out)
        total += out[seat]
    return total / count


@kernel
def _draw(boards: Boards, row: int, bins: np.ndarray, rng: np.ndarray) -> int:
    """Returns the index of a hand drawn from the non-empty bins."""
    first, total = boards.first[row], 0.0
    for b in range(BINS):
        if first[b + 1] > first[b]:
            total += bins[b]
    left, found = random_float(rng, 0) * total, 0
    for b in range(BINS):
        if first[b + 1] > first[b]:
            found = b
            left -= bins[b]
            if left < 0.0:
                break
    return first[found] + random_below(rng, 0, first[found + 1] - first[found])
