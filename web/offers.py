"""The players of the lobby: those that come with the project, and those of runs given to ``play.py``."""

import logging
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from web.asking import Priority, Question
from web.catalogue import Catalogue, Entry, Offer, searching
from web.variants import name_of, parts_of

MODELS = Path(__file__).resolve().parent.parent / "models"
WARM_SEEDS = (0, 1, 2, 3, 4)
"""Of rehearsals: networks compile kernels for each size of a batch, so a few different positions are searched."""
GAMES = ("doudizhu", "leduc", "kuhn", "limit_holdem")
"""In the order in which they are warmed up."""
EXACT = ("leduc", "kuhn")
"""Games small enough that tables tell what each move is worth exactly (``games.poker.tables.PokerTables.has_tree``). The
tables are near an equilibrium, whose likeliest moves alone are a weak player (``models/README.md``)."""
PLAYED: dict[str, dict[str, object]] = {"doudizhu": {"rules": "standard", "encoding": "default"}}
"""Settings of games as the tables play them; a run with others cannot sit there. Runs of other games bring their options."""
ITERATIONS = 2000
"""Of IS-MCTS, which plays every game without having learned it."""
RANDOM = Entry("random", "random", "Random", "random")
GENERAL = "general"
"""The room of ``agents`` whose players stand here by name (``others``, checkpoints)."""
log = logging.getLogger("web")


def others(mixes: bool) -> list[Entry]:
    """Returns who plays every game."""
    options: dict[str, object] = {"iterations": ITERATIONS}
    greedy = {**options, "temperature": 0.0} if mixes else None
    return [Entry("ismcts", "ismcts", "IS-MCTS", "ismcts", options, greedy, delay=2.0, budget=1.85), RANDOM]


OTHERS = Offer(tuple(others(mixes=True)))
"""What is offered for a game that has nothing of its own."""


def offers(checkpoints: Sequence[Path] = ()) -> dict[str, Offer]:
    """Returns what the lobby offers, by game.

    Args:
        checkpoints: Folders of runs; their game stands in their configuration.
    """
    call = Entry("always_call", "always_call", "Always calls", "always_call")
    made: dict[str, list[Entry]] = {
        "doudizhu": [
            Entry("rhcp", "rhcp", "RHCP", "rhcp"),
            Entry("pimc", "pimc", "PIMC", "pimc", delay=2.0, budget=1.9),
            *others(mixes=False),
        ],
        "kuhn": [call, *others(mixes=True)],
        "leduc": [call, *others(mixes=True)],
        "limit_holdem": [call, *others(mixes=True)],
    }
    analysts: dict[str, str] = {}
    for game, entries in made.items():
        mixes = game != "doudizhu"
        if (MODELS / f"{game}.safetensors").exists():
            entries[:0] = [*searching("fpmcts", "FPMCTS", mixes)]
            analysts[game] = "fpmcts"
        if (MODELS / f"{game}-tables.safetensors").exists():
            entries.insert(0, _tables("tables", "Tables", game, str(MODELS / f"{game}-tables.safetensors")))
            analysts.setdefault(game, "tables")
    for path in checkpoints:
        game, kind = run_of(path)
        entries = made.setdefault(game, others(mixes=True))
        name = _free_name(path.resolve().name[:40] or "run", entries)
        if kind == "tabular":
            entries.append(_tables(name, name, game, str(path)))
            analysts.setdefault(game, name)
        elif kind == "policies":
            entries += searching(name, name, game != "doudizhu", checkpoint=str(path))[:1]
        else:
            entries += searching(name, name, game != "doudizhu", checkpoint=str(path))
            analysts.setdefault(game, name)
    return {game: _offer(game, entries, analysts.get(game)) for game, entries in made.items()}


