"""The server's view of the games: their names, sizes and tables. It knows no rules.

``Rulebook`` imports the games, not this module: importing numba is slow, and the page should show
first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fpmcts.web.errors import Json, RefusedError

if TYPE_CHECKING:
    from games.play.interface import ScoreUnit
    from games.play.table import Table


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game for the lobby.

    Attributes:
        name: As in ``game=NAME``.
        seats: Name and team of each seat.
        teams: Names of the teams.
        unit: Unit of returns.
        reports_wins: Whether analyses report winning probabilities rather than returns.
        mixes: Whether good play must sometimes be random.
        max_moves: Upper bound on the number of moves.
        deal: The fields of a deal, in words.
        base: The game without its options.
        variant: Its difference from others of its ``base``, for people; None: none.
        private_moves: Whether some seat sees some move only partly or not at all.
        big_blind: Chips of a big blind where returns are chips, else 1.
        classes: Least loss of an inaccuracy, a mistake and a blunder: percentage points of winning
            probability if it ``reports_wins``, else returns.
    """

    name: str
    seats: tuple[tuple[str, int], ...]
    teams: tuple[str, ...]
    unit: str
    reports_wins: bool
    mixes: bool
    max_moves: int
    deal: Json | None
    classes: tuple[float, float, float] = (5.0, 10.0, 15.0)
    base: str = ""
    variant: str | None = None
    private_moves: bool = False
    big_blind: float = 1.0


def base_of(name: str) -> str:
    """Returns the game of a name without its options."""
    return name.partition(":")[0]


def base_of_record(record: Mapping[str, object]) -> str:
    """Returns the game of a record without its options; records of Doudizhu name their rules
    instead of the game, and logs of Botzone have a ``log``.
    """
    is_doudizhu = any(key in record for key in ("rules", "log", "logs"))
    return str(record.get("game", "doudizhu" if is_doudizhu else None))


def table_at(table: "Table", ply: int) -> "Table":
    """Returns a separate table at an earlier ply."""
    other = table.copy()
    if ply < len(other.moves):
        other.undo(len(other.moves) - ply)
    return other


def positions(table: "Table") -> Iterator["Table"]:
    """Yields a single separate table, advanced from the deal to the last move."""
    other = table_at(table, 0)
    yield other
    for move in table.moves:
        other.play(move.text)
        yield other


def plies_seen(table: "Table", seat: int) -> list[int]:
    """Returns the plies of the moves that a seat has seen, at least in part: those of its
    description, in order.
    """
    if len(table.describe(seat).get("moves", table.moves)) == len(table.moves):
        return list(range(len(table.moves)))
    counts = [len(position.describe(seat)["moves"]) for position in positions(table)]
    return [ply for ply, (before, after) in enumerate(pairwise(counts)) if after > before]


RESULTS = (
    "moves",
    "winner",
    "points",
    "chips",
    "returns",
    "rules",
    "bidding",
    "doubling",
    "forced",
    "game",
)
"""Fields of a record that are not part of the deal."""
UNITS = {"adp": "points", "mbb_per_hand": "chips"}
"""Names of returns, by the key of the unit of scores."""


