"""Figures made of matches at one table, ``python -m reproduce broeck_figures``: what players win, by setting, with errors.

A *point* is a table of players with a game; its matches are played in lots of ``LOT`` decks, each deck in every order of seats
(``evaluation/table_match.py``), and each lot is kept in ``lots.jsonl`` as it ends. So an interrupted run goes on, and more
``hands`` add to those that are there. In a lot players know nothing of one another at first, and keep statistics from there on.

Source: Van den Broeck, Driessens & Ramon 2009, section 5, figures 1 to 4; thinking times are numbers of iterations here.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from agents import load_player
from agents.agent import Agent
from evaluation.match import Usage
from evaluation.statistics import estimate
from evaluation.table_match import TableResult, orders, result_of, table_match
from games import Choice
from games.interface import Game
from games.kernels import streams
from reproduce.job import Job, with_cluster
from reproduce.kept_lots import read_lots
from reproduce.lots import play_lots
from runtime.cluster import ClusterSettings
from runtime.configuration import load, pairs
from runtime.settings import ConfigError, build, check_ranges, did_you_mean, setting
from training.reports import Event

LOT, PART = 20, 4
"""Decks that are kept together; decks after which statistics of players are counted."""


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        title: Above it. printed: What the text says of it.
        game: ``name``, and the options of the game.
        players: By label: ``kind`` and options.
        vary: Lists of values of options: each combination is a point, for all players that have the option.
        hands: Of a point, in place of the key of all figures.
    """

    title: str = ""
    printed: str = ""
    game: dict[str, Any] = field(default_factory=dict)
    players: dict[str, Any] = field(default_factory=dict)
    vary: dict[str, Any] = field(default_factory=dict)
    hands: int | None = setting(None, least=1, most=10**9)


@dataclass(frozen=True)
class TableMatchesConfig:
    """Figures made of matches at one table.

    Attributes:
        kind: ``table_matches``.
        name: Of the whole. title: Above all.
        run_dir: Folder of the matches; None makes ``runs/<name>``.
        threads: Lots side by side.
        cluster: Who plays the lots: threads, or actors of a Ray cluster (``runtime/cluster.py``).
        hands: Of each point, at least.
        seed: Of all matches.
        model: Opponent model of the players ``mcts``; None: the one that comes with the project.
        iterations: Of the players ``mcts``, where a figure says nothing else.
        only: The figures that are played, by name; none: all.
        figures: By name, see ``Figure``.
    """

    kind: str = setting("table_matches", choices=("table_matches",))
    name: str = "tables"
    title: str = ""
    run_dir: str | None = None
    threads: int = setting(1, least=1, most=4096)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    hands: int = setting(2000, least=1, most=10**9)
    seed: int = setting(0, least=0, most=2**31)
    model: str | None = None
    iterations: int = setting(25_000, least=1, most=10**9)
    only: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def folder(self) -> Path:
        """Returns the folder of the matches."""
        return Path(self.run_dir or f"runs/{self.name}")


class Point(NamedTuple):
    """Attributes: figure: Its name. setting: What varies. game, players: As in ``Figure``. hands: At least so many."""

    figure: str
    setting: dict[str, Any]
    game: dict[str, Any]
    players: dict[str, dict[str, Any]]
    hands: int

    @property
    def key(self) -> str:
        """Returns a text that tells it from all others: what its results depend on but for the seed."""
        return json.dumps([self.game, self.players], sort_keys=True)

    def num_lots(self) -> int:
        """Returns the number of its lots."""
        return math.ceil(self.hands / (LOT * len(orders(len(self.players), 0))))


Results = dict[tuple[str, int], list[list[float]]]
"""Scores of decks and players, by the key of the point and the number of the lot."""


def read_job(name: str, overrides: Sequence[str]) -> Job:
    """Returns the job of ``conf/reproduce/NAME.yaml`` and a command line. Raises ConfigError."""
    given = with_cluster(pairs(overrides))
    for key, text in given.items():
        if (top := key.partition(".")[0]) not in (names := [f.name for f in fields(TableMatchesConfig)]):
            raise ConfigError(f"{key}={text}: unknown key{did_you_mean(top, names) or '; expected one of ' + ', '.join(names)}")
    config, points = parse(load(f"reproduce/{name}", given, ("run_dir", "title", "model")))
    lots = sum(point.num_lots() for point in points)
    about = f"{config.title}: {len(points)} points, {lots} lots of {LOT} decks, in {config.folder()}"
    return Job(config, about, config.folder() / "figures.md", lambda stopping: play(config, points, stopping))


