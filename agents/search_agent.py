"""FPMCTS with inference as a player."""

from collections.abc import Callable

import numpy as np

from fpmcts.search import Search, SearchSettings
from games.interface import Game, Records, Rules, States, legal, sure_win, take
from games.kernels import kernel, streams
from inference.determinizer import Determinizer
from networks.evaluator import Evaluator


@kernel
def _short_cuts(rules: Rules, views: States, solve: bool, actions: np.ndarray, scratch: np.ndarray) -> None:
    """Writes the move of each row where it is forced or wins for sure, else -1."""
    for i in range(actions.size):
        n = legal(rules, views, i, scratch)
        actions[i] = scratch[0] if n == 1 else (sure_win(rules, views, i) if solve else -1)


class SearchAgent:
    """Searches every unforced decision and plays the best move.

    Args:
        game: The game.
        evaluator: The networks of all seats.
        make_determinizer: Returns a determinizer for a number of games.
        search: Settings of FPMCTS.
        win_only: The objective, see Search.
        max_positions: Positions searched at once.
        name: For reports.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        make_determinizer: Callable[[int], Determinizer],
        search: SearchSettings,
        win_only: bool,
        max_positions: int = 256,
        name: str = "fpmcts",
    ) -> None:
        self.game, self.name = game, name
        self.search = Search(game, evaluator.evaluate, search, max_positions, win_only)
        self._make_determinizer = make_determinizer
        self._determinizer: Determinizer | None = None
        self._rng = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        self._rng = streams(seed, num_games)
        self._determinizer = self._make_determinizer(num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            RuntimeError: ``start`` was not called.
        """
        if self._determinizer is None:
            raise RuntimeError("SearchAgent.act before start: call start(num_games, seed) first")
        actions = np.full(len(games), -1, np.int16)
        scratch = np.empty(self.game.spec.max_legal, np.int16)
        _short_cuts(self.game.rules, views, self.search.settings.solve, actions, scratch)
        rows = np.flatnonzero(actions < 0)
        if rows.size:
            lanes = games[rows]
            worlds, _ = self._determinizer.worlds(lanes, take(views, rows), records, self._rng, self.search.settings.worlds)
            actions[rows] = self.search.run(worlds, self._rng, lanes).choice
        return actions
