"""Particles that fit into the time of a move."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from fpmcts.players.pace import Determinizers
from games import make
from games.kernels import streams
from inference.determinizer import Diagnostics, InferenceSettings, no_diagnostics

SETTINGS = InferenceSettings(particles=1000, candidates=1000, ess_floor=0.02)
TRAINED: Any = SimpleNamespace(
    game=make("doudizhu"),
    determinizer_maker=lambda settings: (
        lambda count: SimpleNamespace(settings=settings, worlds=worlds, reset=lambda lanes: None)
    ),
)


def worlds(*_: object) -> tuple[None, Diagnostics]:
    """Takes no time for a thousand evaluations."""
    return None, no_diagnostics(1)._replace(num_evaluations=np.array([1000]))


def test_the_first_move_with_a_time_measures_the_rate() -> None:
    """With the fewest particles, for nothing; it had as few before, whatever the time."""
    made, lanes, rng = Determinizers(TRAINED, SETTINGS, 1), np.zeros(1, np.int64), streams(0, 1)
    records: Any = SimpleNamespace(lengths=np.array([30], np.int16))
    assert made.ready(lanes, (), records, rng, 4.0).settings == SETTINGS
    np.testing.assert_array_equal(rng, streams(0, 1))


def test_particles_fit_the_time_at_the_rate_of_past_moves() -> None:
    """0.1 ms an evaluation: of 0.8 s, three eighths are for 3,000; after 30 moves, 20 of
    the others', that is 150 particles.
    """
    made, few = (Determinizers(TRAINED, replace(SETTINGS, particles=most), 1) for most in (1000, 8))

    def at(moves: int, seconds: float | None) -> InferenceSettings:
        return made.fitting(np.array([0, moves], np.int16), seconds).settings

    assert at(30, None) == SETTINGS
    made.note(no_diagnostics(1), 5.0)  # inactive: nothing was evaluated
    assert at(30, 0.8).particles == 16  # the rate is unknown
    made.note(no_diagnostics(1)._replace(num_evaluations=np.array([10_000])), 1.0)
    found = [at(30, 0.8).particles, at(6, 0.8).particles, at(30, 1e-3).particles]
    assert found == [128, 512, 16]
    assert at(60, 80.0) == SETTINGS  # more evaluations than an int16 holds
    np.testing.assert_allclose(128 * at(30, 0.8).ess_floor, 20 * np.sqrt(128 / 1000))
    assert few.fitting(np.array([30]), 1e-3).settings.particles == 8
