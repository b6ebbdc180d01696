"""Runs the benchmarks and prints one table: ``python -m benchmarks [MODULE ...] [--json FILE]``.

A benchmark is a module of this folder with ``run() -> list[Row]`` (see ``table.py``). Without names all of them run.
"""

import argparse
import importlib
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import Row, machine, make_console, table

ORDER = ("rules", "rhcp", "network", "inference", "selfplay", "player")
"""From the lowest layer up; modules that are not named here follow in the order of the alphabet."""


def available() -> list[str]:
    """Returns the names of the benchmark modules in the order in which they run."""
    names = {path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef run(" in path.read_text()}
    return [name for name in ORDER if name in names] + sorted(names - set(ORDER))


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the modules that the command line names."""
    names = available()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed, beside the targets and published figures.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one or more of: {', '.join(names)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows and the machine to FILE")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.modules if name not in names]
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(names) or 'none'}")

    console = make_console(highlight=True)
    groups: dict[str, list[Row]] = {}
    for name in options.modules or names:
        with console.status(f"{name} ..."):
            groups[name] = importlib.import_module(f"benchmarks.{name}").run()
        console.print(f"[dim]{name}: done[/]")
    here = machine()
    console.print(table(groups))
    gpu = f", {here['gpu']}" if here["gpu"] else ""
    console.print(
        f"{here['processor']}, {here['cores']} cores ({' '.join(here['flags'])}){gpu}; python {here['python']}, "
        f"torch {here['torch']}, numba {here['numba']}, numpy {here['numpy']}"
    )
    if options.json:
        rows = [{"module": name, **row} for name, group in groups.items() for row in group]
        options.json.write_text(json.dumps({"machine": here, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
