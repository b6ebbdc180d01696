"""A table of information sets for any game: rows with 64-bit keys, created on first visit.

Open addressing. A *slot* is a word of 64 bits: half of a key, and the place of a row. The *rows*
follow each other in one array of words in the order of creation, each as long as the actions of its
information set require, and never move when the slots are doubled:

    key | visits, seat, number of actions | one number of the selection | ``width`` words per action

The selection defines ``width`` and the meaning of the words (``fpmcts.tabular.selection``). A set
takes ``8 (3 + width K)`` bytes for K actions and 16 to 32 bytes of slots;
``HashTable.bytes_per_set`` returns the mean.

The rows are the whole state: slots are derived from them, so a table is bit-for-bit the same after
saving and reloading.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import infoset_key
from games.kernels.rows import Rules, States

HEADER = 3
"""Words of a row before those of its actions."""
FIRST_SLOTS, FIRST_WORDS = 2**10, 2**13
MEGABYTE = 10**6
MOST_VISITS = 2**40
"""Capacity of the visit counter of a row."""
_TAG = np.uint64(0xFFFFFFFF00000000)
_PLACE = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_SEATS = np.uint64(0x9E3779B97F4A7C15)
_MOST_WORDS = 2**32 - 2
"""A place has 32 bits, which allows 34 GB of rows."""


class Rows(NamedTuple):
    """A table for kernels; the last four fields share the same memory.

    Attributes:
        used: int64 ``[2]``: words in use, rows in use.
        slots: uint64 ``[a power of two]``: the high half of a key, then the place of its row + 1; 0
            = empty.
        words: float64 ``[W]``.
        bits: uint64 ``[W]``.
        singles: float32 ``[2 W]``.
        counts: uint32 ``[2 W]``.
    """

    used: np.ndarray
    slots: np.ndarray
    words: np.ndarray
    bits: np.ndarray
    singles: np.ndarray
    counts: np.ndarray


@kernel(inline="always")
def seat_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns the key of a seat's information set in lane ``i``; seats rarely share one."""
    return np.uint64(infoset_key(rules, states, i, seat)) + np.uint64(seat) * _SEATS


@kernel(inline="always")
def seat_of(rows: Rows, place: int) -> int:
    """Returns the seat whose information set a row is."""
    return np.int64((rows.bits[np.uint64(place) + _ONE] >> np.uint64(16)) & np.uint64(0xFF))


@kernel(inline="always")
def find(rows: Rows, key: np.uint64, seat: int) -> int:
    """Returns the place of a seat's row of a key, -1 where there is none."""
    mask = np.uint64(rows.slots.size - 1)
    at = key & mask
    while True:
        slot = rows.slots[at]
        if slot == 0:
            return -1
        if (slot ^ key) & _TAG == 0:
            place = (slot & _PLACE) - _ONE  # unsigned: numba then tests no sign
            if rows.bits[place] == key and seat_of(rows, place) == seat:
                return np.int64(place)
        at = (at + _ONE) & mask


@kernel(inline="always")
def _enter(slots: np.ndarray, key: np.uint64, place: int) -> None:
    """Writes the place of a row to the first empty slot of its key."""
    mask = np.uint64(slots.size - 1)
    at = key & mask
    while slots[at] != 0:
        at = (at + _ONE) & mask
    slots[at] = (key & _TAG) | (np.uint64(place) + _ONE)


@kernel
def append(rows: Rows, key: np.uint64, seat: int, num_actions: int, width: int) -> int:
    """Returns the place of a new row of zeros for a key and a seat that have none; there must be
    room (``has_room``).
    """
    place = rows.used[0]
    rows.used[0] += HEADER + width * num_actions
    rows.used[1] += 1
    rows.bits[place] = key
    rows.bits[place + 1] = np.uint64((seat << 16) | num_actions)
    _enter(rows.slots, key, place)
    return np.int64(place)


@kernel(inline="always")
def has_room(rows: Rows, count: int, words: int) -> bool:
    """Returns whether ``count`` rows of at most ``words`` words each fit in; slots are at most half
    full.
    """
    return (
        rows.used[0] + count * words <= rows.words.size
        and 2 * (rows.used[1] + count) <= rows.slots.size
    )


@kernel(inline="always")
def num_actions_of(rows: Rows, place: int) -> int:
    """Returns the number of actions of a row."""
    return np.int64(rows.bits[place + 1] & np.uint64(0xFFFF))


@kernel(inline="always")
def visits_of(rows: Rows, place: int) -> int:
    """Returns the number of visits of a row, below ``MOST_VISITS``."""
    return np.int64(rows.bits[place + 1] >> np.uint64(24))


@kernel(inline="always")
def count_visit(rows: Rows, place: int) -> None:
    """Adds a visit."""
    rows.bits[place + 1] += np.uint64(1 << 24)


