"""Batches: NamedTuples of arrays with a leading batch axis, nested ones included."""

from typing import Any, TypeVar

import numpy as np

Rules = Any
"""The read-only tables of a game: a NamedTuple, different for each game."""
States = Any
"""A batch of states: a NamedTuple of arrays with a leading batch axis, different for each game."""
Batch = TypeVar("Batch", bound=tuple)  # type: ignore[type-arg]


def take(batch: Batch, rows: np.ndarray | slice) -> Batch:
    """Returns the given rows of a NamedTuple of arrays, nested ones included (a copy for an index
    array, a view for a slice).
    """
    return type(batch)(
        *(take(field, rows) if isinstance(field, tuple) else field[rows] for field in batch)
    )


def put(batch: Batch, rows: np.ndarray | slice, values: Batch) -> None:
    """Writes rows of a NamedTuple of arrays in place, nested ones included."""
    for field, value in zip(batch, values, strict=True):
        if isinstance(field, tuple):
            put(field, rows, value)
        else:
            field[rows] = value


def concatenate(batches: list[Batch]) -> Batch:
    """Returns the rows of several batches of one type, in order, nested ones included."""
    columns = zip(*batches, strict=True)
    return type(batches[0])(
        *(concatenate(list(c)) if isinstance(c[0], tuple) else np.concatenate(c) for c in columns)  # type: ignore[type-var]
    )


def num_rows(batch: Batch) -> int:
    """Returns the number of rows of a NamedTuple of arrays."""
    first = batch[0]
    return num_rows(first) if isinstance(first, tuple) else len(first)
