"""The moves of the players of a table: who is asked, and when the answer appears.

Where hands are hidden, nothing that is sent depends on what your seat cannot see, its time
included: the move of a player appears after the delay of its name, and where the answer took
longer, after the next whole multiple of it. Moves of which your seat sees nothing are made beside
that, and have no time of their own.
"""

import contextlib
import math

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, CrashError, Earlier, Hear, Question
from fpmcts.web.tables.catalogue import Entry
from fpmcts.web.tables.kept import KeptGame
from fpmcts.web.tables.rulebook import plies_seen

TRIES = 2
"""How often a player is asked for a move while the engine crashes or hangs."""
MOST_EARLIER = 200
"""Games of a series that players learn from."""
LEAST_BUDGET = 0.02
"""Seconds that a player has at least for a move of which you see nothing."""
SLACK = 0.02
"""Seconds that an answer may be late and still count as in time."""


def appears(game: KeptGame, entry: Entry, began: float, factor: float) -> float:
    """Returns when the move of a player appears; ``factor``: the pace of a game that is watched."""
    if game.everything:
        return began + entry.delay / factor
    elapsed = game.services.clock.now() - began
    return began + entry.delay * max(1, math.ceil((elapsed - SLACK) / entry.delay))


async def next_move(game: KeptGame, entry: Entry, began: float, hear: Hear) -> str:
    """Returns the next move of a player that is told at a table; those before it, of which your
    seat sees nothing, are made.

    All of them share the time of one move: the first has half of it, each later one half of what is
    left.

    Raises:
        EngineError: There is no answer.
        ValueError: The answer is not a legal move.
    """
    if not game.info.private_moves or game.everything or game.you is None:
        return (await ask(game, entry, entry.budget, hear)).move
    while True:
        left = began + entry.budget - game.services.clock.now()
        move = (await ask(game, entry, max(LEAST_BUDGET, left / 2), hear)).move
        after = game.table.copy()
        after.play(move)
        if after.seat != game.table.seat or len(plies_seen(after, game.you)) > len(game.seen):
            return move
        game.table.play(move)
        game.save()


def earlier_games(game: KeptGame) -> Earlier:
    """Returns the finished games of the series before this one, the last ``MOST_EARLIER`` of them,
    and who sat where.
    """
    settings, store = game.settings, game.services.store
    before = [*store.hands_before(settings.series.before, game.session, MOST_EARLIER)][::-1]
    numbers = [*(hand.settings.series.number for hand in before), settings.series.number]
    return Earlier(tuple(hand.record for hand in before), tuple(map(settings.seating, numbers)))


async def ask(game: KeptGame, entry: Entry, seconds: float, hear: Hear) -> Answer:
    """Returns what a player plays. Raises EngineError."""
    greedy = (entry.greedy or {}) if game.settings.greedy else {}
    question = Question(
        game=game.game,
        record=game.table.record(),
        kind=entry.kind,
        options={**entry.options, **greedy},
        seed=derived_seed(game.settings.secret, len(game.table.moves)),
        seconds=seconds,
        earlier=earlier_games(game) if entry.adapts else None,
    )
    for _ in range(TRIES - 1):
        with contextlib.suppress(CrashError):
            return await game.services.engine.ask(question, hear)
    return await game.services.engine.ask(question, hear)
