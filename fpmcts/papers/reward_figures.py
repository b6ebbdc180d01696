"""Figures made of matches at one table, ``python -m fpmcts.papers broeck_figures``: what players
win, by setting, with errors.

A *point* is a table of players with a game; its matches are played in lots of ``acquaintance``
decks, each deck in every order of seats (``fpmcts/evaluation/duplicate.py``); more ``hands`` add to
those that are kept. Players start a lot without knowledge of each other and then keep statistics.

Source: Van den Broeck, Driessens & Ramon 2009, section 5, figures 1 to 4; thinking times are
numbers of iterations here.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from fpmcts.cluster.pools import Tick
from fpmcts.evaluation.duplicate import evaluation_decks, table_games, table_orders, table_scores
from fpmcts.evaluation.identity import code_of, digests
from fpmcts.evaluation.match_result import TableResult
from fpmcts.papers.study import LotsStudy
from fpmcts.players import load_player
from fpmcts.plots import Panel, PlotLine, draw
from games import Choice
from games.base.estimate import estimate
from games.base.settings import ConfigError, build, setting
from games.kernels import streams
from games.play.interface import Game

Fields = dict[str, Any]
"""Options by name."""
PART = 4
"""Decks after which statistics of players are counted."""
SMALL_BET = 1000.0
"""The small bet, which is the big blind, in the unit of scores at a table: thousandths of it."""


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        title: Above it.
        printed: What the text says of it.
        game: ``name``, and the options of the game.
        players: By label: ``kind`` and options.
        vary: Lists of values of options: each combination is a point, for all players ``mcts``.
        hands: Of a point, instead of the key of all figures.
    """

    title: str = ""
    printed: str = ""
    game: Fields = field(default_factory=dict)
    players: dict[str, Fields] = field(default_factory=dict)
    vary: dict[str, list[Any]] = field(default_factory=dict)
    hands: int | None = setting(None, least=1, most=10**9)


