"""What a tournament says: tables for the terminal and for Markdown, JSON, and plots."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.config import Tournament
from evaluation.duplicate import MatchResult, deck_scores
from evaluation.match import Usage, total_usage
from evaluation.rating import Rating, ratings
from games.interface import GameSpec

Results = Mapping[tuple[str, str], MatchResult]
"""The result of every pair of labels."""


class ReportError(RuntimeError):
    """A report that cannot be written; the message says which and why."""


def reference_of(labels: tuple[str, ...]) -> str:
    """Returns the player whose rating is 0."""
    return "rhcp" if "rhcp" in labels else labels[0]


def rate(spec: GameSpec, labels: tuple[str, ...], results: Results) -> dict[str, Rating]:
    """Returns the rating of every player, above that of ``rhcp`` if it takes part, else of the first."""
    index = {label: k for k, label in enumerate(labels)}
    scores = {(index[a], index[b]): deck_scores(spec, result.games)[1].mean(axis=1) for (a, b), result in results.items()}
    reference = index[reference_of(labels)]
    teams = max(spec.teams) + 1
    return dict(zip(labels, ratings(len(labels), scores, reference, teams), strict=True))


def usage_of(label: str, results: Results) -> Usage:
    """Returns what a player was asked in all its matches."""
    return total_usage(result.usage[(a, b).index(label)] for (a, b), result in results.items() if label in (a, b))


def _cell(results: Results, row: str, column: str) -> tuple[float, float, float, float] | None:
    """Returns WP, its error, ADP, its error of the row's player against the column's; None where they did not meet."""
    if (row, column) in results:
        total = results[row, column].total
        return total.wp.mean, total.wp.error, total.adp.mean, total.adp.error
    if (column, row) in results:
        total = results[column, row].total
        return 1.0 - total.wp.mean, total.wp.error, -total.adp.mean, total.adp.error
    return None


def score_table(tournament: Tournament, results: Results, ratings_: Mapping[str, Rating]) -> list[list[str]]:
    """Returns the matrix as rows of cells, the first row being the heading: the row's player against that of the column."""
    labels, players = tournament.labels, tournament.players
    reference = reference_of(labels)
    names = [players[label].name for label in labels]
    rows = [["WP / ADP of", *(f"against {name}" for name in names), f"Elo above {players[reference].name}", "ms per move"]]
    for row in labels:
        cells = [players[row].name]
        for column in labels:
            cell = _cell(results, row, column)
            if cell is None:
                cells.append("–")
            else:
                wp, wp_error, adp, adp_error = cell
                cells.append(f"{100 * wp:.1f} ± {100 * wp_error:.1f} % / {adp:+.2f} ± {adp_error:.2f}")
        rating = ratings_[row]
        cells.append("0" if row == reference else f"{rating.elo:+.0f} [{rating.low:+.0f}, {rating.high:+.0f}]")
        cells.append(f"{1000 * usage_of(row, results).seconds_per_decision():.3g}")
        rows.append(cells)
    return rows


def markdown_table(rows: list[list[str]]) -> str:
    """Returns rows of cells as a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def as_dict(tournament: Tournament, results: Results, ratings_: Mapping[str, Rating], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Returns everything for JSON."""
    return {
        **facts,
        "config": asdict(tournament.config),
        "players": {
            label: {"name": player.name, "kind": player.kind, "options": asdict(player.options)}
            for label, player in tournament.players.items()
        },
        "ratings": {label: asdict(rating) for label, rating in ratings_.items()},
        "matches": [{"labels": [a, b], **result.as_dict()} for (a, b), result in results.items()],
    }


