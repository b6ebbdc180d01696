"""Trains a player by self-play: ``python train.py game=doudizhu``, or ``--help``."""

import sys

from fpmcts.command import run

if __name__ == "__main__":
    run("train", sys.argv[1:], "python train.py")
