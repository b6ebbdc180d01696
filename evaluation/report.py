"""What a tournament says: tables for the terminal and for Markdown, JSON, and plots."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation import plots
from evaluation.config import Tournament
from evaluation.duplicate import MatchResult, deck_scores
from evaluation.match import Usage, total_usage
from evaluation.match_result import Score
from evaluation.plots import ReportError, check_plots
from evaluation.rating import Fit, Rating, goodness, mean_scores, ratings, resampled
from evaluation.statistics import Estimate
from games.interface import GameSpec, ScoreUnit

Results = Mapping[tuple[str, str], MatchResult]
"""The result of every pair of labels."""
Standings = Mapping[str, Rating] | Mapping[str, Estimate]
"""What a player's matches say together: a rating where wins count, else its mean score over the opponents."""


def reference_of(labels: tuple[str, ...]) -> str:
    """Returns the player whose rating is 0."""
    return "rhcp" if "rhcp" in labels else labels[0]


def measures(unit: ScoreUnit) -> tuple[str, ...]:
    """Returns the names of what is told of a match."""
    return ("WP", unit.name) if unit.tells_wins else (unit.name,)


def rate(spec: GameSpec, labels: tuple[str, ...], results: Results) -> tuple[dict[str, Rating] | dict[str, Estimate], Fit | None]:
    """Returns the standing of every player, and how well ratings fit; None where there are none, or too few pairs to tell.

    Where wins count it is a rating above that of ``rhcp`` if it takes part, else of the first. In poker it is the mean score over
    the opponents, each of them counting the same.
    """
    if not spec.score.tells_wins:
        return {label: mean_scores(_deck_scores(spec, label, results)) for label in labels}, None
    index = {label: k for k, label in enumerate(labels)}
    scores = {(index[a], index[b]): deck_scores(spec, result.games)[1].mean(axis=1) for (a, b), result in results.items()}
    played = resampled(len(labels), scores, spec.num_teams)
    return dict(zip(labels, ratings(played, index[reference_of(labels)]), strict=True)), goodness(played)


def fit_text(tournament: Tournament, fit: Fit) -> str:
    """Returns how well ratings fit, in a sentence."""
    names = [tournament.players[label].name for label in tournament.labels]
    (i, j), residual, error = fit.pairs[fit.worst], fit.residuals[fit.worst], fit.errors[fit.worst]
    return (
        f"How well one strength per player explains all pairs: chi-squared {fit.chi_squared:.1f} with {fit.freedom} degrees of "
        f"freedom, p = {fit.probability:.2g}; the largest residual, of {names[i]} against {names[j]}: {100 * residual:+.2f} ± "
        f"{100 * error:.2f} % of the games, {abs(residual) / error:.1f} standard errors"
    )


def _deck_scores(spec: GameSpec, label: str, results: Results) -> list[np.ndarray]:
    """Returns a player's score on each deck (float64 ``[D]``) of each of its matches."""
    sides = [(result, pair.index(label)) for pair, result in results.items() if label in pair]
    return [deck_scores(spec, result.games, side)[0].mean(axis=1) for result, side in sides]


def usage_of(label: str, results: Results) -> Usage:
    """Returns what a player was asked in all its matches."""
    return total_usage(result.usage[(a, b).index(label)] for (a, b), result in results.items() if label in (a, b))


def _opposite(score: Score) -> Score:
    """Returns the score of the other one of two teams."""
    wp, adp = score.wp, score.adp
    return Score(Estimate(1.0 - wp.mean, wp.error, wp.count), Estimate(-adp.mean, adp.error, adp.count))


def _score(results: Results, row: str, column: str) -> Score | None:
    """Returns the score of the row's player against the column's; None where they did not meet."""
    if (row, column) in results:
        return results[row, column].total
    if (column, row) in results:
        other = results[column, row]
        return _opposite(other.total) if other.opposite is None else other.opposite.total
    return None


def _cell(unit: ScoreUnit, score: Score | None) -> str:
    """Returns a score for the table."""
    if score is None:
        return "–"
    mean = f"{score.adp.mean:+.{unit.digits}f} ± {score.adp.error:.{unit.digits}f}"
    return f"{100 * score.wp.mean:.1f} ± {100 * score.wp.error:.1f} % / {mean}" if unit.tells_wins else mean


def _standing(standing: Rating | Estimate, is_reference: bool, unit: ScoreUnit) -> str:
    """Returns a standing for the table."""
    if isinstance(standing, Estimate):
        return f"{standing.mean:+.{unit.digits}f} ± {standing.error:.{unit.digits}f}"
    return "0" if is_reference else f"{standing.elo:+.0f} [{standing.low:+.0f}, {standing.high:+.0f}]"


def score_table(tournament: Tournament, results: Results, standings: Standings) -> list[list[str]]:
    """Returns the matrix as rows of cells, the first row being the heading: the row's player against that of the column."""
    labels, players = tournament.labels, tournament.players
    unit, reference = unit_of(results), reference_of(labels)
    names = [players[label].name for label in labels]
    standing = f"Elo above {players[reference].name}" if unit.tells_wins else "mean"
    rows = [[f"{' / '.join(measures(unit))} of", *(f"against {name}" for name in names), standing, "ms per move"]]
    for row in labels:
        cells = [_cell(unit, _score(results, row, column)) for column in labels]
        usage = f"{1000 * usage_of(row, results).seconds_per_decision():.3g}"
        rows.append([players[row].name, *cells, _standing(standings[row], row == reference, unit), usage])
    return rows


def unit_of(results: Results) -> ScoreUnit:
    """Returns the unit of the scores."""
    return next(iter(results.values())).unit


