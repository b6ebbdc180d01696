"""Matches and exact measures of players, in one call each."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.players import load_player
from fpmcts.players.function import Choose, FunctionPlayer
from games import make
from games.agent import Agent, OpenPolicy
from games.interface import Game
from games.registry import Player

GameLike = Game | type[Game] | str


class Learned(Protocol):
    """Something that has learned to play: a ``Run``."""

    def player(self) -> Agent:
        """Returns its player."""


PlayerLike = Agent | Learned | Choose | str
"""A player, its name, a ``Run``, or a function of the view of the seat to move
(``FunctionPlayer``).
"""


def match(
    game: GameLike, a: PlayerLike, b: PlayerLike, decks: int = 1000, seed: int = 0
) -> MatchResult:
    """Returns the result of a duplicate match of ``a`` against ``b``: each deck is played twice,
    with the sides exchanged.

    Args:
        game: The game, or its name.
        a, b: Players: as ``load_player`` returns them, by name, a ``Run``, an object of a subclass
            of ``Player``, or a function from the view of the seat to move (the fields of
            ``Table.describe``) to a move.
        decks: Number of decks, at least 1.
        seed: Seed of the decks and of the players' random choices. No deck occurs in training.

    Raises:
        ValueError: There is no such player, or it made an illegal move.
    """
    chosen = _game(game)
    return duplicate_match(chosen, player_of(chosen, a), player_of(chosen, b), decks, seed)


def nash_conv(game: GameLike, player: PlayerLike) -> float:
    """Returns the gains of best responses against a player, summed over the seats, in the unit of
    the game's returns (chips, points); 0 in equilibrium.

    Args:
        game: A game whose deals can be listed, or its name.
        player: A player that states its move probabilities: ``policy``, ``tabular``, ``random`` …

    Raises:
        ValueError: The game is too large, or the player states no probabilities.
    """
    chosen = _game(game)
    return _measure(chosen).nash_conv_of(_policy(chosen, player))


def best_response(game: GameLike, player: PlayerLike) -> np.ndarray:
    """Returns the value of a best response in each seat if ``player`` has the others: float64
    ``[num_seats]``. Arguments and errors are those of ``nash_conv``.
    """
    chosen = _game(game)
    return _measure(chosen).best_responses(_policy(chosen, player))


def player_of(game: Game, player: Any) -> Agent:
    """Returns a player of a game, given a player, its name, a run or a function."""
    if isinstance(player, str):
        return load_player(player, game)
    if isinstance(player, Player) and not hasattr(player, "game"):
        return player.at(game)
    if hasattr(player, "act"):
        made: Agent = player
        return made
    if hasattr(player, "player"):
        return player_of(game, player.player())
    if callable(player):
        return FunctionPlayer(game, player)
    raise TypeError(
        f"got {player!r}; expected a player, the name of one, a run or a function of what is seen"
    )


def _game(game: GameLike) -> Game:
    return game if isinstance(game, Game) else make(game)


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
