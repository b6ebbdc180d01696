"""Threads that do units of work: every item once and in order, errors handed on, the others stopped."""

import threading
from collections.abc import Iterator

import pytest

from runtime.pools import ThreadPool, side_by_side


def test_every_item_in_order() -> None:
    found = list(side_by_side([range(5), range(10, 13), []]))
    assert [item for k, item in found if k == 0] == [0, 1, 2, 3, 4]
    assert [item for k, item in found if k == 1] == [10, 11, 12]
    assert len(found) == 8


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_unit_is_done_once_by_any_number_of_workers(workers: int) -> None:
    """And a worker that is free takes the next one."""

    def count_to(unit: int) -> Iterator[int]:
        yield from range(unit)

    units = [3, 0, 4, 1, 2]
    found = list(ThreadPool([count_to] * workers).run(units))
    for k, unit in enumerate(units):
        assert [item for which, item in found if which == k] == list(range(unit))


def test_they_run_at_the_same_time() -> None:
    """Each waits for the other: one after the other they would never end."""
    barrier = threading.Barrier(2, timeout=20)

    def meet() -> Iterator[bool]:
        barrier.wait()
        yield True

    assert len(list(side_by_side([meet(), meet()]))) == 2


def test_an_error_stops_the_others_and_is_raised() -> None:
    before = threading.active_count()

    def fails() -> Iterator[int]:
        yield 0
        raise ArithmeticError("no more")

    def endless() -> Iterator[int]:
        while True:
            yield 1

    with pytest.raises(ArithmeticError, match="no more"):
        for _ in side_by_side([fails(), endless()]):
            pass
    assert threading.active_count() == before


def test_who_stops_early_stops_them() -> None:
    before = threading.active_count()

    def endless() -> Iterator[int]:
        while True:
            yield 1

    found = side_by_side([endless(), endless()])
    next(found)
    found.close()
    assert threading.active_count() == before
