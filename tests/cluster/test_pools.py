"""Threads that do units of work: every unit once, results in order, errors handed on, the others
stopped.
"""

import threading

import pytest

from fpmcts.cluster.pools import ThreadPool, Tick


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_unit_is_done_once_by_any_number_of_workers(workers: int) -> None:
    """A worker that is free takes the next one; progress is that of all units together."""

    def count_to(unit: int, tick: Tick) -> int:
        for k in range(unit):
            tick(k + 1)
        return 10 * unit

    units, seen = [3, 0, 4, 1, 2], list[int]()
    assert ThreadPool([count_to] * workers).map(units, units, seen.append) == [30, 0, 40, 10, 20]
    assert seen == sorted(seen) and seen[-1] == 10
    assert sorted(ThreadPool([count_to] * workers).run(units)) == [
        (k, 10 * unit) for k, unit in enumerate(units)
    ]


def test_they_run_at_the_same_time() -> None:
    """Each waits for the other: one after the other they would never end."""
    barrier = threading.Barrier(2, timeout=20)
    assert (
        len(
            ThreadPool([lambda unit, tick: barrier.wait()] * 2).map(
                [0, 1], [1, 1], lambda done: None
            )
        )
        == 2
    )


def endless(unit: int, tick: Tick) -> int:
    while True:
        tick(1)


def test_an_error_stops_the_others_and_is_raised() -> None:
    before = threading.active_count()

    def fails(unit: int, tick: Tick) -> int:
        raise ArithmeticError("no more")

    with pytest.raises(ArithmeticError, match="no more"):
        ThreadPool([fails, endless]).map([0, 1], [1, 1], lambda done: None)
    assert threading.active_count() == before


def test_who_stops_early_stops_them() -> None:
    before = threading.active_count()

    def stop(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ThreadPool([endless, endless]).map([0, 1], [1, 1], stop)
    assert threading.active_count() == before


def test_the_end_of_the_program_waits_for_none() -> None:
    """A kernel may be minutes from its next tick when Ctrl-C is pressed twice."""
    ending, ended = threading.Event(), threading.Event()

    def busy(unit: int, tick: Tick) -> int:
        tick(1)
        ending.wait(5)
        ended.set()
        return unit

    def leave(done: int) -> None:
        if done:
            raise SystemExit(130)

    with pytest.raises(SystemExit):
        ThreadPool([busy]).map([0], [1], leave)
    assert not ended.is_set()
    ending.set()
    assert ended.wait(5)
