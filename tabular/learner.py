"""What all tabular algorithms share: tables over information states, one stream of random numbers, a count of episodes.

The three together are the whole state of an algorithm, as plain arrays that change within kernels alone. So it can be saved at
any moment, after Ctrl-C too, and goes on bit for bit, whatever the sizes of the calls of ``run`` were.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from games.kernels import streams
from games.poker.tables import PokerTables
from tabular.best_response import nash_conv

CHUNK = 1_000_000
"""Episodes between two moments at which Ctrl-C can end ``run``; about 0.1 s of search."""


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The step of SplitMix64, as in ``games.kernels.random_u64``: kernels that keep the stream in a register add it themselves."""


class Learner(ABC):
    """What every tabular algorithm is: a stream of random numbers, a count of episodes, arrays that hold all that it has learned.

    Attributes:
        name: As in ``algorithm=NAME``.
        chunk: Episodes between two looks at Ctrl-C.
        game_name: As in ``game=NAME``.
        seed: Of all its random numbers.
        options: A dataclass, different for each algorithm.
        counter: int64 ``[1]``, the episodes so far.
        rng: uint64 ``[1]``, the stream of random numbers.
    """

    name: ClassVar[str]
    chunk: int = CHUNK

    def __init__(self, game_name: str, seed: int, options: Any) -> None:
        self.game_name = game_name
        self.seed = seed
        self.options = options
        self.counter = np.zeros(1, dtype=np.int64)
        self.rng = streams(seed, 1)

    @property
    def episodes(self) -> int:
        """Returns the number of episodes so far (of iterations, where an algorithm passes over the whole tree in each)."""
        return int(self.counter[0])

    def run(self, episodes: int) -> None:
        """Runs a number of episodes (at least 0).

        Ctrl-C ends it after a chunk of episodes, with KeyboardInterrupt.

        Raises:
            ValueError: A negative number, or more than the tables can hold or count.
        """
        if episodes < 0:
            raise ValueError(f"episodes = {episodes}: expected at least 0")
        end = self.episodes + episodes
        while self.episodes < end:
            self._run_chunk(min(self.chunk, end - self.episodes))

    @abstractmethod
    def _run_chunk(self, count: int) -> None:
        """Runs a chunk of episodes and counts them."""

    @abstractmethod
    def size_text(self) -> str:
        """Returns how large the tables are, in words."""

    @abstractmethod
    def measures(self) -> dict[str, float]:
        """Returns what can be told of the present policies, by the names of curves; nothing where that cannot be computed."""

    def get_state(self, copy: bool = True) -> dict[str, np.ndarray]:
        """Returns the tables, ``rng`` and the counter (``episodes``), by name: copies, or the arrays that ``run`` changes."""
        return {name: array.copy() if copy else array for name, array in self._arrays().items()}

    def _arrays(self) -> dict[str, np.ndarray]:
        """Returns everything that ``run`` changes, by name."""
        return {"rng": self.rng, "episodes": self.counter}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from a state that ``get_state`` returned for the same algorithm and game. The arrays are copied.

        Raises:
            ValueError: Missing or unknown names, other shapes or types (those of another game, say), values that are not finite.
                Nothing is changed then.
        """
        self._check_state(state, self._arrays())
        for name, own in self._arrays().items():
            own[...] = state[name]

    def _check_state(
        self, state: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray], free: tuple[str, ...] = ()
    ) -> None:
        """Raises ValueError where a state does not fit the arrays it is to replace; those named ``free`` may have any length."""
        if set(state) != set(expected):
            raise ValueError(f"state of {self.name} on {self.game_name}: got {sorted(state)}, expected {sorted(expected)}")
        for name, own in expected.items():
            got = state[name]
            if (got.shape != own.shape and name not in free) or got.ndim != own.ndim or got.dtype != own.dtype:
                got_text, own_text = f"{got.dtype} {got.shape}", f"{own.dtype} {own.shape}"
                raise ValueError(f"state of {self.name} on {self.game_name}: {name} is {got_text}, expected {own_text}")
            if name not in free and not np.isfinite(got).all():
                raise ValueError(f"state of {self.name} on {self.game_name}: {name} has values that are not finite")
        if state["episodes"][0] < 0:
            raise ValueError(f"state of {self.name} on {self.game_name}: episodes is {state['episodes'][0]}, expected at least 0")


class TabularLearner(Learner):
    """An algorithm on the information states of a poker game, all of which are listed (``PokerTables``).

    Attributes:
        game: The game.
        tables: Arrays over information states by name, changed in place by ``run``.
    """

    def __init__(self, game: PokerTables, seed: int, options: Any, tables: dict[str, np.ndarray]) -> None:
        super().__init__(game.name, seed, options)
        self.game = game
        self.tables = tables

    def size_text(self) -> str:
        """Returns how many information states there are."""
        return f"{self.game.num_infosets} information states"

    def measures(self) -> dict[str, float]:
        """Returns NashConv of the average and the greedy policy, and what the game can tell, where there is a full tree."""
        if not self.game.has_tree:
            return {}
        average = self.average_policy()
        own = {f"{self.game.name}/{name}": value for name, value in self.game.policy_measures(average).items()}
        return {
            "nash_conv/average_policy": nash_conv(self.game, average),
            "nash_conv/greedy_policy": nash_conv(self.game, self.greedy_policy()),
        } | own

    @abstractmethod
    def average_policy(self) -> np.ndarray:
        """Returns the average policy, the one that approaches an equilibrium: float64 ``[num_infosets, max_actions]``."""

    def greedy_policy(self) -> np.ndarray:
        """Returns the policy that always plays the most probable action of the average policy, the first of equals."""
        return self._greedy(self.average_policy())

    def policy_rows(self, greedy: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the average or the greedy policy in as many rows as the tables have, and where the rows of a node begin.

        Returns:
            Policy, float64 ``[rows, max_actions]``; rows of zeros and missing ones stand for the uniform policy. Places, int32
            ``[D]``: where the rows of each node of the betting tree begin, -1 where it has none.
        """
        return self.greedy_policy() if greedy else self.average_policy(), self.game.betting.base

    def greedy_slots(self) -> np.ndarray:
        """Returns ``greedy_policy`` as the slot of each information state, 255 where it is uniform: uint8 ``[num_infosets]``."""
        policy = self.greedy_policy()
        return np.where(policy.max(axis=1) == 1, policy.argmax(axis=1), 255).astype(np.uint8)

    def _greedy(self, scores: np.ndarray) -> np.ndarray:
        """Returns the policy that plays the legal action with the highest score, the first of equals."""
        return np.eye(self.game.max_actions)[np.where(self.game.legal, scores, -np.inf).argmax(axis=1)]

    def _normalised(self, weights: np.ndarray) -> np.ndarray:
        """Returns the policy in proportion to weights, uniform where all of them are 0."""
        total = weights.sum(axis=1, keepdims=True, dtype=np.float64)
        return np.where(total > 0, weights / np.where(total > 0, total, 1), self.game.uniform_policy())

    def _arrays(self) -> dict[str, np.ndarray]:
        """Returns everything that ``run`` changes, by name."""
        return self.tables | super()._arrays()
