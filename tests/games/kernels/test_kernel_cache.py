"""The disk cache of kernels: an edit of anything that a kernel can reach compiles it anew; any
other edit compiles nothing.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numba
import pytest

from games.base.files import ROOT
from games.kernels.cache import KEPT_DAYS, meaning, sweep
from tests.tables import rows

SOURCES = {
    "numbers_below": """
from enum import IntEnum
import numpy as np
class Kind(IntEnum):
    A = 1
SCALE = 3
TABLE = np.arange(4)
""",
    "below": '''
import math
import numba
import numbers_below
from numba.experimental import jitclass
from numba.extending import overload, overload_method
from games.kernels import kernel
from numbers_below import Kind

def by_python(x):
    return x

@numba.vectorize
def mapped(x):
    return x + 11

@jitclass([("k", numba.int64)])
class Counter:
    def __init__(self):
        self.k = 13

def replaced(x):
    return x

@overload(replaced)
def _replaced(x):
    return lambda x: x + 17

@overload_method(numba.types.Integer, "grown")
def _grown(x):
    return lambda x: x + 19

@kernel
def kinds(x):
    return mapped(x) + Counter().k + replaced(x).grown()

@kernel
def below(x, by=5):
    """Returns a number."""
    x = kinds(x) + by
    return x * numbers_below.SCALE + numbers_below.TABLE[1] + Kind.A + math.floor(0.5)

@kernel(inline="always")
def between(x):
    def within(y):
        return y + 7
    return within(below(x))
''',
    "game": """
from typing import NamedTuple
from games.kernels.dispatch import GenericKernel, register
from games.kernels import borrowed, kernel

class Rules(NamedTuple):
    cards: int

class OtherRules(NamedTuple):
    cards: int

@GenericKernel
def worth(rules, x):
    pass

@kernel
def own(rules, x):
    return borrowed(x) * rules.cards

@kernel
def foreign(rules, x):
    return 1

@kernel
def default(rules, x):
    return 2

register(worth, Rules, own)
register(worth, OtherRules, foreign)
register(worth, None, default)
""",
    "above": """
from below import between
from game import worth
from games.kernels import kernel

@kernel
def above(rules, x):
    return between(x) + worth(rules, x)
""",
}


def key(sources: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns the key of the kernel ``above.above`` of modules with the given sources."""
    for name, text in sources.items():
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, name, "exec"), vars(module))
    above, game = sys.modules["above"], sys.modules["game"]
    return meaning(above.above, (numba.typeof(game.Rules(3)), numba.int64))


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        *rows("""
above         | between(x) +                | between(x) -
below         | Kind.A +                    | Kind.A -
below         | by=5                        | by=6
numbers_below | A = 1                       | A = 2
below         | y + 7                       | y + 8
below         | @kernel(inline="always")    | @kernel
below         | math.floor(                 | math.ceil(
below         | x + 11                      | x + 12
below         | self.k = 13                 | self.k = 14
below         | x + 17                      | x + 18
below         | x + 19                      | x + 20
numbers_below | SCALE = 3                   | SCALE = 4
numbers_below | SCALE = 3                   | SCALE = 3.0
numbers_below | np.arange(4)                | np.arange(4) * 2
numbers_below | np.arange(4)                | np.arange(4, dtype=np.int8)
game          | * rules.cards               | - rules.cards
game          | return 2                    | return 3
game          | register(worth, Rules, own) | register(worth, Rules, foreign)
"""),
        ("game", "(NamedTuple):\n    cards", "(NamedTuple):\n    ranks"),
    ],
)
def test_an_edit_of_what_a_kernel_reaches_changes_its_key(
    module: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in SOURCES[module]
    edited = SOURCES | {module: SOURCES[module].replace(old, new)}
    assert key(edited, monkeypatch) != key(SOURCES, monkeypatch)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("below", "Returns a number.", "Returns something else."),
        ("below", '    """Returns a number."""\n', ""),
        ("below", "@kernel\n", "\n# A comment.\n@kernel\n"),
        ("below", "def by_python(x):\n    return x", "def by_python(x):\n    return x + 1"),
        ("game", "return 1", "return 10"),  # what is registered for another game
    ],
)
def test_any_other_edit_keeps_the_key(
    module: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in SOURCES[module]
    edited = SOURCES | {module: SOURCES[module].replace(old, new)}
    assert key(edited, monkeypatch) == key(SOURCES, monkeypatch)


def test_the_key_knows_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    own = key(SOURCES, monkeypatch)
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 0 if numba.config.BOUNDSCHECK else 1)
    assert key(SOURCES, monkeypatch) != own


