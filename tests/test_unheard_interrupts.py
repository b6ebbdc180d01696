"""Ctrl-C while processes start: they do not hear it, whoever starts them does."""

import os
import signal
import subprocess
import sys

import pytest

from fpmcts.interrupt import unheard_by_children

ASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


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
