"""Measures players by duplicate matches: ``python evaluate.py a=fpmcts b=rhcp decks=100``.

``--help`` and ``--help PLAYER`` print the keys and options. The same command resumes an evaluation.

In poker every deck is played again with the players in each other's seats, and scores are in mbb/h,
thousandths of a big blind per hand (in Kuhn of the ante, in Leduc of the first bet). The share of
hands won means little there, so neither it nor a rating is reported.

Of three players one sits alone against two of the other: A in each of the seats, then B in each of
them. The first is A's score, the second B's; the two scores need not sum to zero.
"""

import sys

from fpmcts.cluster.settings import ClusterError
from fpmcts.configuration import shown, split
from fpmcts.evaluation.command import help_text, run, settings
from fpmcts.evaluation.match import IllegalMoveError
from fpmcts.evaluation.plots import ReportError
from fpmcts.evaluation.saved_games import SaveError
from fpmcts.evaluation.units import StoreError
from fpmcts.players.foreign import ExternalPlayerError
from fpmcts.players.lookup import PlayerError
from fpmcts.training.terminal import Terminal
from games.help import say
from games.settings import ConfigError
from networks.checkpoint import CheckpointError

ERRORS = (ConfigError, CheckpointError, PlayerError, StoreError, ReportError, SaveError)


def main(arguments: list[str]) -> int:
    """Does what a command line says; returns the exit status."""
    line = split(arguments)
    if line.help is not None or line.shows:
        say(shown(settings(line.overrides)) if line.help is None else help_text(line.help))
        return 0
    terminal = Terminal()
    try:
        return run(arguments, terminal.note, terminal.progress)
    finally:
        terminal.close()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (IllegalMoveError, ExternalPlayerError) as error:
        sys.exit(f"evaluate.py: {error}; finished games are kept, and the same command continues")
    except MemoryError:
        sys.exit("evaluate.py: not enough memory for the decks and their games; give fewer decks")
    except (*ERRORS, ClusterError) as error:
        sys.exit(f"evaluate.py: {error}")
    except KeyboardInterrupt:  # before the first game
        sys.exit(130)
