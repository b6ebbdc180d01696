"""The chance to win a showdown in two-player poker against each hand that the opponent can have.

Boards that are not complete are completed in all ways where these are few, else at random. H hands.
"""

from typing import Any

import numpy as np

from games.kernels import kernel, random_below
from games.poker.state import HIDDEN, strength


@kernel
def _num_sets(size: int, count: int) -> int:
    """Returns the number of sets of ``count`` things out of ``size``."""
    sets = 1
    for k in range(count):
        sets = sets * (size - k) // (k + 1)
    return sets


@kernel
def _compare(
    rules: Any,
    cards: np.ndarray,
    seat: int,
    hands: np.ndarray,
    possible: np.ndarray,
    points: np.ndarray,
    boards: np.ndarray,
) -> None:
    """Counts one board for each possible hand of the opponent that shares no card with it.

    Args:
        rules: Of the game.
        cards: int8 ``[K]``, the own hand and the whole board; the opponent's is written.
        seat: The own one.
        hands: int8 ``[H, num_private]``.
        possible: float64 ``[H]``, above 0 where the opponent can have the hand.
        points: int64 ``[H]``, twice the wins and once the ties, added to.
        boards: int64 ``[H]``, the number of boards, added to.
    """
    size = rules.num_private
    board, other = 2 * size, (1 - seat) * size
    own = strength(rules.showdown, cards, seat * size, size, board)
    on_board = np.zeros(rules.num_cards, np.bool_)
    for k in range(board, len(cards)):
        on_board[cards[k]] = True
    for h in range(len(hands)):
        fits = possible[h] > 0.0
        for k in range(size):
            cards[other + k] = hands[h, k]
            fits = fits and not on_board[hands[h, k]]
        if fits:
            theirs = strength(rules.showdown, cards, other, size, board)
            points[h] += 2 * (own > theirs) + (own == theirs)
            boards[h] += 1


@kernel
def _equity(
    rules: Any,
    view: np.ndarray,
    seat: int,
    hands: np.ndarray,
    possible: np.ndarray,
    most: int,
    rng: np.ndarray,
    game: int,
    equity: np.ndarray,
) -> None:
    """Writes the chance to win a showdown against each possible hand of the opponent, a tie counting half.

    Args:
        rules: Of the game.
        view: int8 ``[K]``, the cards that the seat sees.
        seat: The own one.
        hands: int8 ``[H, num_private]``.
        possible: float64 ``[H]``, above 0 where the opponent can have the hand; none of these shares a card with the view.
        most: Boards: all ways to complete the board if there are no more, else that many random ones.
        rng: uint64 ``[games]``.
        game: The stream of random boards.
        equity: float64 ``[H]``, written; 0 for hands that are not possible.
    """
    cards, unseen = view.copy(), np.empty(rules.num_cards, np.int8)
    num_unseen, known = 0, 2 * rules.num_private
    while known < len(view) and view[known] != HIDDEN:
        known += 1
    for card in range(rules.num_cards):
        seen = False
        for k in range(len(view)):
            seen = seen or view[k] == card
        if not seen:
            unseen[num_unseen] = card
            num_unseen += 1
    missing = len(view) - known
    points, boards = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    if _num_sets(num_unseen, missing) <= most:
        at = np.arange(missing)
        more = True
        while more:
            for k in range(missing):
                cards[known + k] = unseen[at[k]]
            _compare(rules, cards, seat, hands, possible, points, boards)
            last = missing - 1  # the last position that can move on
            while last >= 0 and at[last] == num_unseen - missing + last:
                last -= 1
            more = last >= 0
            if more:
                at[last] += 1
                for k in range(last + 1, missing):
                    at[k] = at[k - 1] + 1
    else:
        for _ in range(most):
            for k in range(missing):
                drawn = k + random_below(rng, game, num_unseen - k)
                unseen[k], unseen[drawn] = unseen[drawn], unseen[k]
                cards[known + k] = unseen[k]
            _compare(rules, cards, seat, hands, possible, points, boards)
    for h in range(len(hands)):
        equity[h] = points[h] / (2.0 * boards[h]) if boards[h] > 0 else 0.5 * (possible[h] > 0.0)


@kernel
def equities(
    rules: Any,
    views: np.ndarray,
    seats: np.ndarray,
    hands: np.ndarray,
    ranges: np.ndarray,
    most: int,
    rng: np.ndarray,
    games: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes ``_equity`` of each of n rows to ``out`` (float64 ``[n, H]``)."""
    for i in range(len(views)):
        _equity(rules, views[i], seats[i], hands, ranges[i], most, rng, games[i], out[i])
