"""What every test runs under: repeatable examples, no time limits, one thread of torch."""

import signal
from pathlib import Path

import hypothesis
import pytest
import torch

from agents.rehearsal import compile_players
from games import GAMES

FOLDER = Path(__file__).parent

# Examples follow from the test alone. A first call compiles kernels, so no deadline.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

# Small networks run no faster on two threads, and the sums of one thread are the same on every machine.
torch.set_num_threads(1)

# A shell that starts the suite in the background has it ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = [
    "agents/test_no_limit_players.py", "test_commands.py", "training/test_poker_run.py", "test_evaluate_command.py",
    "training/test_resume.py", "test_adding_a_game.py", "games/test_hidden_cards.py", "web/test_browser.py",
    "cluster/test_ray_run.py", "agents/test_players.py", "inference/test_determinizer.py", "inference/test_holdem.py",
    "evaluation/test_aivat.py", "training/test_tabular_run.py",
]  # fmt: skip
"""The files that take longest where no kernels are compiled yet. They come first: the last ones keep one worker alone."""


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "try this game alone in the conformance tests: a name, or the module of a game of your own; may be repeated"
    parser.addoption("--game", action="append", metavar="NAME", help=text)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs what asks for ``game_name`` over every game of the tree and over the example."""
    if "game_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("game") or [*sorted(GAMES), "examples.sealed_bids"]
        metafunc.parametrize("game_name", names, scope="module")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the files that take longest first; the Makefile tells xdist to keep that order."""
    first = {FOLDER / name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: first.get(item.path, len(first)))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles once what every worker of a parallel run would compile for itself."""
    if session.config.pluginmanager.hasplugin("dsession"):  # the process that starts the workers
        compile_players("doudizhu")
