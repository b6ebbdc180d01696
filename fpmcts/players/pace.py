"""How many particles fit into the time of a move, by the rate of past inference."""

import time
from dataclasses import replace

import numpy as np

from fpmcts.players.trained import Trained
from games.kernels.rows import States
from games.play.interface import Records
from inference.determinizer import Determinizer, Diagnostics, InferenceSettings


class Determinizers:
    """Determinizers of the same games with different numbers of particles, for moves with a limit
    of time.

    Args:
        trained: The networks.
        settings: Those of the determinizer with the most particles.
        num_games: Number of games.

    Raises:
        CheckpointError: The networks lack what the settings ask for.
    """

    LEAST = 16
    """Minimum particles, unless the settings have fewer."""
    SHARE = 0.375
    """Share of a move's time that is planned for inference: three quarters of a half."""

    def __init__(self, trained: Trained, settings: InferenceSettings, num_games: int) -> None:
        self._trained, self._settings, self._num_games = trained, settings, num_games
        self._made = {settings.particles: trained.determinizer_maker(settings)(num_games)}
        self._seconds_each: float | None = None  # an evaluation

    def ready(
        self,
        lanes: np.ndarray,
        views: States,
        records: Records,
        rng: np.ndarray,
        seconds: float | None,
    ) -> Determinizer:
        """Returns the determinizer for a move of ``seconds`` in these positions. While the rate is
        unknown, a trial with the fewest particles, which decides nothing, measures it.
        """
        lengths = records.lengths[lanes]
        made = self.fitting(lengths, seconds)
        if seconds is not None and self._seconds_each is None:
            begin = time.perf_counter()
            _, drawn = made.worlds(lanes, views, records, rng.copy(), 1)
            self.note(drawn, time.perf_counter() - begin)
            made.reset(lanes)
            made = self.fitting(lengths, seconds)
        return made

    def fitting(self, lengths: np.ndarray, seconds: float | None) -> Determinizer:
        """Returns the determinizer for a move of ``seconds`` after ``lengths`` moves (int ``[n]``).

        Every particle takes an evaluation for each move of the others. Their number is a power of
        two or the most; the minimum effective sample size falls with its square root.
        """
        most, floor = self._settings.particles, self._settings.ess_floor
        count = most
        if seconds is not None:
            seats = self._trained.game.spec.num_seats
            each = max(1, int(lengths.max()) * (seats - 1) // seats)
            rate = 0.0 if self._seconds_each is None else 1.0 / self._seconds_each
            count = max(int(self.SHARE * seconds * rate) // each, self.LEAST)
            count = most if count >= most else 1 << count.bit_length() - 1
        if count not in self._made:
            floor = min(1.0, floor * (most / count) ** 0.5)
            settings = replace(self._settings, particles=count, ess_floor=floor)
            self._made[count] = self._trained.determinizer_maker(settings)(self._num_games)
        return self._made[count]

    def note(self, drawn: Diagnostics, seconds: float) -> None:
        """Records the seconds that inference took; nothing where it was inactive."""
        if evaluations := int(drawn.num_evaluations.sum()):
            each = max(seconds, 1e-9) / evaluations
            before = self._seconds_each
            self._seconds_each = each if before is None else 0.5 * (before + each)
