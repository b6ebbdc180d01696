"""How much work fits into the time of a move, by the rate of past work."""

from dataclasses import replace

from fpmcts.players.trained import Trained
from inference.determinizer import Determinizer, Diagnostics, InferenceSettings


class Pace:
    """Plans playouts or evaluations.

    A search that is cut short has compared moves unevenly, one that is over early has time left for
    the finalists: so plans are for ``SHARE`` of the time.
    """

    FIRST = 16
    """The first plan, while the rate is unknown."""
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
        less. It has four significant bits, since root rules cache their plans.
        """
        if self._seconds_each is None:
            return min(self.FIRST, most)
        fitting = max(int(self.SHARE * seconds / self._seconds_each), self.LEAST)
        return min(fitting - fitting % (1 << max(0, fitting.bit_length() - 4)), most)

    def note(self, count: float, seconds: float) -> None:
        """Records the seconds that a position's work took. The last one makes up half of the
        estimate.
        """
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
    """Share of a move's time that inference may plan for; forced moves of the others take none."""

    def __init__(self, trained: Trained, settings: InferenceSettings, num_games: int) -> None:
        self._trained, self._settings, self._num_games = trained, settings, num_games
        self._made = {settings.particles: trained.determinizer_maker(settings)(num_games)}
        self._pace = Pace()

    def with_particles(self, count: int) -> Determinizer:
        """Returns the determinizer with ``count`` particles, whose minimum effective sample size
        falls with the square root of their number.
        """
        if count not in self._made:
            most, floor = self._settings.particles, self._settings.ess_floor
            floor = min(1.0, floor * (most / count) ** 0.5)
            settings = replace(self._settings, particles=count, ess_floor=floor)
            self._made[count] = self._trained.determinizer_maker(settings)(self._num_games)
        return self._made[count]

    def fitting(self, moves: int, seconds: float | None) -> Determinizer:
        """Returns the determinizer for a move after ``moves`` moves, those of the others being
        evaluated for every particle: with a power of two of particles, or the most.
        """
        most = self._settings.particles
        if seconds is None:
            return self.with_particles(most)
        seats = self._trained.game.spec.num_seats
        each = max(1, moves * (seats - 1) // seats)
        count = max(self._pace.fitting(self.SHARE * seconds, most * each) // each, self.LEAST)
        return self.with_particles(most if count >= most else 1 << count.bit_length() - 1)

    def note(self, drawn: Diagnostics, seconds: float) -> None:
        """Records the seconds that inference took; nothing where it was inactive."""
        if evaluations := int(drawn.num_evaluations.sum()):
            self._pace.note(evaluations, seconds)
