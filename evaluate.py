"""Measures players by duplicate matches: ``python evaluate.py a=fpmcts b=rhcp decks=100``.

The keys are explained in ``evaluation/config.py`` and the players with their options in each room of ``agents``; ``--help``
and ``--help PLAYER`` print both. An interrupted evaluation is continued by the same command.

In poker every deck is played again with the players in each other's seats, and scores are in mbb/h, thousandths of a big blind
per hand (in Kuhn of the ante, in Leduc of the first bet), with standard errors over decks. The share of hands won says little
there and is not told, so there is no rating either: with ``agents`` the table ends with the mean score over all opponents.

    python evaluate.py game=leduc a=tabular a.run=runs/leduc-smooth_uct-0 b=random decks=10000
    python evaluate.py game=leduc a=lbr b=tabular b.run=runs/leduc-smooth_uct-0 decks=10000

The second one asks what ``b`` can lose: ``lbr`` is told its policy, and what it wins over all games is a lower bound on the
exploitability of ``b``, the mean over both seats of what a best response wins.

Of three players one sits alone against two of the other: A in each of the seats, then B in each of them. The first is A's score,
the second B's; the two are no opposites.

    python evaluate.py game=limit_holdem players=3 a=tabular a.run=runs/limit_holdem-smooth_uct-0 b=always_call

Different players at one table, each deck in every order of seats:

    python evaluate.py game=no_limit_holdem players=3 stacks=20000 table=[mcts,best_hand,hand_only] decks=100
"""

import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from agents.general.external import ExternalPlayerError
from agents.players import PLAYERS, Host, PlayerError
from agents.warmup import compile_players
from evaluation.config import EvaluateConfig, Tournament, parse_command_line
from evaluation.duplicate import MatchResult, with_variate
from evaluation.kept_games import TournamentError
from evaluation.match import IllegalMoveError
from evaluation.plan import Plan, make_plan, read_given_decks, settled_precisions, with_precisions
from evaluation.plots import ReportError
from evaluation.report import check_folder, fit_text, measures, rate, score_table, write_report
from evaluation.saved_games import SaveError, check_file, write_games
from evaluation.table_match import table_match
from evaluation.tournament import Progress as Counted
from evaluation.tournament import forget, play_tournament
from games.choice import help_text as game_help
from games.interface import Game
from networks.checkpoint import CheckpointError
from runtime.cluster import ClusterError
from runtime.configuration import choices, shown, split
from runtime.device import choose_device
from runtime.help import attribute_texts, first_line, say, shortened
from runtime.interrupt import Interrupt
from runtime.machine import machine
from runtime.settings import ConfigError, did_you_mean

LINE_SECONDS = 30.0
"""Between two lines of progress where the output is no terminal."""
ERRORS = (ConfigError, CheckpointError, PlayerError, TournamentError, ReportError, SaveError, ClusterError)


HELP = """python evaluate.py a=PLAYER b=PLAYER [a.OPTION=…] [key=value …]

  python evaluate.py a=fpmcts a.playouts=600 b=rhcp decks=100
  python evaluate.py agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600
  python evaluate.py game=leduc a=lbr b=tabular b.run=runs/leduc-smooth_uct-0     scores in mbb/h
"""


def help_text(topic: str) -> str:
    """Returns the help on a player's options or a key; "" is the whole in short."""
    if topic in PLAYERS:
        return f"{topic}: {first_line(PLAYERS[topic])}\n{PLAYERS[topic].help('LABEL.')}"
    told = attribute_texts(EvaluateConfig) | {"experiment": f"Keys of conf/evaluate/NAME.yaml: {', '.join(choices('evaluate'))}."}
    if topic == "game":
        return f"game: {told['game']}\n{game_help()}"
    if topic:
        if text := game_help(topic):
            return text
        if topic not in told:
            raise ConfigError(f"--help {topic}: no key and no player{did_you_mean(topic, [*told, *PLAYERS])}")
        return f"{topic}: {told[topic]}"
    first = {key: text.partition(". ")[0].partition(";")[0].rstrip(".") for key, text in told.items()}
    keys = [f"  {key + ':':13}{shortened(text, 96)}" for key, text in first.items()]
    kinds = [f"  {name + ':':13}{shortened(first_line(options), 96)}" for name, options in PLAYERS.items()]
    more = ["", "Players, explained with their options by --help PLAYER:", *kinds, "--cfg job prints all settings."]
    return "\n".join([HELP, "Keys:", *keys, *more])


def settings(tournament: Tournament) -> dict[str, Any]:
    """Returns everything that a tournament is set to: the keys, and every player with its options."""
    players = {label: {"kind": player.kind, **player.options.as_dict()} for label, player in tournament.players.items()}
    return {**asdict(tournament.config), "game": tournament.config.game.as_dict(), "player": players}


def check_players(tournament: Tournament) -> None:
    """Raises CheckpointError where what a player has learned is not there: before any game, in one process."""
    for label, player in tournament.players.items():
        try:
            player.options.file(tournament.config.game.name)
        except CheckpointError as error:
            raise CheckpointError(f"{label}={player.kind}: {error}") from error


