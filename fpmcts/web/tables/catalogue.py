"""The players that can sit at a table, by their names in the lobby, with the time their moves take.

A client can only name a player of this list: no file, no command, no options.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fpmcts.web.engine.asking import Question
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.rulebook import GameInfo

YOU = "you"
LEAST_DELAY = 0.6
"""Minimum seconds before a move appears."""
MARGIN = 0.15
"""Seconds of the delay that a player may not use."""
ANALYSTS = ("fpmcts", "tabular")
"""Kinds of players that report values of moves."""
TOLD = ("name", "group", "playouts", "label", "delay")
"""Attributes of an ``Entry`` that are reported as they are."""


@dataclass(frozen=True)
class Entry:
    """A player of the lobby.

    Attributes:
        name: Its name in ``seats``.
        group: Groups the speeds of one player.
        label: For people.
        kind: As ``fpmcts.players.load_player`` knows it.
        options: Options of the kind.
        greedy: Changes of ``options`` where the table's players are greedy; None: there is no
            difference, as in games whose players need not mix.
        playouts: None where it does not search.
        delay: Seconds after which its moves appear: the same for every hand, since a forced pass
            that came at once would show that it was forced.
        adapts: Whether it learns from the earlier hands of a series.
    """

    name: str
    group: str
    label: str
    kind: str
    options: Json = field(default_factory=dict)
    greedy: Json | None = None
    playouts: int | None = None
    delay: float = LEAST_DELAY
    adapts: bool = False

    @property
    def budget(self) -> float:
        """Returns its time limit for thinking, in seconds."""
        return self.delay - MARGIN


@dataclass(frozen=True)
class Offer:
    """What the lobby offers for one game.

    Attributes:
        entries: The players.
        analyst: The group that answers hints, analyses and reviews; None: there is none.
        exact: Whether it has exact values, and not those that playouts find, with errors.
    """

    entries: tuple[Entry, ...]
    analyst: str | None = None
    exact: bool = False

    def entry(self, name: str) -> Entry:
        """Returns the player of a name. Raises RefusedError."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        names = ", ".join(entry.name for entry in self.entries)
        raise RefusedError("unknown_player", f"{name[:40]!r}: expected you or one of {names}")

    def ask_analyst(
        self,
        game: str,
        record: Json,
        seed: int,
        playouts: int | None = None,
        **asked: Any,
    ) -> Question:
        """Returns a question to the analyst.

        Args:
            game: Name of the game.
            record: Record of the table.
            seed: Seed of its random choices.
            playouts: Where it searches; None: its usual ones.
            asked: Other fields of the question.

        Raises:
            RefusedError: There is no analyst.
        """
        able = (entry for entry in self.entries if entry.kind in ANALYSTS)
        entry = next((entry for entry in able if entry.group == self.analyst), None)
        if entry is None:
            raise RefusedError("no_analyst", f"no analyst is available for {game} yet")
        options = {k: v for k, v in entry.options.items() if k not in ("playouts", "temperature")}
        if playouts is not None and not self.exact:
            options["playouts"] = playouts
        if entry.kind == "fpmcts" and asked.get("moves") is not None:
            # A move that wins for sure would be answered without a look at the others.
            options["solve"] = False
        return Question(game, record, entry.kind, options, seed, **asked)


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

    def offer(self, game: str) -> Offer:
        """Returns what is offered for a game."""
        return self._offers.get(game, self._other)

    def refit(self, game: str, fit: Callable[[Entry], Entry]) -> None:
        """Changes the players of a game, such as their delays."""
        offer = self.offer(game)
        self._offers[game] = replace(offer, entries=tuple(map(fit, offer.entries)))

    def add(self, game: str, entries: Sequence[Entry]) -> None:
        """Offers more players of a game, before those that play every game; those already there
        stay.
        """
        offer = self.offer(game)
        there = {entry.name for entry in offer.entries}
        new = (entry for entry in entries if entry.name not in there)
        if entries:
            self._offers[game] = replace(offer, entries=(*new, *offer.entries))

    def check_seats(self, info: GameInfo, seats: Sequence[str]) -> None:
        """Raises RefusedError unless the seats are those of the game and everyone in them is
        known.
        """
        if len(seats) != len(info.seats):
            raise RefusedError(
                "bad_seats", f"seats: {len(seats)} given; {info.name} has {len(info.seats)}"
            )
        if seats.count(YOU) > 1:
            raise RefusedError("bad_seats", "seats: you can take only one seat")
        for name in seats:
            if name != YOU:
                self.offer(info.name).entry(name)

    def fields(self, info: GameInfo) -> Json:
        """Returns what the lobby shows of a game."""
        offer = self.offer(info.name)
        told = asdict(info)
        del told["private_moves"]
        return {
            **told,
            "seats": [{"name": name, "team": team} for name, team in info.seats],
            "players": [
                {name: getattr(entry, name) for name in TOLD}
                | {
                    "greedy": info.mixes and entry.greedy is not None,
                    "analyses": entry.group == offer.analyst,
                }
                for entry in offer.entries
            ],
            "analyst": offer.analyst,
            "reviews": offer.analyst is not None,
            "exact": offer.exact,
        }
