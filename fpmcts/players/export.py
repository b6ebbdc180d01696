"""The command ``fpmcts export RUN FILE``: the networks or the tables of a run, in a file for
players (``models/``); or ``fpmcts export botzone FILE`` (``fpmcts/players/botzone.py``).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from fpmcts.players import tabular, trained
from games.base.help import say
from networks.checkpoint import NETWORKS


def main(arguments: Sequence[str], command: str = "fpmcts export") -> int:
    """Runs a command line; returns the exit status."""
    if arguments[:1] == ["botzone"]:
        from fpmcts.players import botzone

        return botzone.main(arguments[1:], f"{command} botzone")
    about = "Writes what a run plays by to a file."
    parser = argparse.ArgumentParser(prog=command, description=about)
    parser.add_argument("run", type=Path, metavar="RUN", help="its folder")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--half", action="store_true", help="networks as float16, half the size")
    parser.add_argument(
        "--threshold", type=float, help="probabilities of tables below it become 0 (default: 0)"
    )
    options = parser.parse_args(arguments)
    if not 0.0 <= (options.threshold or 0.0) <= 1.0:
        parser.error(f"--threshold {options.threshold}: expected 0 to 1")
    has_networks = (options.run / NETWORKS).exists()
    if options.half and not has_networks or options.threshold is not None and has_networks:
        which = "--threshold" if has_networks else "--half"
        parser.error(f"{which}: expected a run of {'tables' if has_networks else 'networks'}")
    if has_networks:
        trained.export(options.run, options.file, options.half)
    else:
        say(tabular.export(options.run, options.file, options.threshold or 0.0))
    return 0
