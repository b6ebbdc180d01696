"""The probability to win a showdown in two-player poker against each possible hand of the opponent.

Incomplete boards are completed in all ways if these are few, else at random. H hands.
"""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from games.kernels import kernel, random_below
from games.kernels.rows import Rules
from games.poker.state import HIDDEN, strength


@kernel
def _compare(
    rules: Rules,
    cards: np.ndarray,
    seat: int,
    hands: np.ndarray,
    possible: np.ndarray,
    points: np.ndarray,
    boards: np.ndarray,
) -> None:
    """Counts one board for each possible hand of the opponent that shares no card with it.

    Args:
        rules: Rules of the game.
        cards: int8 ``[K]``, the player's hand and the whole board; the opponent's hand is written.
        seat: The player's seat.
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
    rules: Rules,
    view: np.ndarray,
    seat: int,
    hands: np.ndarray,
    possible: np.ndarray,
    completions: np.ndarray,
    most: int,
    rng: np.ndarray,
    game: int,
    equity: np.ndarray,
) -> None:
    """Writes the probability to win a showdown against each possible hand of the opponent, a tie
    counting half.

    Args:
        rules: Rules of the game.
        view: int8 ``[K]``, the cards that the seat sees.
        seat: The player's seat.
        hands: int8 ``[H, num_private]``.
        possible: float64 ``[H]``, above 0 where the opponent can have the hand; none of these
            shares a card with the view.
        completions: int64 ``[N, missing]``, indices of the unseen cards that complete the board;
            ``[0, missing]``: random ones.
        most: Number of random boards.
        rng: uint64 ``[games]``.
        game: The stream of random boards.
        equity: float64 ``[H]``, written; 0 for impossible hands.
    """
    cards, unseen = view.copy(), np.empty(rules.num_cards, np.int8)
    num_unseen, known = 0, len(view) - completions.shape[1]
    for card in range(rules.num_cards):
        if not (view == card).any():
            unseen[num_unseen] = card
            num_unseen += 1
    points, boards = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    for b in range(len(completions) if len(completions) > 0 else most):
        for k in range(len(view) - known):
            if len(completions) > 0:
                cards[known + k] = unseen[completions[b, k]]
            else:
                drawn = k + random_below(rng, game, num_unseen - k)
                unseen[k], unseen[drawn] = unseen[drawn], unseen[k]
                cards[known + k] = unseen[k]
        _compare(rules, cards, seat, hands, possible, points, boards)
    for h in range(len(hands)):
        equity[h] = points[h] / (2.0 * boards[h]) if boards[h] > 0 else 0.5 * (possible[h] > 0.0)


@cache
def _completions(num_unseen: int, missing: int, most: int) -> np.ndarray:
    """Returns all ways to complete a board, none if there are more than ``most``: int64 ``[N,
    missing]``.
    """
    if comb(num_unseen, missing) > most:
        return np.empty((0, missing), np.int64)
    ways = list(combinations(range(num_unseen), missing))
    return np.array(ways, np.int64).reshape(len(ways), missing)


def equities(
    rules: Rules,
    views: np.ndarray,
    seats: np.ndarray,
    hands: np.ndarray,
    ranges: np.ndarray,
    most: int,
    rng: np.ndarray,
    games: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes ``_equity`` of each of n rows to ``out`` (float64 ``[n, H]``).

    Args:
        most: Maximum number of boards: all ways to complete the board if there are no more, else
            that many random ones.
    """
    for i, view in enumerate(views):
        unseen = rules.num_cards - np.count_nonzero(view != HIDDEN)
        missing = np.count_nonzero(view[2 * rules.num_private :] == HIDDEN)
        ways = _completions(unseen, missing, most)
        _equity(rules, view, seats[i], hands, ranges[i], ways, most, rng, games[i], out[i])
