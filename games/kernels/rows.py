"""Batches: NamedTuples of arrays with a leading batch axis, nested ones included."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

Rules = Any
"""The read-only tables of a game: a NamedTuple, different for each game."""
States = Any
"""A batch of states: a NamedTuple of arrays with a leading batch axis, different for each game."""
Batch = TypeVar("Batch", bound=tuple)  # type: ignore[type-arg]


def zeros(count: int, *kinds: str) -> Iterator[np.ndarray]:
    """Yields an array of zeros for each type: "i2" for ``count`` numbers, "3u8" for rows of three.

    NumPy parses "3u8" with ``ast``, which is not for threads (``games.kernels.PARSING``).
    """
    for kind in kinds:
        width, item = kind[:-2], kind[-2:]
        yield np.zeros((count, int(width)) if width else count, item)


def each(made: Callable[..., np.ndarray], *batches: Batch) -> Batch:
    """Applies a function to the corresponding arrays of several batches; returns the batch of
    results.
    """
    return type(batches[0])(
        *(
            each(made, *fields) if isinstance(fields[0], tuple) else made(*fields)
            for fields in zip(*batches, strict=True)
        )
    )


def take(batch: Batch, rows: np.ndarray | slice | int) -> Batch:
    """Returns the given rows (a copy for an index array, a view for a slice)."""
    return each(lambda field: field[rows], batch)


def copied(batch: Batch) -> Batch:
    """Returns a copy of all rows."""
    return each(np.ndarray.copy, batch)


def named(batch: Batch, prefix: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yields every array with its name; in a nested NamedTuple the names are joined by dots."""
    for name, field in zip(batch._fields, batch, strict=True):  # type: ignore[attr-defined]
        if isinstance(field, tuple):
            yield from named(field, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def put(batch: Batch, rows: np.ndarray | slice | int, values: Batch) -> None:
    """Writes rows in place."""
    for (_, array), (_, value) in zip(named(batch), named(values), strict=True):
        array[rows] = value


def concatenate(batches: Sequence[Batch]) -> Batch:
    """Returns the rows of several batches of one type, in order."""
    return each(lambda *fields: np.concatenate(fields), *batches)


def num_rows(batch: Batch) -> int:
    """Returns the number of rows."""
    first = batch[0]
    return num_rows(first) if isinstance(first, tuple) else len(first)
