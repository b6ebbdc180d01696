"""What a tournament says: tables for the terminal and for Markdown, JSON, and plots."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fpmcts.evaluation import plots
from fpmcts.evaluation.config import Tournament
from fpmcts.evaluation.duplicate import MatchResult, deck_scores
from fpmcts.evaluation.match import total_usage
from fpmcts.evaluation.plots import ReportError, check_plots
from fpmcts.evaluation.rating import Misfit, Rating, mean_scores, ratings
from fpmcts.evaluation.statistics import Estimate
from games.interface import GameSpec, ScoreUnit

Results = Mapping[tuple[str, ...], MatchResult]
"""The result of every pair of labels."""


@dataclass(frozen=True)
class Standings:
    """What the matches of all players say together.

    Attributes:
        players: By label: a rating where wins count, else the mean score over the opponents.
        misfits: Of the pairs, what ratings do not explain; empty where there are none, or too few
            pairs to show it.
    """

    players: Mapping[str, Rating | Estimate]
    misfits: Sequence[Misfit] = ()


def reference_of(labels: tuple[str, ...]) -> str:
    """Returns the player whose rating is 0."""
    return "rhcp" if "rhcp" in labels else labels[0]


def measures(unit: ScoreUnit) -> tuple[str, ...]:
    """Returns the names of what is reported of a match."""
    return ("WP", unit.name) if unit.tells_wins else (unit.name,)


def rate(spec: GameSpec, labels: tuple[str, ...], results: Results) -> Standings:
    """Returns the standing of every player.

    Where wins count it is a rating above that of ``rhcp`` if it takes part, else of the first. In
    poker it is the mean score over the opponents, each of them counting the same.
    """
    if not spec.score.tells_wins:
        means = {}
        for label in labels:
            own = [(result, pair.index(label)) for pair, result in results.items() if label in pair]
            means[label] = mean_scores(
                [deck_scores(spec, r.games, side)[0].mean(axis=1) for r, side in own]
            )
        return Standings(means)
    scores = {
        (labels.index(a), labels.index(b)): deck_scores(spec, result.games)[1].mean(axis=1)
        for (a, b), result in results.items()
    }
    rated, misfits = ratings(
        len(labels), scores, labels.index(reference_of(labels)), spec.num_teams
    )
    return Standings(dict(zip(labels, rated, strict=True)), misfits)


def misfit_text(tournament: Tournament, misfits: Sequence[Misfit]) -> str:
    """Returns the largest misfit, in standard errors, in a sentence."""
    worst = max(misfits, key=lambda misfit: abs(misfit.share) / misfit.error)
    first, second = (tournament.players[tournament.labels[k]].name for k in worst.pair)
    return (
        f"What one strength per player explains least, of {len(misfits)} pairs: {first} against "
        f"{second}, "
        f"{100 * worst.share:+.2f} ± {100 * worst.error:.2f} % of the games, "
        f"{abs(worst.share) / worst.error:.1f} standard errors"
    )


def milliseconds(label: str, results: Results) -> float:
    """Returns the mean time of a player's decisions in all its matches."""
    usage = total_usage(
        result.usage[pair.index(label)] for pair, result in results.items() if label in pair
    )
    return 1000 * usage.seconds_per_decision()


def _cell(results: Results, row: str, column: str) -> str:
    """Returns the score of the row's player against the column's; a dash where they did not
    meet.
    """
    player = 0 if (row, column) in results else 1
    result = results.get((column, row) if player else (row, column))
    if result is None:
        return "–"
    score, unit = result.total_of(player), result.unit
    wp = score.wp.scaled(100)
    wins = f"{wp.mean:.1f} ± {wp.error:.1f} % / " if unit.tells_wins else ""
    return wins + score.adp.text(unit.digits)


def _standing(standing: Rating | Estimate, is_reference: bool, unit: ScoreUnit) -> str:
    """Returns a standing for the table."""
    if isinstance(standing, Estimate):
        return standing.text(unit.digits)
    return (
        "0" if is_reference else f"{standing.elo:+.0f} [{standing.low:+.0f}, {standing.high:+.0f}]"
    )


def score_table(tournament: Tournament, results: Results, standings: Standings) -> list[list[str]]:
    """Returns the matrix as rows of cells, the first row being the heading: the row's player
    against that of the column.
    """
    labels, players, unit = tournament.labels, tournament.players, unit_of(results)
    reference = reference_of(labels)
    standing = f"Elo above {players[reference].name}" if unit.tells_wins else "mean"
    against = [f"against {players[label].name}" for label in labels]
    rows = [[f"{' / '.join(measures(unit))} of", *against, standing, "ms per move"]]
    for row in labels:
        cells = [_cell(results, row, column) for column in labels]
        own = _standing(standings.players[row], row == reference, unit)
        rows.append([players[row].name, *cells, own, f"{milliseconds(row, results):.3g}"])
    return rows


def unit_of(results: Results) -> ScoreUnit:
    """Returns the unit of the scores."""
    return next(iter(results.values())).unit


