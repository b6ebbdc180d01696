"""How a search is run: reports, ends before its time, moves to consider, slots, and the error of
its means.
"""

import time
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fpmcts.search import search as module
from fpmcts.search.result import SearchResult, empty_result, heated, sample_targets
from fpmcts.search.search import LONE_SLOTS
from games.kernels import streams
from tests.search.searching import make_search, run, search, settings
from tests.search.test_search_invariance import assert_equal, row
from tests.search.test_search_oracle import positions, random_game
from tests.search.toy_game import End, Move, Tables, ToyGame, make_rules

TARGETS = pytest.mark.parametrize("target", ["visits", "advantages"])
PARTS = pytest.mark.parametrize("max_positions", [1, 100])


class Reports:
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.seen: list[tuple[SearchResult, int, int]] = []

    def __call__(self, result: SearchResult, done: int, total: int) -> None:
        self.seen.append((result, done, total))


def test_reports_lead_to_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visits grow, policies sum to 1, the last report is what is returned, and nothing is changed
    by them.
    """
    monkeypatch.setattr(module, "SECONDS_BETWEEN_REPORTS", 0.0)
    game, tables = random_game(1)
    here = positions(game)
    for target in ("visits", "advantages"):
        given = settings(target, 40, slots=3)
        expected, searcher = search(game, tables, given, here)
        for max_positions in (2, len(here)):
            reports, searcher = Reports(), make_search(game, tables, given, max_positions)
            result = run(searcher, game, here, report=reports)
            assert_equal(result, expected)
            assert len(reports.seen) > 10
            assert_equal(reports.seen[-1][0], result)
            before = np.zeros((0, 0), np.int32)
            for told, done, total in reports.seen:
                n, width = before.shape
                assert (told.visits[:n, :width] >= before).all()
                assert done == told.visits.sum() == told.done.sum()
                assert total == 40 * len(here)
                np.testing.assert_allclose(told.target.sum(1), 1.0, rtol=1e-5)
                before = told.visits
            assert done == total


@TARGETS
@PARTS
def test_cancel_ends_within_a_round(target: str, max_positions: int) -> None:
    game, tables = random_game(2)
    here = positions(game)
    n = len(here)
    searcher = make_search(game, tables, settings(target, 40), min(max_positions, n))
    asked = []
    expected = run(searcher, game, here)

    def cancel() -> bool:
        asked.append(searcher.counters.rounds)
        return len(asked) >= 6

    before = searcher.counters.rounds
    result = run(searcher, game, here, cancel=cancel)
    parts = -(-n // min(max_positions, n))
    assert searcher.counters.rounds - before <= 6 + parts
    assert (result.done < 40).any()
    np.testing.assert_array_equal(result.done, result.visits.sum(1))
    np.testing.assert_array_equal(result.prior, expected.prior)  # every root was evaluated
    np.testing.assert_allclose(result.target.sum(1), 1.0, rtol=1e-5)
    assert all(
        choice in actions for choice, actions in zip(result.choice, result.actions, strict=True)
    )
    again = run(searcher, game, here)  # nothing is left over
    assert_equal(again, expected)


@TARGETS
def test_a_deadline_cuts_the_search(target: str) -> None:
    game, tables = random_game(2)
    searcher = make_search(game, tables, settings(target, 40))
    late = run(searcher, game, [(0, 0)], deadline=time.perf_counter() - 1.0)
    assert late.done[0] < 40
    assert late.visits.sum() == late.done[0]
    expected = run(searcher, game, [(0, 0)])
    assert expected.done.tolist() == [40]
    later = run(searcher, game, [(0, 0)], deadline=time.perf_counter() + 1e6)
    assert_equal(later, expected)


def test_a_search_that_needs_no_evaluation_ends_in_time_too() -> None:
    """Every simulation ends at its root move."""
    game = ToyGame(make_rules(Move(0, [End(1.0), End(-1.0)]), 4, 2))
    searcher = make_search(game, Tables(game), settings(playouts=5000))
    here = [(0, 0)]
    assert run(searcher, game, here, cancel=lambda: True).done.tolist() == [module.AT_ONCE]
    assert run(searcher, game, here, deadline=time.perf_counter()).done.tolist() == [module.AT_ONCE]
    assert run(searcher, game, here).done.tolist() == [5000]


def test_slots_fit_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation takes 0.1 s of this clock: 64 at once would take 6.4 s of a second."""
    now, sizes = [0.0], [0]
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    game, tables = random_game(2)
    evaluate = tables.evaluate

    def slow(observations: np.ndarray, roles: np.ndarray) -> Any:
        now[0] += 0.1 * len(roles)
        sizes.append(len(roles))
        return evaluate(observations, roles)

    tables.evaluate = slow  # type: ignore[method-assign]
    searcher = make_search(game, tables, settings(playouts=5000, slots=64, rollout=0.9))
    result = run(searcher, game, [(0, 0)], deadline=1.0)
    assert now[0] <= 1.3 and result.done[0] >= 2
    run(searcher, game, [(0, 0)], deadline=now[0] + 1e6)
    assert max(sizes) >= 8


