"""Runs the benchmarks: ``python -m benchmarks [MODULE ...] [--json FILE]``.

A benchmark is a module of this folder with ``run() -> Iterable[Row]`` (``measure.py``). Without
names all of them run. Each row is printed as soon as it is measured.
"""

import argparse
import importlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

from fpmcts.machine import machine

NAMES = (
    "rules",
    "network",
    "inference",
    "selfplay",
    "tabular",
    "opponent_models",
    "player",
    "web",
    "gpu",
)
"""From the lowest layer up."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the modules that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed, beside targets and published figures."
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to FILE")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.modules if name not in NAMES]:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    if options.json and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: the folder {options.json.parent} does not exist")
    here, rows = machine(), []
    print(", ".join(f"{key} {value}" for key, value in here.items()), flush=True)
    for name in options.modules or NAMES:
        began = time.monotonic()
        for row in importlib.import_module(f"benchmarks.{name}").run():
            rows.append({"module": name, **row._asdict()})
            print(row, flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": here, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