def of_rooms(name: str, game: Any) -> list[Entry]:
    """Returns the players that the rooms of ``agents`` have for a game, with their usual options; none for ``GAMES``.

    Who cannot be made so, as those who need a run or another player, is left out. Rooms are imported here, without networks.

    Args:
        name: Of the game in the lobby.
        game: The game.
    """
    if parts_of(name)[0] in GAMES:
        return []
    import agents
    from agents.agent import observers
    from agents.registry import PLAYERS, Entrant, Host, discover

    for room in pkgutil.iter_modules(agents.__path__):
        if room.ispkg and room.name != GENERAL:
            discover(f"agents.{room.name}")
    found = []
    for kind, made in sorted(PLAYERS.items(), key=lambda item: not item[1].slow):  # the lobby proposes the first
        if not made.families or not made.plays(game.spec.name):
            continue
        label = kind.replace("_", " ").capitalize()
        try:
            agent = Host(game, {kind: Entrant(made(), kind)}, lanes=1).make(kind)
        except Exception as error:  # noqa: BLE001 (whatever a player lacks, the others can be played with)
            log.debug("%s does not sit at tables of %s: %r", kind, name, error)
            continue
        pace: dict[str, Any] = {"delay": 2.0, "budget": 1.85} if made.slow else {}
        found.append(Entry(kind, kind, label, kind, adapts=bool(observers([agent])), **pace))
    return found


def _tables(name: str, label: str, game: str, file: str) -> Entry:
    """Returns the player of a table of policies."""
    average, greedy = {"run": file, "policy": "average"}, {"run": file, "policy": "greedy"}
    return Entry(name, name, label, "tabular", average, None if parts_of(game)[0] in EXACT else greedy)


def _offer(game: str, entries: list[Entry], analyst: str | None) -> Offer:
    """Returns the offer of a game."""
    if analyst is None:
        return Offer(tuple(entries))
    first = next(entry for entry in entries if entry.group == analyst and entry.kind in ("fpmcts", "tabular"))
    options = {name: value for name, value in first.options.items() if name not in ("playouts", "temperature")}
    return Offer(tuple(entries), analyst, first.kind, options, exact=first.kind == "tabular" and parts_of(game)[0] in EXACT)


def _free_name(name: str, entries: list[Entry]) -> str:
    taken = {entry.group for entry in entries}
    return next(free for k in range(1, 1000) if (free := name if k == 1 else f"{name}-{k}") not in taken)


def run_of(path: Path) -> tuple[str, str]:
    """Returns the game of a run, its options included, and what it learned: "networks" that can be searched with, "policies"
    alone, or "tabular".

    Raises:
        ValueError: There is no run, or it is of a game that no table plays so; the message names the file.
    """
    from networks.checkpoint import CHECKPOINT, NETWORKS, load  # numpy alone

    if path.is_dir():
        path = path / NETWORKS if (path / NETWORKS).exists() else path / CHECKPOINT
    meta = load(path)[1]
    if "algorithm" in meta:
        settings, kind = meta["game"], "policies" if meta["algorithm"]["name"] == "nfsp" else "tabular"
    else:
        settings, kind = meta["config"]["game"], "networks"
    game = str(settings["name"])
    for key, played in PLAYED.get(game, {}).items():
        given = settings.get(key)
        if given is not None and given != played:
            raise ValueError(f"{path}: a run of {game} with {key}={given}; the browser table plays {key}={played}")
    options = {key: value for key, value in settings.items() if key != "name" and key not in PLAYED.get(game, {})}
    return name_of(game, options), kind


def warm_up(catalogue: Catalogue) -> list[Question]:
    """Returns questions that compile and load what games need: the first analyst, which is waited for; then analysts at
    several positions, and one player of each kind.
    """
    first: list[Question] = []
    later: list[Question] = []
    for game in GAMES:
        offer = catalogue.offer(game)
        asked = set()
        if offer.analyst is not None:
            for seed in WARM_SEEDS:
                options = {**offer.analyst_options, **({"playouts": 256} if offer.searches else {})}
                priority = Priority.REHEARSAL if first else Priority.WARM_UP
                first.append(Question(game, {}, offer.analyst_kind, options, seed, priority=priority))
            asked.add(offer.analyst_kind)
            priority = Priority.REHEARSAL
            later.append(Question(game, {}, offer.analyst_kind, offer.analyst_options, WARM_SEEDS[0], priority=priority, luck=2))
        for entry in offer.entries:
            if entry.kind not in (*asked, "ismcts"):  # what few sit with is compiled when they do
                asked.add(entry.kind)
                later.append(Question(game, {}, entry.kind, entry.options, WARM_SEEDS[0], priority=Priority.REHEARSAL))
    return first + later