def test_parts_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of ticks, one for each look at it: the first positions do not use it all."""
    ticks = SimpleNamespace(perf_counter=count(1).__next__)
    monkeypatch.setattr(module, "time", ticks)
    game, tables = random_game(2)
    here = positions(game)
    searcher = make_search(game, tables, settings(playouts=1000), 2)
    result = run(searcher, game, here, deadline=ticks.perf_counter() + 200)
    assert result.done.min() >= 5


@TARGETS
@PARTS
@pytest.mark.parametrize("slots", [1, 4])
def test_moves_to_consider(target: str, max_positions: int, slots: int) -> None:
    """The others are listed, and never visited; priors are those of the moves considered,
    renormalised.
    """
    game, tables = random_game(3)
    here = positions(game)
    n = len(here)
    searcher = make_search(game, tables, settings(target, 40, slots=slots), min(max_positions, n))
    free = run(searcher, game, here)
    legal = [free.actions[k, : free.num_legal[k]].tolist() for k in range(n)]
    for moves in ([given[-1:] for given in legal], [given[::-2] for given in legal]):
        result = run(searcher, game, here, moves=moves)
        np.testing.assert_array_equal(result.actions, free.actions)
        np.testing.assert_array_equal(result.num_legal, free.num_legal)
        considered = np.array(
            [np.isin(actions, given) for actions, given in zip(result.actions, moves, strict=True)]
        )
        assert (result.visits.sum(1, where=considered) == 40).all()
        for field in (result.visits, result.prior, result.target):
            assert not field[~considered].any()
        assert np.isnan(result.q[~considered]).all()
        kept = np.where(considered, free.prior, 0.0)
        np.testing.assert_allclose(result.prior, kept / kept.sum(1, keepdims=True), rtol=1e-5)
        np.testing.assert_allclose(result.target.sum(1), 1.0, rtol=1e-5)
        assert all(choice in given for choice, given in zip(result.choice, moves, strict=True))
    assert_equal(run(searcher, game, here, moves=legal), free)


@pytest.mark.parametrize("moves", [[], [0, 7]])
def test_moves_that_cannot_be_considered(moves: list[int]) -> None:
    game, tables = random_game(3)
    with pytest.raises(ValueError, match=r"moves holds \[.*expected some of the legal actions"):
        run(make_search(game, tables, settings()), game, [(0, 0)], moves=[moves])


def test_a_low_temperature_draws_the_likeliest_move() -> None:
    result = empty_result(1, 3)._replace(
        num_legal=np.array([3], np.int32),
        actions=np.array([[2, 5, 7]], np.int16),
        target=np.array([[0.2, 0.5, 0.3]], np.float32),
    )
    for temperature in (1e-2, 1e-4, 1e-12):
        drawn = sample_targets(result, np.array([temperature]), streams(0, 1), np.array([0]))
        assert drawn.tolist() == [5]


@pytest.mark.parametrize(
    ("temperature", "weights"),
    [(1.0, [1, 4, 0]), (2.0, [1, 2, 0]), (0.5, [1, 16, 0]), (1e-12, [0, 1, 0]), (0.0, [0, 1, 0])],
)
def test_heated_targets(temperature: float, weights: list[int]) -> None:
    hot = heated(np.array([[0.2, 0.8, 0.0], [0.0, 1.0, 0.0]], np.float32), temperature)
    np.testing.assert_allclose(hot, [np.array(weights) / sum(weights), [0, 1, 0]], rtol=1e-6)


RANDOM = End(lambda a, b, c: 0.5 * b - c)
PAYS = np.array([0.5 * b - c for b in range(4) for c in range(4) if len({2, b, c}) == 3])
"""What it pays in the worlds of a seat 0 that holds 2."""


def test_standard_errors() -> None:
    """Move 0 pays by the others' cards, in turn: a world that comes up again is not a new draw.
    Move 1 always pays -1; move 2 is tried once and has no error.
    """
    game = ToyGame(make_rules(Move(0, [RANDOM, End(-1.0), End(-9.0)]), 4, 3))
    result, _ = search(game, Tables(game), settings(playouts=80, worlds=6), [(0, 2)])
    assert result.visits[0, 0] > 12
    shares = np.bincount(np.arange(result.visits[0, 0]) % 6) / result.visits[0, 0]
    second, third = (shares**2).sum(), (shares**3).sum()
    squares = (shares**2 * (PAYS - shares @ PAYS) ** 2).sum()
    expected = np.sqrt(squares * second / (second - 2 * third + second**2))
    np.testing.assert_allclose(result.standard_error[0, 0], expected, rtol=1e-5)
    assert expected == pytest.approx(PAYS.std(ddof=1) / np.sqrt(6), rel=0.01)
    assert result.standard_error[0, 1] == 0.0
    assert result.visits[0, 2] == 1
    assert np.isnan(result.standard_error[0, 2])


def test_standard_errors_of_worlds_from_the_same_draws() -> None:
    """Six worlds from three draws: the error of the means of the draws, and what the moves have in
    common stays in that of the value.
    """
    sources = np.array([[0, 0, 2, 2, 4, 4]], np.int32)
    game = ToyGame(make_rules(Move(0, [RANDOM, RANDOM]), 4, 2))
    searcher = make_search(
        game, Tables(game), settings("advantages", 48, worlds=6, uniform=1.0, c=1e6)
    )
    result = run(searcher, game, [(0, 2)], sources=sources)
    assert result.visits[0].tolist() == [24, 24]
    means = PAYS.reshape(3, 2).mean(axis=1)
    expected = means.std(ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(result.standard_error[0], expected, rtol=1e-5)
    np.testing.assert_allclose(result.value_error, expected, rtol=1e-5)
    one_draw = run(searcher, game, [(0, 2)], sources=np.zeros((1, 6), np.int32))
    assert np.isnan(one_draw.standard_error).all() and np.isnan(one_draw.value_error).all()
    for changed, field in zip(one_draw[:6], result[:6], strict=True):
        np.testing.assert_array_equal(changed, field)


def test_slots_of_a_single_search() -> None:
    """A search with few slots can fill a batch for one position, as one that was made for it; its
    room is bounded.
    """
    game, tables = random_game(1)
    here = positions(game)
    n = len(here)
    assert make_search(game, tables, settings(slots=4), 100).most_slots == 400
    searcher = make_search(game, tables, settings("advantages", 64, slots=2), n)
    assert searcher.most_slots == LONE_SLOTS
    usual = run(searcher, game, here)
    expected, _ = search(game, tables, settings("advantages", 64, slots=LONE_SLOTS), here)
    rounds = searcher.counters.rounds
    alone = run(searcher, game, here[:1], slots=LONE_SLOTS)
    assert searcher.counters.rounds - rounds < 0.2 * rounds
    assert_equal(alone, row(expected, 0))
    many = run(searcher, game, here, slots=LONE_SLOTS)  # one after the other
    assert_equal(many, expected)
    assert_equal(run(searcher, game, here), usual)
    with pytest.raises(ValueError, match="slots is 65; expected 1 to 64"):
        run(searcher, game, here, slots=65)
