"""Opens a table in the browser: ``python play.py``, or ``--help``."""

import sys

from fpmcts.command import run

if __name__ == "__main__":
    run("play", sys.argv[1:], "python play.py")
