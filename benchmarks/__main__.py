"""Runs the benchmarks: ``python -m benchmarks [MODULE ...] [--json FILE]``, or two trees side by side (``compare.py``).

A benchmark is a module of this folder with ``run() -> Iterable[Row]`` (see ``table.py``). Without names all of them run.
Every row is printed as soon as it is measured, and at the end all of them as one table.
"""

import argparse
import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import compare
from benchmarks.table import Row, line_text, make_console, table
from runtime.machine import machine

ORDER = ("rules", "rhcp", "network", "inference", "selfplay", "player")
"""From the lowest layer up; modules that are not named here follow in the order of the alphabet."""


def available() -> list[str]:
    """Returns the names of the benchmark modules in the order in which they run."""
    names = {path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef run(" in path.read_text()}
    return [name for name in ORDER if name in names] + sorted(names - set(ORDER))


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the modules that the command line names."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["compare"]:
        compare.main(given[1:])
        return
    names = available()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed, beside the targets and published figures.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one or more of: {', '.join(names)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows and the machine to FILE")
    options = parser.parse_args(given)
    unknown = [name for name in options.modules if name not in names]
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(names) or 'none'}")

    console = make_console(highlight=True)
    here = machine()
    gpu = f", {here['gpu']}" if here["gpu"] else ""
    console.print(
        f"{here['processor']}, {here['cores']} cores ({' '.join(here['flags'])}){gpu}; python {here['python']}, "
        f"torch {here['torch']}, numba {here['numba']}, numpy {here['numpy']}"
    )
    groups: dict[str, list[Row]] = {}
    for name in options.modules or names:
        groups[name], began = [], time.monotonic()
        with console.status(f"{name} ..."):
            for row in importlib.import_module(f"benchmarks.{name}").run():
                groups[name].append(row)
                console.print(line_text(row), markup=False)
        console.print(f"[dim]{name}: {time.monotonic() - began:.0f} s[/]")
    console.print(table(groups))
    if options.json:
        rows = [{"module": name, **row} for name, group in groups.items() for row in group]
        options.json.write_text(json.dumps({"machine": here, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
