"""The moves of games, as played and as each seat saw them.

In most games every seat sees every move, and there is one record for all. Where
``spec.has_private_moves``, a seat may see that a move was made but not which (``HIDDEN_MOVE``), or
nothing of it: its record then leaves the move out.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import UNSEEN_MOVE, seen_move, step
from games.kernels.rows import Rules, States
from games.play.interface import Game, Records, empty_records


class Moves(NamedTuple):
    """The moves of N games; S seats have records of their own, none where every move is public."""

    moves: np.ndarray  # int16 [N, max_moves]: as they were; -1 after the last
    lengths: np.ndarray  # int16 [N]
    seen_moves: np.ndarray  # int16 [S, N, max_moves]: as each seat saw them
    seen_lengths: np.ndarray  # int16 [S, N]


@kernel
def play_move(rules: Rules, states: States, i: int, action: int, history: Moves) -> None:
    """Plays a legal move in lane ``i`` and records it, for every seat as it saw the move."""
    for seat in range(history.seen_moves.shape[0]):
        seen = seen_move(rules, states, i, action, seat)
        if seen != UNSEEN_MOVE:
            history.seen_moves[seat, i, history.seen_lengths[seat, i]] = seen
            history.seen_lengths[seat, i] += 1
    step(rules, states, i, action)
    history.moves[i, history.lengths[i]] = action
    history.lengths[i] += 1


@kernel
def _play(
    rules: Rules, states: States, games: np.ndarray, actions: np.ndarray, history: Moves
) -> None:
    """Plays one move in each listed game."""
    for j in range(games.size):
        play_move(rules, states, games[j], actions[j], history)


class History:
    """The moves of N games in progress.

    Args:
        game: The game.
        num_games: N.

    Attributes:
        arrays: Arrays for kernels (``play_move``).
        records: All moves, as played.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        seats, most = game.spec.num_seats if game.spec.has_private_moves else 0, game.spec.max_moves
        self.game, self.records = game, empty_records(num_games, most)
        self.arrays = Moves(
            *self.records,
            np.full((seats, num_games, most), -1, np.int16),
            np.zeros((seats, num_games), np.int16),
        )

    def play(self, states: States, games: np.ndarray, actions: np.ndarray) -> None:
        """Plays a legal move (``actions`` int ``[n]``) in each listed game (int ``[n]``, all
        different) and records it.

        Args:
            states: N rows, changed in place.
        """
        _play(self.game.rules, states, games, actions, self.arrays)

    def of(self, seat: int) -> Records:
        """Returns the moves as a seat saw them; the arrays keep changing."""
        if not self.game.spec.has_private_moves:
            return self.records
        return Records(self.arrays.seen_moves[seat], self.arrays.seen_lengths[seat])

    def of_movers(self, games: np.ndarray, seats: np.ndarray) -> Records:
        """Returns the moves, indexed by game, as ``seats[k]`` saw those of ``games[k]``; other
        games have none.
        """
        if not self.game.spec.has_private_moves:
            return self.records
        seen = empty_records(len(self.records.lengths), self.game.spec.max_moves)
        seen.moves[games] = self.arrays.seen_moves[seats, games]
        seen.lengths[games] = self.arrays.seen_lengths[seats, games]
        return seen
