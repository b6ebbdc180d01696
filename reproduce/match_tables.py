"""Tables of matches between IS-MCTS players, ``python -m reproduce lisy_tables``: who moves first against who moves second.

A cell is a number of matches; the player of the row moves first. Thinking times of a text are taken as iterations, seconds times
its rates, since at the clock a table would take days and would depend on the machine.

Matches are played in lots, each with a seed of its own, and every lot is kept in ``matches.jsonl`` as it ends. So an interrupted
run goes on, and more ``matches`` add to those that are there.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014, 4.3, tables 1 to 3.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from agents import load_player
from agents.general.ismcts import ISMCTSOptions
from evaluation.decks import evaluation_decks
from evaluation.match import play_games
from evaluation.statistics import Estimate, estimate, wins
from games import Choice
from games.kernels import streams
from reproduce.job import Job, with_cluster
from reproduce.kept_lots import read_lots
from reproduce.lots import play_lots
from runtime.cluster import ClusterSettings
from runtime.configuration import load, pairs
from runtime.settings import ConfigError, build, check_ranges, did_you_mean, setting
from training.reports import Event

LOT = 20
"""Matches that are kept together."""
PLAYERS = {"uct": "UCT", "exp3": "Exp3", "regret_matching": "RM", "random": "random"}
"""Rows and columns."""
NEAR = 6.0
"""Points of difference beyond which a cell is marked."""


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        title: Above it.
        game: ``name``, and the options of the game.
        seconds: Of a move, in the text.
        rates: Iterations per second in the text, by selection.
        printed: Its numbers, rows and columns in the order of PLAYERS: per cent, a draw counting half.
    """

    title: str = ""
    game: Choice = field(default_factory=lambda: Choice("goofspiel"))
    seconds: float = setting(1.0, least=1e-3, most=3600)
    rates: dict[str, int] = field(default_factory=dict)
    printed: list[list[float]] = field(default_factory=list)

    def iterations(self, player: str) -> int:
        """Returns the iterations of a move."""
        return max(1, round(self.seconds * self.rates[player]))


@dataclass(frozen=True)
class MatchTablesConfig:
    """Tables of matches.

    Attributes:
        kind: ``match_tables``.
        name: Of the figure.
        title: Above all tables.
        run_dir: Folder of the matches; None makes ``runs/<name>``.
        threads: Lots side by side.
        cluster: Who plays the lots: threads, or actors of a Ray cluster (``runtime/cluster.py``).
        matches: Of each cell, a multiple of 20.
        seed: Of all matches.
        only: The tables that are played, by name; none: all.
        options: Of the player ``ismcts``, by selection, such as ``options.exp3.rewards=signed``; without: the player's defaults.
        tables: By name, see ``Table``.
    """

    kind: str = setting("match_tables", choices=("match_tables",))
    name: str = "tables"
    title: str = ""
    run_dir: str | None = None
    threads: int = setting(1, least=1, most=4096)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    matches: int = setting(1000, least=LOT, most=10**6)
    seed: int = setting(0, least=0, most=2**31)
    only: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)

    def folder(self) -> Path:
        """Returns the folder of the matches."""
        return Path(self.run_dir or f"runs/{self.name}")


class Lot(NamedTuple):
    """Some matches of a cell."""

    table: str
    row: str
    column: str
    number: int


