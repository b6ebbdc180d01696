"""The moves of games as they were, and as each seat saw them.

In most games every seat sees every move, and there is one record for all. Where ``spec.has_private_moves``, a seat may see that a
move was made but not which (``HIDDEN_MOVE``), or nothing of it: its record then leaves the move out.
"""

import numpy as np

from games.interface import UNSEEN_MOVE, Game, Records, Rules, States, empty_records, seen_move, step
from games.kernels import kernel


@kernel
def _play(rules: Rules, states: States, games: np.ndarray, actions: np.ndarray, moves: np.ndarray, lengths: np.ndarray) -> None:
    """Plays one move in each listed game and writes it down."""
    for j in range(games.size):
        i = games[j]
        step(rules, states, i, actions[j])
        moves[i, lengths[i]] = actions[j]
        lengths[i] += 1


@kernel
def _tell(
    rules: Rules, states: States, games: np.ndarray, actions: np.ndarray, seat: int, moves: np.ndarray, lengths: np.ndarray
) -> None:
    """Writes down what a seat sees of the moves that are about to be played."""
    for j in range(games.size):
        i = games[j]
        seen = seen_move(rules, states, i, actions[j], seat)
        if seen != UNSEEN_MOVE:
            moves[i, lengths[i]] = seen
            lengths[i] += 1


class History:
    """The moves of N games that are played.

    Args:
        game: The game.
        num_games: N.

    Attributes:
        records: All moves, as they were.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        self.game, self.records = game, empty_records(num_games, game.spec.max_moves)
        seats = game.spec.num_seats if game.spec.has_private_moves else 0
        self._seen = tuple(empty_records(num_games, game.spec.max_moves) for _ in range(seats))

    def play(self, states: States, games: np.ndarray, actions: np.ndarray) -> None:
        """Plays a legal move (``actions`` int ``[n]``) in each listed game (int ``[n]``, all different) and writes it down.

        Args:
            states: N rows, changed in place.
        """
        for seat, seen in enumerate(self._seen):
            _tell(self.game.rules, states, games, actions, seat, seen.moves, seen.lengths)
        _play(self.game.rules, states, games, actions, self.records.moves, self.records.lengths)

    def of(self, seat: int) -> Records:
        """Returns the moves as a seat saw them; the arrays go on changing."""
        return self._seen[seat] if self._seen else self.records

    def of_movers(self, games: np.ndarray, seats: np.ndarray) -> Records:
        """Returns the moves, indexed by game, as ``seats[k]`` saw those of ``games[k]``; of other games there are none."""
        if not self._seen:
            return self.records
        told = empty_records(len(self.records.lengths), self.game.spec.max_moves)
        for seat, seen in enumerate(self._seen):
            rows = games[seats == seat]
            told.moves[rows], told.lengths[rows] = seen.moves[rows], seen.lengths[rows]
        return told


