"""A process that ends without a word is spoken for, and what it had started ends with it."""

import subprocess
import sys

import pytest

from games.base.files import ROOT

PROGRAM = """
import os, subprocess, sys
from fpmcts.cluster.guard import RayGuard
guard = RayGuard()
with guard.marked():
    child = subprocess.Popen(["sleep", "60"])
"""


def said(end: str) -> str:
    """Returns what a program says before it, its guard and its child have all ended."""
    line = [sys.executable, "-c", PROGRAM + end]
    return subprocess.run(
        line, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=30
    ).stderr.strip()


@pytest.mark.parametrize("end", ["os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_ends_abruptly(end: str) -> None:
    assert said(end).startswith("-c: the process ended abruptly")


def test_the_line_is_the_last_one_prepared() -> None:
    assert said("guard.prepare('the head is gone'); os._exit(1)") == "-c: the head is gone"


@pytest.mark.parametrize("end", ["sys.exit('budget')", "print('budget', file=sys.stderr)"])
def test_a_process_that_ends_as_python_does_speaks_for_itself(end: str) -> None:
    assert said(f"child.kill(); {end}") == "budget"


def test_a_guard_that_was_killed_or_dismissed_is_silent() -> None:
    assert said("child.kill(); guard._shell.kill(); guard._shell.wait(); os._exit(1)") == ""
    assert said("child.kill(); guard.dismiss(); guard.dismiss(); os._exit(1)") == ""
