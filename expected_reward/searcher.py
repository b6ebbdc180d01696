"""Decisions by the search, from Python."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from expected_reward import sizes
from expected_reward.search import CHUNK, Position, Settings, make_room, num_shown, search
from expected_reward.showdown import Boards, empty_boards, fill_boards
from expected_reward.tree import clear, empty_tree
from games.no_limit_holdem.state import Rules, States, empty
from opponent_models.model import NUM_SIZES, SIZE_EDGES, OpponentModel


class Found(NamedTuple):
    """What a search says; n actions.

    Attributes:
        actions: int64 ``[n]``. visits: int64 ``[n]``.
        mean: float64 ``[n]``, expected net chips of the hand; error: its standard error. Of actions without visits they are 0.
        value: V of the root. value_error: Its standard error.
        iterations: That were made. nodes: Of the tree.
    """

    actions: np.ndarray
    visits: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    value: float
    value_error: float
    iterations: int
    nodes: int

    def best(self) -> int:
        """Returns the position of the action with the highest mean, of those with visits."""
        return int(np.where(self.visits > 0, self.mean, -np.inf).argmax())


class Searcher:
    """Holds the arrays of searches, which are used anew for each.

    Args:
        rules: Of the game.
        model: Of the opponents.
        settings: How to search.
        boards: Completions of the board that are drawn for a decision.
        nodes: Of a tree, at most; a search that fills it ends there.
    """

    def __init__(self, rules: Rules, model: OpponentModel, settings: Settings, boards: int = 256, nodes: int = 1 << 20) -> None:
        self.rules, self.model, self.settings = rules, model, settings
        seats = len(rules.stacks)
        self.tree = empty_tree(nodes)
        self._boards: Boards = empty_boards(1 if settings.cards else boards)
        self._room = make_room(empty(1, seats), seats, NUM_SIZES)
        self._table = sizes.table()
        self._model_edges = np.array([0.0, *SIZE_EDGES, 1.0])

    def run(
        self, view: States, seat: int, statistics: np.ndarray, seed: np.ndarray, iterations: int,
        stopping: Callable[[int], bool] = lambda done: False, given: np.ndarray | None = None,
    ) -> Found:  # fmt: skip
        """Returns what the actions of a seat are worth.

        Args:
            view: One row, what the seat to move sees.
            seat: It.
            statistics: float32 ``[S, F]``, of the players.
            seed: uint64 ``[1]``, a stream; changed in place.
            iterations: To be made, at most.
            stopping: Asked after every ``CHUNK`` iterations, given their number, whether to stop.
            given: int64 ``[n]``, the actions to consider, raises by their amounts (one may stand there twice); None: those that
                the settings say.
        """
        own = np.ascontiguousarray(view.hole[0, seat])
        count = 0
        if not self.settings.cards:
            known = int(num_shown(view.round[0]))
            count = fill_boards(self.rules.hands, own, view.board[0].copy(), known, self._boards, seed, 0)
        given = np.zeros(0, np.int64) if given is None else given
        position = Position(view, seat, statistics, self._boards, count, self._table, sizes.TABLE_EDGES, self._model_edges, given)
        clear(self.tree)
        done = 0
        while done < iterations:
            some = min(CHUNK, iterations - done)
            made = search(self.model, self.rules, position, self.settings, self.tree, some, self._room, seed)
            done += made
            if made < some or stopping(done):
                break
        return self._found(done)

    def _found(self, done: int) -> Found:
        tree: Any = self.tree
        rows = slice(tree.first[0], tree.first[0] + tree.count[0])
        return Found(
            tree.action[rows].astype(np.int64), tree.visits[rows].copy(), tree.mean[rows].copy(), np.sqrt(tree.variance[rows]),
            float(tree.mean[0]), float(np.sqrt(tree.variance[0])), done, int(tree.size[0]),
        )  # fmt: skip