Results = dict[Lot, list[float]]
"""Returns of who moved first, match by match."""


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``conf/reproduce/NAME.yaml`` and a command line. Raises ConfigError."""
    given = with_cluster(pairs(overrides))
    for key, text in given.items():
        if (top := key.partition(".")[0]) not in (names := [f.name for f in fields(MatchTablesConfig)]):
            raise ConfigError(f"{key}={text}: unknown key{did_you_mean(top, names) or '; expected one of ' + ', '.join(names)}")
    config, tables = parse(load(f"reproduce/{name}", given, ("run_dir", "title")))
    about = f"{config.title}: {len(tables)} tables, {config.matches:,} matches in each cell, in {config.folder()}"
    return Job(config, about, config.folder() / "tables.md", lambda stopping: play(config, tables, stopping))


def parse(values: Mapping[str, Any]) -> tuple[MatchTablesConfig, dict[str, Table]]:
    """Returns the checked configuration and the tables that are to be played. Raises ConfigError."""
    config: MatchTablesConfig = build(MatchTablesConfig, values)
    check_ranges(config)
    if config.matches % LOT:
        raise ConfigError(f"matches={config.matches}: expected a multiple of {LOT}")
    tables = {name: build(Table, table, f"tables.{name}.") for name, table in config.tables.items()}
    for name, given in config.options.items():
        if name not in PLAYERS or name == "random" or not isinstance(given, Mapping) or "selection" in given:
            raise ConfigError(f"options.{name}={given}: expected options of uct, exp3 or regret_matching, such as rewards=signed")
        check_ranges(build(ISMCTSOptions, given, f"options.{name}."), f"options.{name}.")
    for name in config.only:
        if name not in tables:
            raise ConfigError(f"only={name}: expected some of {', '.join(tables)}{did_you_mean(name, tables)}")
    for name, table in tables.items():
        if set(table.rates) != set(PLAYERS) - {"random"}:
            raise ConfigError(f"tables.{name}.rates={table.rates}: expected those of uct, exp3 and regret_matching")
        if np.shape(table.printed) != (len(PLAYERS), len(PLAYERS)):
            raise ConfigError(f"tables.{name}.printed: expected {len(PLAYERS)} rows of {len(PLAYERS)} numbers")
    return config, {name: table for name, table in tables.items() if not config.only or name in config.only}


def play_lot(config: MatchTablesConfig, table: Table, lot: Lot) -> list[float]:
    """Returns the results of who moves first in a lot."""
    game = table.game.make()

    def player(name: str) -> Any:
        if name == "random":
            return load_player("random", game)
        options = {"tree": "shared", "iterations": table.iterations(name), **config.options.get(name, {})}
        return load_player("ismcts", game, selection=name, **options)

    path = (crc32(lot.table.encode()), *(list(PLAYERS).index(name) for name in (lot.row, lot.column)), lot.number)
    own = int(streams(config.seed, 1, *path)[0] >> np.uint64(1))
    agents = (player(lot.row), player(lot.column))
    played = play_games(game, agents, np.tile([0, 1], (LOT, 1)), evaluation_decks(game, own, LOT), own, at_once=1)
    return [float(x) for x in played.returns[:, 0]]


def _conditions(config: MatchTablesConfig) -> dict[str, Any]:
    """Returns what matches depend on, by table."""
    tables = {name: {key: table[key] for key in ("game", "seconds", "rates")} for name, table in config.tables.items()}
    return {"seed": config.seed, "lot": LOT, "options": config.options, "tables": tables}


def read_results(config: MatchTablesConfig) -> Results:
    """Returns the lots that are kept in the folder, which is made ready for more. Raises ConfigError."""
    read = read_lots(config.folder() / "matches.jsonl", _conditions(config), "other settings")
    return {Lot(*entry["lot"]): entry["returns"] for entry in read}


def play(config: MatchTablesConfig, tables: Mapping[str, Table], stopping: Callable[[], bool]) -> Iterator[Event | list[str]]:
    """Plays the lots that are missing and writes the tables; see ``reproduce.job.Play``."""
    results = read_results(config)
    lots = [
        Lot(name, row, column, number)
        for name in tables
        for number in range(config.matches // LOT)
        for row in PLAYERS
        for column in PLAYERS
    ]
    missing = [lot for lot in lots if lot not in results]
    before = len(lots) - len(missing)
    units = [(config, tables[lot.table], lot) for lot in missing]
    with (config.folder() / "matches.jsonl").open("a") as file:
        for done, (k, returns) in enumerate(play_lots(play_lot, units, config.threads, config.cluster, stopping), before + 1):
            results[missing[k]] = returns
            file.write(json.dumps({"lot": missing[k], "returns": returns}) + "\n")
            file.flush()
            yield Event("matches", LOT * done, LOT * len(lots), "matches")
    text, said = report(config, tables, results)
    (config.folder() / "tables.md").write_text(text)
    if all(lot in results for lot in lots):
        yield said


def cells_of(name: str, results: Results) -> dict[tuple[str, str], Estimate]:
    """Returns the share of wins (in per cent) of each cell of a table that has matches."""
    returns: dict[tuple[str, str], list[float]] = {}
    for lot, some in results.items():
        if lot.table == name:
            returns.setdefault((lot.row, lot.column), []).extend(some)
    return {cell: estimate(100.0 * wins(np.array(some))) for cell, some in returns.items()}


def _half(cell: Estimate) -> float:
    low, high = cell.interval()
    return (high - low) / 2


def head_to_head(cells: Mapping[tuple[str, str], Estimate], player: str, other: str) -> tuple[float, float]:
    """Returns the share of wins (per cent) of a player against another, both seats together, and half its 95 % interval."""
    first, second = cells[player, other], cells[other, player]
    return (first.mean + 100.0 - second.mean) / 2, math.hypot(_half(first), _half(second)) / 2


def report(config: MatchTablesConfig, tables: Mapping[str, Table], results: Results) -> tuple[str, list[str]]:
    """Returns the tables as Markdown, and lines that sum them up."""
    parts, said, near, count = [f"# {config.title}\n"], [], 0, 0
    parts.append(
        "The row moves first. Per cent of wins, draws counting half, ± half the 95 % interval; in brackets what is printed; "
        f"bold where it is more than {NEAR:g} points away.\n"
    )
    for name, table in tables.items():
        cells = cells_of(name, results)
        if len(cells) < len(PLAYERS) ** 2:
            continue
        budget = " / ".join(f"{table.iterations(player):,}" for player in PLAYERS if player != "random")
        matches = min(cell.count for cell in cells.values())
        parts.append(f"## {table.title}: {budget} iterations a move, {matches:,} matches a cell\n")
        parts.append("| | " + " | ".join(PLAYERS.values()) + " |\n|---" + "|---" * len(PLAYERS) + "|")
        close = 0
        for row, numbers in zip(PLAYERS, table.printed, strict=True):
            texts = []
            for column, printed in zip(PLAYERS, numbers, strict=True):
                cell = cells[row, column]
                is_near = abs(cell.mean - printed) <= NEAR
                close += is_near
                mark = "" if is_near else "**"
                texts.append(f"{mark}{cell.mean:.1f} ± {_half(cell):.1f}{mark} ({printed:.1f})")
            parts.append(f"| {PLAYERS[row]} | " + " | ".join(texts) + " |")
        near, count = near + close, count + len(cells)
        duels = [
            f"{PLAYERS[player]} {share:.1f} ± {half:.1f} %"
            for player in ("exp3", "regret_matching")
            for share, half in [head_to_head(cells, player, "uct")]
        ]
        line = f"{table.title}: {close} of {len(cells)} cells within {NEAR:g} points; against UCT, both seats: {', '.join(duels)}"
        said.append(line)
        parts.append(f"\n{line}.\n")
    said.append(f"{near} of {count} cells within {NEAR:g} points of what is printed")
    facts = {"seed": config.seed, "written": time.strftime("%Y-%m-%d"), "options": config.options}
    parts.append(f"{said[-1]}. {json.dumps(facts)}\n")
    return "\n".join(parts), said
