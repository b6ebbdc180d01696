"""What every test runs under: repeatable examples, no time limits, one thread of torch."""

import signal

import hypothesis
import pytest
import torch

from agents.rehearsal import compile_players

# Examples follow from the test alone. A first call compiles kernels, so no deadline.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

# Small networks run no faster on two threads, and the sums of one thread are the same on every machine.
torch.set_num_threads(1)

# A shell that starts the suite in the background has it ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles once what every worker of a parallel run would compile for itself."""
    if session.config.pluginmanager.hasplugin("dsession"):  # the process that starts the workers
        compile_players("doudizhu")
