"""Players given as plain functions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from games.agent import Agent
from games.interface import Game, Records
from games.rows import States

Choose = Callable[[dict[str, Any]], str | int]
"""From the view of the seat to move, the fields of ``Table.describe``, to the text of a move or its
index in ``legal``.
"""


class FunctionPlayer(Agent):
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
        self.game, self._choose = game, choose
        self.name = getattr(choose, "__name__", type(choose).__name__)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the function's move for each view. Raises ValueError if one is illegal."""
        moves = np.empty(len(games), np.int16)
        for k, number in enumerate(games):
            seen = records.moves[number, : records.lengths[number]]
            view = self.game.describe_view(views, k, seen)
            moves[k] = self._action(self._choose(view), view)
        return moves

    def _action(self, move: str | int, view: Mapping[str, Any]) -> int:
        """Returns the action of a move. Raises ValueError if it is illegal."""
        if not isinstance(move, str) and 0 <= move < len(view["legal"]):
            move = view["legal"][move]
        if not isinstance(move, str) or move not in view["legal"]:
            legal = ", ".join(view["legal"][:12])
            raise ValueError(f"{self.name} answered {move!r}; expected one of {legal}")
        return self.game.parse_action(move)
