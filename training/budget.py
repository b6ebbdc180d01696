"""When a run that counts games ends."""

from dataclasses import dataclass

from runtime.settings import setting


@dataclass(frozen=True)
class EpisodeBudget:
    """When to stop.

    Attributes:
        minutes: Wall clock over all sessions of the run; None = no bound.
        episodes: Episodes (games) in all; None = no bound.
    """

    minutes: float | None = setting(None, least=0)
    episodes: int | None = setting(None, least=0, most=10**15)

    def is_used_up(self, seconds: float, episodes: int) -> bool:
        """Returns whether so many seconds or episodes are as many as there may be."""
        late = self.minutes is not None and seconds >= 60 * self.minutes
        return late or (self.episodes is not None and episodes >= self.episodes)