class Folder:
    """A folder of modules, and a cache of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, expression: str, **sources: str) -> str:
        """Returns what a new process prints of an expression, once the modules have the given
        sources.
        """
        for name, text in sources.items():
            (self.path / f"{name}.py").write_text(
                "import numpy as np\nfrom games.kernels import kernel\n" + text
            )
        places = {"PYTHONPATH": f"{ROOT}{os.pathsep}{self.path}", "XDG_CACHE_HOME": str(self.path)}
        code = (
            "import importlib, pathlib, sys\nfor p in "
            "sorted(pathlib.Path(sys.argv[1]).glob('*.py')):\n"
            "    globals()[p.stem] = importlib.import_module(p.stem)\n"
            f"print({expression})"
        )
        env = {**os.environ, **places, "PYTHONDONTWRITEBYTECODE": "1"}
        run = [sys.executable, "-c", code, str(self.path)]
        return subprocess.run(
            run, env=env, text=True, capture_output=True, check=True
        ).stdout.strip()


LOW = '@kernel\ndef low(x):\n    """Low."""\n    return x + 1\n'
TOP = "from low import low\n@kernel\ndef top(x):\n    return 10 * low(x)\n"
ASK = "top.top(2), sum(top.top.stats.cache_misses.values())"


def test_edits_are_compiled_and_nothing_else_is(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.run(ASK, low=LOW, top=TOP) == "30 1"
    (tmp_path / "low.py").unlink()
    moved = "# Moved down.\n" + LOW.replace("Low.", "Lower.")
    assert folder.run(ASK, lower=moved, top=TOP.replace("from low", "from lower")) == "30 0"
    assert folder.run(ASK, lower=LOW.replace("+ 1", "+ 2")) == "40 1"
    for file in (tmp_path / "fpmcts" / "kernels").iterdir():
        file.write_bytes(file.read_bytes()[:-100])
    assert folder.run(ASK) == "40 1"  # not read


def test_functions_that_had_one_name_in_two_processes_are_two(tmp_path: Path) -> None:
    """Machine code finds what it calls by names that are made of a Python name and a count of the
    process that compiled it.
    """
    folder = Folder(tmp_path)
    not_inlined = "@kernel\ndef low(x):\n    return low(x - 1) + low(x - 2) if x > 0 else "
    low = f"{not_inlined}1\n"
    assert folder.run("top.top(2)", low=low, top=TOP) == "30"
    first, second = TOP.replace("from low", "from moved"), TOP.replace("def top", "def other")
    both = "top.top(2), sum(top.top.stats.cache_misses.values()), other.other(2)"
    changed = {"moved": low, "top": first, "low": f"{not_inlined}5\n", "other": second}
    assert folder.run(both, **changed) == "30 0 150"
    assert folder.run(both) == "30 0 150"  # both of them read


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "fpmcts").write_text("a file")
    assert Folder(tmp_path).run(ASK, low=LOW, top=TOP) == "30 1"


@pytest.mark.slow
def test_games_run_without_the_compiler() -> None:
    """So that rules can be stepped through in a debugger."""
    code = (
        "from games import make\nfrom games.play.table import Table\n"
        "for name in ('doudizhu', 'leduc', 'goofspiel', 'phantom_tictactoe', 'no_limit_holdem'):\n"
        "    table = Table(make(name), seed=1)\n"
        "    while not table.is_over:\n"
        "        table.play(table.legal()[0].action)\n"
    )
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, env=env, check=True)


def test_kernels_that_nobody_reads_go(tmp_path: Path) -> None:
    for name, days in (("old.nbc", KEPT_DAYS + 1), ("new.nbc", 1), ("other", KEPT_DAYS + 1)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, time.time() - days * 86_400))
    sweep(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"new.nbc", "other"}
