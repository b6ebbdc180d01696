"""FPMCTS with inference as a player."""

import time
from collections.abc import Callable

import numpy as np

from fpmcts.search import Search, SearchSettings
from fpmcts.selfplay import sample_targets
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


class Pace:
    """How many playouts fit into a time, from those that were made."""

    FIRST = 16
    """Playouts of the first search, of which the rate is not known."""
    LEAST = 2

    def __init__(self) -> None:
        self._seconds_each: float | None = None

    def playouts(self, seconds: float, most: int) -> int:
        """Returns the playouts that fit into some seconds per position: at least 2, unless ``most`` is less."""
        if self._seconds_each is None:
            return min(self.FIRST, most)
        return min(max(int(seconds / self._seconds_each), self.LEAST), most)

    def note(self, playouts: int, seconds: float) -> None:
        """Learns that a position's playouts took some seconds. Half of the estimate is the last search."""
        each = max(seconds / playouts, 1e-9)
        self._seconds_each = each if self._seconds_each is None else 0.5 * (self._seconds_each + each)


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
        seconds: Time per move, inference included, in place of a number of playouts: their number follows from the rate so far,
            up to ``search.playouts``. Where many games are searched together it is the mean time per position. Such matches are
            not repeatable. None: ``search.playouts``.
        temperature: 0 plays the search's choice; T > 0 draws from its policy^(1/T).
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
        seconds: float | None = None,
        temperature: float = 0.0,
    ) -> None:
        if seconds is not None and seconds <= 0.0:
            raise ValueError(f"seconds is {seconds}; expected more than 0")
        self.game, self.name = game, name
        self.search = Search(game, evaluator.evaluate, search, max_positions, win_only)
        self._make_determinizer = make_determinizer
        self._determinizer: Determinizer | None = None
        self._rng = np.zeros(0, np.uint64)
        self.seconds, self.temperature = seconds, temperature
        self._pace = Pace()

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
            begin = time.perf_counter()
            worlds, _ = self._determinizer.worlds(lanes, take(views, rows), records, self._rng, self.search.settings.worlds)
            inferred = time.perf_counter()
            playouts = None
            if self.seconds is not None:
                left = self.seconds - (inferred - begin) / rows.size
                playouts = self._pace.playouts(left, self.search.settings.playouts)
            result = self.search.run(worlds, self._rng, lanes, playouts)
            actions[rows] = result.choice
            if self.temperature > 0.0:
                actions[rows] = sample_targets(result, np.full(rows.size, self.temperature), self._rng, lanes)
            if playouts is not None:
                self._pace.note(playouts, (time.perf_counter() - inferred) / rows.size)
        return actions
