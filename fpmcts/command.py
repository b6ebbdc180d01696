"""The command ``fpmcts`` of an installed package: ``fpmcts train game=doudizhu`` is ``python
train.py game=doudizhu``.
"""

import os
import runpy
import sys

COMMANDS = {
    "train": "train a player by self-play",
    "evaluate": "play matches and tournaments",
    "play": "open a table in the browser",
    "analyse": "say what to play in a position, and why",
    "reproduce": "repeat the figures of papers",
}
MODULES = {"analyse": "fpmcts.players.analysis", "reproduce": "fpmcts.papers"}
"""What is run for a command, where it is not the script of the same name."""


def main() -> None:
    """Runs the script that the first argument names, with the others.

    Modules of the folder that it runs in are found, after all others: games and players of your
    own.
    """
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        lines = [f"  fpmcts {command:10}{text}" for command, text in COMMANDS.items()]
        told = name in ("", "-h", "--help")
        text = "\n".join(
            [*([] if told else [f"fpmcts {name}: expected one of {', '.join(COMMANDS)}"]), *lines]
        )
        (sys.stdout if told else sys.stderr).write(f"{text}\n")
        sys.exit(0 if told else 2)
    del sys.argv[0]
    sys.path.append(os.getcwd())
    runpy.run_module(MODULES.get(name, name), run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