def write_report(
    folder: Path, tournament: Tournament, results: Results, ratings_: Mapping[str, Rating], facts: Mapping[str, Any]
) -> list[Path]:
    """Writes ``report.md``, ``report.json`` and the plots; returns their paths.

    Args:
        folder: Made if it is not there.
        tournament: What was played.
        results: Of every pair.
        ratings_: Of every player.
        facts: What was measured where: the command, the machine, the time.

    Raises:
        ReportError: The folder cannot be written, or the plots' library is missing.
    """
    text = [f"# {tournament.config.game}: {' · '.join(tournament.players[label].name for label in tournament.labels)}", ""]
    text += [f"- {name}: {value}" for name, value in facts.items()]
    text += ["", "WP and ADP of the row's player, ± standard error over decks; 95 % intervals of the ratings in brackets.", ""]
    text += [markdown_table(score_table(tournament, results, ratings_)), "", "![WP and ADP](scores.png)", ""]
    if len(tournament.labels) > 2:
        text += ["![Ratings](ratings.png)", ""]
    text += ["![Time per move](times.png)", "", "## Matches", ""]
    for result in results.values():
        text += ["```", str(result), "```", ""]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text("\n".join(text))
        contents = json.dumps(as_dict(tournament, results, ratings_, facts), indent=2, allow_nan=False)
        (folder / "report.json").write_text(contents + "\n")
        plots = _plots(folder, tournament, results, ratings_)
    except OSError as error:
        raise ReportError(f"report={folder}: cannot be written ({error.strerror})") from error
    return [folder / "report.md", folder / "report.json", *plots]


def check_plots() -> None:
    """Raises ReportError where nothing can be plotted: better before the games than after."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ReportError("plots need matplotlib; install it with: pip install 'fpmcts[report]'") from error


def check_folder(folder: Path) -> None:
    """Raises ReportError where a report could not be written into a folder: better before the games than after."""
    check_plots()
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ReportError(f"report={folder}: cannot be written ({error.strerror}); give another folder") from error


def _plots(folder: Path, tournament: Tournament, results: Results, ratings_: Mapping[str, Rating]) -> list[Path]:
    """Draws the plots of a report; returns their paths."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    def figure(height: float, columns: int = 1) -> tuple[Any, Any]:
        drawn = Figure(figsize=(9, height), layout="constrained")
        FigureCanvasAgg(drawn)
        return drawn, drawn.subplots(1, columns)

    paths = []
    z = 1.96
    names = {label: tournament.players[label].name for label in tournament.labels}
    matches = list(results.items())[::-1]
    rows = np.arange(len(matches))
    drawn, (left, right) = figure(1.2 + 0.35 * len(matches), 2)
    for axis, middle, title, scores, scale in (
        (left, 50.0, "WP (%), 95 % interval", [r.total.wp for _, r in matches], 100.0),
        (right, 0.0, "ADP (points), 95 % interval", [r.total.adp for _, r in matches], 1.0),
    ):
        errors = [z * scale * (0.0 if np.isnan(s.error) else s.error) for s in scores]
        axis.errorbar([scale * s.mean for s in scores], rows, xerr=errors, fmt="o", capsize=3)
        axis.axvline(middle, color="grey", linewidth=0.8)
        axis.set_title(title)
        axis.set_yticks(rows, [f"{names[a]} – {names[b]}" for (a, b), _ in matches] if axis is left else [""] * len(matches))
    drawn.savefig(folder / "scores.png", dpi=120)
    paths.append(folder / "scores.png")
    ordered = sorted(tournament.labels, key=lambda label: ratings_[label].elo)
    rows = np.arange(len(ordered))
    if len(ordered) > 2:
        drawn, axis = figure(1.2 + 0.35 * len(ordered))
        elo = np.array([ratings_[label].elo for label in ordered])
        ends = np.array([[ratings_[label].low, ratings_[label].high] for label in ordered])
        errors = np.abs(ends - elo[:, None]).T
        axis.errorbar(elo, rows, xerr=errors, fmt="o", capsize=3)
        axis.set_yticks(rows, [names[label] for label in ordered])
        axis.set_title("Rating (Elo), 95 % interval")
        drawn.savefig(folder / "ratings.png", dpi=120)
        paths.append(folder / "ratings.png")
    drawn, axis = figure(1.2 + 0.35 * len(ordered))
    times = [1000 * usage_of(label, results).seconds_per_decision() for label in ordered]
    axis.barh(rows, times)
    if min(times) > 0:
        axis.set_xscale("log")
    axis.set_yticks(rows, [names[label] for label in ordered])
    axis.set_title("Time per decision (ms, one process, many games at once)")
    drawn.savefig(folder / "times.png", dpi=120)
    return [*paths, folder / "times.png"]
