"""The figures and tables of DeltaDou, ``python -m fpmcts.papers deltadou``: a run of
``experiment=paper``, then matches of its networks. ``deltadou_default`` shows the default run in
the same way.

The run is in the folder ``run``; every ``curve_every`` episodes its networks go into ``snapshots``,
which play the matches of figure 4, the last one also those of the tables. Finished games stay in
``matches``. A run of another size is the same command with other keys.

Source: Jiang et al., "DeltaDou: Expert-level Doudizhu AI through Self-play", IJCAI 2019, 5.
"""

import math
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from fpmcts.cluster.pools import StoppedError, Stopping
from fpmcts.configuration import overrides_of
from fpmcts.evaluation.match_result import MatchResult, Score
from fpmcts.papers.deltadou_examples import examples
from fpmcts.papers.matches import play_match
from fpmcts.papers.study import Study
from fpmcts.players.lookup import entrants_of
from fpmcts.plots import Panel, PlotLine, draw, markdown_table
from fpmcts.progress import Progress
from fpmcts.training.algorithms import read_run
from fpmcts.training.config import TrainConfig
from fpmcts.training.curves import points
from fpmcts.training.fpmcts import FPMCTS
from fpmcts.training.run import Run
from games.base.files import replacing, write
from games.base.settings import ConfigError, build, setting
from networks.checkpoint import NETWORKS

SEATS = {"landlord": "C, landlord", "down": "D, right peasant", "up": "E, left peasant"}
"""The seats as curves of a run name them, and as the paper does."""