class Rulebook:
    """The games of this project, as tables need them.

    Args:
        outside: Further games: modules (``docs/adding-a-game.md``), and games with options, such as
            ``goofspiel:cards=4`` (``games.Choice``).
    """

    def __init__(self, outside: Sequence[str] = ()) -> None:
        from games import GAMES, Choice, game_class
        from games.play.choice import module_file

        self._games: Json = {}
        self._infos: dict[str, GameInfo] = {}
        self._labels: dict[str, str] = {}
        names: dict[str, None] = {}
        self.pages: dict[str, Json] = {}
        """How each game presents itself, without its options: the file NAME.json beside its module
        (``docs/adding-a-game.md``), those with the lowest ``rank`` first.
        """
        for given in (*GAMES, *outside):
            base = base_of(given)
            variants = game_class(base).variants.items()
            labels = {str(Choice(base, options)): label for label, options in variants}
            self._labels |= labels
            family = [base, *labels] if base in GAMES or given == base else []
            names |= dict.fromkeys([*family, given])
            file = module_file(f"games.{base}.game" if base in GAMES else base, "game")
            page = file.with_name(f"{base.rpartition('.')[2]}.json")
            self.pages[base] = json.loads(page.read_text("utf-8")) if page.exists() else {}
            if usual := self.pages[base].get("usual"):
                self.pages[base]["usual"] = str(Choice(base, usual))
        rank = {base: page.get("rank", len(names)) for base, page in self.pages.items()}
        self._names = tuple(sorted(names, key=lambda name: rank[base_of(name)]))

    def names(self) -> Sequence[str]:
        """Returns the names of the games."""
        return self._names

    def game(self, name: str) -> Any:
        """Returns the game of a name, cached."""
        if name not in self._names:
            raise RefusedError("unknown_game", f"game: expected one of {', '.join(self._names)}")
        if name not in self._games:
            from games import Choice

            self._games[name] = Choice.from_text(name).make()
        return self._games[name]

    def info(self, game: str) -> GameInfo:
        """Returns the facts about a game."""
        spec = self.game(game).spec
        if game not in self._infos:
            record = self.table(game, seed=0).record()
            options = game.partition(":")[2].replace(",", " ").replace("_", " ")
            self._infos[game] = GameInfo(
                name=game,
                seats=tuple(zip(spec.seat_names, spec.teams, strict=True)),
                teams=spec.team_names,
                unit=UNITS.get(spec.score.key, spec.score.name),
                reports_wins=spec.score.reports_wins,
                mixes=spec.mixes,
                max_moves=spec.max_moves,
                deal=_deal_in_words(record),
                base=base_of(game),
                variant=self._labels.get(game, options or None),
                private_moves=spec.has_private_moves,
                classes=_classes(spec.score),
                big_blind=_big_blind(spec.score),
            )
        return self._infos[game]

    def table(
        self,
        game: str,
        *,
        seed: int | None = None,
        deal: Mapping[str, object] | None = None,
        record: Mapping[str, object] | None = None,
        position: Mapping[str, object] | None = None,
    ) -> "Table":
        """Returns a table of a game. Raises RefusedError."""
        from games.play.position import table_at
        from games.play.table import Table as GameTable

        made, code = self.game(game), "bad_record" if deal is None else "bad_deal"
        if deal is not None:
            blank = GameTable(made, seed=0).record()
            known = _deal(blank)
            for name in deal:
                if name not in known:
                    expected = f"unknown field of a deal; expected {', '.join(known)}"
                    raise RefusedError(code, f"{name[:40]!r}: {expected}")
            if missing := known.keys() - deal.keys():
                raise RefusedError(code, f"deal: missing {', '.join(sorted(missing))}")
            record = {**blank, **deal, "moves": []}
        try:
            if position is not None:
                code = "bad_position"
                return table_at(made, position)
            return GameTable(made, seed=seed, record=record)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise RefusedError(code, str(error)[:400]) from error

    def read(self, record: Mapping[str, object]) -> "tuple[str, Table]":
        """Returns the game of a record, and its table. Raises RefusedError."""
        base = base_of_record(record)
        names = [name for name in self._names if base_of(name) == base]
        if not names:
            raise RefusedError(
                "bad_record",
                "a record of no game that is played here; expected one of "
                f"{', '.join(self._names)}",
            )

        def alike(name: str) -> int:
            with suppress(ValueError):  # else of a game that has no such matches
                native = self.game(name).native(record)
                if native is not record:
                    return len(native["moves"])  # with the auction
            head = self.game(name).record_head()
            return sum(record.get(key) == value for key, value in head.items())

        faults = []
        for name in sorted(names, key=alike, reverse=True):
            try:
                return name, self.table(name, record=record)
            except RefusedError as refused:
                faults.append(refused)
        raise faults[0]


def _classes(score: "ScoreUnit") -> tuple[float, float, float]:
    """Returns the default thresholds of mistakes. In points, they are the same shares of a win as
    in winning probability, for a peasant after a call of 3.
    """
    if score.reports_wins:
        return (5.0, 10.0, 15.0)
    if UNITS.get(score.key) == "chips":
        big_blind = _big_blind(score)
        return (0.1 * big_blind, 0.25 * big_blind, 0.5 * big_blind)
    return (0.3, 0.6, 0.9)


def _big_blind(score: "ScoreUnit") -> float:
    """Returns the chips of a big blind; 1 where returns are not chips."""
    return 1000.0 / score.per_return if UNITS.get(score.key) == "chips" else 1.0


def _deal(record: Json) -> Json:
    """Returns the fields of a record that make up the deal."""
    return {field: value for field, value in record.items() if field not in RESULTS}


def _deal_in_words(record: Json) -> Json | None:
    """Returns the fields of a deal in words; None if a person cannot write it as hands and
    cards.
    """
    fields = _deal(record)
    if any(isinstance(value, Mapping) for value in fields.values()):
        return None
    return {field: _in_words(value) for field, value in fields.items()}


def _in_words(value: Any) -> Any:
    """Returns a part of a deal in words: its number of cards."""
    if isinstance(value, list) and value and (not isinstance(value[0], str) or len(value[0]) > 3):
        return [_in_words(item) for item in value]
    return f"{len(value)} cards"
