"""A game consistent with a seat's view, for code that expects a complete state.

Hidden cards and moves are sampled (``draw_hidden``), so code that reads them learns nothing that
the seat does not know.
"""

import numpy as np

from games.kernels import kernel
from games.kernels.generic import (
    HIDDEN_MOVE,
    UNSEEN_MOVE,
    copy_row,
    current_seat,
    deal_rest,
    draw_hidden,
    fill_world,
    infoset_key,
    is_legal,
    played_move,
    seen_move,
    start_hidden,
    start_view,
    step,
)
from games.kernels.rows import Rules, States, take
from games.play.interface import Game

_ATTEMPTS = 1000


@kernel
def _draw_game(
    rules: Rules,
    views: States,
    seat: int,
    seen: np.ndarray,
    rng: np.ndarray,
    hidden: np.ndarray,
    worlds: States,
    moves: np.ndarray,
) -> int:
    """Draws a world of lane 0 of ``views`` and replays the game in it.

    Args:
        seat: The seat to move there.
        seen: int16 ``[n]``, the moves as it saw them.
        rng: uint64 ``[1]``.
        hidden: uint64 ``[1, W]``, scratch.
        worlds: Three rows, written: the view of the start, the start of the world, the world.
        moves: int16 ``[max_moves]``, written.

    Returns:
        The number of moves, or -1 if the drawn world does not fit.
    """
    draw_hidden(rules, views, 0, seat, rng, 0, hidden)
    start_view(rules, views, 0, seat, worlds, 0)
    start_hidden(rules, views, 0, seat, hidden[0])
    if not fill_world(rules, worlds, 0, seat, hidden[0], worlds, 1):
        return -1
    deal_rest(rules, worlds, 1, 1, rng, 0)
    copy_row(rules, worlds, 1, worlds, 2)
    count, j = 0, 0
    while j < seen.size or current_seat(rules, worlds, 2) != seat:
        move = seen[j] if j < seen.size else HIDDEN_MOVE
        action = (
            -1
            if current_seat(rules, worlds, 2) < 0
            else played_move(rules, worlds, 2, seat, move, hidden[0])
        )
        if action < 0 or not is_legal(rules, worlds, 2, action):
            return -1
        j += seen_move(rules, worlds, 2, action, seat) != UNSEEN_MOVE
        step(rules, worlds, 2, action)
        moves[count] = action
        count += 1
    return (
        count if infoset_key(rules, worlds, 2, seat) == infoset_key(rules, views, 0, seat) else -1
    )


def draw_game(
    game: Game, view: States, seen: np.ndarray, seat: int, rng: np.ndarray
) -> tuple[States, list[int]]:
    """Returns the deal (one row) and the moves of a game that leads to a view.

    Args:
        game: The game.
        view: One row, the view of the seat to move.
        seen: int16 ``[n]``, the moves so far as it saw them.
        seat: The seat.
        rng: uint64 ``[1]``, a stream, changed in place.

    Raises:
        ValueError: None was found: the moves do not lead to the view.
    """
    worlds, moves = game.empty(3), np.empty(game.spec.max_moves, np.int16)
    hidden = np.zeros((1, game.spec.hidden_words), np.uint64)
    for _ in range(_ATTEMPTS):
        count = _draw_game(
            game.rules, view, seat, np.ascontiguousarray(seen), rng, hidden, worlds, moves
        )
        if count >= 0:
            return take(worlds, np.array([1])), [int(move) for move in moves[:count]]
    raise ValueError("no world fits: the moves do not lead to what the seat sees")
