"""The base of all tabular algorithms: options, random numbers, the episode count, resuming.

The tables, one random stream and the count are the whole state of an algorithm, as plain arrays
that change only within kernels. So it can be saved at any moment, even after Ctrl-C, and resumes
bit-for-bit, regardless of how the episodes are divided into calls of ``run``.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from fpmcts.tabular.best_response import nash_conv
from fpmcts.tabular.dense_table import DenseTable, by_infoset
from games.base.settings import check_ranges
from games.kernels import streams
from games.play.tables import Tables

CHUNK = 1_000_000
"""Episodes between two checks for Ctrl-C in ``run``; about 0.1 s of search."""


@dataclass(frozen=True)
class Options:
    """Options of an algorithm. Raises ConfigError, a ValueError, for values out of range."""

    def __post_init__(self) -> None:
        check_ranges(self)


class TableLearner(ABC):
    """A tabular algorithm on a game.

    Attributes:
        name: As in ``algorithm=NAME``.
        game_name: As in ``game=NAME``.
        seed: Seed of all its random numbers.
        options: A dataclass, different for each algorithm.
        chunk: Episodes between two checks for Ctrl-C.
        counter: int64 ``[1]``, the episodes so far.
        rng: uint64 ``[1]``, the stream of random numbers.
    """

    def __init__(self, name: str, game_name: str, seed: int, options: object) -> None:
        self.name, self.game_name = name, game_name
        self.seed, self.options = seed, options
        self.chunk = CHUNK
        self.counter = np.zeros(1, dtype=np.int64)
        self.rng = streams(seed, 1)

    @property
    def left(self) -> int:
        """Returns how many more episodes the counters are sure to hold."""
        return 2**62

    @property
    def episodes(self) -> int:
        """Returns the number of episodes so far (or of iterations, if each is a pass over the whole
        tree).
        """
        return int(self.counter[0])

    def run(self, episodes: int) -> None:
        """Runs a number of episodes (at least 0).

        Ctrl-C ends it with KeyboardInterrupt after the current chunk of episodes.

        Raises:
            ValueError: The number is negative, or more than the tables can hold or count.
        """
        if episodes < 0:
            raise ValueError(f"episodes = {episodes}: expected at least 0")
        end = self.episodes + episodes
        while self.episodes < end:
            count = min(self.chunk, end - self.episodes)
            if count > self.left:
                raise ValueError(
                    f"algorithm={self.name}: the counters hold no more than {self.left:,} episodes "
                    f"after these {self.episodes:,}"
                )
            self._run_chunk(count)

    @abstractmethod
    def _run_chunk(self, count: int) -> None:
        """Runs a chunk of episodes and counts them."""

    @abstractmethod
    def size_text(self) -> str:
        """Returns the size of the tables, in words."""

    @abstractmethod
    def measures(self) -> dict[str, float]:
        """Returns metrics of the current policies, by curve name."""

    @property
    @abstractmethod
    def tables(self) -> dict[str, np.ndarray]:
        """Returns the learned tables by name, as views that ``run`` changes."""

    def _arrays(self) -> dict[str, np.ndarray]:
        return self.tables | {"rng": self.rng, "episodes": self.counter}

    def get_state(self, copy: bool = True) -> dict[str, np.ndarray]:
        """Returns the tables, ``rng`` and ``episodes`` by name: copies, or the arrays that ``run``
        changes.
        """
        return {name: array.copy() if copy else array for name, array in self._arrays().items()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Resumes from a state that ``get_state`` returned for the same algorithm and game. The
        arrays are copied.

        Raises:
            ValueError: Names are missing or unknown, shapes or types differ (as in another game),
                or values are not finite. Nothing is changed.
        """
        self._check_state(state)
        self._fit(state)
        for name, own in self._arrays().items():
            own[...] = state[name]

    @abstractmethod
    def _fit(self, state: Mapping[str, np.ndarray]) -> None:
        """Resizes the tables to fit a checked state. Raises ValueError, with nothing changed, if
        its tables do not fit each other.
        """

    @abstractmethod
    def _growing(self) -> Collection[str]:
        """Returns the names of the tables whose length may change."""

    def _check_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Raises ValueError if a state does not fit."""
        free = self._growing()
        expected, what = self._arrays(), f"state of {self.name} on {self.game_name}"
        if set(state) != set(expected):
            raise ValueError(f"{what}: got {sorted(state)}, expected {sorted(expected)}")
        for name, own in expected.items():
            got, first = state[name], int(name in free)
            if (got.ndim, got.shape[first:], got.dtype) != (own.ndim, own.shape[first:], own.dtype):
                pair = [f"{array.dtype} {array.shape}" for array in (got, own)]
                raise ValueError(f"{what}: {name} is {pair[0]}, expected {pair[1]}")
            if name != "rows" and not np.isfinite(got).all():  # those of hashed tables hold keys
                raise ValueError(f"{what}: {name} has values that are not finite")
        if state["episodes"][0] < 0:
            raise ValueError(f"{what}: episodes is {state['episodes'][0]}, expected at least 0")


class DenseLearner(TableLearner):
    """An algorithm on the information sets of a game, in a dense table.

    Args:
        words: Words per row of the table.

    Attributes:
        game: The game.
        table: A row for each information set.
    """

    def __init__(self, name: str, game: Tables, seed: int, options: object, words: int) -> None:
        super().__init__(name, game.name, seed, options)
        self.game, self.table = game, DenseTable(game, words)
        self._width = words // game.max_actions

    def _columns(self) -> dict[str, np.ndarray]:
        """Returns the rows in use as arrays by name, views: the first and the last word of each
        action.
        """
        return {"regrets": self.table.rows[:, :: self._width], "weights": self.weights()}

    def weights(self) -> np.ndarray:
        """Returns the unnormalised average policy: ``[rows, max_actions]``."""
        return self.table.rows[:, self._width - 1 :: self._width]

    def best_slots(self) -> np.ndarray:
        """Returns the slot that the greedy policy plays in each row, 255 where it is uniform: the
        most probable action of the average policy, the first of equals: uint8 ``[rows]``.
        """
        weights = self.weights()
        return np.where(weights.any(axis=1), weights.argmax(axis=1), 255).astype(np.uint8)

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """Returns the learned tables."""
        placed = {"first_row": self.table.first_row} if self.table.grows else {}
        return self._columns() | placed

    def _growing(self) -> Collection[str]:
        return self._columns() if self.table.grows else ()

    def _fit(self, state: Mapping[str, np.ndarray]) -> None:
        if not self.table.grows:
            return
        num_rows = int(self.game.betting.num_buckets[state["first_row"] >= 0].sum())
        for name in self._growing():
            if len(state[name]) != num_rows:
                raise ValueError(
                    f"state of {self.name} on {self.game_name}: {name} has {len(state[name]):,} "
                    f"rows, expected {num_rows:,} as in first_row"
                )
        self.table.resize(num_rows)

    def policy_rows(self, greedy: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the average or the greedy policy in as many rows as the table has.

        Returns:
            Policy, float64 ``[rows, max_actions]``; rows of zeros and missing ones stand for the
            uniform policy. Places, int32 ``[D]``: first row of each node of the public tree, -1:
            none.
        """
        if greedy:
            weights = np.arange(self.game.max_actions) == self.best_slots()[:, None]
        else:
            weights = self.weights()
        total = weights.sum(axis=1, keepdims=True, dtype=np.float64)
        return weights / np.where(total > 0, total, 1), self.table.first_row

    def average_policy(self) -> np.ndarray:
        """Returns the average policy, which approaches an equilibrium; uniform where nothing was
        learned: float64 ``[num_infosets, max_actions]``.
        """
        return self.game.completed(by_infoset(self.game, *self.policy_rows()))

    def greedy_policy(self) -> np.ndarray:
        """Returns the greedy policy: float64 ``[num_infosets, max_actions]``."""
        return self.game.completed(by_infoset(self.game, *self.policy_rows(greedy=True)))

    def greedy_slots(self) -> np.ndarray:
        """Returns ``best_slots`` of each information set: uint8 ``[num_infosets]``."""
        return by_infoset(self.game, self.best_slots(), self.table.first_row, missing=255)

    def size_text(self) -> str:
        """Returns the number of information sets, in words."""
        return f"{self.game.num_infosets} information sets"

    def measures(self) -> dict[str, float]:
        """Returns NashConv of the average and the greedy policy, and the game's own metrics of the
        average one, if its deals can be listed.
        """
        if not self.game.has_tree:
            return {}
        average, greedy, name = self.average_policy(), self.greedy_policy(), self.game.name
        found = {
            "nash_conv/average_policy": nash_conv(self.game, average),
            "nash_conv/greedy_policy": nash_conv(self.game, greedy),
        }
        own = self.game.measures(average) | self.game.greedy_measures(greedy)
        return found | {f"{name}/{key}": value for key, value in own.items()}