def parse(values: Mapping[str, Any]) -> tuple[TableMatchesConfig, list[Point]]:
    """Returns the checked configuration and the points that are to be played. Raises ConfigError."""
    config: TableMatchesConfig = build(TableMatchesConfig, values)
    check_ranges(config)
    figures = {name: build(Figure, figure, f"figures.{name}.") for name, figure in config.figures.items()}
    for name in config.only:
        if name not in figures:
            raise ConfigError(f"only={name}: expected some of {', '.join(figures)}{did_you_mean(name, figures)}")
    points = []
    for name, figure in figures.items():
        if config.only and name not in config.only:
            continue
        for values_of in product(*figure.vary.values()):
            varied = dict(zip(figure.vary, values_of, strict=True))
            players = {label: _player(config, label, name, given, varied) for label, given in figure.players.items()}
            Choice.parse(figure.game)  # checks it
            points.append(Point(name, varied, dict(figure.game), players, figure.hands or config.hands))
    return config, points


def _player(config: TableMatchesConfig, label: str, figure: str, given: Any, varied: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the kind and the options of a player."""
    if not isinstance(given, Mapping) or "kind" not in given:
        raise ConfigError(f"figures.{figure}.players.{label}={given}: expected kind and options, such as {{kind: best_hand}}")
    if given["kind"] != "mcts":
        return dict(given)
    model = {} if config.model is None else {"checkpoint": config.model}
    return {"iterations": config.iterations, **model, **dict(given), **varied}


def _game(point: Point) -> Game:
    return Choice.parse(point.game).make()


def play_lot(seed: int, point: Point, number: int) -> list[list[float]]:
    """Returns the scores of a lot, by deck and player."""
    game = _game(point)

    def players() -> list[Agent]:
        return [
            load_player(given["kind"], game, **{key: value for key, value in given.items() if key != "kind"})
            for given in point.players.values()
        ]

    # Points of a figure that differ in the players alone are played on the same decks.
    own = int(streams(seed, 1, crc32(json.dumps(point.game, sort_keys=True).encode()), number)[0] >> np.uint64(1))
    result = table_match(game, players, list(point.players), LOT, own, lot=PART)
    assert result is not None
    return [[float(x) for x in row] for row in result.by_deck]


def read_results(config: TableMatchesConfig) -> Results:
    """Returns the lots that are kept in the folder, which is made ready for more. Raises ConfigError."""
    read = read_lots(config.folder() / "lots.jsonl", {"seed": config.seed, "lot": LOT, "part": PART}, "another seed")
    return {(entry["point"], entry["lot"]): entry["scores"] for entry in read}


def play(config: TableMatchesConfig, points: Sequence[Point], stopping: Callable[[], bool]) -> Iterator[Event | list[str]]:
    """Plays the lots that are missing and writes the figures; see ``reproduce.job.Play``."""
    results = read_results(config)
    lots = [(point, number) for point in points for number in range(point.num_lots())]
    lots.sort(key=lambda lot: lot[1])  # all points grow together
    missing = [lot for lot in lots if (lot[0].key, lot[1]) not in results]
    before = len(lots) - len(missing)
    units = [(config.seed, *lot) for lot in missing]
    with (config.folder() / "lots.jsonl").open("a") as file:
        for done, (k, scores) in enumerate(play_lots(play_lot, units, config.threads, config.cluster, stopping), before + 1):
            point, number = missing[k]
            results[point.key, number] = scores
            file.write(json.dumps({"point": point.key, "lot": number, "scores": scores}) + "\n")
            file.flush()
            yield Event("matches", done, len(lots), "lots")
    found = {k: result for k, point in enumerate(points) if (result := result_for(point, results)) is not None}
    text, said = report(config, points, found)
    (config.folder() / "figures.md").write_text(text)
    if all((point.key, number) in results for point, number in lots):
        draw(config, points, found)
        yield said


def result_for(point: Point, results: Results) -> TableResult | None:
    """Returns what the lots of a point say; None where there is none."""
    scores = [results[point.key, number] for number in range(point.num_lots()) if (point.key, number) in results]
    if not scores:
        return None
    by_deck, labels = np.concatenate([np.array(some) for some in scores]), list(point.players)
    hands = len(by_deck) * len(orders(len(labels), 0))
    return result_of(labels, _game(point).spec.score, by_deck, [Usage()] * len(labels), hands)


def report(config: TableMatchesConfig, points: Sequence[Point], found: Mapping[int, TableResult]) -> tuple[str, list[str]]:
    """Returns the figures as Markdown, and lines that sum them up. Scores are in small bets, big blinds here, a game."""
    parts, said = [f"# {config.title}\n", "Profit in small bets (big blinds) a game, ± standard error over decks.\n"], []
    for name in dict.fromkeys(point.figure for point in points):
        figure = build(Figure, config.figures[name])
        parts.append(f"## {figure.title}\n\n{figure.printed}\n")
        for k, point in enumerate(points):
            if point.figure != name or k not in found:
                continue
            result = found[k]
            told = ", ".join(f"{key}={value}" for key, value in point.setting.items())
            for i, label in enumerate(result.names):
                score = result.scores[i]
                line = f"{name}{f' ({told})' if told else ''}: {label} {score.mean / 1000:+.2f} ± {score.error / 1000:.2f}"
                if i + 1 < len(result.names) and len(result.names) > 2:
                    lead = result.ahead[i][i + 1]
                    line += f"; ahead of {result.names[i + 1]} by {lead.mean / 1000:.2f} ± {lead.error / 1000:.2f}"
                if i == 0 or len(result.names) > 2:
                    said.append(f"{line} ({result.num_games:,} hands)")
                    parts.append(f"- {said[-1]}")
        parts.append("")
    facts = {key: value for key, value in asdict(config).items() if key in ("seed", "hands", "iterations", "model")}
    parts.append(json.dumps({**facts, "written": time.strftime("%Y-%m-%d")}))
    return "\n".join(parts) + "\n", said


def draw(config: TableMatchesConfig, points: Sequence[Point], found: Mapping[int, TableResult]) -> None:
    """Writes ``figures.png``: where nothing varies the mean profit by games, else the profit of the first player by setting."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    names = list(dict.fromkeys(point.figure for point in points))
    drawn = Drawing(figsize=(6 * len(names), 4.5), layout="constrained")
    FigureCanvasAgg(drawn)
    for axis, name in zip(drawn.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        rows = [k for k, point in enumerate(points) if point.figure == name and k in found]
        if len(rows) == 1:
            result = found[rows[0]]
            per_deck = result.num_games // len(result.by_deck)
            games = per_deck * np.arange(1, len(result.by_deck) + 1)
            for i, label in enumerate(result.names):
                scores = result.by_deck[:, i] / 1000
                means = np.cumsum(scores) / np.arange(1, len(scores) + 1)
                errors = [estimate(scores[: n + 1]).error if n else math.nan for n in range(len(scores))]
                (line,) = axis.plot(games, means, label=label)
                axis.fill_between(games, means - errors, means + errors, color=line.get_color(), alpha=0.2)
            axis.set_xlabel("Games")
            axis.legend()
        else:
            heights = [found[k].scores[0].mean / 1000 for k in rows]
            told = [", ".join(f"{key}={value}" for key, value in points[k].setting.items()) for k in rows]
            axis.errorbar(range(len(rows)), heights, [found[k].scores[0].error / 1000 for k in rows], fmt="o")
            axis.set_xticks(range(len(rows)), told, rotation=60, ha="right", fontsize=7)
        axis.axhline(0, color="gray", linewidth=0.5)
        axis.set_ylabel("Profit (small bets a game)")
        axis.set_title(build(Figure, config.figures[name]).title, fontsize=9)
    drawn.savefig(config.folder() / "figures.png", dpi=120)
