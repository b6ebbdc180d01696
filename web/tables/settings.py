"""How a table was made, which is kept with its game, and what its lists say of it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from web.tables.catalogue import YOU


@dataclass
class Series:
    """Games of the same players, one after the other.

    Attributes:
        players: In the order of the first game's seats.
        number: Of this game, from 1.
        games: How many are finished, this one included once it is over.
        returns: Sums over those, of each of ``players``.
        before: Table of the game before.
        next: Table of the game after.
    """

    players: list[str]
    number: int = 1
    games: int = 0
    returns: list[float] = field(default_factory=list)
    before: str | None = None
    next: str | None = None


@dataclass
class Settings:
    """How a table was made; kept with its game.

    Attributes:
        seats: Who sits in each seat.
        mode: "fair", "hints" or "open".
        series: The games before and after.
        secret: What the players' random choices follow from; never told.
        seed: Of the deal; None where it has none.
        seed_given: Whether you gave it, so that it is no secret.
        greedy: Whether players play their likeliest move.
        rotate: Whether everyone moves up a seat in the next game.
        imported: Whether this is an opened record.
        shared: Whether everybody may read it.
        line: The record as it was opened.
        rev: Counts the changes.
        plies: How many moves were made.
        returns: Of the seats, None before the end.
        reviewed: Whether there is a review.
    """

    seats: list[str]
    mode: str
    series: Series
    secret: int
    seed: int | None = None
    seed_given: bool = False
    greedy: bool = False
    rotate: bool = False
    imported: bool = False
    shared: bool = False
    line: str | None = None
    rev: int = 0
    plies: int = 0
    returns: list[float] | None = None
    reviewed: bool = False

    @property
    def you(self) -> int | None:
        """Returns your seat, None where you only watch."""
        return self.seats.index(YOU) if YOU in self.seats and not self.imported else None


def summarise(table_id: str, game: str, made: float, over: bool, settings: Settings) -> dict[str, Any]:
    """Returns a table in short."""
    told = settings.seed is not None and (settings.seed_given or over)
    return {
        "id": table_id,
        "game": game,
        "seats": settings.seats,
        "you": settings.you,
        "mode": settings.mode,
        "over": over,
        "plies": settings.plies,
        "rev": settings.rev,
        "seed": settings.seed if told else None,
        "made": made,
        "shared": settings.shared,
        "imported": settings.imported,
        "reviewed": settings.reviewed,
        "returns": settings.returns,
        "series": asdict(settings.series),
    }
