"""How many particles fit into the time of a move, by the rate of past inference."""

import time
from dataclasses import replace

import numpy as np

from fpmcts.players.trained import Trained
from games.interface import Records
from games.rows import States
from inference.determinizer import Determinizer, Diagnostics, InferenceSettings


class Pace:
    """Plans evaluations, for ``SHARE`` of the time."""

    LEAST = 2
    SHARE = 0.75

    def __init__(self) -> None:
        self._seconds_each: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether the rate is known."""
        return self._seconds_each is not None

    def fitting(self, seconds: float, most: int) -> int:
        """Returns the number to plan for ``seconds`` per position, at least 2 unless ``most`` is
        less: of four significant bits.
        """
        if self._seconds_each is None:
            return min(self.LEAST, most)
        fitting = max(int(self.SHARE * seconds / self._seconds_each), self.LEAST)
        return min(fitting - fitting % (1 << max(0, fitting.bit_length() - 4)), most)

    def note(self, count: float, seconds: float) -> None:
        """Records the seconds that a position's work took, which make up half of the estimate."""
        each = max(seconds, 1e-9) / max(count, 1)
        self._seconds_each = (
            each if self._seconds_each is None else 0.5 * (self._seconds_each + each)
        )


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
    SHARE = 0.5
    """Share of a move's time that inference may plan for."""

    def __init__(self, trained: Trained, settings: InferenceSettings, num_games: int) -> None:
        self._trained, self._settings, self._num_games = trained, settings, num_games
        self._made = {settings.particles: trained.determinizer_maker(settings)(num_games)}
        self._pace = Pace()

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
        if seconds is not None and not self._pace.is_known:
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
            count = max(self._pace.fitting(self.SHARE * seconds, most * each) // each, self.LEAST)
            count = most if count >= most else 1 << count.bit_length() - 1
        if count not in self._made:
            floor = min(1.0, floor * (most / count) ** 0.5)
            settings = replace(self._settings, particles=count, ess_floor=floor)
            self._made[count] = self._trained.determinizer_maker(settings)(self._num_games)
        return self._made[count]

    def note(self, drawn: Diagnostics, seconds: float) -> None:
        """Records the seconds that inference took; nothing where it was inactive."""
        if evaluations := int(drawn.num_evaluations.sum()):
            self._pace.note(evaluations, seconds)