@kernel
def _scan(rows: Rows, width: int, places: np.ndarray) -> int:
    """Writes the places of all rows, in order, as far as they fit; returns the number of rows, or
    -1 if the words in use are not rows.
    """
    place, count = 0, 0
    while place + HEADER <= rows.used[0] and num_actions_of(rows, place) > 0:
        if count < places.size:
            places[count] = place
        place += HEADER + width * num_actions_of(rows, place)
        count += 1
    return count if place == rows.used[0] else -1


@kernel
def _fill(rows: Rows, places: np.ndarray) -> None:
    """Enters rows into empty slots."""
    for place in places:
        _enter(rows.slots, rows.bits[place], place)


class HashTable:
    """A growing table of rows.

    Args:
        width: Words for each action.
        memory: Maximum memory of slots and rows, MB.

    Attributes:
        rows: Argument of the kernels; replaced by ``grow`` and ``set_words``.
    """

    def __init__(self, width: int, memory: int) -> None:
        self.width, self.memory = width, memory
        self.rows = _rows(
            np.zeros(2, np.int64), np.zeros(FIRST_SLOTS, np.uint64), np.zeros(FIRST_WORDS)
        )

    @property
    def num_rows(self) -> int:
        """Returns the number of rows."""
        return int(self.rows.used[1])

    @property
    def num_bytes(self) -> int:
        """Returns the memory of slots and rows, unused ones included."""
        return int(self.rows.slots.nbytes + self.rows.words.nbytes)

    @property
    def bytes_per_set(self) -> float:
        """Returns the mean memory of an information set, in its row and in the slots."""
        return float(8 * self.rows.used[0] + self.rows.slots.nbytes) / max(self.num_rows, 1)

    def grow(self, count: int, words: int) -> None:
        """Makes room for ``count`` rows of at most ``words`` words each, as ``make_room``."""
        self.make_room(count, count * words)

    def make_room(self, count: int, words: int) -> None:
        """Makes room for ``count`` rows of ``words`` words in all, by doubling the slots or the
        words as needed; rows do not move.

        Raises:
            ValueError: It would exceed ``memory``. Nothing is changed.
        """
        used, slots, size = self.rows.used, self.rows.slots.size, self.rows.words.size
        while 2 * (used[1] + count) > slots:
            slots *= 2
        needed = int(used[0]) + words
        while needed > size:
            size *= 2
        most = min(self.memory * MEGABYTE // 8 - slots, _MOST_WORDS)
        if size > most >= needed:  # the last step, not a doubling
            size = most
        if size > most:
            more = f"expected at least {-(-8 * (slots + needed) // MEGABYTE):,} MB to continue"
            raise ValueError(
                f"memory={self.memory}: {self.num_rows:,} information sets fill the table "
                f"({self.num_bytes / MEGABYTE:,.0f} MB); "
                f"{'it cannot grow further' if needed > _MOST_WORDS else more}"
            )
        # The old and the new memory never coexist: together they would exceed the limit.
        if size != self.rows.words.size:
            grown = self.rows.words
            grown.resize(size, refcheck=False)  # moves the memory; all views are made anew
            self.rows = _rows(used, self.rows.slots, grown)
        if slots != self.rows.slots.size:
            self.rows = self.rows._replace(slots=np.zeros(0, np.uint64))
            self.rows = self.rows._replace(slots=np.zeros(slots, np.uint64))
            _fill(self.rows, self.places())

    def places(self) -> np.ndarray:
        """Returns the place of each row, in order of creation (int64 ``[num_rows]``)."""
        places = np.empty(self.num_rows, np.int64)
        _scan(self.rows, self.width, places)
        return places

    def sizes_and_seats(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the number of actions and the seat of each row."""
        packed = self.rows.bits[self.places() + 1].astype(np.int64)
        return packed & 0xFFFF, packed >> 16 & 0xFF

    def words_in_use(self) -> np.ndarray:
        """Returns the rows, a view until the table grows: float64 ``[words]``, all of its state."""
        return self.rows.words[: self.rows.used[0]]

    def set_words(self, words: np.ndarray) -> None:
        """Restores the rows that ``words_in_use`` returned.

        Raises:
            ValueError: It is not a table of this width, or larger than ``memory``. Nothing is
                changed then.
        """
        made = HashTable(self.width, self.memory)
        if words.dtype != np.float64 or words.ndim != 1:
            raise ValueError(f"rows are {words.dtype} {words.shape}: expected float64 words")
        trial = _rows(np.array([words.size, 0]), np.zeros(1, np.uint64), words)
        count = _scan(trial, self.width, np.empty(0, np.int64))
        if count < 0:
            raise ValueError(
                f"rows of {words.size} words: expected whole rows of {self.width} words for each "
                "action"
            )
        made.make_room(count, words.size)
        made.rows.used[:] = words.size, count
        made.rows.words[: words.size] = words
        _fill(made.rows, made.places())
        self.rows = made.rows


def _rows(used: np.ndarray, slots: np.ndarray, words: np.ndarray) -> Rows:
    """Returns a table of these arrays."""
    return Rows(
        used, slots, words, words.view(np.uint64), words.view(np.float32), words.view(np.uint32)
    )
