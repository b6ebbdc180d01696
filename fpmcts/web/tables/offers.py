"""The players of the lobby: those that come with the project, and those of runs given to
``play.py``.

How long players need on this machine is measured once, so that delays are the same for every hand
and fit every search. A search that is cut short plays badly, and one that is late shows by its time
that there was something to think about.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fpmcts.web.engine.asking import Engine, Priority, Question
from fpmcts.web.errors import Json
from fpmcts.web.tables.catalogue import Catalogue, Entry, Offer
from fpmcts.web.tables.rulebook import base_of

MODELS = Path(__file__).resolve().parents[3] / "models"
SPEEDS = {64: (0.9, 0.7), 256: (2.0, 1.8), 1024: (6.0, 5.8)}
"""By playouts: delay and budget of a player (``Entry``)."""
SLOW: Json = {"delay": 2.0, "budget": 1.85}
"""Those of players that take their time to search."""
WARM_SEEDS = (0, 1, 2, 3, 4)
"""Of rehearsals: networks compile kernels for each size of a batch, so a few different positions
are searched.
"""
GAMES = ("doudizhu", "leduc", "kuhn", "limit_holdem")
"""In the order in which they are warmed up."""
EXACT = ("leduc", "kuhn")
"""Games small enough that tables tell what each move is worth exactly
(``games.tables.Tables.has_tree``). The tables are near an equilibrium, whose likeliest
moves alone are a weak player (``models/README.md``).
"""
PLAYED: dict[str, dict[str, object]] = {"doudizhu": {"rules": "standard", "encoding": "default"}}
"""Settings of games as the tables play them; a run with others cannot sit there. Runs of other
games bring their options.
"""
ITERATIONS = 2000
"""Of IS-MCTS, which plays every game without having learned it."""
RANDOM = Entry("random", "random", "Random", "random")
GENERAL = "general"
"""The room of ``fpmcts.players`` whose players stand here by name."""
MEASURED, MEASURED_SEEDS = 64, (2, 3)
"""Playouts and deals of a measurement."""
ROOM, MOST = 1.5, 12
"""A delay is so many times what the playouts took when they were measured, and at most so many
times that of the catalogue: beyond it a busy machine cuts searches short."""
MARGIN = 0.15
"""Seconds of the delay that a search may not use."""
log = logging.getLogger("web")


def drawn(mixes: bool) -> Json:
    """Returns the arguments of an ``Entry`` whose moves are drawn where a good player of the game
    mixes.
    """
    return {"greedy": {"temperature": 0.0}} if mixes else {}


def everywhere(mixes: bool = True) -> list[Entry]:
    """Returns the players of every game."""
    options = {"iterations": ITERATIONS}
    return [Entry("ismcts", "ismcts", "IS-MCTS", "ismcts", options, **drawn(mixes), **SLOW), RANDOM]


OTHERS = Offer(tuple(everywhere()))
"""What is offered for a game that has nothing of its own."""


def searching(group: str, label: str, mixes: bool, **options: Any) -> list[Entry]:
    """Returns the policy of a searching player without search, and the player at every speed."""
    options |= {"temperature": 1.0} if mixes else {}
    name = "policy" if group == "fpmcts" else f"{group}-policy"
    entries = [Entry(name, group, f"{label}, policy alone", "policy", options, **drawn(mixes))]
    for playouts, (delay, budget) in SPEEDS.items():
        entry = Entry(
            name=f"{group}-{playouts}",
            group=group,
            label=f"{label}, {playouts:,} playouts",
            kind="fpmcts",
            options={**options, "playouts": playouts},
            playouts=playouts,
            delay=delay,
            budget=budget,
            **drawn(mixes),
        )
        entries.append(entry)
    return entries


def tabular(name: str, label: str, game: str, file: Path) -> Entry:
    """Returns the player of a table of policies."""
    greedy = None if base_of(game) in EXACT else {"policy": "greedy"}
    return Entry(name, name, label, "tabular", {"run": str(file), "policy": "average"}, greedy)


def offers(checkpoints: Sequence[Path] = ()) -> dict[str, Offer]:
    """Returns what the lobby offers, by game.

    Args:
        checkpoints: Folders of runs; their game stands in their configuration.
    """
    call = Entry("always_call", "always_call", "Always calls", "always_call")
    rhcp = Entry("rhcp", "rhcp", "RHCP", "rhcp")
    pimc = Entry("pimc", "pimc", "PIMC", "pimc", delay=2.0, budget=1.9)
    made = {game: [call, *everywhere()] for game in GAMES}
    made["doudizhu"] = [rhcp, pimc, *everywhere(mixes=False)]
    analysts: dict[str, str] = {}
    for game, entries in made.items():
        weights, tables = MODELS / f"{game}.safetensors", MODELS / f"{game}-tables.safetensors"
        if weights.exists():
            entries[:0] = searching("fpmcts", "FPMCTS", game != "doudizhu")
            analysts[game] = "fpmcts"
        if tables.exists():
            entries.insert(0, tabular("tables", "Tables", game, tables))
            analysts.setdefault(game, "tables")
    for path in checkpoints:
        game, learned = run_of(path)
        entries = made.setdefault(game, everywhere())
        name = _free_name(path.resolve().name[:40] or "run", entries)
        new = [tabular(name, name, game, path)]
        if learned != "tables":
            new = searching(name, name, game != "doudizhu", checkpoint=str(path))
        if learned == "policies":
            new = new[:1]
        else:
            analysts.setdefault(game, name)
        entries += new
    return {game: _offer(game, entries, analysts.get(game)) for game, entries in made.items()}


def _offer(game: str, entries: list[Entry], analyst: str | None) -> Offer:
    tables = any(entry.kind == "tabular" for entry in entries if entry.group == analyst)
    return Offer(tuple(entries), analyst, exact=tables and base_of(game) in EXACT)


def _free_name(name: str, entries: list[Entry]) -> str:
    taken = {entry.group for entry in entries}
    names = (name if k == 1 else f"{name}-{k}" for k in range(1, 1000))
    return next(free for free in names if free not in taken)


def run_of(path: Path) -> tuple[str, str]:
    """Returns the game of a run, its options included, and what it learned: "networks" that can be
    searched with, "policies" alone, or "tables".

    Raises:
        ValueError: There is no run, or it is of a game that no table plays so; the message names
            the file.
    """
    from games import Choice
    from networks.checkpoint import CHECKPOINT, NETWORKS, load  # numpy alone

    if path.is_dir():
        path = path / NETWORKS if (path / NETWORKS).exists() else path / CHECKPOINT
    meta = load(path)[1]
    if "algorithm" in meta:
        settings, learned = (
            meta["game"],
            "policies" if meta["algorithm"]["name"] == "nfsp" else "tables",
        )
    else:
        settings, learned = meta["config"]["game"], "networks"
    game = str(settings["name"])
    played = PLAYED.get(game, {})
    for key, usual in played.items():
        given = settings.get(key)
        if given is not None and given != usual:
            raise ValueError(
                f"{path}: a run of {game} with {key}={given}; the browser table plays {key}={usual}"
            )
    options = {key: value for key, value in settings.items() if key != "name" and key not in played}
    return str(Choice(game, options)), learned


def of_rooms(name: str, game: Any) -> list[Entry]:
    """Returns the players that the rooms of ``fpmcts.players`` have for a game, with their usual
    options; none for ``GAMES``.

    Those that cannot be made so, since they need a run or another player, are left out. Rooms are
    imported here, without networks.

    Args:
        name: Of the game in the lobby.
        game: The game.
    """
    if base_of(name) in GAMES:
        return []
    from games.agent import observers
    from games.registry import PLAYERS, Entrant, Host, discover_of_games

    discover_of_games()
    found = []
    for kind, made in sorted(
        PLAYERS.items(), key=lambda item: not item[1].slow
    ):  # the lobby proposes the first
        if not made.families or not made.plays(game.spec.name):
            continue
        label = kind.replace("_", " ").capitalize()
        try:
            agent = Host(game, {kind: Entrant(made(), kind)}, lanes=1).make(kind)
        except Exception as error:  # noqa: BLE001 (whatever a player lacks, the others can be played with)
            log.debug("%s does not sit at tables of %s: %r", kind, name, error)
            continue
        pace = SLOW if made.slow else {}
        found.append(Entry(kind, kind, label, kind, adapts=bool(observers([agent])), **pace))
    return found


def warm_up(catalogue: Catalogue) -> list[Question]:
    """Returns questions that compile and load what games need: the first analyst, which is waited
    for; then analysts at several positions, and one player of each kind.
    """
    first: list[Question] = []
    later: list[Question] = []
    for game in GAMES:
        offer = catalogue.offer(game)
        asked = {"ismcts"}  # what few sit with is compiled when they do
        if offer.analyst is not None:
            for seed in WARM_SEEDS:
                priority = Priority.REHEARSAL if first else Priority.WARM_UP
                first.append(offer.ask_analyst(game, {}, seed, 256, priority=priority))
            asked.add(first[-1].kind)
            later.append(
                offer.ask_analyst(game, {}, WARM_SEEDS[0], priority=Priority.REHEARSAL, luck=2)
            )
        for entry in offer.entries:
            if entry.kind not in asked:
                asked.add(entry.kind)
                options, priority = entry.options, Priority.REHEARSAL
                later.append(
                    Question(game, {}, entry.kind, options, WARM_SEEDS[0], priority=priority)
                )
    return first + later


def fitted(entry: Entry, seconds: float) -> Entry:
    """Returns a player with the delay and the time to think that it has where a playout takes so
    many seconds.
    """
    if entry.playouts is None:
        return entry
    needed = ROOM * entry.playouts * seconds + MARGIN
    delay = round(min(max(entry.delay, needed), MOST * entry.delay), 1)
    return replace(entry, delay=delay, budget=max(delay - MARGIN, entry.budget))


async def measure(engine: Engine, catalogue: Catalogue, games: Sequence[str]) -> None:
    """Measures the searches of games, after everything else, and fits the delays of their
    players.
    """
    for game in games:
        offer = catalogue.offer(game)
        if offer.analyst is None or offer.exact:
            continue
        taken = []
        for seed in MEASURED_SEEDS:
            asked = offer.ask_analyst(game, {}, seed, MEASURED, priority=Priority.REHEARSAL)
            taken.append((await engine.ask(asked)).seconds / MEASURED)
        catalogue.refit(game, lambda entry, taken=taken: fitted(entry, min(taken)))  # type: ignore[misc]
