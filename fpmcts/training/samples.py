"""Samples: the data that self-play passes to the learner, and its two stores.

The policy learns from a *reservoir*: a uniform sample of all decisions ever seen. Sampled uniformly
(``train.recency=0``) and learned by cross entropy (``train.divergence=forward``), as in the paper
and in small games, it makes the network the average of all responses so far and the loop
fictitious play. The default of Doudizhu trades that for speed: with ``recency=8`` half of the
weight is on the last 8 % of the iterations, and the reverse divergence follows the geometric mean
of their targets, so the network tracks the latest searches, smoothed. That is policy iteration,
which guarantees no equilibrium. The value learns from the same decisions, or from a *window* of
recent ones (``train.value_window``), since the outcomes of old policies go stale.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple

import numpy as np

from games.kernels import kernel, mix64
from games.kernels.generic import current_seat, stake
from games.kernels.rows import Rules, States, named, num_rows, put, take
from games.play.interface import Game
from games.play.lockstep import Games, Rows

TARGET_WIDTH = 24
"""Maximum actions of a stored target policy; the rest of a wider one is dropped, and the kept part
scaled to sum to 1.
"""


DEPARTS = (
    (
        "4.4",
        f"A stored target keeps its {TARGET_WIDTH} most probable moves, scaled to sum to 1: whole "
        "ones would take 22 times the memory. Of 51 searches of 400 playouts with the weights that "
        "come with the project two visited more moves; the mean share dropped was 0.6 %.",
    ),
    (
        "4.2",
        "A result is in units of the stake at the decision: bombs already played are divided out.",
    ),
)


class Samples(NamedTuple):
    """N decisions. The seat to move in ``states`` made the decision; its view is rebuilt when the
    sample is used.
    """

    states: States  # [N] rows, all cards included (they are the target of the hidden-hand head)
    actions: np.ndarray  # int16 [N, W], W = min(TARGET_WIDTH, max_legal): -1 = none
    target: np.ndarray  # float32 [N, W]: the improved policy, sums to 1
    # policy_weight, float32 [N]: 1 where the target teaches the policy, 0 where only the outcome
    # counts. result, float32 [N]: return of the mover's team, in units of the stake at the
    # decision; NaN: teaches no value.
    policy_weight: np.ndarray
    result: np.ndarray
    root_value: np.ndarray  # float32 [N]: the search's estimate of it; NaN without a search
    iteration: np.ndarray  # int32 [N]: when it was made


def empty_samples(game: Game, count: int) -> Samples:
    """Returns ``count`` rows of zeros."""
    width = min(TARGET_WIDTH, game.spec.max_legal)
    return Samples(
        states=game.empty(count),
        actions=np.full((count, width), -1, np.int16),
        target=np.zeros((count, width), np.float32),
        policy_weight=np.zeros(count, np.float32),
        result=np.zeros(count, np.float32),
        root_value=np.full(count, np.nan, np.float32),
        iteration=np.zeros(count, np.int32),
    )


def truncate_targets(
    actions: np.ndarray, target: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the ``most`` most probable actions of each row and their probabilities, scaled to sum
    to 1.

    Rows that fit keep their order, so that no row depends on the width of others.

    Args:
        actions: int16 ``[N, A]``, -1 = none.
        target: float32 ``[N, A]``.
        most: Width of the result.
    """
    n, width = actions.shape
    if width > most:
        wide = (actions[:, most:] >= 0).any(axis=1, keepdims=True)
        keep = np.where(wide, np.argsort(-target, axis=1, kind="stable"), np.arange(width))
        keep = keep[:, :most]
        actions, target = np.take_along_axis(actions, keep, 1), np.take_along_axis(target, keep, 1)
    kept_actions = np.full((n, most), -1, np.int16)
    kept_target = np.zeros((n, most), np.float32)
    kept_actions[:, : actions.shape[1]] = actions
    kept_target[:, : target.shape[1]] = target
    return kept_actions, kept_target / kept_target.sum(1, keepdims=True)


@kernel
def _in_stakes(
    rules: Rules, returns: np.ndarray, games: np.ndarray, states: States, results: np.ndarray
) -> None:
    for k in range(games.size):
        seat = current_seat(rules, states, k)
        results[k] = returns[games[k], seat] / stake(rules, states, k)


def fill_results(game: Game, played: Games[Any], samples: Samples) -> None:
    """Writes the return of each decision's mover in units of its stake. Returns of which only the
    sign is read are not averages over chance, which would bias it.
    """
    _in_stakes(game.rules, played.returns, played.owner, samples.states, samples.result)


