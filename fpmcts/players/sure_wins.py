"""Moves that need no search: a sole legal move, and the first move of a sure win."""

import numpy as np

from games.kernels import kernel
from games.kernels.generic import forced_win, legal
from games.kernels.rows import Rules, States, num_rows
from games.play.decision import SURE_WIN, WINS, Decision
from games.play.interface import Game
from games.play.question import Question


@kernel
def _immediate_moves(
    rules: Rules, views: States, solve: bool, actions: np.ndarray, scratch: np.ndarray
) -> None:
    for i in range(actions.size):
        n = legal(rules, views, i, scratch)
        actions[i] = scratch[0] if n == 1 else (forced_win(rules, views, i) if solve else -1)


def immediate_moves(game: Game, views: States, solve: bool = True) -> np.ndarray:
    """Returns each view's move (int16 ``[n]``) if it is forced or, with ``solve``, a sure win; else
    -1.
    """
    actions = np.empty(num_rows(views), np.int16)
    _immediate_moves(game.rules, views, solve, actions, np.empty(game.spec.max_legal, np.int16))
    return actions


def sure_win(question: Question, win_only: bool) -> Decision | None:
    """Returns the decision to play the first move of a sure win, None without one.

    Args:
        question: A position with two or more legal moves.
        win_only: Whether values are of wins (objective "wp").
    """
    action = int(immediate_moves(question.game, question.view)[0])
    if action not in question.asked:
        return None
    text = question.text(action)
    value, unit = (1.0, WINS) if win_only else (None, None)
    return Decision(text, action, {text: 1.0}, value, unit, reason=SURE_WIN)
