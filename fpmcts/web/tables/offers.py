"""The players of the lobby: those that come with the project, and those of runs given to
``play.py``.

The time that players need on this machine is measured once, so that delays are the same for every
hand and fit every search. A search that is cut short plays badly, and a late one reveals that there
was something to think about.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fpmcts.web.engine.asking import Engine, EngineQuestion, Priority
from fpmcts.web.errors import Json
from fpmcts.web.tables.catalogue import LEAST_DELAY, MARGIN, Catalogue, Entry, Offer
from fpmcts.web.tables.rulebook import base_of
from games.base.files import shipped

MODELS = shipped("models")
SPEEDS = {64: 0.9, 256: 2.0, 1024: 6.0}
"""The delay of a player (``Entry``), by playouts."""
SLOW = 2.0
"""The delay of players that search for longer."""
GREEDY: Json = {"temperature": 0.0}
"""Options of players that sample their moves, for games in which good players mix."""
WARM_SEEDS = (0, 1, 2, 3, 4)
"""Seeds of warm-up searches: networks compile kernels for each batch size, so several positions are
searched.
"""
AUCTIONS = (
    "doudizhu:bidding=call,doubling=true",
    "doudizhu:bidding=rob,doubling=true",
    "doudizhu:bidding=rob,doubling=each",
)
"""The variants of Doudizhu with an auction."""
GAMES = ("doudizhu", "leduc", "kuhn", "limit_holdem")
"""Games in the order of their warm-up."""
NETWORKS = ("no_limit_holdem", "no_limit_holdem:players=3")
"""Further games with weights, whose other players come from the rooms (``of_rooms``)."""
EXACT = ("leduc", "kuhn")
"""Games small enough that tables have the exact value of each move
(``games.play.tables.Tables.has_tree``). The tables are near an equilibrium, whose likeliest moves
alone make a weak player (``models/README.md``).
"""
PLAYED: dict[str, dict[str, object]] = {"doudizhu": {"rules": "standard", "encoding": "default"}}
"""Settings of the games at tables; runs with other settings cannot play there. Runs of other games
bring their own options.
"""
ITERATIONS = 2000
"""Iterations of IS-MCTS, which plays every game without training."""
RANDOM = Entry("random", "random", "Random", "random")
EVERYWHERE = (
    Entry("ismcts", "ismcts", "IS-MCTS", "ismcts", {"iterations": ITERATIONS}, GREEDY, delay=SLOW),
    RANDOM,
)
"""The players of every game."""
OTHERS = Offer(EVERYWHERE)
"""The offer for games without their own."""
MEASURED, MEASURED_SEEDS = 64, (2, 3)
"""Playouts and deals of a measurement."""
ROOM, LONGEST = 1.5, 2.0
"""Factor from the measured time of the playouts to the delay, and the longest delay, in seconds,
unless the catalogue's is longer; on a slower machine inference and search are cut short.
"""
log = logging.getLogger(__name__)


def searching(group: str, label: str, game: str, **options: Any) -> list[Entry]:
    """Returns the policy of a searching player without search, and the player at every speed."""
    options["temperature"] = float(base_of(game) != "doudizhu")  # whose players need not mix
    name = "policy" if group == "fpmcts" else f"{group}-policy"
    policy = Entry(name, group, f"{label}, policy alone", "policy", options, GREEDY)
    searches = (
        replace(
            policy,
            name=f"{group}-{playouts}",
            label=f"{label}, {playouts:,} playouts",
            kind="fpmcts",
            options={**options, "playouts": playouts},
            playouts=playouts,
            delay=delay,
        )
        for playouts, delay in SPEEDS.items()
    )
    return [policy, *searches]


def tabular(name: str, label: str, game: str, file: Path) -> Entry:
    """Returns the player of a stored tabular policy."""
    greedy = None if base_of(game) in EXACT else {"policy": "greedy"}
    return Entry(name, name, label, "tabular", {"run": str(file), "policy": "average"}, greedy)


def offers(checkpoints: Sequence[Path] = ()) -> dict[str, Offer]:
    """Returns the offers of the lobby, by game.

    Args:
        checkpoints: Run folders; their configuration names their game.
    """
    call = Entry("always_call", "always_call", "Always calls", "always_call")
    rhcp = Entry("rhcp", "rhcp", "RHCP", "rhcp")
    pimc = Entry("pimc", "pimc", "PIMC", "pimc", delay=SLOW)
    made = {game: [call, *EVERYWHERE] for game in GAMES}
    made["doudizhu"] = [rhcp, pimc, *EVERYWHERE]
    for game in AUCTIONS:
        made[game] = [rhcp, *EVERYWHERE]
    mcts = Entry("mcts", "mcts", "Tree search", "mcts", delay=SLOW, adapts=True)
    for game in (*NETWORKS, "no_limit_holdem:players=6"):
        made[game] = [mcts, *EVERYWHERE]
    analysts: dict[str, str] = {}
    for game, entries in made.items():
        weights, tables = weights_of(game), MODELS / f"{game}-tables.safetensors"
        if weights.exists():
            entries[:0] = searching("fpmcts", "FPMCTS", game)
            analysts[game] = "fpmcts"
        if tables.exists():
            entries.insert(0, tabular("tables", "Tables", game, tables))
            analysts[game] = "tables"  # stronger than networks wherever both come with the project
    for path in checkpoints:
        game, learned = run_of(path)
        entries = made.setdefault(game, [*EVERYWHERE])
        name = _free_name(path.resolve().name[:40] or "run", entries)
        new = [tabular(name, name, game, path)]
        if learned != "tables":
            new = searching(name, name, game, checkpoint=str(path))
        if learned == "policies":
            new = new[:1]
        else:
            analysts.setdefault(game, name)
        entries += new
    return {game: _offer(game, entries, analysts.get(game)) for game, entries in made.items()}


def weights_of(game: str) -> Path:
    """Returns the file of the networks of a game, with its options (``Game.weights``)."""
    return MODELS / f"{game.translate(str.maketrans(':,', '--'))}.safetensors"


def _offer(game: str, entries: list[Entry], analyst: str | None) -> Offer:
    tables = any(entry.kind == "tabular" for entry in entries if entry.group == analyst)
    return Offer(tuple(entries), analyst, exact=tables and base_of(game) in EXACT)


def _free_name(name: str, entries: list[Entry]) -> str:
    taken = {entry.group for entry in entries}
    names = (name if k == 1 else f"{name}-{k}" for k in range(1, 1000))
    return next(free for free in names if free not in taken)


def run_of(path: Path) -> tuple[str, str]:
    """Returns the game of a run, with its options, and the kind of its result: "networks" for
    searches, "policies" only, or "tables".

    Raises:
        ValueError: There is no run, or it has game settings that tables do not play; the message
            names the file.
    """
    from games import Choice
    from networks.checkpoint import CHECKPOINT, NETWORKS, entry, load  # numpy only

    if path.is_dir():
        path = path / (NETWORKS if (path / NETWORKS).exists() else CHECKPOINT)
    meta, learned = load(path)[1], "networks"
    if "algorithm" in meta:
        algorithm = entry(meta, "algorithm.name", str, path)
        if algorithm == "opponent_model":
            hint = "evaluate.py game=no_limit_holdem a=mcts a.checkpoint=FOLDER"
            raise ValueError(f"{path}: a model of opponents, not a player; it is used by {hint}")
        learned = "policies" if algorithm == "nfsp" else "tables"
    settings = entry(meta, "config.game" if learned == "networks" else "game", dict, path)
    game = entry(settings, "name", str, path)
    played = PLAYED.get(game, {})
    for key, usual in played.items():
        if (given := settings.get(key)) not in (None, usual):
            raise ValueError(
                f"{path}: a run of {game} with {key}={given}; the browser table plays {key}={usual}"
            )
    options = {key: value for key, value in settings.items() if key != "name" and key not in played}
    return str(Choice(game, options)), learned


def of_rooms(name: str, game: Any) -> list[Entry]:
    """Returns the players of ``fpmcts.players`` and other folders for a game, with their default
    options; none for ``GAMES``.

    Players that need a run or another player are left out. Their modules are imported here, without
    networks.

    Args:
        name: Name of the game in the lobby.
        game: The game.
    """
    if base_of(name) in GAMES:
        return []
    from games.play.agent import observers
    from games.play.registry import PLAYERS, Entrant, Host, discover_of_games

    discover_of_games()
    found = []
    # The lobby proposes the first.
    for kind, made in sorted(PLAYERS.items(), key=lambda item: not item[1].slow):
        if not made.families or not made.plays(game.spec.name):
            continue
        label = kind.replace("_", " ").capitalize()
        try:
            agent = Host(game, {kind: Entrant(made(), kind)}, lanes=1).make(kind)
        except Exception as error:  # noqa: BLE001 (the other players can still be used)
            log.debug("%s does not sit at tables of %s: %r", kind, name, error)
            continue
        delay, adapts = SLOW if made.slow else LEAST_DELAY, bool(observers([agent]))
        found.append(Entry(kind, kind, label, kind, delay=delay, adapts=adapts))
    return found


def warm_up(catalogue: Catalogue) -> list[EngineQuestion]:
    """Returns questions that compile and load the players: the first analyst, for which the server
    waits; then analysts at several positions, and one player of each kind.
    """
    first: list[EngineQuestion] = []
    later: list[EngineQuestion] = []
    beside = Priority.REHEARSAL
    for game in GAMES:
        offer = catalogue.offer(game)
        asked = {"ismcts"}  # rarely used players are compiled on demand
        if offer.analyst is not None:
            for seed in WARM_SEEDS:
                priority = beside if first else Priority.WARM_UP
                first.append(offer.ask_analyst(game, {}, seed, 256, priority=priority))
            asked.add(first[-1].kind)
            later.append(offer.ask_analyst(game, {}, 0, priority=beside, luck=2))
        for entry in offer.entries:
            if entry.kind not in asked:
                asked.add(entry.kind)
                later.append(
                    EngineQuestion(game, {}, entry.kind, entry.options, 0, priority=beside)
                )
    auctions = ((game, catalogue.offer(game)) for game in AUCTIONS)
    later += [
        offer.ask_analyst(game, {}, 0, 64, priority=beside)
        for game, offer in auctions
        if offer.analyst is not None
    ]
    return first + later


def fitted(entry: Entry, seconds: float) -> Entry:
    """Returns a player with the delay for playouts that take ``seconds`` each."""
    if entry.playouts is None:
        return entry
    needed = ROOM * entry.playouts * seconds + MARGIN
    return replace(entry, delay=round(max(entry.delay, min(needed, LONGEST)), 1))


async def measure(engine: Engine, catalogue: Catalogue, games: Sequence[str]) -> None:
    """Measures the searches of games, after all other questions, and fits the delays of their
    players.
    """
    for game in games:
        offer = catalogue.offer(game)
        if offer.analyst is None or offer.exact:
            continue
        taken = []
        for seed in MEASURED_SEEDS:
            asked = offer.ask_analyst(game, {}, seed, MEASURED, priority=Priority.REHEARSAL)
            taken.append((await engine.ask(asked)).decision.seconds / MEASURED)
        catalogue.refit(game, partial(fitted, seconds=min(taken)))
