"""The report of a tournament: tables for the terminal and for Markdown, JSON, and plots."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from fpmcts.evaluation.config import Tournament
from fpmcts.evaluation.match import Usage
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.rating import Misfit, Rating, mean_scores, ratings
from fpmcts.evaluation.statistics import estimate_fields, interval, wins
from fpmcts.plots import Intervals, ReportError, check_plots, draw_intervals, markdown_table
from games.base.estimate import Estimate
from games.base.files import write
from games.base.system import Lock
from games.play.interface import GameSpec, ScoreUnit

Results = Mapping[tuple[str, ...], MatchResult]
"""The result of every pair of labels."""


@dataclass(frozen=True)
class TournamentReport:
    """The results of all matches of a tournament.

    Attributes:
        tournament: The tournament.
        spec: The game's spec.
        results: The result of every pair.
    """

    tournament: Tournament
    spec: GameSpec
    results: Results

    @property
    def unit(self) -> ScoreUnit:
        """The unit of the scores."""
        return self.spec.score

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures reported of a match."""
        return ("WP", self.unit.name) if self.unit.reports_wins else (self.unit.name,)

    @property
    def reference(self) -> str:
        """The player whose rating is 0."""
        labels = self.tournament.labels
        return "rhcp" if "rhcp" in labels else labels[0]

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the players that meet, by label."""
        return {label: self.tournament.players[label].name for label in self.tournament.labels}

    @cached_property
    def standings(self) -> dict[str, Rating | Estimate]:
        """The standing of every player, by label.

        Where wins count, it is a rating relative to ``rhcp`` if that takes part, else to the first
        player. In poker it is the mean score over the opponents, with equal weights.
        """
        labels = list(self.names)
        if self.unit.reports_wins:
            return dict(zip(labels, self._rated[0], strict=True))
        return {
            label: mean_scores(
                [
                    result.sides[pair.index(label)].returns.mean(axis=1)
                    for pair, result in self.results.items()
                    if label in pair
                ]
            )
            for label in labels
        }

    @property
    def misfits(self) -> list[Misfit]:
        """Misfits of the ratings by pair; empty without ratings or with too few pairs."""
        return self._rated[1] if self.unit.reports_wins else []

    @cached_property
    def _rated(self) -> tuple[list[Rating], list[Misfit]]:
        labels = list(self.names)
        scores = {
            (labels.index(a), labels.index(b)): wins(result.sides[0].returns).mean(axis=1)
            for (a, b), result in self.results.items()
        }
        return ratings(len(labels), scores, labels.index(self.reference), self.spec.num_teams)

    def misfit_text(self) -> str:
        """Returns the largest misfit, in standard errors, in a sentence."""
        worst = max(self.misfits, key=lambda misfit: abs(misfit.share) / misfit.error)
        first, second = (list(self.names.values())[k] for k in worst.pair)
        return (
            f"Worst fit of one strength per player, of {len(self.misfits)} pairs: {first} "
            f"against {second}, "
            f"{100 * worst.share:+.2f} ± {100 * worst.error:.2f} % of the games, "
            f"{abs(worst.share) / worst.error:.1f} standard errors"
        )

    def milliseconds(self, label: str) -> float:
        """Returns the mean time of a player's decisions in all its matches."""
        own = [(pair, result) for pair, result in self.results.items() if label in pair]
        usage = zip(*(result.games.usage[pair.index(label)] for pair, result in own), strict=True)
        return 1000 * Usage(*map(sum, usage)).seconds_per_decision()

    def table(self) -> list[list[str]]:
        """Returns the matrix as rows of cells, the first row being the heading; a cell is the row's
        player against the column's.
        """
        standing = f"Elo above {self.names[self.reference]}" if self.unit.reports_wins else "mean"
        against = [f"against {name}" for name in self.names.values()]
        rows = [[f"{' / '.join(self.measures)} of", *against, standing, "ms per move"]]
        for row, name in self.names.items():
            cells = [self._cell(row, column) for column in self.names]
            rows.append([name, *cells, self._standing(row), f"{self.milliseconds(row):.3g}"])
        return rows

    def _cell(self, row: str, column: str) -> str:
        """Returns the score of the row's player against the column's; a dash if they did not
        meet.
        """
        player = 0 if (row, column) in self.results else 1
        result = self.results.get((column, row) if player else (row, column))
        if result is None:
            return "–"
        score = result.sides[player].total
        share = f"{score.wp.scaled(100).text(1, '')} % / " if self.unit.reports_wins else ""
        return share + score.adp.text(self.unit.digits)

    def _standing(self, label: str) -> str:
        """Returns a standing for the table."""
        own = self.standings[label]
        if isinstance(own, Estimate):
            return own.text(self.unit.digits)
        # A single deck cannot be resampled.
        interval = f" [{own.low:+.0f}, {own.high:+.0f}]" if own.low < own.high else ""
        return "0" if label == self.reference else f"{own.elo:+.0f}{interval}"

    def as_dict(self, facts: Mapping[str, object]) -> dict[str, object]:
        """Returns everything for JSON."""
        labels, config = list(self.names), self.tournament.config
        misfits = [
            asdict(misfit) | {"pair": [labels[k] for k in misfit.pair]} for misfit in self.misfits
        ]
        return {
            **facts,
            "config": asdict(config) | {"game": config.game.as_dict()},
            "players": {
                label: {"name": one.name, "kind": one.kind, "options": one.options.as_dict()}
                for label, one in self.tournament.players.items()
            },
            "ratings" if self.unit.reports_wins else f"mean_{self.unit.key}": {
                label: estimate_fields(own) if isinstance(own, Estimate) else asdict(own)
                for label, own in self.standings.items()
            },
            **({"misfits": misfits} if misfits else {}),
            "matches": [
                {"labels": [*pair], **result.as_dict()} for pair, result in self.results.items()
            ],
        }

    def write(self, folder: Path, facts: Mapping[str, object]) -> list[Path]:
        """Writes ``report.md``, ``report.json`` and the plots; returns their paths.

        Args:
            folder: Created if missing.
            facts: Facts about the measurement: the command, the machine, the time.

        Raises:
            ReportError: The folder cannot be written, or the plots' library is missing.
        """
        text = [
            f"# {self.tournament.config.game.name}: {' · '.join(self.names.values())}\n",
            *(f"- {name}: {value}" for name, value in facts.items()),
            f"\n{self._explanation()}\n",
            f"{markdown_table(self.table())}\n",
            *([f"{self.misfit_text()}.\n"] if self.misfits else []),
        ]
        contents = json.dumps(self.as_dict(facts), indent=2, allow_nan=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            drawn = [
                draw_intervals(folder / name, panels) for name, panels in self._plots().items()
            ]
            text += [f"![{path.stem}]({path.name})\n" for path in drawn]
            text += ["## Matches", "", *(f"```\n{one}\n```\n" for one in self.results.values())]
            write(folder / "report.md", "\n".join(text))
            write(folder / "report.json", contents + "\n")
        except OSError as error:
            raise ReportError(f"report={folder}: cannot be written ({error.strerror})") from error
        return [folder / "report.md", folder / "report.json", *drawn]

    def _explanation(self) -> str:
        """Returns an explanation of the table, in a sentence or two."""
        score = f"{' and '.join(self.measures)} of the row's player"
        errors = "± standard error over decks"
        if self.unit.reports_wins:
            return f"{score}, {errors}; 95 % intervals of the ratings in brackets."
        three = self.spec.num_teams > 2
        alone = ", alone against that of the column in all other seats" if three else ""
        return f"{score}{alone}, {errors}; mean: over all opponents."

    def _plots(self) -> dict[str, list[Intervals]]:
        """Returns the panels of each plot."""
        unit, names = self.unit, self.names
        scores = {
            f"{names[pair[player]]} – {names[pair[1 - player]]}": result.sides[player].total
            for player in (1, 0)
            for pair, result in reversed(list(self.results.items()))
            if player == 0 or result.opposite is not None
        }
        shares = {name: _ends(score.wp.scaled(100)) for name, score in scores.items()}
        means = {name: _ends(score.adp) for name, score in scores.items()}
        points = " (points)" if unit.reports_wins else ""
        panels = [Intervals(f"{unit.name}{points}, 95 % interval", means, 0.0)]
        if unit.reports_wins:
            panels.insert(0, Intervals("WP (%), 95 % interval", shares, 50.0))
        ordered = sorted(names, key=lambda label: _ends(self.standings[label]))
        what = "Rating (Elo)" if unit.reports_wins else f"Mean {unit.name} over opponents"
        standings = {names[label]: _ends(self.standings[label]) for label in ordered}
        times = {names[label]: (self.milliseconds(label),) * 3 for label in ordered}
        title = "Time per decision (ms, one process, many games at once)"
        found = {
            "scores.png": panels,
            "ratings.png": [Intervals(f"{what}, 95 % interval", standings)],
            "times.png": [Intervals(title, times, None, min(times.values())[0] > 0)],
        }
        if len(names) == 2:
            del found["ratings.png"]
        return found


def _ends(standing: Rating | Estimate) -> tuple[float, float, float]:
    """Returns a standing and the ends of its interval."""
    if isinstance(standing, Estimate):
        return standing.mean, *interval(standing)
    return standing.elo, standing.low, standing.high


def check_folder(folder: Path) -> None:
    """Raises ReportError if a report cannot be written into a folder, before the games rather than
    after.
    """
    check_plots()
    try:
        Lock(folder / ".writable").close()
    except OSError as error:
        raise ReportError(
            f"report={folder}: cannot be written ({error.strerror}); give another folder"
        ) from error
