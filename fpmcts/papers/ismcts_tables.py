"""Tables of matches between IS-MCTS players, ``python -m fpmcts.papers lisy_tables``: the player to
move first against the one to move second.

A cell is a number of matches; the player of the row moves first. The paper's thinking times are
converted to iterations (seconds times its rates): by the clock, a table would take days and depend
on the machine. Matches are played in lots, each with a seed of its own; more ``matches`` add to
those that are kept.

Source: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
4.3, tables 1 to 3.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product, starmap
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from fpmcts.cluster.pools import Tick
from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.evaluation.identity import code_of
from fpmcts.evaluation.match import play_games
from fpmcts.evaluation.statistics import interval, wins
from fpmcts.papers.study import LotsStudy
from fpmcts.players import load_player
from fpmcts.players.ismcts import ISMCTSOptions
from fpmcts.plots import markdown_table
from games import Choice
from games.base.estimate import Estimate, estimate
from games.base.settings import ConfigError, build, setting
from games.kernels import streams
from games.play.agent import Agent

LOT = 20
"""Matches that are kept together."""
PLAYERS = {"uct": "UCT", "exp3": "Exp3", "regret_matching": "RM", "random": "random"}
"""Rows and columns."""
NEAR = 6.0
"""Points of difference beyond which a cell is marked."""


@dataclass(frozen=True)
class MatchTable:
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


class Lot(NamedTuple):
    """Some matches of a cell."""

    table: str
    number: int
    row: str
    column: str


Cells = Mapping[tuple[str, str], Estimate]
"""The share of wins, in per cent, by row and column."""


@dataclass(frozen=True)
class MatchTables(LotsStudy):
    """Tables of matches.

    Attributes:
        matches: Matches per cell, a multiple of 20.
        options: Of the player ismcts, by selection, such as options.exp3.rewards=signed; without:
            the player's defaults.
        tables: By name: title, game, seconds, rates and printed numbers.
    """

    result = "tables.md"

    matches: int = setting(1000, least=LOT, most=10**6)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def every(self) -> dict[str, MatchTable]:
        """All tables. Raises ConfigError."""
        return {
            name: build(MatchTable, table, f"tables.{name}.") for name, table in self.tables.items()
        }

    @cached_property
    def plan(self) -> dict[str, MatchTable]:
        """The tables that are to be played. Raises ConfigError."""
        return {name: self.every[name] for name in self.chosen(self.every)}

    def check(self) -> None:
        """See ``Study``."""
        if self.matches % LOT:
            raise ConfigError(f"matches={self.matches}: expected a multiple of {LOT}")
        learned = set(PLAYERS) - {"random"}
        for name, given in self.options.items():
            if name not in learned or "selection" in given:
                expected = "expected options of uct, exp3 or regret_matching: rewards=signed, …"
                raise ConfigError(f"options.{name}={given}: {expected}")
            ISMCTSOptions.parse(given, f"options.{name}.")
        self.chosen(self.every)  # refuses unknown names in ``only``
        for name, table in self.every.items():
            if missing := {"game", "seconds"} - self.tables[name].keys():
                raise ConfigError(f"tables.{name}: {' and '.join(sorted(missing))} missing")
            if set(table.rates) != learned:
                expected = "expected those of uct, exp3 and regret_matching"
                raise ConfigError(f"tables.{name}.rates={table.rates}: {expected}")
            if np.shape(table.printed) != (len(PLAYERS), len(PLAYERS)):
                raise ConfigError(
                    f"tables.{name}.printed: expected {len(PLAYERS)} rows of {len(PLAYERS)} numbers"
                )

    def about(self) -> str:
        """See ``Study``."""
        return f"{len(self.plan)} tables, {self.matches:,} matches in each cell"

    def lots(self) -> dict[Lot, tuple[int, tuple[object, ...]]]:
        """See ``LotsStudy``."""
        cells = product(self.plan, range(self.matches // LOT), PLAYERS, PLAYERS)
        return {
            lot: (LOT, (self.seed, self.options, self.plan[lot.table], lot))
            for lot in starmap(Lot, cells)
        }

    def identity(self) -> dict[str, object]:
        """See ``LotsStudy``."""
        played = {
            name: [table["game"], table["seconds"], table["rates"]]
            for name, table in self.tables.items()
        }
        code = code_of(table["game"]["name"] for table in self.tables.values())
        return {**code, "lot": LOT, "options": self.options, "tables": played}

    @staticmethod
    def play_lot(  # type: ignore[override]
        seed: int, options: Mapping[str, Any], table: MatchTable, lot: Lot, tick: Tick
    ) -> list[float]:
        """Returns what the player that moves first wins in each match of a lot."""
        game = table.game.make()

        def player(name: str) -> Agent:
            if name == "random":
                return load_player("random", game)
            own = {"tree": "shared", "iterations": table.iterations(name), **options.get(name, {})}
            return load_player("ismcts", game, selection=name, **own)

        cell = [list(PLAYERS).index(name) for name in (lot.row, lot.column)]
        path = (crc32(lot.table.encode()), *cell, lot.number)
        own, seating = int(streams(seed, 1, *path)[0] >> np.uint64(1)), np.tile([0, 1], (LOT, 1))
        agents, decks = (player(lot.row), player(lot.column)), evaluation_decks(game, own, LOT)
        games = play_games(game, agents, seating, decks, own, at_once=1, tick=tick)
        return [float(x) for x in games.returns[:, 0]]

    def report(self, results: Mapping[Lot, list[float]]) -> tuple[str, list[str]]:
        """Returns all tables whose cells have matches as Markdown, and lines that sum them up."""
        parts, summary, near, count = [f"# {self.title}\n"], [], 0, 0
        parts.append(
            "The row moves first. Per cent of wins, draws counting half, ± half the 95 % interval; "
            f"in brackets what is printed; bold where it is more than {NEAR:g} points away. Below, "
            "per cent of wins, draws and losses.\n"
        )
        for name, table in self.every.items():
            returns = returns_of(name, results)
            if len(returns) < len(PLAYERS) ** 2:
                continue
            cells = cells_of(returns)
            printed = dict(zip(product(PLAYERS, PLAYERS), chain(*table.printed), strict=True))
            close = sum(abs(cells[at].mean - number) <= NEAR for at, number in printed.items())
            near, count = near + close, count + len(cells)
            duels = [
                "{} {:.1f} ± {:.1f} %".format(PLAYERS[player], *head_to_head(cells, player, "uct"))
                for player in ("exp3", "regret_matching")
            ]
            counts = f"{close} of {len(cells)} cells within {NEAR:g} points"
            summary.append(f"{table.title}: {counts}; against UCT, both seats: {', '.join(duels)}")
            budget = " / ".join(f"{table.iterations(name):,}" for name in table.rates)
            matches = min(cell.count for cell in cells.values())
            parts += [
                f"## {table.title}: {budget} iterations a move, {matches:,} matches a cell\n",
                _grid({at: _beside(cells[at], number) for at, number in printed.items()}),
                _grid({at: _apart(some) for at, some in returns.items()}),
                f"{summary[-1]}.\n",
            ]
        summary.append(f"{near} of {count} cells within {NEAR:g} points of what is printed")
        parts += [f"{summary[-1]}.\n", self.footer({"seed": self.seed, "options": self.options})]
        return "\n".join(parts), summary


def returns_of(name: str, results: Mapping[Lot, list[float]]) -> dict[tuple[str, str], list[float]]:
    """Returns what the first player won in each match of a table, by row and column."""
    returns: dict[tuple[str, str], list[float]] = {}
    for (table, _, row, column), some in results.items():
        if table == name:
            returns.setdefault((row, column), []).extend(some)
    return returns


def cells_of(returns: Mapping[tuple[str, str], list[float]]) -> Cells:
    """Returns the cells of a table."""
    return {cell: estimate(100.0 * wins(np.array(some))) for cell, some in returns.items()}


def _grid(texts: Mapping[tuple[str, str], str]) -> str:
    """Returns a table of cells in Markdown."""
    rows = [[label, *(texts[row, column] for column in PLAYERS)] for row, label in PLAYERS.items()]
    return markdown_table([["", *PLAYERS.values()], *rows]) + "\n"


def _beside(cell: Estimate, printed: float) -> str:
    """Returns a cell with the printed number."""
    mark = "" if abs(cell.mean - printed) <= NEAR else "**"
    return f"{mark}{cell.mean:.1f} ± {_half(cell):.1f}{mark} ({printed:.1f})"


def _apart(returns: list[float]) -> str:
    """Returns the shares of wins, draws and losses."""
    signs = np.sign(returns)
    return " / ".join(f"{100.0 * np.mean(signs == sign):.1f}" for sign in (1, 0, -1))


def _half(cell: Estimate) -> float:
    return interval(cell)[1] - cell.mean


def head_to_head(cells: Cells, player: str, other: str) -> tuple[float, float]:
    """Returns the share of wins (per cent) of a player against another, both seats together, and
    half its 95 % interval.
    """
    first, second = cells[player, other], cells[other, player]
    return (first.mean + 100.0 - second.mean) / 2, math.hypot(_half(first), _half(second)) / 2