def markdown_table(rows: list[list[str]]) -> str:
    """Returns rows of cells as a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def as_dict(
    tournament: Tournament, results: Results, standings: Standings, facts: Mapping[str, object]
) -> dict[str, object]:
    """Returns everything for JSON."""
    unit, labels = unit_of(results), tournament.labels
    misfits = [
        asdict(misfit) | {"pair": [labels[k] for k in misfit.pair]} for misfit in standings.misfits
    ]
    return {
        **facts,
        "config": asdict(tournament.config) | {"game": tournament.config.game.as_dict()},
        "players": {
            label: {"name": player.name, "kind": player.kind, "options": player.options.as_dict()}
            for label, player in tournament.players.items()
        },
        "ratings" if unit.tells_wins else f"mean_{unit.key}": {
            label: value.as_dict() if isinstance(value, Estimate) else asdict(value)
            for label, value in standings.players.items()
        },
        **({"misfits": misfits} if misfits else {}),
        "matches": [{"labels": [*pair], **result.as_dict()} for pair, result in results.items()],
    }


def write_report(
    folder: Path,
    tournament: Tournament,
    results: Results,
    standings: Standings,
    facts: Mapping[str, object],
) -> list[Path]:
    """Writes ``report.md``, ``report.json`` and the plots; returns their paths.

    Args:
        folder: Made if it is not there.
        tournament: What was played.
        results: Of every pair.
        standings: Of every player.
        facts: What was measured where: the command, the machine, the time.

    Raises:
        ReportError: The folder cannot be written, or the plots' library is missing.
    """
    names = " · ".join(tournament.players[label].name for label in tournament.labels)
    text = [
        f"# {tournament.config.game.name}: {names}\n",
        *(f"- {name}: {value}" for name, value in facts.items()),
        f"\n{_explanation(results)}\n",
        f"{markdown_table(score_table(tournament, results, standings))}\n",
    ]
    if standings.misfits:
        text.append(f"{misfit_text(tournament, standings.misfits)}.\n")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = _plots(folder, tournament, results, standings)
        text += [f"![{path.stem}]({path.name})\n" for path in drawn]
        text += ["## Matches", "", *(f"```\n{result}\n```\n" for result in results.values())]
        (folder / "report.md").write_text("\n".join(text))
        contents = json.dumps(
            as_dict(tournament, results, standings, facts), indent=2, allow_nan=False
        )
        (folder / "report.json").write_text(contents + "\n")
    except OSError as error:
        raise ReportError(f"report={folder}: cannot be written ({error.strerror})") from error
    return [folder / "report.md", folder / "report.json", *drawn]


def _explanation(results: Results) -> str:
    """Returns what the table shows, in a sentence or two."""
    unit, three = unit_of(results), next(iter(results.values())).opposite is not None
    if unit.tells_wins:
        return (
            f"WP and {unit.name} of the row's player, ± standard error over decks; "
            "95 % intervals of the ratings in brackets."
        )
    alone = ", alone against that of the column in all other seats" if three else ""
    return (
        f"{unit.name} of the row's player{alone}, ± standard error over decks; mean: over all "
        "opponents."
    )


def check_folder(folder: Path) -> None:
    """Raises ReportError where a report could not be written into a folder: better before the games
    than after.
    """
    check_plots()
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ReportError(
            f"report={folder}: cannot be written ({error.strerror}); give another folder"
        ) from error


def _plots(
    folder: Path, tournament: Tournament, results: Results, standings: Standings
) -> list[Path]:
    """Draws the plots of a report; returns their paths."""
    unit = unit_of(results)
    names = {label: tournament.players[label].name for label in tournament.labels}
    scores = {
        f"{names[pair[player]]} – {names[pair[1 - player]]}": result.total_of(player)
        for player in (0, 1)
        for pair, result in results.items()
        if player == 0 or result.opposite is not None
    }
    wins = {name: _ends(score.wp.scaled(100)) for name, score in reversed(scores.items())}
    means = {name: _ends(score.adp) for name, score in reversed(scores.items())}
    points = " (points)" if unit.tells_wins else ""
    panels = [plots.Panel(f"{unit.name}{points}, 95 % interval", means, 0.0)]
    if unit.tells_wins:
        panels.insert(0, plots.Panel("WP (%), 95 % interval", wins, 50.0))
    paths = [plots.plot(folder / "scores.png", panels)]
    ends = sorted(
        ((label, _ends(standing)) for label, standing in standings.players.items()),
        key=lambda item: item[1],
    )
    if len(ends) > 2:
        what = "Rating (Elo)" if unit.tells_wins else f"Mean {unit.name} over opponents"
        standing = {names[label]: values for label, values in ends}
        panel = plots.Panel(f"{what}, 95 % interval", standing)
        paths.append(plots.plot(folder / "ratings.png", [panel]))
    times = {names[label]: (milliseconds(label, results),) * 3 for label, _ in ends}
    title = "Time per decision (ms, one process, many games at once)"
    logarithmic = min(times.values())[0] > 0
    return [
        *paths,
        plots.plot(folder / "times.png", [plots.Panel(title, times, None, logarithmic)]),
    ]


def _ends(standing: Rating | Estimate) -> tuple[float, float, float]:
    """Returns a standing and the ends of its interval."""
    if isinstance(standing, Estimate):
        return standing.mean, *standing.interval()
    return standing.elo, standing.low, standing.high
