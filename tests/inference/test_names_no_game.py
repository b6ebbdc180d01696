"""Inference names no game: what is hidden, a game says by its kernels."""

import ast
from pathlib import Path

from games import GAMES

SHARED = ("generic", "interface", "kernels", "rows", "settings")
"""Modules of ``games`` that are of no game."""
PACKAGE = Path(__file__).resolve().parent.parent.parent / "inference"


def test_inference_imports_no_folder_of_a_game() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                package, _, name = (node.module or "").partition(".")
                assert package != "games" or name in SHARED, f"{path.name}: {node.module}"
            elif isinstance(node, ast.Import):
                assert not any(alias.name.startswith("games") for alias in node.names), path.name


def test_inference_asks_for_no_class_and_no_name_of_a_game() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name):
                assert node.id != "isinstance", f"{path.name}, line {node.lineno}"
            if isinstance(node, ast.Constant):
                assert node.value not in GAMES, f"{path.name}, line {node.lineno}"
