"""Measures players by duplicate matches: ``python evaluate.py a=fpmcts b=rhcp decks=100``.

``--help`` and ``--help PLAYER`` print the keys and options. The same command resumes an evaluation.

In poker every deck is played again with the players in each other's seats, and scores are in mbb/h,
thousandths of a big blind per hand (in Kuhn of the ante, in Leduc of the first bet). The share of
hands won means little there, so neither it nor a rating is reported.

Of three players one sits alone against two of the other: A in each of the seats, then B in each of
them. The first is A's score, the second B's; the two scores need not sum to zero.
"""

import sys

from fpmcts.configuration import shown, split
from games.help import say, say_on_stderr


def main(arguments: list[str]) -> int:
    """Does what a command line says; returns the exit status."""
    line = split(arguments)
    asks = line.help is not None or line.shows
    if not asks:
        say_on_stderr("loading the players …")
    # They take seconds to import: the line comes first.
    from fpmcts.evaluation.command import help_text, run, settings
    from fpmcts.training.terminal import Terminal

    if asks:
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
    except KeyboardInterrupt:  # before the first game
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 (what is not expected is raised again)
        from fpmcts.evaluation.errors import ending

        sys.exit(f"evaluate.py: {ending(error)}")
