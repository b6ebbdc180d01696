"""Who can sit at a table: players by the names of the lobby, with the time that their moves take.

A client names a player of this list and nothing else: no file, no command, no option of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from web.errors import RefusedError
from web.tables.rulebook import GameInfo

YOU = "you"
LEAST_DELAY = 0.6
"""Seconds before a move appears, at least."""
SPEEDS = {64: (0.9, 0.7), 256: (2.0, 1.8), 1024: (6.0, 5.8)}
"""By playouts: seconds after which the move appears, and those that the search may take at most. The delay is the same for every
hand: a forced pass that came at once would tell that it was forced."""


@dataclass(frozen=True)
class Entry:
    """A player of the lobby.

    Attributes:
        name: What stands in ``seats``.
        group: Puts the speeds of one player together.
        label: For people.
        kind: As ``agents.load_player`` knows it.
        options: Of the kind.
        greedy_options: In place of ``options`` where the table's players are greedy; None: there is no difference.
        playouts: None where it does not search.
        delay: Seconds after which its moves appear.
        budget: Seconds that it may think at most.
        adapts: Whether it learns from the earlier hands of a series.
    """

    name: str
    group: str
    label: str
    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    greedy_options: dict[str, Any] | None = None
    playouts: int | None = None
    delay: float = LEAST_DELAY
    budget: float = LEAST_DELAY - 0.1
    adapts: bool = False

    def fields(self, analyst: str | None) -> dict[str, Any]:
        """Returns what the lobby is told."""
        return {
            "name": self.name,
            "group": self.group,
            "playouts": self.playouts,
            "label": self.label,
            "delay": self.delay,
            "greedy": self.greedy_options is not None,
            "analyses": self.group == analyst,
        }


def searching(group: str, label: str, mixes: bool, **options: Any) -> list[Entry]:
    """Returns a searching player at every speed, and its policy without search."""
    entries = [
        Entry(
            name=f"{group}-policy" if group != "fpmcts" else "policy",
            group=group,
            label=f"{label}, policy alone",
            kind="policy",
            options={**options, **({"temperature": 1.0} if mixes else {})},
            greedy_options={**options, "temperature": 0.0} if mixes else None,
        )
    ]
    for playouts, (delay, budget) in SPEEDS.items():
        given = {**options, "playouts": playouts}
        entries.append(
            Entry(
                name=f"{group}-{playouts}",
                group=group,
                label=f"{label}, {playouts:,} playouts",
                kind="fpmcts",
                options={**given, "temperature": 1.0} if mixes else given,
                greedy_options={**given, "temperature": 0.0} if mixes else None,
                playouts=playouts,
                delay=delay,
                budget=budget,
            )
        )
    return entries


@dataclass(frozen=True)
class Offer:
    """What the lobby offers for one game.

    Attributes:
        entries: The players.
        analyst: The group that answers hints, analyses and reviews; None: there is none.
        analyst_kind: As ``agents.load_player`` knows it.
        analyst_options: Of it; ``playouts`` is set by who asks.
        exact: Whether it tells exact values.
    """

    entries: tuple[Entry, ...]
    analyst: str | None = None
    analyst_kind: str = "fpmcts"
    analyst_options: dict[str, Any] = field(default_factory=dict)
    exact: bool = False

    @property
    def searches(self) -> bool:
        """Returns whether the analyst finds values by playouts, so that they have errors."""
        return self.analyst is not None and not self.exact

    @property
    def reviews(self) -> bool:
        """Returns whether games can be reviewed: the analyst tells what each move is worth."""
        return self.analyst is not None

    def entry(self, name: str) -> Entry:
        """Returns the player of a name. Raises RefusedError."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise RefusedError("unknown_player", f"{name[:40]!r}: expected you or one of {', '.join(e.name for e in self.entries)}")


class Catalogue:
    """What the lobby offers.

    Args:
        offers: By game.
        other: What is offered for every other game.
    """

    def __init__(self, offers: dict[str, Offer], other: Offer | None = None) -> None:
        self._offers, self._other = offers, other or Offer(())

    def games(self) -> tuple[str, ...]:
        """Returns the games that have offers of their own."""
        return tuple(self._offers)

    def refit(self, game: str, fit: Callable[[Entry], Entry]) -> None:
        """Changes the players of a game, such as their delays."""
        offer = self.offer(game)
        self._offers[game] = replace(offer, entries=tuple(map(fit, offer.entries)))

    def add(self, game: str, entries: Sequence[Entry]) -> None:
        """Offers more players of a game, before those that play every game; who is there already stays."""
        if not entries:
            return
        offer = self.offer(game)
        there = {entry.name for entry in offer.entries}
        self._offers[game] = replace(offer, entries=(*(entry for entry in entries if entry.name not in there), *offer.entries))

    def offer(self, game: str) -> Offer:
        """Returns what is offered for a game."""
        return self._offers.get(game, self._other)

    def check_seats(self, info: GameInfo, seats: Sequence[str]) -> int | None:
        """Returns your seat, None where you only watch.

        Raises:
            RefusedError: The seats are not those of the game, or someone is unknown.
        """
        if len(seats) != len(info.seats):
            raise RefusedError("bad_seats", f"seats: {len(seats)} given; {info.name} has {len(info.seats)}")
        if seats.count(YOU) > 1:
            raise RefusedError("bad_seats", "seats: you can sit in one seat only")
        for name in seats:
            if name != YOU:
                self.offer(info.name).entry(name)
        return list(seats).index(YOU) if YOU in seats else None

    def fields(self, info: GameInfo) -> dict[str, Any]:
        """Returns what the lobby is told of a game."""
        offer = self.offer(info.name)
        return {
            "name": info.name,
            "base": info.base or info.name,
            "variant": info.variant,
            "seats": [{"name": name, "team": team} for name, team in info.seats],
            "teams": list(info.teams),
            "unit": info.unit,
            "tells_wins": info.tells_wins,
            "mixes": info.mixes,
            "max_moves": info.max_moves,
            "deal": info.deal,
            "classes": list(info.classes),
            "players": [entry.fields(offer.analyst) for entry in offer.entries],
            "analyst": offer.analyst,
            "reviews": offer.reviews,
            "exact": offer.exact,
        }
