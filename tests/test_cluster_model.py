"""The simulation of a cluster against cases by hand."""

import pytest

from benchmarks.cluster_model import Load, Machines, simulate, unit_seconds

LOAD = Load(games=3, seconds={1: 10.0}, spread=(1.0,), bytes_per_game=100.0)
TWO = Machines(
    actors=2, actors_per_node=2, bandwidth=100.0, weights=100.0, take_seconds=0.25, take_seconds_per_byte=0.0025,
    learn_seconds=2.0, unit_games=1,
)  # fmt: skip


def test_players_and_learner_take_turns() -> None:
    """The weights are there at 1; units end at 11, 11 and 21, are here at 12, 13 and 22, taken in at 22.5, learned at 28.5."""
    outcome = simulate((LOAD,), TWO, iterations=2)
    assert outcome.seconds == pytest.approx(2 * 28.5)
    assert outcome.actors == pytest.approx(30.0 / 2 / 28.5)
    assert outcome.link == pytest.approx(4.0 / 28.5)
    assert outcome.learner == pytest.approx(6.0 / 28.5)


def test_with_a_lag_they_work_at_the_same_time() -> None:
    """Iterations come every 22.5 seconds, and the last one is learned 6 seconds later; a slow learner is waited for."""
    assert simulate((LOAD,), TWO, iterations=4, lag=1).seconds == pytest.approx(4 * 22.5 + 6.0)
    slow = TWO._replace(learn_seconds=20.0)  # games of iteration 1 begin at 22.5 with the learning, which ends at 82.5
    assert simulate((LOAD,), slow, iterations=3, lag=1).seconds == pytest.approx(22.5 + 3 * 60.0)


def test_answers_queue_at_the_link_and_units_are_the_shares_of_actors() -> None:
    """4 actors on 2 nodes: weights at 2, a game each until 12, and their answers one after another, at 13 to 16, and taken in."""
    machines = TWO._replace(actors=4, unit_games=0)
    assert simulate((LOAD._replace(games=4),), machines, iterations=1).seconds == pytest.approx(16.5 + 8.0)


def test_seconds_of_a_unit() -> None:
    load = LOAD._replace(seconds={4: 2.0, 16: 4.0})
    assert [unit_seconds(load, games) for games in (2, 4, 8, 16, 32)] == pytest.approx([1.0, 2.0, 8**0.5, 4.0, 8.0])
