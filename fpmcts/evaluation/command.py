"""The command ``fpmcts evaluate``: help, settings, matches, tournaments, reports.

In poker every deck is replayed with the seats exchanged, and scores are in mbb/h, thousandths of a
big blind per hand (of the ante in Kuhn, of the first bet in Leduc). The share of hands won means
little there, so neither it nor a rating is reported.

With three seats, one player sits alone against two of the other: A in each seat, then B in each
seat. The first gives A's score, the second B's; the two need not sum to zero.
"""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from fpmcts.adapters.players.foreign import ExternalPlayerError
from fpmcts.command import ending as usual_ending
from fpmcts.configuration import choices, shown, split
from fpmcts.evaluation.calibration import Calibration, calibration
from fpmcts.evaluation.config import EvaluateConfig, Tournament, parse_command_line
from fpmcts.evaluation.duplicate import table_habits, table_scores
from fpmcts.evaluation.match import IllegalMoveError
from fpmcts.evaluation.match_result import MatchResult, TableResult
from fpmcts.evaluation.plan import Plan, make_plan
from fpmcts.evaluation.precision import with_precisions
from fpmcts.evaluation.report import TournamentReport, check_folder
from fpmcts.evaluation.saved_games import check_file, write_games
from fpmcts.evaluation.tournament import forget, play_tournament
from fpmcts.interrupt import Interrupt
from fpmcts.machine import machine
from fpmcts.players.lookup import PLAYERS, Host
from fpmcts.players.warmup import compile_players
from fpmcts.progress import Progress
from fpmcts.terminal import Terminal
from games.base.help import attribute_texts, error_text, first_line, keys_text, say
from games.base.settings import ConfigError, did_you_mean
from games.play.choice import help_text as game_help
from games.play.interface import Game
from games.play.registry import Values
from networks.checkpoint import CheckpointError, holding
from networks.device import choose_device

HELP = """{command} a=PLAYER b=PLAYER [a.OPTION=…] [key=value …]

  {command} a=fpmcts a.playouts=600 b=rhcp decks=100
  {command} agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600
  {command} game=leduc a=lbr b=tabular b.run=runs/leduc-smooth_uct-0     scores in mbb/h
  {command} game=no_limit_holdem players=3 table=[mcts,best_hand,hand_only] decks=100

Any other word is the label of a player: LABEL=PLAYER LABEL.OPTION=VALUE. Keys:
"""

LONGEST_FAULT = 20_000
"""Maximum characters in the report of a player's fault, which quotes the question and the
answer.
"""

Note = Callable[[Any], None]
"""Shows a line or a table."""


def help_text(topic: str, command: str = "fpmcts evaluate") -> str:
    """Returns the help on a player's options, a key or an option of a game; for "" an overview."""
    keys = attribute_texts(EvaluateConfig)
    keys["experiment"] = f"Keys of conf/evaluate/NAME.yaml: {', '.join(choices('evaluate'))}."
    if topic in PLAYERS:
        return f"{topic}: {first_line(PLAYERS[topic])}\n{PLAYERS[topic].help('LABEL.')}"
    if topic in ("game", "experiment"):
        return f"{keys[topic]}\n{game_help() if topic == 'game' else ''}"
    if topic:
        text = keys_text(EvaluateConfig, topic=topic) + game_help(topic)
        if not text:
            near = did_you_mean(topic, [*keys, *PLAYERS])
            raise ConfigError(f"--help {topic}: neither a key nor a player{near}")
        return text
    lines = [f"  {name + ':':13}{text}" for name, text in keys.items()]
    players = [f"  {name + ':':13}{first_line(options)}" for name, options in PLAYERS.items()]
    lines += ["", "Players, explained with their options by --help PLAYER:", *players]
    return "\n".join([HELP.format(command=command), *lines, "--cfg job prints all settings."])


def settings(arguments: Sequence[str]) -> dict[str, object]:
    """Returns all settings of a command line: the keys, and every player with its options."""
    tournament = parse_command_line(arguments)
    players = {
        label: {"kind": player.kind, **player.options.as_dict()}
        for label, player in tournament.players.items()
    }
    return {
        **asdict(tournament.config),
        "game": tournament.config.game.as_dict(),
        "player": players,
    }


def main(arguments: Sequence[str], command: str = "fpmcts evaluate") -> int:
    """Runs a command line; returns the exit status."""
    line = split(arguments)
    if line.help is not None:
        say(help_text(line.help, command))
    elif line.shows:
        say(shown(settings(line.overrides)))
    else:
        terminal = Terminal()
        try:
            typed = f"{command} {shlex.join(arguments)}"
            return run(line.overrides, typed, terminal.note, terminal.progress)
        finally:
            terminal.close()
    return 0


