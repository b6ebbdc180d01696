"""What ``python evaluate.py`` does with its arguments: help, settings, matches, tournaments,
reports.
"""

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from fpmcts.configuration import choices
from fpmcts.evaluation.config import EvaluateConfig, Tournament, parse_command_line
from fpmcts.evaluation.duplicate import games_per_deck
from fpmcts.evaluation.plan import make_plan, read_given_decks
from fpmcts.evaluation.precision import with_precisions
from fpmcts.evaluation.report import (
    check_folder,
    measures,
    misfit_text,
    rate,
    score_table,
    write_report,
)
from fpmcts.evaluation.saved_games import check_file, write_games
from fpmcts.evaluation.table_match import table_match
from fpmcts.evaluation.tournament import forget, play_tournament
from fpmcts.interrupt import Interrupt
from fpmcts.machine import machine
from fpmcts.players.lookup import PLAYERS, Host
from fpmcts.players.warmup import compile_players
from fpmcts.progress import Progress
from games.choice import help_text as game_help
from games.help import attribute_texts, first_line, keys_text
from games.interface import Game
from games.settings import ConfigError, did_you_mean
from networks.checkpoint import CheckpointError
from networks.device import choose_device

HELP = """python evaluate.py a=PLAYER b=PLAYER [a.OPTION=…] [key=value …]

  python evaluate.py a=fpmcts a.playouts=600 b=rhcp decks=100
  python evaluate.py agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600
  python evaluate.py game=leduc a=lbr b=tabular b.run=runs/leduc-smooth_uct-0     scores in mbb/h
  python evaluate.py game=no_limit_holdem players=3 table=[mcts,best_hand,hand_only] decks=100

Any other word is the label of a player: LABEL=PLAYER LABEL.OPTION=VALUE. Keys:
"""

Note = Callable[[Any], None]
"""Shows a line or a table."""


def help_text(topic: str) -> str:
    """Returns the help on a player's options, a key or an option of a game; "" is the whole in
    short.
    """
    keys = attribute_texts(EvaluateConfig)
    keys["experiment"] = f"Keys of conf/evaluate/NAME.yaml: {', '.join(choices('evaluate'))}."
    if topic in PLAYERS:
        return f"{topic}: {first_line(PLAYERS[topic])}\n{PLAYERS[topic].help('LABEL.')}"
    if topic:
        text = (
            f"{keys[topic]}\n"
            if topic in ("game", "experiment")
            else keys_text(EvaluateConfig, topic=topic)
        )
        text += game_help("" if topic == "game" else topic)
        if not text:
            raise ConfigError(
                f"--help {topic}: no key and no player{did_you_mean(topic, [*keys, *PLAYERS])}"
            )
        return text
    lines = [f"  {name + ':':13}{text}" for name, text in keys.items()]
    players = [f"  {name + ':':13}{first_line(options)}" for name, options in PLAYERS.items()]
    more = [
        "Players, explained with their options by --help PLAYER:",
        *players,
        "--cfg job prints all settings.",
    ]
    return "\n".join([HELP, *lines, "", *more])


def settings(arguments: Sequence[str]) -> dict[str, Any]:
    """Returns everything that a command line sets: the keys, and every player with its options."""
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


def run(arguments: Sequence[str], note: Note, progress: Progress) -> int:
    """Plays what a command line describes; returns the exit status.

    Args:
        arguments: Of the command line.
        note: Shows a line or a table.
        progress: Shows how far it is.
    """
    tournament = parse_command_line(arguments)
    config = tournament.config
    choose_device(config.device)
    game = config.game.make()
    _check(tournament, game)
    if any(player.options.compiles for player in tournament.players.values()):
        compile_players(config.game.name)
    interrupt = Interrupt(note, "stopping after the games that are being played, which are kept")
    if config.table:
        return _play_table(tournament, game, note, progress, lambda: interrupt.requested)
    plan = make_plan(tournament, game, read_given_decks(tournament, game))
    tournament, precisions = with_precisions(
        tournament, plan.num_decks() * games_per_deck(game.spec)
    )
    if precisions:
        note(f"precision: {precisions}")
    began, plan = time.monotonic(), replace(plan, tournament=tournament)
    results = play_tournament(plan, progress, lambda: interrupt.requested, note)
    if results is None:
        note("stopped; the same command continues")
        return 130
    standings = rate(game.spec, tournament.labels, results)
    for result in results.values():
        note(str(result))
    if len(tournament.labels) > 2:
        rows = score_table(tournament, results, standings)
        for k, measure in enumerate(measures(game.spec.score)):
            note(_matrix(rows, k, measure))
        if standings.misfits:
            note(misfit_text(tournament, standings.misfits))
    if config.save:
        write_games(Path(config.save), tournament, plan.decks, results)
        note(f"games in {config.save}")
    if config.report:
        facts = {
            "command": shlex.join(["python", "evaluate.py", *arguments]),
            "machine": _machine_text(),
        }
        facts |= {"precision": precisions} if precisions else {}
        facts["seconds"] = f"{time.monotonic() - began:.1f}"
        write_report(Path(config.report), tournament, results, standings, facts)
        note(f"report in {Path(config.report) / 'report.md'}")
    forget(plan)
    return 0


def _check(tournament: Tournament, game: Game) -> None:
    """Raises an error where a match cannot be played or its results not be written: before any
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
        if tournament.num_decks() is None or config.save or config.report or config.aivat:
            raise ConfigError("table: expected decks=NUMBER, and none of save, report and aivat")
        if config.cluster.kind != "none":
            raise ConfigError(
                f"cluster={config.cluster.kind}: players learn hand by hand, so one process plays "
                "a table"
            )
    for label, player in tournament.players.items():
        try:
            player.options.file(game.spec.name)
        except CheckpointError as error:
            raise CheckpointError(f"{label}={player.kind}: {error}") from error
    if config.report:
        check_folder(Path(config.report))
    if config.save:
        check_file(Path(config.save), game)


def _play_table(
    tournament: Tournament, game: Game, note: Note, progress: Progress, stopping: Callable[[], bool]
) -> int:
    """Plays a match of different players at one table and prints it; returns the exit status."""
    config, labels, decks = tournament.config, tournament.labels, tournament.num_decks() or 0
    tournament, precisions = with_precisions(tournament, decks * len(labels))
    if precisions:
        note(f"precision: {precisions}")
    host = Host(game, tournament.players, config.device)
    result = table_match(
        game,
        lambda: [host.make(label) for label in labels],
        [tournament.players[label].name for label in labels],
        decks,
        config.seed,
        progress=lambda done, total: progress("playing", done, total, "games"),
        stopping=stopping,
    )
    if result is None:
        note("stopped")
        return 130
    for line in result.lines():
        note(line)
    return 0


def _matrix(rows: list[list[str]], part: int, measure: str) -> Table:
    """Returns one measure of the table of all pairs, whose cells have several parts, for the
    terminal.
    """
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