@kernel
def _reservoir_places(
    seed: np.uint64, seen: int, count: int, capacity: int, places: np.ndarray
) -> None:
    """Writes the places of items ``seen .. seen + count - 1``, -1 for those not kept (Vitter's
    algorithm R).

    The random number of an item is a hash of the seed and its position in the stream, so the store
    needs no random state.
    """
    for k in range(count):
        item = seen + k
        if item < capacity:
            places[k] = item
        else:
            u = mix64(mix64(seed) + np.uint64(item) * np.uint64(0x9E3779B97F4A7C15))
            place = np.int64(
                np.float64(u >> np.uint64(11)) * (1.0 / 9007199254740992.0) * (item + 1)
            )
            places[k] = place if place < capacity else -1


class SampleStore(ABC, Generic[Rows]):
    """Fixed storage for decisions of one seat; subclasses choose which to keep.

    Args:
        rows: Empty rows, as many as the capacity, with a field ``iteration``.

    Attributes:
        rows: The first ``size`` are valid.
        seen: Number of decisions offered so far.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows, self.capacity, self.seen = rows, num_rows(rows), 0
        self._arrays = dict(named(rows))
        # Cumulative weights by recency, until rows change.
        self._shares: dict[float, np.ndarray] = {}

    @property
    def size(self) -> int:
        """Number of decisions held."""
        return min(self.seen, self.capacity)

    @property
    def nbytes(self) -> int:
        """The bytes of a full store."""
        return sum(array.nbytes for array in self._arrays.values())

    def add(self, rows: Rows) -> None:
        """Offers decisions in order."""
        places = self._places(num_rows(rows))
        kept = np.flatnonzero(places >= 0)
        # Of several with the same place the last stays.
        _, last = np.unique(places[kept][::-1], return_index=True)
        kept = kept[::-1][last]
        put(self.rows, places[kept], take(rows, kept))
        self.seen += num_rows(rows)
        self._shares.clear()

    def draw(self, generator: np.random.Generator, count: int, recency: float = 0.0) -> Rows:
        """Returns ``count`` decisions drawn with replacement, in proportion to (iteration + 1) ^
        recency; 0 = uniformly.
        """
        if recency == 0.0:
            return take(self.rows, generator.integers(0, self.size, count))
        if recency not in self._shares:
            age = self._arrays["iteration"][: self.size] + 1.0
            self._shares[recency] = np.cumsum((age / age.max()) ** recency)  # of a number ≤ 1
        shares = self._shares[recency]
        places = np.searchsorted(shares, generator.random(count) * shares[-1], side="right")
        return take(self.rows, np.minimum(places, self.size - 1))

    @abstractmethod
    def _places(self, count: int) -> np.ndarray:
        """Returns the place of each of the next ``count`` rows (int64), -1 where it is not kept."""

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns the valid rows and the counter as named arrays."""
        rows = {name: array[: self.size] for name, array in self._arrays.items()}
        return rows | {"seen": np.array([self.seen], np.int64)}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of ``get_state``.

        Raises:
            ValueError: It has more rows than the capacity, since it was saved with another setting,
                or a field has another shape or type; nothing is changed.
        """
        seen, rows = int(state["seen"][0]), len(state["iteration"])
        if rows != min(seen, self.capacity):
            raise ValueError(
                f"the checkpoint holds {rows} of {seen} samples; the store has room for "
                f"{self.capacity}"
            )
        for name, array in self._arrays.items():
            had, expected = state[name], array[:rows]
            if had.shape != expected.shape or had.dtype != array.dtype:  # numpy would stretch it
                raise ValueError(
                    f"{name} of its samples is {had.dtype} {had.shape}; expected {array.dtype} "
                    f"{expected.shape}"
                )
        for name, array in self._arrays.items():
            array[:rows] = state[name]
        self.seen = seen
        self._shares.clear()


class Reservoir(SampleStore[Rows]):
    """A uniform sample of all decisions seen.

    Source: Vitter, "Random sampling with a reservoir", 1985, algorithm R.
    """

    def __init__(self, rows: Rows, seed: int) -> None:
        super().__init__(rows)
        self._seed = np.uint64(seed)

    def _places(self, count: int) -> np.ndarray:
        places = np.empty(count, np.int64)
        _reservoir_places(self._seed, self.seen, count, self.capacity, places)
        return places


class Window(SampleStore[Rows]):
    """The most recent decisions, up to the capacity."""

    def _places(self, count: int) -> np.ndarray:
        return (self.seen + np.arange(count)) % self.capacity