def markdown_table(rows: list[list[str]]) -> str:
    """Returns rows of cells as a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _fit_as_dict(tournament: Tournament, fit: Fit) -> dict[str, Any]:
    """Returns how well ratings fit for JSON."""
    pairs = [[tournament.labels[k] for k in pair] for pair in fit.pairs]
    residuals = [
        {"labels": pair, "residual": float(residual), "error": float(error)}
        for pair, residual, error in zip(pairs, fit.residuals, fit.errors, strict=True)
    ]
    told = {"chi_squared": fit.chi_squared, "freedom": fit.freedom, "probability": fit.probability}
    return {**told, "residuals": residuals}


def as_dict(
    tournament: Tournament, results: Results, standings: Standings, fit: Fit | None, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns everything for JSON."""
    means = {label: standing.as_dict() for label, standing in standings.items() if isinstance(standing, Estimate)}
    rated = {label: asdict(standing) for label, standing in standings.items() if isinstance(standing, Rating)}
    return {
        **facts,
        "config": {**asdict(tournament.config), "game": tournament.config.game.as_dict()},
        "players": {
            label: {"name": player.name, "kind": player.kind, "options": player.options.as_dict()}
            for label, player in tournament.players.items()
        },
        **({f"mean_{unit_of(results).key}": means} if means else {"ratings": rated}),
        **({} if fit is None else {"fit": _fit_as_dict(tournament, fit)}),
        "matches": [{"labels": [a, b], **result.as_dict()} for (a, b), result in results.items()],
    }


def write_report(
    folder: Path, tournament: Tournament, results: Results, standings: Standings, fit: Fit | None, facts: Mapping[str, Any]
) -> list[Path]:
    """Writes ``report.md``, ``report.json`` and the plots; returns their paths.

    Args:
        folder: Made if it is not there.
        tournament: What was played.
        results: Of every pair.
        standings: Of every player.
        fit: How well ratings fit, see ``rate``.
        facts: What was measured where: the command, the machine, the time.

    Raises:
        ReportError: The folder cannot be written, or the plots' library is missing.
    """
    unit = unit_of(results)
    told = " and ".join(measures(unit))
    text = [f"# {tournament.config.game.name}: {' · '.join(tournament.players[label].name for label in tournament.labels)}", ""]
    text += [f"- {name}: {value}" for name, value in facts.items()]
    text += ["", _explanation(results), ""]
    text += [markdown_table(score_table(tournament, results, standings)), ""]
    text += [] if fit is None else [f"{fit_text(tournament, fit)}.", ""]
    text += [f"![{told}](scores.png)", ""]
    if len(tournament.labels) > 2:
        text += ["![Ratings](ratings.png)" if unit.tells_wins else "![Means](ratings.png)", ""]
    text += ["![Time per move](times.png)", "", "## Matches", ""]
    for result in results.values():
        text += ["```", str(result), "```", ""]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text("\n".join(text))
        contents = json.dumps(as_dict(tournament, results, standings, fit, facts), indent=2, allow_nan=False)
        (folder / "report.json").write_text(contents + "\n")
        drawn = _plots(folder, tournament, results, standings)
    except OSError as error:
        raise ReportError(f"report={folder}: cannot be written ({error.strerror})") from error
    return [folder / "report.md", folder / "report.json", *drawn]


def _explanation(results: Results) -> str:
    """Returns what the table shows, in a sentence or two."""
    unit, three = unit_of(results), next(iter(results.values())).opposite is not None
    if unit.tells_wins:
        return f"WP and {unit.name} of the row's player, ± standard error over decks; 95 % intervals of the ratings in brackets."
    alone = ", alone against that of the column in all other seats" if three else ""
    return f"{unit.name} of the row's player{alone}, ± standard error over decks; mean: over all opponents."


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


def _plots(folder: Path, tournament: Tournament, results: Results, standings: Standings) -> list[Path]:
    """Draws the plots of a report; returns their paths."""
    unit = unit_of(results)
    names = {label: tournament.players[label].name for label in tournament.labels}
    matches = {f"{names[a]} – {names[b]}": result.total for (a, b), result in results.items()}
    if any(result.opposite is not None for result in results.values()):
        reverse = {f"{names[b]} – {names[a]}": r.opposite.total for (a, b), r in results.items() if r.opposite is not None}
        matches |= reverse
    title = f"{unit.name} (points), 95 % interval" if unit.tells_wins else f"{unit.name}, 95 % interval"
    panels = [plots.Panel(title, {name: score.adp for name, score in matches.items()}, 1.0, 0.0)]
    if unit.tells_wins:
        wins = {name: score.wp for name, score in matches.items()}
        panels.insert(0, plots.Panel("WP (%), 95 % interval", wins, 100.0, 50.0))
    paths = [plots.scores(folder / "scores.png", panels)]
    ends = {label: _ends(standing) for label, standing in standings.items()}
    ordered = sorted(tournament.labels, key=lambda label: ends[label][0])
    if len(ordered) > 2:
        title = "Rating (Elo), 95 % interval" if unit.tells_wins else f"Mean {unit.name} over opponents, 95 % interval"
        paths.append(plots.standings(folder / "ratings.png", title, {names[label]: ends[label] for label in ordered}))
    times = {names[label]: 1000 * usage_of(label, results).seconds_per_decision() for label in ordered}
    return [*paths, plots.times(folder / "times.png", times)]


def _ends(standing: Rating | Estimate) -> tuple[float, float, float]:
    """Returns a standing and the ends of its interval."""
    if isinstance(standing, Estimate):
        return standing.mean, *standing.interval()
    return standing.elo, standing.low, standing.high
