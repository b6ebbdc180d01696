"""A game as it is kept, and what may be seen of it: views, plies, the record.

Where hands are hidden, nothing that is told depends on cards that your seat cannot see. A move that
your seat cannot see counts nowhere before the end: what clients call a ply is a place among the
moves that may be told.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fpmcts.web.clock import Chance, Clock
from fpmcts.web.engine.asking import Engine, Question
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.tables.catalogue import YOU, Catalogue, Offer
from fpmcts.web.tables.rulebook import Games, plies_seen, table_at
from fpmcts.web.tables.store import Store, StoredGame
from fpmcts.web.tables.views import view_of

if TYPE_CHECKING:
    from games.table import Table


@dataclass
class Services:
    """What tables stand on."""

    rulebook: Games
    catalogue: Catalogue
    engine: Engine
    store: Store
    clock: Clock
    chance: Chance


class KeptGame:
    """A game with its players.

    Args:
        services: What it stands on.
        stored: The game as it is kept.
        table: The game, where it is there already.
    """

    def __init__(
        self, services: Services, stored: StoredGame, table: "Table | None" = None
    ) -> None:
        self.services, self._stored = services, stored
        self.id, self.session, self.game = stored.id, stored.session, stored.game
        self.settings, self.you = stored.settings, stored.settings.you
        self.table = table or services.rulebook.table(stored.game, record=stored.record)
        self.info = services.rulebook.info(stored.game)

    @property
    def offer(self) -> Offer:
        """Returns the players and the analyst of the game."""
        return self.services.catalogue.offer(self.game)

    @property
    def done(self) -> bool:
        """Returns whether nothing is hidden any more: the game is over, or it is an opened
        record.
        """
        return self.table.is_over or self.settings.imported

    @property
    def everything(self) -> bool:
        """Returns whether all hands are shown."""
        return self.done or self.settings.mode == "open"

    @property
    def seen(self) -> Sequence[int]:
        """Returns the plies of the moves that may be told."""
        if self.everything or not self.info.private_moves or self.you is None:
            return range(len(self.table.moves))
        return plies_seen(self.table, self.you)

    def view(self, table: "Table | None" = None) -> Json:
        """Returns what is seen of the table, or of another one of its game."""
        return view_of(
            table or self.table,
            self.info,
            self.settings.seats,
            self.you,
            everything=self.everything,
        )

    def puzzle(self, ply: int) -> Json:
        """Returns a decision as its mover saw it."""
        table = table_at(self.table, ply)
        players = [
            YOU if seat == table.seat else name for seat, name in enumerate(self.settings.seats)
        ]
        return view_of(table, self.info, players, table.seat)

    def stored(self) -> StoredGame:
        """Returns the game as it is to be kept now."""
        self.settings.plies, returns = len(self.seen), self.table.returns
        self.settings.returns = None if returns is None else list(returns)
        return self._stored._replace(over=self.table.is_over, record=self.table.record())

    def save(self) -> None:
        """Writes the game to disk."""
        self.services.store.put(self.stored())

    def summary(self) -> Json:
        """Returns the table in short."""
        return self.stored().summary()

    def record(self) -> Json:
        """Returns the record. Raises RefusedError while it would tell what is hidden."""
        if not self.done:
            raise RefusedError("not_over", "the record can be read when the game is over")
        return {"players": self.settings.seats, **self.table.record()}

    def replay(self) -> list[Json]:
        """Returns all positions. Raises RefusedError while they would tell what is hidden."""
        if not self.everything:
            raise RefusedError("not_over", "the game can be replayed when it is over")
        table, plies = table_at(self.table, 0), []
        for ply, move in enumerate([*self.table.moves, None]):
            seat, text = (None, None) if move is None else (move.seat, move.text)
            plies.append(
                {"ply": ply, "seat": seat, "move": text, "view": self.view(table) | {"legal": []}}
            )
            if move is not None:
                table.play(move.text)
        return plies

    def question(self, ply: int, seed: int, playouts: int | None = None, **asked: Any) -> Question:
        """Returns a question to the analyst about a position, see ``Offer.ask_analyst``."""
        record = table_at(self.table, ply).record()
        return self.offer.ask_analyst(self.game, record, seed, playouts, **asked)

    def told_ply(self, ply: int) -> int:
        """Returns what clients call a ply."""
        return bisect_left(self.seen, ply)

    def _ply(self, told: int | None) -> int:
        """Returns the ply that a client means; None: the last one.

        Raises:
            RefusedError: There is nothing to decide.
        """
        seen, over = self.seen, self.table.is_over
        last = len(seen) - over
        if (told is None and over) or (told is not None and told > last):
            raise RefusedError("bad_message", f"ply: expected at most {last}")
        return len(self.table.moves) if told is None or told == len(seen) else seen[told]

    def mover(self, ply: int) -> int:
        """Returns the seat that moves, or moved, at a ply."""
        return self.table.moves[ply].seat if ply < len(self.table.moves) else self.table.seat

    def may_ask(self, told: int | None) -> int:
        """Returns the ply that a client means where it may be searched; None asks for the last one.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        ply = self._ply(told)
        if not self.everything:
            if self.settings.mode == "fair":
                raise RefusedError("not_allowed", "a fair game is not analysed before its end")
            if self.mover(ply) != self.you:
                raise RefusedError("not_allowed", "hints are for your own decisions")
        return ply

    def outside(self, told: int | None) -> Json:
        """Returns what a player outside would be sent for a decision.

        Raises:
            RefusedError: The mode does not allow it, or there is nothing to decide.
        """
        running = not self.table.is_over and (told is None or told <= len(self.seen))
        if self.everything or (running and self.mover(self._ply(told)) == self.you):
            return table_at(self.table, self._ply(told)).describe()
        raise RefusedError("not_your_turn", "it can be copied when it is your turn")
