"""The players that can sit at a table, by their names in the lobby, with the delays of their moves.

A client can only name a player in this list: no file, no command, no options.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fpmcts.web.engine.asking import EngineQuestion
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.rulebook import GameInfo

YOU = "you"
LEAST_DELAY = 0.6
"""Minimum seconds before a move appears."""
MARGIN = 0.15
"""Seconds of the delay that are unavailable for thinking."""
ANALYSTS = ("fpmcts", "tabular")
"""Kinds of players that report values of moves."""
UNCHANGED = ("name", "group", "playouts", "label", "delay")
"""Attributes of an ``Entry`` that are reported unchanged."""


@dataclass(frozen=True)
class Entry:
    """A player of the lobby.

    Attributes:
        name: Its name in ``seats``.
        group: Groups the speeds of one player.
        label: Name for people.
        kind: As in ``fpmcts.players.load_player``.
        options: Options of the kind.
        greedy: Changes of ``options`` at tables with greedy players; None: no difference, as in
            games whose players need not mix.
        playouts: Playouts per move; None if it does not search.
        delay: Seconds after which its moves appear: the same for every hand, since an immediate
            pass would reveal that it was forced.
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
    """The offer of the lobby for one game.

    Attributes:
        entries: The players.
        analyst: The group of players for hints, analyses and reviews, or None.
        exact: Whether its values are exact rather than estimates from playouts.
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
    ) -> EngineQuestion:
        """Returns a question to the analyst.

        Args:
            game: Name of the game.
            record: Record of the table.
            seed: Seed of its random choices.
            playouts: Playouts, if it searches; None: its usual number.
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
        if entry.kind != "tabular" and asked.get("moves") is not None:
            # Otherwise a sure win would be answered without evaluating the other moves.
            options["solve"] = False
        return EngineQuestion(game, record, entry.kind, options, seed, **asked)


class Catalogue:
    """The offers of the lobby.

    Args:
        offers: Offers by game.
        other: The offer for all other games.
    """

    def __init__(self, offers: dict[str, Offer], other: Offer | None = None) -> None:
        self._offers, self._other = offers, other or Offer(())

    def games(self) -> tuple[str, ...]:
        """Returns the games with their own offers."""
        return tuple(self._offers)

    def offer(self, game: str) -> Offer:
        """Returns the offer for a game."""
        return self._offers.get(game, self._other)

    def refit(self, game: str, fit: Callable[[Entry], Entry]) -> None:
        """Changes the players of a game, such as their delays."""
        offer = self.offer(game)
        self._offers[game] = replace(offer, entries=tuple(map(fit, offer.entries)))

    def add(self, game: str, entries: Sequence[Entry]) -> None:
        """Adds players to the offer for a game, before those that play every game."""
        offer = self.offer(game)
        there = {entry.name for entry in offer.entries}
        new = (entry for entry in entries if entry.name not in there)
        if entries:
            self._offers[game] = replace(offer, entries=(*new, *offer.entries))

    def check_seats(self, info: GameInfo, seats: Sequence[str]) -> None:
        """Raises RefusedError unless the number of seats is right and all their players are
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
        """Returns the lobby's fields of a game."""
        offer = self.offer(info.name)
        fields = asdict(info)
        del fields["private_moves"]
        return {
            **fields,
            "seats": [{"name": name, "team": team} for name, team in info.seats],
            "players": [
                {name: getattr(entry, name) for name in UNCHANGED}
                | {
                    "greedy": info.mixes and entry.greedy is not None,
                    "analyses": entry.group == offer.analyst,
                }
                for entry in offer.entries
            ],
            "analyst": offer.analyst,
            "exact": offer.exact,
        }
