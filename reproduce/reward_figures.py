"""Figures made of matches at one table, ``python -m reproduce broeck_figures``: what players win,
by setting, with errors.

A *point* is a table of players with a game; its matches are played in lots of ``LOT`` decks, each
deck in every order of seats (``evaluation/table_match.py``); more ``hands`` add to those that are
kept. In a lot players know nothing of one another at first, and keep statistics from there on.

Source: Van den Broeck, Driessens & Ramon 2009, section 5, figures 1 to 4; thinking times are
numbers of iterations here.
"""

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from agents import load_player
from agents.agent import Agent
from evaluation.match import Usage
from evaluation.statistics import estimate
from evaluation.table_match import TableResult, orders, result_of, table_match
from games import Choice
from games.kernels import streams
from reproduce.job import Job, MatchesConfig, Stopping, play_lots, read_config
from runtime.progress import Progress
from runtime.settings import ConfigError, build, setting

LOT, PART = 20, 4
"""Decks that are kept together; decks after which statistics of players are counted."""
SMALL_BET = 1000.0
"""Of the scores at a table, thousandths of a big blind, which is the small bet."""


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        title: Above it.
        printed: What the text says of it.
        game: ``name``, and the options of the game.
        players: By label: ``kind`` and options.
        vary: Lists of values of options: each combination is a point, for all players that have the
            option.
        hands: Of a point, in place of the key of all figures.
    """

    title: str = ""
    printed: str = ""
    game: dict[str, Any] = field(default_factory=dict)
    players: dict[str, Any] = field(default_factory=dict)
    vary: dict[str, Any] = field(default_factory=dict)
    hands: int | None = setting(None, least=1, most=10**9)


@dataclass(frozen=True)
class FiguresConfig(MatchesConfig):
    """Figures made of matches at one table.

    Attributes:
        hands: Of each point, at least.
        model: Opponent model of the players mcts; null: the one that comes with the project.
        iterations: Of the players mcts, where a figure says nothing else.
        figures: By name: title, printed, game, players, vary and hands.
    """

    hands: int = setting(2000, least=1, most=10**9)
    model: str | None = None
    iterations: int = setting(25_000, least=1, most=10**9)
    figures: dict[str, Any] = field(default_factory=dict)


class Point(NamedTuple):
    """What varies in a figure: its name, the setting, game and players as in ``Figure``, and the
    least number of hands.
    """

    figure: str
    setting: dict[str, Any]
    game: dict[str, Any]
    players: dict[str, dict[str, Any]]
    hands: int

    @property
    def key(self) -> str:
        """Returns a text that tells it from all others: what its results depend on but for the
        seed.
        """
        return json.dumps([self.game, self.players], sort_keys=True)

    @property
    def label(self) -> str:
        """Returns the setting in words."""
        return ", ".join(f"{key}={value}" for key, value in self.setting.items())

    def num_lots(self) -> int:
        """Returns the number of its lots."""
        return math.ceil(self.hands / (LOT * len(orders(len(self.players), 0))))


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``conf/reproduce/NAME.yaml`` and a command line. Raises ConfigError."""
    config = read_config(FiguresConfig, name, overrides)
    points = read_points(config)
    lots = sum(point.num_lots() for point in points)
    about = (
        f"{config.title}: {len(points)} points, {lots} lots of {LOT} decks, in {config.folder()}"
    )
    return Job(
        config, about, config.folder() / "figures.md", lambda *how: play(config, points, *how)
    )


def read_points(config: FiguresConfig) -> list[Point]:
    """Returns the points that are to be played. Raises ConfigError."""
    points = []
    for name in config.chosen(config.figures):
        figure: Figure = build(Figure, config.figures[name], f"figures.{name}.")
        Choice.parse(figure.game)  # checks it
        for values in product(*figure.vary.values()):
            varied = dict(zip(figure.vary, values, strict=True))
            players = {
                label: _player(config, label, name, given, varied)
                for label, given in figure.players.items()
            }
            points.append(
                Point(name, varied, dict(figure.game), players, figure.hands or config.hands)
            )
    return points