@dataclass(frozen=True)
class PrintedMatch:
    """A row of a table: where it is printed, its players, and what is printed: WP in per cent, and
    ADP.
    """

    where: str = ""
    a: str = ""
    b: str = ""
    printed: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class DeltaDou(Study):
    """DeltaDou's figures and tables.

    Attributes:
        preset: The run: "paper", ``experiment=paper``; or "default", ``game=doudizhu`` as it is.
        seed: Seed of the run, of the matches and of the examples.
        episodes: Episodes of self-play.
        games: Games of an episode.
        bootstrap_games: Games of the heuristic before the first.
        playouts: Of a search in matches.
        decks: Of a match in the tables; each is played twice.
        curve_decks: Of a match in figure 4.
        curve_every: Episodes between two points of figure 4.
        train: Other keys of train.py, such as train.network.channels=16; of the game, only its
            encoding.
        players: By label: kind and options.
        curves: Labels of the opponents in figure 4.
        shown: Labels of the players with the networks that meet them there.
        heuristic: Label of the player that the run began from.
        matches: ``where``, ``a``, ``b`` and ``printed`` of each row of the tables.
    """

    result = "results.md"

    preset: str = setting("paper", choices=("paper", "default"))
    seed: int = setting(0, least=0, most=2**31)
    episodes: int = setting(80, least=1, most=10**6)
    games: int = setting(8000, least=1, most=10**7)
    bootstrap_games: int = setting(200_000, least=0, most=10**9)
    playouts: int = setting(600, least=1, most=100_000)
    decks: int = setting(100, least=1, most=10**6)
    curve_decks: int = setting(50, least=1, most=10**6)
    curve_every: int = setting(1, least=1, most=10**6)
    train: dict[str, Any] = field(default_factory=dict)
    players: dict[str, dict[str, Any]] = field(default_factory=dict)
    curves: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=lambda: ["DeltaDou"])
    heuristic: str = "RHCP"
    matches: list[dict[str, Any]] = field(default_factory=list)

    def run_config(self) -> TrainConfig:
        """Returns the configuration of the run. Raises ConfigError."""
        given = {
            "run_dir": self.folder() / "run",
            "seed": self.seed,
            "threads": self.threads,
            "episode": {"games": self.games},
            "bootstrap": {"games": self.bootstrap_games},
            "budget": {"iterations": self.episodes},
            "evaluation": {"decks": 0, "search_decks": 0},
        }
        words = [*overrides_of(given), *overrides_of(self.train)]
        named = ["experiment=paper"] if self.preset == "paper" else []
        return read_run(["game=doudizhu", *named, *words])

    def rows(self) -> list[PrintedMatch]:
        """Returns the rows of the tables."""
        return [build(PrintedMatch, given, f"matches.{k}.") for k, given in enumerate(self.matches)]

    def check(self) -> None:
        """See ``Study``."""
        for key in self.train.get("game", {}):
            if key != "encoding":
                raise ConfigError(f"train.game.{key}: expected none but encoding")
        game = self.run_config().game.make()
        named = [*self.curves, self.heuristic, *self.shown, "DeltaDou"]
        for row in self.rows():
            named += [row.a, row.b]
            if len(row.printed) != 2:
                raise ConfigError(
                    f"matches: {row.a} against {row.b}: printed={row.printed}: expected WP and ADP"
                )
        for label in named:
            if label not in self.players:
                raise ConfigError(f"{label}: expected one of {', '.join(self.players)}")
            own = self._options(label, 0)
            try:
                entrants_of(own.pop("kind"), game, own)
            except ValueError as error:
                raise ConfigError(f"players.{label}: {error}") from error

    def about(self) -> str:
        """See ``Study``."""
        return (
            f"{self.bootstrap_games:,} games of the heuristic, {self.episodes} episodes of "
            f"{self.games:,} games, {len(self.points())} points of figure 4"
        )

    def points(self) -> list[int]:
        """Returns the episodes after which networks are kept, 0 for those of the bootstrap."""
        return sorted({*range(0, self.episodes, self.curve_every), self.episodes})

    def snapshot(self, episode: int) -> Path:
        """Returns the file of the networks after an episode."""
        return self.folder() / "snapshots" / f"{episode}.safetensors"

    def play(self, progress: Progress, stopping: Stopping) -> list[str] | None:
        """See ``Study``.

        Raises:
            CheckpointError, RunFolderError: The folder of the run cannot be used.
            ResultFileError: Games cannot be kept.
        """
        try:
            self._train(progress, stopping)
            match = partial(self._match, progress, stopping)
            last, few = self.episodes, self.curve_decks
            curves = {
                (own, opponent): [match(own, opponent, at, few) for at in self.points()]
                for own in self.shown
                for opponent in self.curves
            }
            others = [opponent for opponent in self.curves if opponent != self.heuristic]
            base = {opponent: match(self.heuristic, opponent, last, few) for opponent in others}
            found = [(row, match(row.a, row.b, last, self.decks)) for row in self.rows()]
        except StoppedError:
            return None
        summary = self._draw(curves, base)
        shown = examples(self._options("DeltaDou", last), self.seed)
        parts = [f"# {self.title}\n", _table(found), shown, self.footer({})]
        write(self.folder() / self.result, "\n".join(parts))
        return summary + [_row_text(row, result) for row, result in found]

    def _train(self, progress: Progress, stopping: Stopping) -> None:
        """Trains, or resumes the run, and keeps networks. Raises StoppedError."""
        self.snapshot(0).parent.mkdir(parents=True, exist_ok=True)
        total = self.episodes * self.games

        def tell(what: str, done: int, most: int, unit: str) -> None:
            if unit == "games" and learner.bootstrap_done < self.bootstrap_games:
                done += learner.bootstrap_done
                progress("bootstrap", done, self.bootstrap_games, unit)
            elif unit == "games":
                progress("self-play", learner.games_seen + done, total, unit)

        run = Run.of(self.run_config(), tell, stopping=stopping)
        learner = cast(FPMCTS, run.algorithm)
        if run.last is not None:
            self._keep(learner)
        for _ in run:
            self._keep(learner)
        if not run.is_finished():
            raise StoppedError

    def _keep(self, learner: FPMCTS) -> None:
        """Copies the networks of the run after an episode that figure 4 shows."""
        began = learner.bootstrap_done >= self.bootstrap_games and learner.episode_done == 0
        path = self.snapshot(learner.iteration)
        if began and learner.iteration in self.points() and not path.exists():
            with replacing(path) as temporary:
                shutil.copyfile(self.folder() / "run" / NETWORKS, temporary)

    def _options(self, label: str, episode: int) -> dict[str, Any]:
        """Returns kind and options of a player, the networks those after an episode."""
        own = dict(self.players[label])
        if own.setdefault("kind", label) in ("fpmcts", "policy"):
            own["checkpoint"] = self.snapshot(episode)
        if own["kind"] == "fpmcts":
            own.setdefault("playouts", self.playouts)
        return own

    def _match(
        self, progress: Progress, stopping: Stopping, a: str, b: str, episode: int, decks: int
    ) -> MatchResult:
        """Returns the result of a match, the networks those after an episode. Raises
        StoppedError.
        """
        keys = {"decks": decks, "seed": self.seed, "processes": self.threads}
        words = overrides_of(keys)
        for side, label in (("a", a), ("b", b)):
            own = self._options(label, episode)
            words += [f"{side}={own.pop('kind')}", *overrides_of({side: own})]

        def tell(what: str, done: int, total: int, unit: str) -> None:
            progress(f"{a} {episode} - {b}", done, total, unit)

        result = play_match(words, self.folder() / "matches", tell, stopping)
        if result is None:
            raise StoppedError
        return result

    def _draw(
        self, curves: Mapping[tuple[str, str], list[MatchResult]], base: Mapping[str, MatchResult]
    ) -> list[str]:
        """Draws figures 3 and 4; returns lines with the last values."""
        across = "Episodes"
        panels = [Panel("Share of wins", "none", "Figure 3: self-play", across)]
        lines = {}
        for seat, label in SEATS.items():
            shares = self._wins(f"self_play/{seat}_win_share")
            at = np.arange(1, len(shares) + 1)
            lines[f"Figure 3: {label}"] = PlotLine(at, shares, np.full(len(at), np.nan), 0, label)
        measures = (("ADP", lambda score: score.adp), ("WP", lambda score: score.wp))
        for k, (measure, of) in enumerate(measures):
            for j, part in enumerate(("by position", "overall")):
                panel = 1 + 2 * k + j
                panels.append(Panel(measure, "none", f"Figure 4: {measure}, {part}", across))
                for (own, opponent), results in curves.items():
                    scores: dict[str, list[Score]] = {
                        team: [result.by_team[number] for result in results]
                        for number, team in enumerate(results[0].spec.team_names)
                    }
                    if part == "overall":
                        scores = {"": [result.total for result in results]}
                        if opponent in base:
                            label = f"{self.heuristic} against {opponent}"
                            scores[label] = [base[opponent].total] * len(results)
                    for name, some in scores.items():
                        side = f"{own}, {name}" if name else own
                        label = name if " against " in name else f"{side} against {opponent}"
                        values = [of(score) for score in some]
                        lines[f"Figure 4, {measure}: {label}"] = PlotLine(
                            np.array(self.points()),
                            np.array([value.mean for value in values]),
                            np.array([value.error for value in values]),
                            panel,
                            label,
                        )
        return draw(self.folder(), self.title, panels, lines, self.origin())

    def _wins(self, tag: str) -> np.ndarray:
        """Returns a curve of the run's games by episode."""
        values = [value for _, value in points(self.folder() / "run", tag)]
        size = self.run_config().episode.games_per_step
        parts = math.ceil(self.games / size)
        weights = [min(size, self.games - size * k) for k in range(parts)]
        whole = np.reshape(values[: len(values) // parts * parts], (-1, parts))
        return np.average(whole, axis=1, weights=weights)


def _table(found: list[tuple[PrintedMatch, MatchResult]]) -> str:
    """Returns the tables in Markdown."""
    rows = [["where", "a", "b", "WP", "printed", "ADP", "printed"]]
    for row, result in found:
        wp, adp = result.total.wp.scaled(100.0), result.total.adp
        printed = [f"{row.printed[0]:g} %", f"{row.printed[1]:+g}"]
        own = f"{wp.text(1, '')} %", adp.text(2)
        rows.append([row.where, row.a, row.b, own[0], printed[0], own[1], printed[1]])
    return markdown_table(rows) + "\n"


def _row_text(row: PrintedMatch, result: MatchResult) -> str:
    """Returns a row of a table as a line."""
    wp, adp = result.total.wp.scaled(100.0), result.total.adp
    return (
        f"{row.where}: {row.a} against {row.b} {wp.text(1, '')} %, {adp.text(2)} "
        f"({result.num_games} games); printed {row.printed[0]:g} %, {row.printed[1]:+g}"
    )
