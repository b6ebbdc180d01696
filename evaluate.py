"""Measures players by duplicate matches: ``python evaluate.py a=fpmcts b=rhcp``, or ``--help``."""

import sys

from fpmcts.command import run

if __name__ == "__main__":
    run("evaluate", sys.argv[1:], "python evaluate.py")
