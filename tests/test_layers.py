"""The order of the layers: rooms import downwards only, and no two modules import each other."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from games.base.files import ROOT

ORDER = (
    *("games.base", "games.kernels", "games.play", "games", "networks", "inference", "fpmcts"),
    *("fpmcts.cluster", "fpmcts.tabular", "fpmcts.no_limit_holdem"),
    *("fpmcts.adapters", "fpmcts.search", "fpmcts.players", "fpmcts.evaluation"),
    *("fpmcts.training", "fpmcts.nfsp", "fpmcts.papers", "fpmcts.web"),
)
"""docs/architecture.md, from the lowest up; ``games`` are the games, ``fpmcts`` the files that lie
in no room of it.
"""
ABOVE = {"benchmarks", "examples", "tests", "train", "evaluate", "play"}


def modules(package: str) -> dict[str, Path]:
    """Returns the modules of a package by their dotted names; a package's own name for its
    ``__init__.py``.
    """
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


EVERY = {name: path for room in ORDER if "." not in room for name, path in modules(room).items()}


def room_of(name: str) -> str:
    """Returns the room that a dotted name lies in."""
    inner = ".".join(name.split(".")[:2])
    return inner if inner in ORDER else name.split(".")[0]


def imports(name: str, path: Path) -> Iterator[str]:
    """Yields the dotted names that a module imports, wherever in the file; of ``from a import b``
    both ``a`` and ``a.b``.
    """
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


IMPORTS = [(name, found) for name, path in EVERY.items() for found in imports(name, path)]


@pytest.mark.parametrize("room", ORDER)
def test_imports_point_downwards(room: str) -> None:
    above = ({*ORDER} | ABOVE) - {*ORDER[: ORDER.index(room) + 1]}
    assert not [
        (name, found)
        for name, found in IMPORTS
        if room_of(name) == room
        and room_of(found) in above
        and found != "fpmcts.players.load_player"
        and name != "fpmcts"  # the public face, which imports nothing until it is asked
    ]


def test_every_package_is_a_room() -> None:
    rooms = {f"fpmcts.{path.parent.name}" for path in (ROOT / "fpmcts").glob("*/__init__.py")}
    assert rooms == {room for room in ORDER if room.startswith("fpmcts.")}


def test_rules_and_rule_players_need_numpy_and_numba_only() -> None:
    heavy = {"torch", "hydra", "omegaconf", "rich", "tensorboard", "safetensors"}
    own = ((name, found) for name, found in IMPORTS if name.split(".")[0] == "games")
    assert not [(name, found) for name, found in own if found.split(".")[0] in heavy]


FAMILIES = {
    "fpmcts.no_limit_holdem": ("games.poker", "games.no_limit_holdem"),
    "fpmcts.adapters": ("games.doudizhu",),  # DouZero's files are of this game alone
}
"""A room named after a family of games may know its games."""


def test_games_are_known_by_their_interface() -> None:
    folders = {f"games.{path.parent.name}" for path in (ROOT / "games").glob("*/__init__.py")}
    assert not [
        (name, found)
        for name, found in IMPORTS
        if room_of(name) != "games"
        and ".".join(found.split(".")[:2]) in folders - {*ORDER, *FAMILIES.get(room_of(name), ())}
    ]


def test_no_cycle() -> None:
    graph = dict[str, set[str]]()
    for name, found in IMPORTS:
        graph.setdefault(name, set()).update({found} & EVERY.keys() - {name})
    # "from games.doudizhu import cards" names the package and the module; within a package that is
    # no cycle.
    for name, found in graph.items():
        found -= {other for other in found if name.startswith(other + ".")}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


READ = "fpmcts.training.command.read_run(['algorithm=uct'])"


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import fpmcts", "numpy numba torch"),
        ("import play, fpmcts.web.server.main", "torch numba"),
        (f"import fpmcts.training.command, fpmcts.papers.__main__; {READ}", "torch"),
    ],
)
def test_what_is_not_needed_is_not_loaded(code: str, heavy: str) -> None:
    """The page does not wait for it; torch would take 130 MB, where a run of limit Hold'em is to
    stay within 200.
    """
    code += f"; import sys; sys.exit(bool({{*'{heavy}'.split()}} & {{*sys.modules}}))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
