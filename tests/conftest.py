"""What every test runs under: repeatable examples, no time limits, one thread of torch."""

import signal
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest

from games import GAMES

GOOFSPIEL = "goofspiel(imp_info=True,num_cards=3,points_order=descending,returns_type=win_loss)"
TREES = (
    ["fpmcts.adapters.open_spiel_tree", f'fpmcts.adapters.open_spiel_tree:load="{GOOFSPIEL}"']
    if find_spec("pyspiel")
    else []
)
"""OpenSpiel's Kuhn poker, and a game with hidden moves."""
GAME_TESTS = Path(__file__).parent / "games"

# Examples follow from the test alone. A first call compiles kernels, so no deadline.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

# A shell that starts the suite in the background has it ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    text = (
        "try this game alone in the conformance tests: a name, or the module of a game of your "
        "own, with options such as "
        "mine.x:dice=2; may be repeated"
    )
    parser.addoption("--game", action="append", metavar="NAME", help=text)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs what asks for ``game_name`` over every game of the tree and over the example."""
    if "game_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("game") or [
            *sorted(GAMES),
            "examples.liars_dice:dice=2,faces=2",
            *TREES,
            "doudizhu:bidding=call,doubling=true",
            "doudizhu:bidding=rob",
            "examples.sealed_bids",
            "goofspiel:cards=13,prizes=random,scoring=points,lowest_prize=1",
            "phantom_tictactoe:reveal=false",
            "phantom_tictactoe:variant=small",
        ]
        metafunc.parametrize("game_name", names, scope="module")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Has torch use one thread: small networks run no faster on two, and the sums of one are the
    same on every machine. Tests of games alone do without it: it takes seconds to import.
    """
    if any(GAME_TESTS not in item.path.parents for item in session.items):
        import torch

        torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles once what every worker of a parallel run would compile for itself."""
    if session.config.pluginmanager.hasplugin("dsession"):  # the process that starts the workers
        from fpmcts.players.warmup import compile_searches
        from games import make

        compile_searches(make("doudizhu"))