def _player(
    config: FiguresConfig, label: str, figure: str, given: Any, varied: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the kind and the options of a player."""
    if not isinstance(given, Mapping) or "kind" not in given:
        expected = "expected kind and options, such as {kind: best_hand}"
        raise ConfigError(f"figures.{figure}.players.{label}={given}: {expected}")
    if given["kind"] != "mcts":
        return dict(given)
    model = {} if config.model is None else {"checkpoint": config.model}
    return {"iterations": config.iterations, **model, **given, **varied}


def play_lot(seed: int, point: Point, number: int) -> list[list[float]]:
    """Returns the scores of a lot, by deck and player."""
    game = Choice.parse(point.game).make()

    def players() -> list[Agent]:
        return [
            load_player(game=game, **{"name" if k == "kind" else k: v for k, v in p.items()})
            for p in point.players.values()
        ]

    # Points of a figure that differ in the players alone are played on the same decks.
    own = int(
        streams(seed, 1, crc32(json.dumps(point.game, sort_keys=True).encode()), number)[0]
        >> np.uint64(1)
    )
    result = table_match(game, players, list(point.players), LOT, own, lot=PART)
    assert result is not None
    return [[float(x) for x in row] for row in result.by_deck]


def play(
    config: FiguresConfig, points: Sequence[Point], progress: Progress, stopping: Stopping
) -> list[str] | None:
    """Plays the lots that are missing and writes the figures; see ``Job.play``."""
    named = {
        (point.key, number): (config.seed, point, number)
        for point in points
        for number in range(point.num_lots())
    }
    lots = dict(sorted(named.items(), key=lambda lot: lot[0][1]))  # all points grow together
    from agents.players import PLAYERS  # loads torch, which configurations do without

    model = PLAYERS["mcts"].parse({"checkpoint": config.model}).file("no_limit_holdem")
    digest = None if model is None else hashlib.sha256(model.read_bytes()).hexdigest()
    identity = {"lot": LOT, "part": PART, "model": digest}
    results = play_lots(config, identity, play_lot, lots, progress, stopping)
    found = {
        k: result
        for k, point in enumerate(points)
        if (result := result_for(point, results)) is not None
    }
    text, said = report(config, points, found)
    (config.folder() / "figures.md").write_text(text)
    if any(lot not in results for lot in lots):
        return None
    draw(config, points, found)
    return said


def result_for(point: Point, results: Mapping[tuple[Any, ...], Any]) -> TableResult | None:
    """Returns what the lots of a point say; None where there is none."""
    scores = [
        results[point.key, number]
        for number in range(point.num_lots())
        if (point.key, number) in results
    ]
    if not scores:
        return None
    by_deck, labels = np.concatenate([np.array(some) for some in scores]), list(point.players)
    hands, unit = (
        len(by_deck) * len(orders(len(labels), 0)),
        Choice.parse(point.game).make().spec.score,
    )
    return result_of(labels, unit, by_deck, [Usage()] * len(labels), hands)


def report(
    config: FiguresConfig, points: Sequence[Point], found: Mapping[int, TableResult]
) -> tuple[str, list[str]]:
    """Returns the figures as Markdown, and lines that sum them up. Scores are in small bets, big
    blinds here, a game.
    """
    said: list[str] = []
    parts = [
        f"# {config.title}\n",
        "Profit in small bets (big blinds) a game, ± standard error over decks.\n",
    ]
    for name in dict.fromkeys(point.figure for point in points):
        figure = build(Figure, config.figures[name])
        parts.append(f"## {figure.title}\n\n{figure.printed}\n")
        for k, point in enumerate(points):
            if point.figure != name or k not in found:
                continue
            result, head = found[k], f"{name} ({point.label})" if point.label else name
            several = len(result.names) > 2
            for i, label in enumerate(result.names if several else result.names[:1]):
                score, line = result.scores[i], f"{head}: {label}"
                line += f" {score.mean / SMALL_BET:+.2f} ± {score.error / SMALL_BET:.2f}"
                if several and i + 1 < len(result.names):
                    lead, other = result.ahead[i][i + 1], result.names[i + 1]
                    line += f"; ahead of {other} by {lead.mean / SMALL_BET:.2f} ± {lead.error / SMALL_BET:.2f}"
                said.append(f"{line} ({result.num_games:,} hands)")
                parts.append(f"- {said[-1]}")
        parts.append("")
    facts = {
        key: value
        for key, value in asdict(config).items()
        if key in ("seed", "hands", "iterations", "model")
    }
    parts.append(json.dumps({**facts, "written": time.strftime("%Y-%m-%d")}))
    return "\n".join(parts) + "\n", said


def draw(config: FiguresConfig, points: Sequence[Point], found: Mapping[int, TableResult]) -> None:
    """Writes ``figures.png``: where nothing varies the mean profit by games, else the profit of the
    first player by setting.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    names = list(dict.fromkeys(point.figure for point in points))
    drawn = Drawing(figsize=(6 * len(names), 4.5), layout="constrained")
    FigureCanvasAgg(drawn)
    for axis, name in zip(drawn.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        rows = [k for k, point in enumerate(points) if point.figure == name and k in found]
        if len(rows) == 1:
            _draw_growth(axis, found[rows[0]])
        else:
            scores = [found[k].scores[0] for k in rows]
            heights, errors = (
                np.array([getattr(score, key) for score in scores]) / SMALL_BET
                for key in ("mean", "error")
            )
            axis.errorbar(range(len(rows)), heights, errors, fmt="o")
            axis.set_xticks(
                range(len(rows)),
                [points[k].label for k in rows],
                rotation=60,
                ha="right",
                fontsize=7,
            )
        axis.axhline(0, color="gray", linewidth=0.5)
        axis.set_ylabel("Profit (small bets a game)")
        axis.set_title(build(Figure, config.figures[name]).title, fontsize=9)
    drawn.savefig(config.folder() / "figures.png", dpi=120)


def _draw_growth(axis: Any, result: TableResult) -> None:
    """Draws the mean profit of each player by games."""
    counts = np.arange(1, len(result.by_deck) + 1)
    games = result.num_games // len(counts) * counts
    for i, label in enumerate(result.names):
        scores = result.by_deck[:, i] / SMALL_BET
        means = np.cumsum(scores) / counts
        errors = np.array([estimate(scores[:n]).error for n in counts])
        (line,) = axis.plot(games, means, label=label)
        axis.fill_between(games, means - errors, means + errors, color=line.get_color(), alpha=0.2)
    axis.set_xlabel("Games")
    axis.legend()
