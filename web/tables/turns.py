"""The moves of the players of a table: who is asked, and when the answer appears.

Where hands are hidden, nothing that is sent depends on what your seat cannot see, its time included: the move of a player appears
after the delay of its name, and where the answer took longer, after the next whole multiple of it. Moves of which your seat sees
nothing are made beside that, and have no time of their own.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

from web.clock import derived_seed
from web.engine.asking import Answer, CrashError, Earlier, EngineError, Question
from web.engine.wording import answer_fields
from web.tables.catalogue import Entry
from web.tables.rulebook import plies_seen

TRIES = 2
"""How often a player is asked for a move while the engine crashes or hangs."""
MOST_EARLIER = 200
"""Games of a series that players learn from."""
LEAST_BUDGET = 0.02
"""Seconds that a player has at least for a move of which you see nothing."""
SLACK = 0.02
"""Seconds that an answer may be late and still count as in time."""


class Playing(Protocol):
    """What is asked of a room (``web.tables.room.Room``)."""

    id: str
    session: str
    game: str
    table: Any
    services: Any
    settings: Any
    movers: list[int]
    factor: float
    info: Any
    you: int | None

    @property
    def everything(self) -> bool:
        """Returns whether all hands are shown."""
        ...

    @property
    def seen(self) -> Sequence[int]:
        """Returns the plies of the moves that may be told."""
        ...

    def tell(self, message: dict[str, Any]) -> None:
        """Sends a message to all who watch."""
        ...

    def play_unseen(self, seat: int, move: str) -> None:
        """Plays a move of which nothing is told."""
        ...


def appears(room: Playing, entry: Entry, began: float) -> float:
    """Returns when the move of a player appears."""
    elapsed = room.services.clock.now() - began
    if room.everything:
        return began + entry.delay / room.factor
    return began + entry.delay * max(1, math.ceil((elapsed - SLACK) / entry.delay))


async def next_move(room: Playing, seat: int, entry: Entry, began: float) -> str:
    """Returns the next move of a player that is told at a table; those before it, of which your seat sees nothing, are made.

    All of them share the time of one move: the first has half of it, each later one half of what is left.

    Raises:
        EngineError: There is no answer.
        ValueError: The answer is no legal move.
    """
    if not room.info.private_moves or room.everything or room.you is None:
        return (await ask(room, seat, entry, entry.budget)).move
    while True:
        left = began + entry.budget - room.services.clock.now()
        move = (await ask(room, seat, entry, max(LEAST_BUDGET, left / 2))).move
        after = room.table.copy()
        after.play(move)
        if after.seat != seat or len(plies_seen(after, room.you)) > len(room.seen):
            return move
        room.play_unseen(seat, move)


def earlier_games(room: Playing) -> Earlier:
    """Returns the finished games of the series before this one, the last ``MOST_EARLIER`` of them, and who sat where."""
    records, settings = list[dict[str, Any]](), room.settings
    numbers, before = [settings.series.number], settings.series.before
    while before is not None and len(records) < MOST_EARLIER:
        stored = room.services.store.get(before)
        if stored is None or stored.session != room.session:
            break
        before = stored.settings["series"]["before"]
        records.insert(0, stored.record)
        numbers.insert(0, stored.settings["series"]["number"])
    count = len(settings.seats)
    shifts = [(number - 1) if settings.rotate else 0 for number in numbers]
    return Earlier(tuple(records), tuple(tuple((seat - shift) % count for seat in range(count)) for shift in shifts))


async def ask(room: Playing, seat: int, entry: Entry, seconds: float) -> Answer:
    """Returns what a player plays. Raises EngineError."""
    greedy = room.settings.greedy and entry.greedy_options is not None
    question = Question(
        game=room.game,
        record=room.table.record(),
        kind=entry.kind,
        options=(entry.greedy_options or {}) if greedy else entry.options,
        seed=derived_seed(room.settings.secret, len(room.movers)),
        seconds=seconds,
        earlier=earlier_games(room) if entry.adapts else None,
    )

    def report(answer: Answer) -> None:
        if room.everything:
            room.tell({"type": "thinking", "table": room.id, "seat": seat, **answer_fields(answer)})

    for attempt in range(TRIES):
        try:
            return await room.services.engine.ask(question, report)
        except CrashError:
            if attempt == TRIES - 1:
                raise
    raise EngineError("the player was not asked")
