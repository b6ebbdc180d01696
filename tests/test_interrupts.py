"""Ctrl-C: the second one ends the program at once; processes that start do not hear it."""

import os
import signal
import subprocess
import sys

import pytest

from fpmcts.interrupt import unheard_by_children
from games.base.files import ROOT

BUSY = """
import atexit, os, signal, threading, time
from fpmcts.interrupt import Interrupt
atexit.register(print, "children ended")
threading.Thread(target=time.sleep, args=(600,)).start()  # as a kernel that cannot be stopped
with Interrupt(print, "stopping", lambda: print("line ended")) as interrupt:
    os.kill(os.getpid(), signal.SIGINT)
    assert interrupt.requested
    os.kill(os.getpid(), signal.SIGINT)
    print("went on")
"""
ASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def test_the_second_waits_for_no_thread() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", BUSY], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 130 and not ended.stderr
    lines = ["stopping; once more to stop at once", "line ended", "children ended"]
    assert ended.stdout.splitlines() == lines


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_processes_do_not_hear_and_the_caller_does() -> None:
    def blocked_in_a_process() -> str:
        return subprocess.run(
            [sys.executable, "-c", ASK], capture_output=True, text=True, check=True
        ).stdout.strip()

    assert blocked_in_a_process() == "False"
    heard, inside = list[str](), ""
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append("heard"))
    try:
        with unheard_by_children():
            os.kill(os.getpid(), signal.SIGINT)
            inside = blocked_in_a_process()
    finally:
        signal.signal(signal.SIGINT, before)
    assert inside == "True" and heard == ["heard"]
    assert blocked_in_a_process() == "False"
