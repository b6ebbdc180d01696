"""The paper's figures, ``python -m fpmcts.papers leduc_figure2``: the runs of several tabular
algorithms.

Runs go side by side, one per thread, since kernels release the GIL. Each has its own folder, so an
interrupted figure resumes. A figure shows either a measure of each run, averaged over the runs of
an algorithm, or results of matches between runs, which then keep their greedy policies at some
marks (``figure_matches``).

Source: Heinrich & Silver, "Smooth UCT Search in Computer Poker", IJCAI 2015, figures 1 to 3.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from fpmcts.cluster.pools import Stopping, ThreadPool, Tick
from fpmcts.cluster.store import ResultFile
from fpmcts.evaluation.identity import code_of
from fpmcts.papers.figure_matches import keep_snapshot, play_matches, table_lines
from fpmcts.papers.study import Study
from fpmcts.plots import Panel, PlotLine, draw
from fpmcts.progress import Progress
from fpmcts.tabular.learner import DenseLearner
from fpmcts.training.interface import EpisodeBudget
from fpmcts.training.run import Run
from fpmcts.training.tabular import Tabular, TabularConfig, make_learner, mark_after
from games import Choice
from games.base.settings import ConfigError, setting

SAVE_SECONDS = 5.0
"""Least age of a checkpoint before the next."""


Curve = list[tuple[int, float]]
"""Episodes and a measure at every mark of a run."""


class ShownCurve(NamedTuple):
    """A curve of a figure: its name in ``figure.json``, its label and measure, its panel, its last
    episode, and the points printed in the paper.
    """

    name: str
    label: str
    measure: str
    panel: int
    most: float
    printed: list[tuple[float, float]]


@dataclass(frozen=True)
class RunFigure(Study):
    """A figure made of runs.

    Attributes:
        runs: Runs of each algorithm, with the seeds 0, 1, …
        episodes: Episodes of a run.
        runs_of: Runs by label, instead of ``runs``.
        episodes_of: Episodes by label, instead of ``episodes``.
        rates: Episodes per second of the text's programs, by label. Then a run has ``seconds``
            times that many episodes.
        seconds: The text's, see above.
        first_mark: Episodes, or with ``rates`` seconds, after which policies are measured first.
        marks_per_decade: Measurements per factor of ten from there on.
        panels: ``label`` of the vertical axis, ``measure`` (the name of a curve), ``title``,
            ``labels`` (none: all), ``most`` episodes, ``logarithmic`` (``both``, ``episodes``,
            ``none``); none: matches between the runs.
        printed: By name of the curve (its label, where the panel has no title) what the text
            prints: pairs of seconds (episodes without ``rates``) and a value.
        deals: Of a match at each mark, >= 2.
        final_deals: Of a match between the last policies, >= 2.
        game: ``name``, and the options of the game.
        game_of: Options of the game by label, beside those of ``game``.
        algorithms: For each label, ``name`` of the algorithm and its options.
        vary: Of single labels, lists of values of options: each combination is an algorithm.
    """

    runs: int = setting(5, least=1, most=10_000)
    episodes: int = setting(1_000_000, least=1, most=10**12)
    runs_of: dict[str, int] = field(default_factory=dict)
    episodes_of: dict[str, int] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    seconds: float = setting(1800.0, least=0.001, most=10**7)
    first_mark: float = setting(1000.0, least=0.001, most=10**9)
    marks_per_decade: int = setting(10, least=1, most=100)
    deals: int = setting(1_000_000, least=2, most=10**9)
    final_deals: int = setting(5_000_000, least=2, most=10**9)
    game: Choice = field(default_factory=lambda: Choice("leduc"))
    game_of: dict[str, dict[str, Any]] = field(default_factory=dict)
    algorithms: dict[str, dict[str, Any]] = field(default_factory=dict)
    vary: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    panels: list[dict[str, Any]] = field(default_factory=list)
    printed: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)

    @cached_property
    def variants(self) -> dict[str, dict[str, Any]]:
        """The algorithms by label, one for each combination of values that vary."""
        found = {}
        for label, algorithm in self.algorithms.items():
            varied = self.vary.get(label, {})
            for values in product(*varied.values()):
                own = dict(zip(varied, values, strict=True))
                words = [label, *(f"{key}={value}" for key, value in own.items())]
                found[", ".join(words)] = algorithm | own
        return found

    def runs_with(self, label: str) -> int:
        """Returns the number of runs of a label."""
        return self.runs_of.get(label, self.runs)

    def episodes_with(self, label: str) -> int:
        """Returns the number of episodes of a run of a label."""
        if label in self.rates:
            return max(1, round(self.seconds * self.rates[label]))
        return self.episodes_of.get(label, self.episodes)

    def next_mark(self, label: str, episodes: int) -> int:
        """Returns the number of episodes after which a run of a label is measured next."""
        first = self.first_mark * self.rates.get(label, 1.0)
        return mark_after(episodes, first, self.marks_per_decade)

    @cached_property
    def plan(self) -> list[tuple[str, TabularConfig]]:
        """The label and the configuration of every run. Raises ConfigError."""
        found = []
        for label, algorithm in self.variants.items():
            budget = EpisodeBudget(episodes=self.episodes_with(label))
            for seed in range(self.runs_with(label)):
                run_dir = str(self.folder() / f"{'_'.join(label.lower().split())}-{seed}")
                game = replace(
                    self.game, options={**self.game.options, **self.game_of.get(label, {})}
                )
                run = TabularConfig(
                    run_dir=run_dir, seed=seed, game=game, algorithm=algorithm, budget=budget
                )
                found.append((label, TabularConfig.parse(run.as_dict())))
        return found

    def check(self) -> None:
        """See ``Study``."""
        for label in () if self.panels else self.variants:
            if (runs := self.runs_with(label)) != 1:
                raise ConfigError(
                    f"{runs} runs of {label}: expected 1, since without panels one run of each "
                    "algorithm plays another"
                )
        for k, panel in enumerate(self.panels):
            if not {"label", "measure"} <= panel.keys():
                raise ConfigError(f"panels.{k}={panel}: expected label and measure")
        named = {
            name: getattr(self, name) for name in ("runs_of", "episodes_of", "game_of", "rates")
        }
        named |= {
            f"panels.{k}.labels": panel.get("labels", []) for k, panel in enumerate(self.panels)
        }
        for key, labels in named.items():
            for label in labels:
                if label not in self.variants:
                    raise ConfigError(
                        f"{key}: {label!r}: expected one of {', '.join(self.variants)}"
                    )
        for label in self.vary:
            if label not in self.algorithms:
                raise ConfigError(f"vary: {label!r}: expected one of {', '.join(self.algorithms)}")
        if not self.plan:
            raise ConfigError("algorithms: expected some")

    def shown(self) -> list[ShownCurve]:
        """Returns the curves of the figure; none where matches are."""
        found = []
        for k, panel in enumerate(self.panels):
            for label in panel.get("labels", self.variants):
                title, measure = panel.get("title"), panel["measure"]
                own = f"{title}: {label}, {measure}" if title else label
                rate, most = self.rates.get(label, 1.0), float(panel.get("most", math.inf))
                points = [(at * rate, value) for at, value in self.printed.get(own, [])]
                found.append(ShownCurve(own, label, measure, k, most, points))
        return found

    def about(self) -> str:
        """See ``Study``."""
        total = sum(run.budget.episodes or 0 for _, run in self.plan)
        return f"{len(self.plan)} runs, {total:,} episodes in all"

    def play(self, progress: Progress, stopping: Stopping) -> list[str] | None:
        """See ``Study``.

        Raises:
            CheckpointError, RunFolderError: A run's folder cannot be used.
        """
        curves = self.play_runs(progress, stopping)
        if curves is None:
            return None
        config = asdict(self) | {"game": self.game.as_dict()}
        facts: dict[str, object] = self.origin() | {"config": config}
        if not self.panels:
            return self._play_matches(facts, progress, stopping)
        panels = [
            Panel(panel["label"], panel.get("logarithmic", "both"), panel.get("title", ""))
            for panel in self.panels
        ]
        counts = sorted({self.runs_with(label) for label in self.variants})
        title = f"{self.title} (mean of {' to '.join(map(str, counts))} runs ± standard error)"
        lines = {
            own.name: averaged(curves[own.name])._replace(
                panel=own.panel, label=own.label, printed=own.printed
            )
            for own in self.shown()
        }
        return draw(self.folder(), title, panels, lines, facts)

    def play_runs(self, progress: Progress, stopping: Stopping) -> dict[str, list[Curve]] | None:
        """Returns each run's curve for every name that is ``shown``; None if it was stopped."""
        wanted = [run.budget.episodes or 0 for _, run in self.plan]
        saving = threading.Lock()  # one at a time: a checkpoint may take as much as the tables

        def play(k: int, tick: Tick) -> list[tuple[int, dict[str, float]]] | None:
            label, config = self.plan[k]
            measures = {own.measure for own in self.shown() if own.label == label}
            run = Run.of(config, lambda *at: tick(tabular.learner.episodes))
            tabular = cast(Tabular, run.algorithm)
            tabular.next_mark = partial(self.next_mark, label)
            with run.folder:
                while not run.is_finished() and not stopping():
                    run.step()
                    if tabular.curve and (other := measures - tabular.curve[0][1].keys()):
                        known = f"expected some of {', '.join(tabular.curve[0][1])}"
                        raise ConfigError(f"panels: {', '.join(other)}: {known}")
                    if not self.panels:
                        learner = cast(DenseLearner, tabular.learner)
                        keep_snapshot(run.folder.path, learner, wanted[k])
                    if run.folder.is_save_due(SAVE_SECONDS):
                        with saving:
                            run.save()
                with saving:
                    run.save()
                return tabular.curve if run.is_finished() else None

        pool, count = ThreadPool([play] * self.threads), range(len(self.plan))
        played = pool.map(
            count, wanted, lambda done: progress("episodes", done, sum(wanted), "episodes")
        )
        curves = [curve for curve in played if curve is not None]
        if len(curves) < len(self.plan):
            return None
        return {
            own.name: [
                [(at, scalars[own.measure]) for at, scalars in curve if at <= own.most]
                for curve, (label, _) in zip(curves, self.plan, strict=True)
                if label == own.label
            ]
            for own in self.shown()
        }

    def _play_matches(
        self, facts: dict[str, object], progress: Progress, stopping: Stopping
    ) -> list[str] | None:
        """Plays the matches between the runs and draws them."""
        identity = {
            **code_of([self.game.name]),
            "game": self.game.as_dict(),
            "algorithms": self.variants,
        }
        game = make_learner(self.plan[0][1]).game
        with ResultFile(self.folder() / "matches.jsonl", identity) as store:
            played = play_matches(
                game,
                {label: Path(str(run.run_dir)) for label, run in self.plan},
                store,
                (self.deals, self.final_deals),
                self.threads,
                progress,
                stopping,
            )
        if played is None:
            return None
        lines, table = played
        facts["table"] = {
            row: {column: asdict(result) for column, result in columns.items()}
            for row, columns in table.items()
        }
        title = f"{self.title}: greedy policies in symmetric play (± standard error)"
        panels = [Panel("mbb/h", "episodes")] * 2
        summary = draw(self.folder(), title, panels, lines, facts)
        return summary + table_lines(table, game.num_players)


def averaged(curves: Sequence[Curve]) -> PlotLine:
    """Returns means and standard errors over runs (NaN for a single one) at the marks that all runs
    have.
    """
    marks = sorted(set.intersection(*(set(at for at, _ in curve) for curve in curves)))
    values = np.array([[dict(curve)[mark] for mark in marks] for curve in curves])
    error = (
        values.std(axis=0, ddof=1) / np.sqrt(len(curves))
        if len(curves) > 1
        else np.full(len(marks), np.nan)
    )
    return PlotLine(np.array(marks), values.mean(axis=0), error)