def ending(error: Exception) -> str:
    """Returns the line for an error; raises errors without one."""
    if isinstance(error, IllegalMoveError | ExternalPlayerError):
        kept = "finished tasks are kept, and the same command continues unless resume=false"
        return f"{error_text(error, LONGEST_FAULT)}; {kept}"
    if isinstance(error, MemoryError):
        return "not enough memory for the decks and their games; give fewer decks"
    return usual_ending(error)


def run(overrides: Sequence[str], typed: str, note: Note, progress: Progress) -> int:
    """Plays the matches of a command line; returns the exit status.

    Args:
        overrides: Keys and values of the command line.
        typed: The command line as typed, for the report.
        note: Shows a line or a table.
        progress: Shows the progress.
    """
    tournament = parse_command_line(overrides)
    config = tournament.config
    choose_device(config.device)
    game = config.game.make()
    _check(tournament, game)
    compile_players(game, (player.options for player in tournament.players.values()))
    what = "stopping after the games that are being played, which are kept"
    with Interrupt(note, what) as interrupt:
        plan, precisions = with_precisions(make_plan(tournament, game))
        began = time.monotonic()
        results = play_tournament(plan, progress, lambda: interrupt.requested, note)
    if results is None:
        note(f"stopped; the same command {'continues' if config.resume else 'begins again'}")
        return 130
    if precisions:
        note(f"precision: {precisions}")
    if config.table:
        table = results[tournament.labels]
        by_deck = table_scores(game.spec, table.games)
        scores = TableResult(table.names, by_deck, table_habits(table))
        note(scores.text(game.spec.score, table.games.usage))
    else:
        facts = {
            "command": typed,
            "machine": _machine_text(),
            **({"precision": precisions} if precisions else {}),
            "seconds": f"{time.monotonic() - began:.1f}",
        }
        _show(plan, TournamentReport(plan.tournament, game.spec, results), facts, note)
        if config.calibration:
            note(str(_calibration(plan, game, results[tournament.labels])))
    forget(plan)
    return 0


def _show(plan: Plan, report: TournamentReport, facts: Mapping[str, object], note: Note) -> None:
    """Shows results, and writes the games and the report if requested."""
    config = plan.tournament.config
    for result in report.results.values():
        note(str(result))
    if len(report.names) > 2:
        for k, measure in enumerate(report.measures):
            note(_matrix(report.table(), k, measure))
        if report.misfits:
            note(report.misfit_text())
    if config.report:
        report.write(Path(config.report), facts)
        note(f"report in {Path(config.report) / 'report.md'}")
    if config.save:  # last: an existing file makes the same command fail
        write_games(Path(config.save), plan.tournament, plan.decks, report.results)
        note(f"games in {config.save}")


def _values(tournament: Tournament, game: Game) -> Values:
    """Returns the function of views by which the networks of ``a`` state chances to win."""
    label, device = tournament.labels[0], str(choose_device(tournament.config.device))
    host = Host(game, tournament.players, device)
    try:
        return tournament.players[label].options.values(host, "wp")
    except ValueError as error:
        raise ConfigError(f"calibration=true: {label}: {error}") from error


def _calibration(plan: Plan, game: Game, result: MatchResult) -> Calibration:
    """Returns the calibration of ``a`` in its match."""
    with holding(plan.inputs.files):
        values = _values(plan.tournament, game)
    return calibration(result.names[0], game, values, plan.decks, result.games, 0)


def _check(tournament: Tournament, game: Game) -> None:
    """Raises an error if a match cannot be played or its results cannot be written: before any
    game, in one process.
    """
    config, labels = tournament.config, tournament.labels
    if config.aivat and game.passive is None:
        raise ConfigError(
            f"aivat=true: measures luck by a move such as check or call, which {game.spec.name} "
            "does not have"
        )
    if config.table:
        if len(labels) != game.spec.num_seats:
            expected = f"expected {game.spec.num_seats}, the seats of {game.spec.name}"
            raise ConfigError(f"table={list(labels)}: {len(labels)} players; {expected}")
    for label, player in tournament.players.items():
        try:
            player.options.file(game)
        except CheckpointError as error:
            raise CheckpointError(f"{label}={player.kind}: {error}") from error
    if config.calibration:
        _values(tournament, game)
    if config.report:
        check_folder(Path(config.report))
    if config.save:
        check_file(Path(config.save), game)


def _matrix(rows: list[list[str]], part: int, measure: str) -> Table:
    """Returns the table of all pairs for the terminal, with one of the measures in its cells."""
    table = Table(f"{measure} of", *rows[0][1:-1], title=f"{measure} ± standard error over decks")
    for row in rows[1:]:
        table.add_row(*(cell.split(" / ")[part] if " / " in cell else cell for cell in row[:-1]))
    return table


def _machine_text() -> str:
    here = machine()
    return (
        f"{here['processor']}, {here['cores']} cores; python {here['python']}, torch "
        f"{here['torch']}, numba {here['numba']}"
    )
