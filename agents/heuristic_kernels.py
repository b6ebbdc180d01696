"""Whole games of RHCP in one kernel."""

import numpy as np

from agents.rhcp_kernels import Memo, choose
from games.doudizhu.moves import Rules
from games.doudizhu.state import States, legal, step
from games.kernels import kernel, random_below, random_float


@kernel
def play(
    rules: Rules,
    memo: Memo,
    states: States,
    begin: int,
    end: int,
    epsilon: float,
    rng: np.ndarray,
    actions: np.ndarray,
    moves: np.ndarray,
    choices: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """Plays the games of the lanes ``begin`` to ``end`` from where they stand to the end, RHCP in every seat.

    Args:
        rules: The rules.
        memo: What RHCP knows of hands; of this thread alone.
        states: The deals; changed in place.
        begin: The first lane.
        end: The lane after the last.
        epsilon: Probability that a move is drawn from the legal ones in place of RHCP's.
        rng: uint64 ``[B]``, changed in place; not drawn from where ``epsilon`` is 0.
        actions: int16 ``[max_legal]``, room for legal moves.
        moves: int16 ``[B, max_moves]``, written: the moves played.
        choices: int16 ``[B, max_moves]``, written: RHCP's choice at each of them.
        lengths: int16 ``[B]``, written: the number of moves.
    """
    for i in range(begin, end):
        n = 0
        while states.winner[i] < 0:
            choice = choose(rules, memo, states, i)
            move = choice
            if epsilon > 0.0 and random_float(rng, i) < epsilon:
                move = np.int64(actions[random_below(rng, i, legal(rules, states, i, actions))])
            moves[i, n] = move
            choices[i, n] = choice
            step(rules, states, i, move)
            n += 1
        lengths[i] = n
