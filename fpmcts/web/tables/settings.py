"""How a table was made, which is kept with its game."""

from dataclasses import dataclass, field
from typing import Self

from fpmcts.web.errors import Json
from fpmcts.web.tables.catalogue import YOU


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

    @classmethod
    def parse(cls, fields: Json) -> Self:
        """Returns settings that were kept, see ``asdict``."""
        return cls(**{**fields, "series": Series(**fields["series"])})

    @property
    def you(self) -> int | None:
        """Returns your seat, None where you only watch."""
        return self.seats.index(YOU) if YOU in self.seats and not self.imported else None

    def seating(self, number: int) -> tuple[int, ...]:
        """Returns the player in each seat in a game of the series, players numbered as in the first
        one.
        """
        shift, count = number - 1 if self.rotate else 0, len(self.seats)
        return tuple((seat - shift) % count for seat in range(count))
