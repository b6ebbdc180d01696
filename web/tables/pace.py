"""How long players need on this machine: measured once, so that delays are the same for every hand and fit every search.

A search that is cut short plays badly, and one that is late shows by its time that there was something to think about. The delay
of a searching player is therefore what its playouts take here, with room to spare, and at least that of the catalogue.
"""

from dataclasses import replace

from web.engine.asking import Engine, Priority, Question
from web.tables.catalogue import Catalogue, Entry

PLAYOUTS = 64
"""Of a measurement."""
ROOM = 1.5
"""A delay is so many times what the playouts took when they were measured."""
MOST = 12
"""A delay is at most so many times that of the catalogue: beyond it a busy machine cuts searches short."""
MARGIN = 0.15
"""Seconds of the delay that a search may not use."""
SEEDS = (2, 3)
"""Deals that are measured."""


def fitted(entry: Entry, seconds: float) -> Entry:
    """Returns a player with the delay and the time to think that it has where a playout takes so many seconds."""
    if entry.playouts is None:
        return entry
    delay = round(min(max(entry.delay, ROOM * entry.playouts * seconds + MARGIN), MOST * entry.delay), 1)
    return replace(entry, delay=delay, budget=max(delay - MARGIN, entry.budget))


async def measure(engine: Engine, catalogue: Catalogue, games: tuple[str, ...]) -> None:
    """Measures the searches of games, after everything else, and fits the delays of their players."""
    for game in games:
        offer = catalogue.offer(game)
        if not offer.searches:
            continue
        options = {**offer.analyst_options, "playouts": PLAYOUTS}
        taken = []
        for seed in SEEDS:
            question = Question(game, {}, offer.analyst_kind, options, seed, priority=Priority.REHEARSAL)
            taken.append((await engine.ask(question)).seconds)
        seconds = min(taken) / PLAYOUTS
        catalogue.refit(game, lambda entry, seconds=seconds: fitted(entry, seconds))  # type: ignore[misc]
