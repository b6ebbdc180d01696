"""Tables of matches between IS-MCTS players, ``python -m fpmcts.papers lisy_tables``: who moves
first against who moves second.

A cell is a number of matches; the player of the row moves first. Thinking times of a text are taken
as iterations, seconds times its rates, since at the clock a table would take days and would depend
on the machine. Matches are played in lots, each with a seed of its own; more ``matches`` add to
those that are kept.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
4.3, tables 1 to 3.
"""

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from fpmcts.evaluation.decks import evaluation_decks
from fpmcts.evaluation.match import play_games
from fpmcts.evaluation.statistics import Estimate, estimate, wins
from fpmcts.papers.job import Job, MatchesConfig, Stopping, play_lots, read_config
from fpmcts.players import load_player
from fpmcts.players.ismcts import ISMCTSOptions
from fpmcts.progress import Progress
from games import Choice
from games.kernels import streams
from games.settings import ConfigError, build, setting

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
        printed: Its numbers, rows and columns in the order of PLAYERS: per cent, a draw counting
            half.
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
class TablesConfig(MatchesConfig):
    """Tables of matches.

    Attributes:
        matches: Of each cell, a multiple of 20.
        options: Of the player ismcts, by selection, such as options.exp3.rewards=signed; without:
            the player's defaults.
        tables: By name: title, game, seconds, rates and printed numbers.
    """

    matches: int = setting(1000, least=LOT, most=10**6)
    options: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)


class Lot(NamedTuple):
    """Some matches of a cell."""

    table: str
    row: str
    column: str
    number: int


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``conf/papers/NAME.yaml`` and a command line. Raises ConfigError."""
    config = read_config(TablesConfig, name, overrides)
    tables = read_tables(config)
    about = (
        f"{config.title}: {len(tables)} tables, {config.matches:,} matches in each cell, in "
        f"{config.folder()}"
    )
    return Job(
        config, about, config.folder() / "tables.md", lambda *how: play(config, tables, *how)
    )


def read_tables(config: TablesConfig) -> dict[str, Table]:
    """Returns the tables that are to be played. Raises ConfigError."""
    if config.matches % LOT:
        raise ConfigError(f"matches={config.matches}: expected a multiple of {LOT}")
    for name, given in config.options.items():
        if (
            name not in PLAYERS
            or name == "random"
            or not isinstance(given, Mapping)
            or "selection" in given
        ):
            expected = "expected options of uct, exp3 or regret_matching, such as rewards=signed"
            raise ConfigError(f"options.{name}={given}: {expected}")
        ISMCTSOptions.parse(given, f"options.{name}.")
    tables = {
        name: build(Table, config.tables[name], f"tables.{name}.")
        for name in config.chosen(config.tables)
    }
    for name, table in tables.items():
        if set(table.rates) != set(PLAYERS) - {"random"}:
            expected = "expected those of uct, exp3 and regret_matching"
            raise ConfigError(f"tables.{name}.rates={table.rates}: {expected}")
        if np.shape(table.printed) != (len(PLAYERS), len(PLAYERS)):
            raise ConfigError(
                f"tables.{name}.printed: expected {len(PLAYERS)} rows of {len(PLAYERS)} numbers"
            )
    return tables


def play_lot(seed: int, options: Mapping[str, Any], table: Table, lot: Lot) -> list[float]:
    """Returns what the player that moves first wins in each match of a lot."""
    game = table.game.make()

    def player(name: str) -> Any:
        if name == "random":
            return load_player("random", game)
        own = {"tree": "shared", "iterations": table.iterations(name), **options.get(name, {})}
        return load_player("ismcts", game, selection=name, **own)

    path = (
        crc32(lot.table.encode()),
        *(list(PLAYERS).index(name) for name in (lot.row, lot.column)),
        lot.number,
    )
    own = int(streams(seed, 1, *path)[0] >> np.uint64(1))
    agents = (player(lot.row), player(lot.column))
    played = play_games(
        game, agents, np.tile([0, 1], (LOT, 1)), evaluation_decks(game, own, LOT), own, at_once=1
    )
    return [float(x) for x in played.returns[:, 0]]


def play(
    config: TablesConfig, tables: Mapping[str, Table], progress: Progress, stopping: Stopping
) -> list[str] | None:
    """Plays the lots that are missing and writes the tables; see ``Job.play``."""
    lots = {
        lot: (config.seed, config.options, tables[name], lot)
        for name in tables
        for number in range(config.matches // LOT)
        for row in PLAYERS
        for column in PLAYERS
        for lot in [Lot(name, row, column, number)]
    }
    played = {
        name: [table["game"], table["seconds"], table["rates"]]
        for name, table in config.tables.items()
    }
    identity = {"lot": LOT, "options": config.options, "tables": played}
    found = play_lots(config, identity, play_lot, lots, progress, stopping)
    results = {Lot(*lot): returns for lot, returns in found.items()}
    text, said = report(config, tables, results)
    (config.folder() / "tables.md").write_text(text)
    return said if all(lot in results for lot in lots) else None


Results = Mapping[Lot, list[float]]


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


def head_to_head(
    cells: Mapping[tuple[str, str], Estimate], player: str, other: str
) -> tuple[float, float]:
    """Returns the share of wins (per cent) of a player against another, both seats together, and
    half its 95 % interval.
    """
    first, second = cells[player, other], cells[other, player]
    return (first.mean + 100.0 - second.mean) / 2, math.hypot(_half(first), _half(second)) / 2


def report(
    config: TablesConfig, tables: Mapping[str, Table], results: Results
) -> tuple[str, list[str]]:
    """Returns the tables as Markdown, and lines that sum them up."""
    parts, said, near, count = [f"# {config.title}\n"], [], 0, 0
    parts.append(
        "The row moves first. Per cent of wins, draws counting half, ± half the 95 % interval; in "
        "brackets what is printed; "
        f"bold where it is more than {NEAR:g} points away.\n"
    )
    for name, table in tables.items():
        cells = cells_of(name, results)
        if len(cells) < len(PLAYERS) ** 2:
            continue
        budget = " / ".join(
            f"{table.iterations(player):,}" for player in PLAYERS if player != "random"
        )
        matches = min(cell.count for cell in cells.values())
        parts.append(f"## {table.title}: {budget} iterations a move, {matches:,} matches a cell\n")
        parts.append(
            "| | " + " | ".join(PLAYERS.values()) + " |\n|---" + "|---" * len(PLAYERS) + "|"
        )
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
            "{} {:.1f} ± {:.1f} %".format(PLAYERS[player], *head_to_head(cells, player, "uct"))
            for player in ("exp3", "regret_matching")
        ]
        counts = f"{close} of {len(cells)} cells within {NEAR:g} points"
        said.append(f"{table.title}: {counts}; against UCT, both seats: {', '.join(duels)}")
        parts.append(f"\n{said[-1]}.\n")
    said.append(f"{near} of {count} cells within {NEAR:g} points of what is printed")
    facts = {"seed": config.seed, "written": time.strftime("%Y-%m-%d"), "options": config.options}
    parts.append(f"{said[-1]}. {json.dumps(facts)}\n")
    return "\n".join(parts), said
