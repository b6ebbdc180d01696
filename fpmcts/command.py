"""The command ``fpmcts``: ``fpmcts train game=doudizhu`` is ``python train.py game=doudizhu``.

Each command has a module in its folder: ``main(arguments, command)`` returns the exit status, where
``command`` is the typed words ("fpmcts train", "python train.py"), for help and messages. A module
with its own errors replaces ``ending``.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

from fpmcts import __version__
from games.base.files import ROOT, shipped
from games.base.help import error_text, say, say_on_stderr
from games.base.settings import InputError, did_you_mean


class Command(NamedTuple):
    """A part of ``fpmcts``: its module, a description, and the message while the module is
    imported, which may take seconds.
    """

    module: str
    about: str
    first: str = ""


BENCHMARKS = ".".join(shipped("benchmarks").relative_to(ROOT).parts)
COMMANDS = {
    "train": Command(
        "fpmcts.training.command", "train a player by self-play", "loading what the run needs …"
    ),
    "evaluate": Command(
        "fpmcts.evaluation.command", "play matches and tournaments", "loading the players …"
    ),
    "play": Command("fpmcts.web.command", "open a table in the browser"),
    "analyse": Command(
        "fpmcts.players.analysis", "say what to play in a position, and why", "loading the player …"
    ),
    "puzzles": Command("fpmcts.web.puzzles", "find puzzles in games", "loading the networks …"),
    "export": Command("fpmcts.players.export", "write what a run plays by to a file for players"),
    "score": Command(
        "fpmcts.no_limit_holdem.opponents.command", "score a model of opponents on hands"
    ),
    "check": Command("games.no_limit_holdem.phh_check", "say which hand histories can be read"),
    "reproduce": Command("fpmcts.papers.__main__", "repeat the figures of papers"),
    "bench": Command(f"{BENCHMARKS}.__main__", "measure speed on this machine"),
}


def main() -> None:
    """Runs the command named by the first argument with the other arguments.

    Modules in the current folder can be imported, after all others: games and players of your own.
    """
    name, *arguments = sys.argv[1:] or [""]
    if name in COMMANDS:
        sys.path.append(os.getcwd())
        run(name, arguments, f"fpmcts {name}")
    elif name in ("-V", "--version"):
        say(f"fpmcts {__version__}")
    elif name in ("", "-h", "--help"):
        say("\n".join(f"  fpmcts {name:10}{command.about}" for name, command in COMMANDS.items()))
    else:
        expected = f"expected one of {', '.join(COMMANDS)}{did_you_mean(name, COMMANDS)}"
        say_on_stderr(f"fpmcts {name}: {expected}")
        sys.exit(2)


def run(name: str, arguments: Sequence[str], command: str) -> NoReturn:
    """Runs a part of ``fpmcts`` and ends the process; an error of use becomes one line.

    Args:
        name: One of ``COMMANDS``.
        arguments: The arguments of the command line.
        command: The words before them.
    """
    part = COMMANDS[name]
    try:
        if part.first and not {"-h", "--help", "-c", "--cfg"} & {*arguments}:
            say_on_stderr(part.first)
        module = import_module(part.module)
        try:
            sys.exit(module.main(arguments, command))
        except Exception as error:  # noqa: BLE001 (unexpected errors are raised again)
            label = command.removeprefix("python ").removeprefix("-m ")
            sys.exit(f"{label}: {getattr(module, 'ending', ending)(error)}")
    except KeyboardInterrupt:  # before or after what handles it
        sys.exit(130)


def ending(error: Exception) -> str:
    """Returns the line for an error; raises errors without one."""
    if isinstance(error, InputError | OSError | FloatingPointError):
        return error_text(error)
    raise error
