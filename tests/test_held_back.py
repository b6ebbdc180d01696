"""Ctrl-C while processes start: they do not hear it, the caller hears it afterwards."""

import os
import signal
import subprocess
import sys

import pytest

from runtime.interrupt import held_back

ASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_processes_do_not_hear_and_the_caller_hears_later() -> None:
    def blocked_in_a_process() -> str:
        return subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True).stdout.strip()

    assert blocked_in_a_process() == "False"
    heard, inside = list[str](), ""
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append("now"))
    try:
        with held_back():
            os.kill(os.getpid(), signal.SIGINT)
            inside = blocked_in_a_process()
            assert heard == []
        assert heard == ["now"] and inside == "True"
    finally:
        signal.signal(signal.SIGINT, before)
    assert blocked_in_a_process() == "False"
