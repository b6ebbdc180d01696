"""Hands played by this program, as hand histories."""

from collections.abc import Sequence

import numpy as np

from games.interface import Game
from games.kernels import kernel
from games.no_limit_holdem.betting import amount_of, step
from games.no_limit_holdem.deals import returns_of
from games.no_limit_holdem.phh import CALL as PHH_CALL
from games.no_limit_holdem.phh import FOLD as PHH_FOLD
from games.no_limit_holdem.phh import Hand
from games.no_limit_holdem.state import CALL, FOLD, Rules, States
from games.rows import take


@kernel
def _play(
    rules: Rules, states: States, moves: np.ndarray, actions: np.ndarray, won: np.ndarray
) -> None:
    """Plays a hand in row 0; writes seat, raise-to and number of public cards of each move, and the
    winnings of each seat.
    """
    for k in range(moves.size):
        action = np.int64(moves[k])
        actions[k, 0], actions[k, 2] = states.seat[0], states.shown[0]
        actions[k, 1] = PHH_FOLD if action == FOLD else PHH_CALL
        if action > CALL:
            actions[k, 1] = amount_of(rules, states, 0, action)
        step(rules, states, 0, action)
    returns_of(rules, states, 0, np.zeros(won.size, np.int32), won)


def hand_of(
    game: Game,
    deals: States,
    row: int,
    moves: np.ndarray,
    players: Sequence[str] = (),
    table: str = "",
) -> Hand:
    """Returns a finished hand with the cards of all seats.

    Args:
        game: No-limit Hold'em.
        deals: Deals.
        row: The row of the hand.
        moves: All its actions.
        players: Names by seat.
        table: Name of the session.
    """
    states = take(deals, np.array([row]))
    stacks = states.stacks[0] + states.paid[0]
    actions, won = np.zeros((len(moves), 3), np.int64), np.zeros(len(stacks))
    blinds, antes = states.blind[0].tolist(), states.ante[0].tolist()
    _play(game.rules, states, np.asarray(moves, np.int64), actions, won)
    seats, chips, boards = (tuple(column.tolist()) for column in actions.T)
    return Hand(
        file="",
        number="",
        blinds=tuple(blinds),
        antes=tuple(antes),
        stacks=tuple(stacks.tolist()),
        min_bet=int(states.big_blind[0]),
        hole=tuple(map(tuple, states.hole[0].tolist())),
        board=tuple(states.board[0, : states.shown[0]].tolist()),
        seats=seats,
        moves=chips,
        boards=boards,
        players=tuple(players),
        finishing_stacks=tuple((stacks + won.astype(np.int64)).tolist()),
        table=table,
    )
