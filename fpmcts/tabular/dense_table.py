"""A dense table: a row for each information set, found by arithmetic.

A table of more than ``DENSE`` bytes has rows only for the nodes of the public tree that were
visited, in the order of the first visits; the system provides their memory on first use.
"""

import numpy as np

from fpmcts.tabular.walks import DenseRows, DenseWalk
from games.play.deals import scratch
from games.play.tables import Tables

DENSE = 2**30
"""Tables of up to this many bytes have a row for every information set from the start."""
CACHE = 2**21
"""Tables of more bytes than this prefetch rows; about the size of a processor's L2 cache."""


def by_infoset(
    game: Tables, values: np.ndarray, places: np.ndarray, missing: int = 0
) -> np.ndarray:
    """Returns values of rows in the order of the information sets.

    Args:
        game: The game.
        values: ``[rows, ...]``.
        places: int32 ``[D]``, first row of each node of the public tree, -1: none.
        missing: The value where there is no row.
    """
    betting = game.betting
    if places is betting.base:
        return values
    result = np.full((game.num_infosets, *values.shape[1:]), missing, values.dtype)
    for node in np.flatnonzero(places >= 0):
        start, base, count = places[node], betting.base[node], betting.num_buckets[node]
        result[base : base + count] = values[start : start + count]
    return result


class DenseTable:
    """Rows of one length.

    Args:
        game: The game.
        words: Words of 8 bytes in a row.

    Attributes:
        first_row: int32 ``[D]``, first row of each node of the public tree, -1: none.
        num_rows: int64 ``[1]``, rows in use.
        grows: Whether only visited nodes have rows.
    """

    def __init__(self, game: Tables, words: int) -> None:
        self.game = game
        self._rows = np.zeros((game.num_infosets, words))
        self.first_row, self.num_rows = game.betting.base, np.array([game.num_infosets])
        self.grows = self._rows.nbytes > DENSE
        if self.grows:
            self.first_row = np.full_like(self.first_row, -1)
            self.num_rows = np.zeros(1, np.int64)

    @property
    def rows(self) -> np.ndarray:
        """Returns the rows in use: float64 ``[rows, words]``, a view."""
        return self._rows[: self.num_rows[0]]

    def resize(self, num_rows: int) -> None:
        """Changes the number of rows in use; those given up become zeros."""
        self._rows[num_rows : self.num_rows[0]] = 0
        self.num_rows[0] = num_rows

    def walk(self) -> DenseWalk:
        """Returns the game and the table for kernels."""
        betting, words = self.game.betting, self._rows.reshape(-1)
        return DenseWalk(
            betting,
            self.game.deals,
            scratch(int(betting.hand.max()) + 1),
            self.first_row,
            self.num_rows,
            self._rows.shape[1],
            self._rows.nbytes > CACHE,
            DenseRows(words, words.view(np.uint32)),
        )
