"""Two trees of the project side by side: ``python -m benchmarks compare TREE_A TREE_B [MODULE ...] [--rounds N]``.

Each tree runs its own benchmarks in a process of its own, in the order A B B A A B …, so that what slows the machine for a while
slows both. A ratio above 1 is good for B: it is the median of the rounds' ratios, with the least and the greatest.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.table import Row, make_console, number_text, ratio

Measured = dict[tuple[str, str], Row]
"""Rows by module and name."""


def measure(tree: Path, modules: Sequence[str]) -> Measured:
    """Returns the rows of a tree's benchmarks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "benchmarks", *modules, "--json", str(file)]
        subprocess.run(command, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, check=True, stdout=subprocess.DEVNULL)
        rows = json.loads(file.read_text())["rows"]
    return {(row["module"], row["name"]): row for row in rows}


def comparison(rounds: Sequence[tuple[Measured, Measured]]) -> Table:
    """Returns the rows that both trees have in all rounds as a table."""
    result = Table("what", "A", "B", "unit", "B : A", "least to greatest", title="B against A, medians of the rounds")
    for column in (1, 2, 4, 5):
        result.columns[column].justify = "right"
    for key, row in rounds[0][0].items():
        if not all(key in one for pair in rounds for one in pair):
            continue
        first, second = ([pair[k][key]["value"] for pair in rounds] for k in (0, 1))
        ratios = [ratio(b[key], a[key]["value"]) for a, b in rounds]
        middle = statistics.median(ratios)
        result.add_row(
            f"{key[0]}: {row['name'].strip()}",
            number_text(statistics.median(first)),
            number_text(statistics.median(second)),
            row["unit"],
            f"[{'red' if middle < 0.97 else 'green'}]{middle:.3f}[/]",
            f"{min(ratios):.3f} to {max(ratios):.3f}",
        )
    return result


def alternate(trees: Mapping[str, Path], modules: Sequence[str], rounds: int) -> list[tuple[Measured, Measured]]:
    """Returns the rows of both trees for each round; the first tree begins every second round."""
    result = []
    for k in range(rounds):
        order = list(trees) if k % 2 == 0 else list(trees)[::-1]
        measured = {name: measure(trees[name], modules) for name in order}
        result.append((measured["A"], measured["B"]))
    return result


def main(arguments: Sequence[str]) -> None:
    """Compares the trees that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare", description="Two trees of the project side by side.")
    parser.add_argument("trees", nargs=2, type=Path, metavar="TREE")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="benchmarks to run (default: all)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="times that each tree is measured (default: 3)")
    options = parser.parse_args(arguments)
    for tree in options.trees:
        if not (tree / "benchmarks" / "__main__.py").is_file():
            parser.error(f"{tree} is no tree of the project: it has no benchmarks/__main__.py")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: expected at least 1")
    trees = dict(zip("AB", (tree.resolve() for tree in options.trees), strict=True))
    make_console().print(comparison(alternate(trees, options.modules, options.rounds)))
