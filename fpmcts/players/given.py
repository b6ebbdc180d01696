"""Games and players in the forms that a caller may give them: objects, names, runs, functions."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from fpmcts.adapters.players.foreign import ForeignAgent
from fpmcts.players import load_player
from games.kernels.rows import States, take
from games.play.agent import Agent
from games.play.interface import Game
from games.play.registry import Player

GameLike = Game | type[Game] | str


class HasPlayer(Protocol):
    """Something that has learned to play: a ``Run``."""

    def player(self) -> Agent:
        """Returns its player."""


Choose = Callable[[dict[str, Any]], str | int]
"""From the view of the seat to move, the fields of ``Table.describe``, to the text of a move or its
index in ``legal``.
"""
PlayerLike = Agent | type[Player] | HasPlayer | Choose | str
"""A player, its class or name, a ``Run``, or a function of the view of the seat to move
(``FunctionPlayer``).
"""


def player_of(game: Game, player: Any, **options: Any) -> Agent:
    """Returns a player of a game, given a player, its class, its name and ``load_player``'s
    options, a run or a function. Raises ValueError for a player of another game.
    """
    if isinstance(player, str):
        return load_player(player, game, **options)
    if options:
        raise TypeError(f"{', '.join(options)}: options are for players given by name")
    if isinstance(player, type) and issubclass(player, Player):
        player = player()
    if isinstance(player, Player) and not hasattr(player, "game"):
        return player.at(game)
    if hasattr(player, "act"):
        made: Agent = player
        Agent.check_game(made, game)  # also of a player that is no Agent
        return made
    if hasattr(player, "player"):
        return player_of(game, player.player())
    if callable(player):
        return FunctionPlayer(game, player)
    raise TypeError(
        f"got {player!r}; expected a player, the name of one, a run or a function of what is seen"
    )


class FunctionPlayer(ForeignAgent):
    """A player that asks a function for each move::

        def careful(view):
            return "fold" if "fold" in view["legal"] else view["legal"][0]

    Args:
        game: The game.
        choose: Called with the view of the seat to move: the fields of ``Table.describe``,
            including ``legal``, the texts of the legal moves.

    Attributes:
        name: Name of the function.
    """

    def __init__(self, game: Game, choose: Choose) -> None:
        super().__init__(game, getattr(choose, "__name__", type(choose).__name__))
        self._choose = choose

    def ask(self, number: int, seat: int, views: States, row: int, seen: np.ndarray) -> int:
        """Returns the action of the function's move. Raises ValueError: it is not legal."""
        view = self.game.describe_view(views, row, seen)
        legal = view["legal"]
        move = self._choose({**view, "to_move": seat, "returns": None})
        listed = isinstance(move, int | np.integer) and 0 <= move < len(legal)
        text = legal[int(move)] if listed else move
        if isinstance(text, str):
            with suppress(ValueError):
                action = self.game.parse_action(text)
                if self.game.is_legal(take(views, np.array([row])), action):
                    return action
        raise ValueError(f"{self.name} answered {move!r}; expected one of {', '.join(legal[:12])}")
