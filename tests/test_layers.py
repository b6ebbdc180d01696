"""The order of the layers: packages import downwards only, and no two modules import each other."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# docs/architecture.md, from the lowest layer up. Leaving a package out of its own set is fine; it may always import itself.
MAY_IMPORT = {
    "runtime": set(),
    "games": {"runtime"},
    "networks": {"runtime", "games"},
    "inference": {"runtime", "games", "networks"},
    "tabular": {"runtime", "games"},
    "fpmcts": {"runtime", "games", "networks", "inference", "tabular"},
    "nfsp": {"runtime", "games", "networks", "fpmcts"},
    "opponent_models": {"runtime", "games"},
    "expected_reward": {"runtime", "games", "opponent_models"},
    "interop": {"runtime", "games"},
    "agents": {"runtime", "games", "networks", "inference", "tabular", "fpmcts", "opponent_models", "expected_reward", "interop"},
    "evaluation": {"runtime", "games", "networks", "inference", "tabular", "fpmcts", "opponent_models", "agents"},
    "training": {
        "runtime",
        "games",
        "networks",
        "inference",
        "tabular",
        "fpmcts",
        "nfsp",
        "opponent_models",
        "agents",
        "evaluation",
    },
    "reproduce": {"runtime", "games", "networks", "inference", "tabular", "fpmcts", "nfsp", "agents", "evaluation", "training"},
    "web": {"runtime", "games", "networks", "agents"},
}
OURS = {*MAY_IMPORT, "benchmarks", "tests", "train", "evaluate", "play"}


def modules(package: str) -> dict[str, Path]:
    """Returns the modules of a package by their dotted names; a package's own name for its ``__init__.py``."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[str]:
    """Yields the dotted names that a module imports, wherever in the file; of ``from a import b`` both ``a`` and ``a.b``."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def test_order_is_from_the_lowest_up() -> None:
    for position, allowed in enumerate(MAY_IMPORT.values()):
        assert allowed <= set(tuple(MAY_IMPORT)[:position])


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_downwards(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {imported}"
        for name, path in modules(package).items()
        for imported in imports(name, path)
        if imported.split(".")[0] in OURS - MAY_IMPORT[package] - {package}
    ]
    assert not wrong, "\n".join(wrong)


def test_games_need_numpy_and_numba_only() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {imported}"
        for name, path in modules("games").items()
        for imported in imports(name, path)
        if imported.split(".")[0] in {"torch", "hydra", "omegaconf", "rich", "tensorboard", "safetensors"}
    ]
    assert not wrong, "\n".join(wrong)


# What knows a game beyond its interface. Players by family, and the tabular algorithms, which are for limit poker.
KNOWS_A_GAME = {
    "agents/doudizhu/": ("games.doudizhu",),
    "agents/poker/": ("games.poker", "games.no_limit_holdem"),
    "tabular/": ("games.poker",),
    "reproduce/": ("games.poker", "games.no_limit_holdem"),
    "opponent_models/": ("games.poker", "games.no_limit_holdem"),
    "expected_reward/": ("games.poker", "games.no_limit_holdem"),
}


def test_games_are_known_by_their_interface() -> None:
    """No package above games reads the folder of a game, and none but agents reads a room of players."""
    folders = {f"games.{path.parent.name}" for path in (ROOT / "games").glob("*/__init__.py")}
    rooms = {f"agents.{path.parent.name}" for path in (ROOT / "agents").glob("*/__init__.py")} - {"agents.general"}
    reads, reads_players = set(), set()
    for package in MAY_IMPORT:
        for name, path in modules(package).items():
            file, found = path.relative_to(ROOT).as_posix(), set(imports(name, path))
            known = {game for start, games in KNOWS_A_GAME.items() if file.startswith(start) for game in games}
            if package != "games" and any(f"{i}.".startswith(f"{folder}.") for i in found for folder in folders - known):
                reads.add(file)
            own = ".".join(name.split(".")[:2])
            if any(f"{i}.".startswith(f"{room}.") for i in found for room in rooms - {own}):
                reads_players.add(file)
    assert not reads, f"{sorted(reads)}: read spec and Game in place of the game's folder"
    assert not reads_players, sorted(reads_players)


def test_rule_players_need_games_alone() -> None:
    """So they can stand beside the rules: no networks, no search, nothing to install but numpy and numba."""
    beside = ["agents.agent", "agents.decision", "agents.registry", "agents.general.random_agent"]
    beside += [f"agents.poker.{name}" for name in ("always_call", "no_limit_rules")]
    beside += [name for name in modules("agents") if name.startswith("agents.doudizhu.")]
    found = modules("agents")
    for name in beside:
        wrong = {i for i in imports(name, found[name]) if i.split(".")[0] in OURS - {"games", "runtime", "agents"}}
        own = {i for i in imports(name, found[name]) if i in found and i not in beside and found[i].name != "__init__.py"}
        assert not wrong and not own, (name, wrong, own)


def test_networks_name_no_game_and_nothing_of_one() -> None:
    words = ("bomb", "landlord", "peasant", "poker", "leduc", "kuhn")
    former = '"win_bombs": "win_stakes"', '("value_head", "win_bombs"): "win_stakes"'
    wrong = []
    for path in modules("networks").values():
        text = path.read_text()
        for name in former:
            text = text.replace(name, "")
        wrong += [f"{path.relative_to(ROOT)}: {word}" for word in words if word in text.lower()]
    assert not wrong, wrong


def test_no_cycle() -> None:
    every = {name: path for package in MAY_IMPORT for name, path in modules(package).items()}
    graph = {name: {found for found in imports(name, path) if found in every and found != name} for name, path in every.items()}
    # "from games.doudizhu import cards" names the package and the module; within a package that is no cycle.
    for name, found in graph.items():
        found -= {other for other in found if name.startswith(other + ".")}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_runs_of_tables_do_without_torch() -> None:
    """It would take 130 MB, where a run of limit Hold'em is to stay within 200 MB."""
    code = "import sys, train, reproduce.__main__; train.read_run(['algorithm=uct']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