class Point(NamedTuple):
    """What varies in a figure: its name, the setting in words, game and players as in ``Figure``,
    the least number of hands, the decks of a lot, and a hash of each file that the players read or
    run.
    """

    figure: str
    setting: str
    game: Fields
    players: dict[str, Fields]
    hands: int
    lot: int
    files: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Everything that its results depend on except the seed and the code, as a text."""
        return json.dumps([self.game, self.players, self.files], sort_keys=True)

    @property
    def orders(self) -> int:
        """How often a deck is played."""
        return len(table_orders(len(self.players)))

    def num_lots(self) -> int:
        """Returns the number of its lots."""
        return math.ceil(self.hands / (self.lot * self.orders))


@dataclass(frozen=True)
class RewardFigures(LotsStudy):
    """Figures made of matches at one table.

    Attributes:
        hands: Minimum hands per point.
        acquaintance: Decks in a lot, after which players forget each other.
        model: Opponent model of the players mcts; null: the one that comes with the project.
        iterations: Iterations of the ``mcts`` players, unless a figure sets them.
        figures: By name: title, printed, game, players, vary and hands.
    """

    result = "figures.md"

    hands: int = setting(2000, least=1, most=10**9)
    acquaintance: int = setting(250, least=PART, most=10**9)
    model: str | None = None
    iterations: int = setting(25_000, least=1, most=10**9)
    figures: dict[str, Fields] = field(default_factory=dict)

    @cached_property
    def every(self) -> dict[str, Figure]:
        """All figures. Raises ConfigError."""
        return {
            name: build(Figure, figure, f"figures.{name}.") for name, figure in self.figures.items()
        }

    @cached_property
    def plan(self) -> dict[str, tuple[Figure, list[Point]]]:
        """The figures that are to be played, with their points. Raises ConfigError."""
        found: dict[str, tuple[Figure, list[Point]]] = {}
        for name in self.chosen(self.figures):
            figure = self.every[name]
            game = Choice.parse(figure.game).make()
            found[name] = figure, []
            for values in product(*figure.vary.values()):
                varied = dict(zip(figure.vary, values, strict=True))
                words = ", ".join(f"{key}={value}" for key, value in varied.items())
                players = {
                    label: self._player(f"figures.{name}.players.{label}", given, varied)
                    for label, given in figure.players.items()
                }
                hands, files = figure.hands or self.hands, _files(game, players)
                found[name][1].append(
                    Point(name, words, figure.game, players, hands, self.acquaintance, files)
                )
        return found

    def _player(self, key: str, given: Fields, varied: Fields) -> Fields:
        """Returns the kind and the options of a player."""
        if "kind" not in given:
            expected = "expected kind and options, such as {kind: best_hand}"
            raise ConfigError(f"{key}={given}: {expected}")
        if given["kind"] != "mcts":
            return dict(given)
        model = {} if self.model is None else {"checkpoint": self.model}
        return {"iterations": self.iterations, **model, **given, **varied}

    def points(self) -> list[Point]:
        """Returns the points of all figures."""
        return [point for _, points in self.plan.values() for point in points]

    def check(self) -> None:
        """See ``Study``."""
        self.points()

    def about(self) -> str:
        """See ``Study``."""
        points = self.points()
        lots = sum(point.num_lots() for point in points)
        return f"{len(points)} points, {lots} lots of {self.acquaintance} decks"

    def lots(self) -> dict[tuple[str, int], tuple[int, tuple[object, ...]]]:
        """See ``LotsStudy``."""
        named = {
            (point.key, number): (self.acquaintance * point.orders, (self.seed, point, number))
            for point in self.points()
            for number in range(point.num_lots())
        }
        return dict(sorted(named.items(), key=lambda lot: lot[0][1]))  # all points grow together

    def identity(self) -> dict[str, object]:
        """See ``LotsStudy``."""
        code = code_of(Choice.parse(figure.game).name for figure in self.every.values())
        return {**code, "lot": self.acquaintance, "part": PART}

    @staticmethod
    def play_lot(  # type: ignore[override]
        seed: int, point: Point, number: int, tick: Tick
    ) -> list[list[float]]:
        """Returns the scores of a lot, by deck and player."""
        game = Choice.parse(point.game).make()
        players = [
            load_player(game=game, **{"name" if k == "kind" else k: v for k, v in given.items()})
            for given in point.players.values()
        ]
        if _files(game, point.players) != point.files:
            raise ConfigError(
                f"{point.figure}: a file of its players has changed since the figures began; the "
                "same command begins them again with the present one"
            )
        # Points of a figure that differ in the players alone are played on the same decks.
        decks = crc32(json.dumps(point.game, sort_keys=True).encode())
        own = int(streams(seed, 1, decks, number)[0] >> np.uint64(1))
        games = table_games(game, players, evaluation_decks(game, own, point.lot), own, PART, tick)
        return [[float(x) for x in row] for row in table_scores(game.spec, games)]

    def report(self, results: Mapping[tuple[str, int], list[list[float]]]) -> tuple[str, list[str]]:
        """Returns the figures as Markdown, and lines that sum them up; draws them if all their
        points have some lots. Scores are in small bets, big blinds here, a game.
        """
        found = [
            (point, result_for(point, results))
            for point in self.points()
            if any((point.key, number) in results for number in range(point.num_lots()))
        ]
        if len(found) == len(self.points()):
            self._draw(found)
        summary: list[str] = []
        parts = [
            f"# {self.title}\n",
            "Profit in small bets (big blinds) a game, ± standard error over decks.\n",
        ]
        for name, (figure, _) in self.plan.items():
            lines = [
                text
                for point, result in found
                if point.figure == name
                for text in point_lines(point, result)
            ]
            parts += [f"## {figure.title}\n\n{figure.printed}\n", *(f"- {x}" for x in lines), ""]
            summary += lines
        facts = {
            key: getattr(self, key)
            for key in ("seed", "hands", "acquaintance", "iterations", "model")
        }
        return "\n".join([*parts, self.footer(facts)]), summary

    def _draw(self, found: Sequence[tuple[Point, TableResult]]) -> None:
        """Draws the figures: the mean profit by games if nothing varies, else the first player's
        profit by setting.
        """
        panels, lines, profit = [], dict[str, PlotLine](), "Profit (small bets a game)"
        for k, (name, (figure, points)) in enumerate(self.plan.items()):
            own = [result for point, result in found if point.figure == name]
            if len(points) == 1:
                panels.append(Panel(profit, "none", figure.title, "Games"))
                for label, line in growth(points[0], own[0]).items():
                    lines[f"{name}: {label}"] = line._replace(panel=k, label=label)
            else:
                settings = [point.setting for point in points]
                panels.append(Panel(profit, "none", figure.title, "Setting", settings))
                scores = np.array([(x.score(0).mean, x.score(0).error) for x in own])
                first = own[0].names[0]
                lines[f"{name}: {first}"] = PlotLine(
                    np.arange(len(own)), scores[:, 0], scores[:, 1], k, first
                )
        draw(self.folder(), self.title, panels, lines, self.origin() | {"seed": self.seed})


def _files(game: Game, players: Mapping[str, Fields]) -> tuple[str, ...]:
    """Returns a hash of each file that players read or run. Raises ConfigError, CheckpointError."""
    from fpmcts.players.lookup import entrants_of  # torch

    found = []
    for label, given in players.items():
        options = {key: value for key, value in given.items() if key != "kind"}
        try:
            entrants = entrants_of(given["kind"], game, options)
        except ValueError as error:
            raise ConfigError(f"player {label}: {error}") from error
        for entrant in entrants.values():
            found += digests(entrant.options, game)
    return tuple(found)


def result_for(point: Point, results: Mapping[tuple[str, int], list[list[float]]]) -> TableResult:
    """Returns the results of a point's lots, in small bets."""
    keys = [(point.key, number) for number in range(point.num_lots())]
    scores = np.concatenate([np.array(results[key]) for key in keys if key in results])
    return TableResult(tuple(point.players), scores / SMALL_BET)


def point_lines(point: Point, result: TableResult) -> list[str]:
    """Returns the result of a point: a line for each player, or for the first alone if there are
    two.
    """
    head = f"{point.figure} ({point.setting})" if point.setting else point.figure
    count, lines = len(result.names), []
    for i in range(count if count > 2 else 1):
        line = f"{head}: {result.names[i]} {result.score(i).text(2)}"
        if count > 2 and i + 1 < count:
            lead = result.lead(i, i + 1)
            line += f"; ahead of {result.names[i + 1]} by {lead.text(2)}"
        lines.append(f"{line} ({point.orders * len(result.by_deck):,} hands)")
    return lines


def growth(point: Point, result: TableResult) -> dict[str, PlotLine]:
    """Returns the mean profit of each player by games."""
    counts, lines = np.arange(1, len(result.by_deck) + 1), {}
    for label, scores in zip(result.names, result.by_deck.T, strict=True):
        errors = np.array([estimate(scores[:n]).error for n in counts])
        lines[label] = PlotLine(point.orders * counts, np.cumsum(scores) / counts, errors)
    return lines
