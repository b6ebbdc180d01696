"""Matches and exact measures of players, in one call each."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.players.given import GameLike, PlayerLike, player_of
from games import make
from games.play.agent import OpenPolicy
from games.play.interface import Game


def match(
    game: GameLike, a: PlayerLike, b: PlayerLike, decks: int = 1000, seed: int = 0
) -> MatchResult:
    """Returns the result of a duplicate match of ``a`` against ``b``: each deck is played twice,
    with the sides exchanged.

    Args:
        game: The game, or its name.
        a, b: Players: as ``load_player`` returns them, by name, a ``Run``, a subclass of ``Player``
            or an object of one, or a function from the view of the seat to move (the fields of
            ``Table.describe``) to a move.
        decks: Number of decks, at least 1.
        seed: Seed of the decks and of the players' random choices. No deck occurs in training.

    Raises:
        ValueError: There is no such player, or it made an illegal move.
    """
    chosen = make(game)
    return duplicate_match(chosen, player_of(chosen, a), player_of(chosen, b), decks, seed)


def nash_conv(game: GameLike, player: PlayerLike) -> float:
    """Returns the gains of best responses against a player, summed over the seats, in the unit of
    the game's returns (chips, points); 0 in equilibrium.

    Args:
        game: A game whose deals can be listed, or its name.
        player: A player that states its move probabilities: ``policy``, ``tabular``, ``random`` …

    Raises:
        ValueError: The game is too large or has partners, or the player states no
            probabilities.
    """
    chosen = make(game)
    return _measure(chosen).nash_conv_of(_policy(chosen, player))


def best_response(game: GameLike, player: PlayerLike) -> np.ndarray:
    """Returns the value of a best response in each seat if ``player`` has the others, partners
    included: float64 ``[num_seats]``. Arguments and other errors are those of ``nash_conv``.
    """
    chosen = make(game)
    return _measure(chosen).best_responses(_policy(chosen, player))


def _measure(game: Game) -> ExactMeasure:
    measure = ExactMeasure(game)
    if not measure.fits:
        raise ValueError(f"{game.spec.name} is too large to compute best responses")
    return measure


def _policy(game: Game, player: Any) -> Callable[[Any], np.ndarray]:
    """Returns the function from views to the player's move probabilities."""
    chosen = player_of(game, player)
    if not isinstance(chosen, OpenPolicy):
        raise ValueError(
            f"{chosen.name} states no move probabilities; expected a player that does, such as "
            "policy, tabular or random"
        )
    return chosen.probabilities
