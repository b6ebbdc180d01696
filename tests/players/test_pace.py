"""Particles that fit into the time of a move."""

from dataclasses import replace

import numpy as np

from fpmcts.players.pace import Determinizers
from fpmcts.players.trained import checkpoint_of, load_trained
from games import make
from inference.determinizer import InferenceSettings, no_diagnostics

SETTINGS = InferenceSettings(particles=1000, candidates=1000, ess_floor=0.02)


def test_particles_fit_the_time_at_the_rate_of_past_moves() -> None:
    """0.1 ms an evaluation: of 0.8 s, three eighths are for 3,000, of which 2,816 are planned (four
    bits); after 30 moves, 20 of the others', that is 140 particles.
    """
    trained = load_trained(checkpoint_of(make("doudizhu"), None), "doudizhu")
    made, few = (Determinizers(trained, replace(SETTINGS, particles=most), 1) for most in (1000, 8))

    def particles(moves: int, seconds: float | None) -> int:
        return made.fitting(moves, seconds).settings.particles

    assert particles(30, None) == 1000
    made.note(no_diagnostics(1), 5.0)  # inactive: nothing was evaluated
    assert particles(30, 0.8) == 16  # the rate is unknown
    made.note(no_diagnostics(1)._replace(num_evaluations=np.array([10_000])), 1.0)
    assert (particles(30, 0.8), particles(6, 0.8), particles(30, 1e-3)) == (128, 512, 16)
    assert made.fitting(30, 8.0).settings == SETTINGS
    floor = made.fitting(30, 0.8).settings.ess_floor
    np.testing.assert_allclose(128 * floor, 20 * np.sqrt(128 / 1000))
    assert few.fitting(30, 1e-3).settings.particles == 8
