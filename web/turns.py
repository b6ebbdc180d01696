"""The moves of the players of a table: who is asked, and when the answer appears.

Where hands are hidden, nothing that is sent depends on what your seat cannot see, its time included: the move of a player appears
after the delay of its name, and where the answer took longer, after the next whole multiple of it. Moves of which your seat sees
nothing are made beside that, and have no time of their own.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

from web.asking import Answer, CrashError, EngineError, Question
from web.catalogue import Entry
from web.clock import derived_seed
from web.rulebook import plies_seen
from web.wording import answer_fields

TRIES = 2
"""How often a player is asked for a move while the engine crashes or hangs."""
LEAST_BUDGET = 0.02
"""Seconds that a player has at least for a move of which you see nothing."""
SLACK = 0.02
"""Seconds that an answer may be late and still count as in time."""


class Playing(Protocol):
    """What is asked of a room (``web.room.Room``)."""

    id: str
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
