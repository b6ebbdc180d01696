"""Calibration: how often a player won, beside the chance to win that its networks stated at its
first decision in the first role, that of the landlord in Doudizhu.
"""

from dataclasses import dataclass

import numpy as np

from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import games_per_deck
from fpmcts.evaluation.statistics import estimate_by_deck, wins
from games.kernels import kernel
from games.kernels.generic import current_seat, role, step
from games.kernels.rows import Rules, States, take
from games.play.interface import Game
from games.play.registry import Values

BINS = 10


@kernel
def _play_to_first_decision(
    rules: Rules, states: States, moves: np.ndarray, own: np.ndarray, seats: np.ndarray
) -> None:
    """Plays each game up to the first decision in role 0 of a player who sits at ``own`` (bool
    ``[G, S]``); writes its seat (int8 ``[G]``), -1 if there is none.
    """
    for i in range(len(moves)):
        seats[i] = -1
        for move in moves[i]:
            if move < 0:
                break
            seat = current_seat(rules, states, i)
            if own[i, seat] and role(rules, states, i) == 0:
                seats[i] = seat
                break
            step(rules, states, i, move)


@dataclass(frozen=True)
class Calibration:
    """Predictions and results of N games.

    Attributes:
        name: Name of the player.
        predicted: float64 ``[N]``, stated chances to win.
        won: float64 ``[N]``, 1 for a win, 1/2 for a draw, 0 for a loss.
        decks: int64 ``[N]``, the deck of each game.
    """

    name: str
    predicted: np.ndarray
    won: np.ndarray
    decks: np.ndarray

    def __str__(self) -> str:
        """Returns a line for all games and one for each tenth of the predictions."""
        tenths = np.minimum((self.predicted * BINS).astype(np.int64), BINS - 1)
        rows = {"all": np.ones(len(self.won), np.bool_)}
        rows |= {f"{10 * k} to {10 * k + 10} %": tenths == k for k in range(BINS)}
        lines = [f"{self.name} at its first decision in the first role: stated chance, games won"]
        for text, at in rows.items():
            if at.any():
                won = estimate_by_deck(self.won[at], self.decks[at]).scaled(100).text(1, "5")
                stated = 100 * self.predicted[at].mean()
                lines.append(f"  {text:12}{stated:5.1f} %  {won} %  ({at.sum():,} games)")
        return "\n".join(lines)


def calibration(
    name: str, game: Game, values: Values, decks: States, games: PlayedGames, player: int
) -> Calibration:
    """Returns the calibration of a player in games that have been played.

    Args:
        name: Name of the player.
        game: The game.
        values: Returns 2 P(win) - 1 of the seat to move.
        decks: The D starting states, those of the games first.
        games: The games, those of a deck one after another.
        player: Index of the player in ``games.seating``.
    """
    num_games = len(games.seating)
    deck = np.arange(num_games) // games_per_deck(game.spec)
    states, seats = take(decks, deck), np.empty(num_games, np.int8)
    moves = np.ascontiguousarray(games.records.moves)
    _play_to_first_decision(game.rules, states, moves, games.seating == player, seats)
    rows = np.flatnonzero(seats >= 0)
    views = game.view(take(states, rows), seats[rows])
    predicted = (1.0 + values(views).astype(np.float64)) / 2.0
    return Calibration(name, predicted, wins(games.returns[rows, seats[rows]]), deck[rows])
