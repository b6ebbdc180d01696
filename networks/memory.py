"""A cache of network outputs: where the same observations come up again and again, as in small
games, each is evaluated once.

A table of fixed size with open addressing, keyed by a 64-bit hash of the role and the observation.
Two observations with the same hash would share an entry; with a million observations, that happens
in one of 18 million tables. A full table takes no new entries.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel, mix64

_EMPTY = np.uint64(0)
MOST_BYTES = 1 << 27
"""Each worker has a memory; with 5,000 outputs it would take 5 GB."""


class Memory(NamedTuple):
    """Outputs for up to K / 2 observations; K is a power of two.

    Attributes:
        keys: uint64 ``[K]``, 0 = free.
        policy: float32 ``[K, policy_size]``.
        value: float32 ``[K]``.
        used: int64 ``[1]``, entries in use.
    """

    keys: np.ndarray
    policy: np.ndarray
    value: np.ndarray
    used: np.ndarray


def make_memory(capacity: int, policy_size: int) -> Memory:
    """Returns an empty memory for ``capacity`` observations, or as many as fit in
    ``MOST_BYTES``.
    """
    size = 1 << max(4, (2 * capacity - 1).bit_length())
    while size > 16 and size * (12 + 4 * policy_size) > MOST_BYTES:
        size //= 2
    return Memory(
        keys=np.zeros(size, np.uint64),
        policy=np.zeros((size, policy_size), np.float32),
        value=np.zeros(size, np.float32),
        used=np.zeros(1, np.int64),
    )


def forget(memory: Memory) -> None:
    """Empties a memory."""
    memory.keys[:] = _EMPTY
    memory.used[:] = 0


@kernel
def _key(row: np.ndarray, seat: int) -> np.uint64:
    """Returns the hash of an observation (int8 ``[C * L]``), never 0."""
    key = mix64(np.uint64(seat + 1))
    word, shift = np.uint64(0), np.uint64(0)
    for k in range(row.size):
        word |= np.uint64(np.uint8(row[k])) << shift
        shift += np.uint64(8)
        if shift == np.uint64(64):
            key = mix64(key ^ word)
            word, shift = np.uint64(0), np.uint64(0)
    return mix64(key ^ word) | np.uint64(1)


@kernel
def look_up(
    memory: Memory, rows: np.ndarray, seats: np.ndarray, places: np.ndarray, new: np.ndarray
) -> int:
    """Returns how many observations must be evaluated; finds or makes each one's place in the
    memory.

    Args:
        memory: Changed in place: places for new observations.
        rows: int8 ``[N, C * L]``.
        seats: int8 ``[N]``.
        places: int64 ``[N]``, receives the place of each row, -1 where there is no room.
        new: int64 ``[N]``, receives the rows to evaluate: the first of each new observation, and
            those without a place.
    """
    mask, most = np.uint64(memory.keys.size - 1), memory.keys.size // 2
    num_new = 0
    for i in range(seats.size):
        key = _key(rows[i], seats[i])
        place = key & mask
        while memory.keys[place] != _EMPTY and memory.keys[place] != key:
            place = (place + np.uint64(1)) & mask
        places[i] = place
        if memory.keys[place] == _EMPTY:
            if memory.used[0] < most:
                memory.keys[place] = key
                memory.used[0] += 1
            else:
                places[i] = -1
            new[num_new] = i
            num_new += 1
    return num_new


@kernel
def fill_in(
    memory: Memory,
    places: np.ndarray,
    new: np.ndarray,
    new_policy: np.ndarray,
    new_value: np.ndarray,
    policy: np.ndarray,
    value: np.ndarray,
) -> None:
    """Stores the outputs for new observations, and writes the outputs for all rows.

    Args:
        memory: Changed in place.
        places: As written by ``look_up``.
        new: int64 ``[M]``, the rows it listed for evaluation.
        new_policy: float32 ``[M, policy_size]``.
        new_value: float32 ``[M]``.
        policy: float32 ``[N, policy_size]``, written.
        value: float32 ``[N]``, written.
    """
    for m in range(new.size):
        i = new[m]
        policy[i] = new_policy[m]
        value[i] = new_value[m]
        if places[i] >= 0:
            memory.policy[places[i]] = new_policy[m]
            memory.value[places[i]] = new_value[m]
    for i in range(places.size):
        if places[i] >= 0:
            policy[i] = memory.policy[places[i]]
            value[i] = memory.value[places[i]]