def play(plan: Plan, console: Console) -> dict[tuple[str, str], MatchResult] | None:
    """Returns the results, with a progress bar; None if it was interrupted."""
    what = "stopping after the games that are being played, which are kept"
    interrupt = Interrupt(lambda text: console.print(text, markup=False), what)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("games, {task.fields[rate]}"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    began = said = time.monotonic()
    first = True
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("playing", total=None, rate="")

        def tell(counted: Counted) -> None:
            nonlocal first, said
            now = time.monotonic()
            if counted.kept and first:
                console.print(f"continuing: {counted.kept:,} of {counted.total:,} games were finished before")
            first = False
            rate = (counted.games - counted.kept) / max(now - began, 1e-9)
            bar.update(row, completed=counted.games, total=counted.total, rate=f"{rate:.3g}/s")
            if bar.disable and now - said > LINE_SECONDS and rate > 0:
                said = now
                left = (counted.total - counted.games) / rate
                console.print(f"{counted.games:,} of {counted.total:,} games, {rate:.3g}/s, {left:.0f} s left")

        return play_tournament(plan, tell, lambda: interrupt.requested)


def matrix(rows: list[list[str]], part: int, measure: str) -> Table:
    """Returns one measure of the table of all pairs, whose cells have several parts, for the terminal."""
    table = Table(f"{measure} of", *rows[0][1:-1], title=f"{measure} ± standard error over decks")
    for row in rows[1:]:
        table.add_row(*(cell.split(" / ")[part] if " / " in cell else cell for cell in row[:-1]))
    return table


def machine_text() -> str:
    """Returns the machine in words."""
    here = machine()
    return f"{here['processor']}, {here['cores']} cores; python {here['python']}, torch {here['torch']}, numba {here['numba']}"


def play_table(tournament: Tournament, game: Game, console: Console) -> int:
    """Plays a match of different players at one table and prints it; returns the exit status."""
    config, labels, count = tournament.config, tournament.labels, tournament.num_decks()
    if len(labels) != game.spec.num_seats:
        raise ConfigError(
            f"table={list(labels)}: {len(labels)} players; expected {game.spec.num_seats}, the seats of {config.game.name}"
        )
    if count is None or config.save or config.report or config.aivat:
        raise ConfigError("table: expected decks=NUMBER, and none of save, report and aivat, which are of matches of two players")
    if config.cluster.kind != "none":
        raise ConfigError(f"cluster={config.cluster.kind}: a table is played in one process: its players learn hand by hand")
    players = with_precisions(tournament.players, settled_precisions(tournament, count * len(labels)))
    host = Host(game, players, config.device)
    interrupt = Interrupt(lambda text: console.print(text, markup=False), "stopping after the games that are being played")
    names = [tournament.players[label].name for label in labels]
    began = said = time.monotonic()

    def tell(over: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > LINE_SECONDS:
            said = time.monotonic()
            console.print(f"{over:,} of {total:,} games, {over / (said - began):.3g}/s")

    found = table_match(
        game, lambda: [host.make(label) for label in labels], names, count, config.seed, progress=tell,
        stopping=lambda: interrupt.requested,
    )  # fmt: skip
    if found is None:
        console.print("stopped")
        return 130
    for line in found.lines():
        console.print(line, markup=False)
    return 0


def run(arguments: list[str]) -> int:
    """Plays what a command line describes; returns the exit status."""
    console = Console(highlight=False, soft_wrap=True)
    tournament = parse_command_line(arguments)
    config = tournament.config
    choose_device(config.device)
    game = config.game.make()
    if config.aivat and game.passive is None:
        raise ConfigError(
            f"aivat=true: {config.game.name} has no move that only goes along, as check or call, which luck is measured by"
        )
    check_players(tournament)
    if config.report:
        check_folder(Path(config.report))
    if config.save:
        check_file(Path(config.save), game)
    if config.table:
        return play_table(tournament, game, console)
    plan = make_plan(tournament, game, read_given_decks(tournament, game))
    cheap = tournament.variate()
    cheap_plan = None if cheap is None else make_plan(cheap, game)
    if any(player.options.compiles for player in tournament.players.values()):
        compile_players(config.game.name)
    precisions = ", ".join(f"{label} {precision}" for label, precision in plan.precisions.items())
    if precisions:
        console.print(f"precision: {precisions}", markup=False)
    began = time.monotonic()
    results = play(plan, console)
    told = {} if cheap_plan is None or results is None else play(cheap_plan, console)
    if results is None or told is None:
        console.print("stopped; the same command continues")
        return 130
    if told:
        results = {pair: with_variate(game.spec, result, next(iter(told.values()))) for pair, result in results.items()}
    standings, fit = rate(game.spec, tournament.labels, results)
    for result in results.values():
        console.print(str(result), markup=False)
    if len(tournament.labels) > 2:
        rows = score_table(tournament, results, standings)
        for k, measure in enumerate(measures(game.spec.score)):
            console.print(matrix(rows, k, measure))
        if fit is not None:
            console.print(fit_text(tournament, fit), markup=False)
    facts = {
        "command": shlex.join(["python", "evaluate.py", *arguments]),
        "machine": machine_text(),
        **({"precision": precisions} if precisions else {}),
        "seconds": round(time.monotonic() - began, 1),
    }
    if config.save:
        write_games(Path(config.save), tournament, plan.decks, results)
        console.print(f"games in {config.save}")
    if config.report:
        write_report(Path(config.report), tournament, results, standings, fit, facts)
        console.print(f"report in {Path(config.report) / 'report.md'}")
    forget(plan)
    if cheap_plan is not None:
        forget(cheap_plan)
    return 0


def main() -> None:
    """Runs the command; errors of use become one line."""
    arguments = sys.argv[1:]
    try:
        line = split(arguments)
        if line.help is not None:
            say(help_text(line.help))
            return
        if line.shows:
            say(shown(settings(parse_command_line(line.overrides))))
            return
        sys.exit(run(arguments))
    except (IllegalMoveError, ExternalPlayerError) as error:
        sys.exit(f"evaluate.py: {error}; the finished games are kept, and the same command continues from there")
    except ERRORS as error:
        sys.exit(f"evaluate.py: {error}")
    except MemoryError as error:
        sys.exit(f"evaluate.py: the match does not fit into memory ({error}); give fewer decks or playouts")


if __name__ == "__main__":
    main()
