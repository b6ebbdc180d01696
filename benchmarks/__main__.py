"""Runs the benchmarks: ``fpmcts bench [MODULE ...] [--json FILE]``.

A benchmark is a module of this folder with ``run() -> Iterable[Row]`` (``measure.py``). Without
names all of them run. Each row is printed as soon as it is measured. ``fpmcts bench decisions
a=PLAYER`` gives the regret of players instead (``decisions.py``).
"""

import argparse
import importlib
import json
import sys
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
LONG = ("speedrun",)
"""Hours; run by name only."""


def main(arguments: Sequence[str] | None = None, command: str = "python -m benchmarks") -> int:
    """Runs the modules that the command line names; returns the exit status."""
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words[:1] == ["decisions"]:
        return importlib.import_module(".decisions", __package__).main(words[1:])  # type: ignore[no-any-return]
    parser = argparse.ArgumentParser(
        prog=command, description="Speed, beside targets and published figures."
    )
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help=f"of {', '.join(NAMES + LONG)}"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to FILE")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.modules if name not in NAMES + LONG]:
        parser.error(
            f"no benchmark named {', '.join(unknown)}; there are: {', '.join(NAMES + LONG)}"
        )
    if options.json and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: the folder {options.json.parent} does not exist")
    here, rows = machine(), []
    print(", ".join(f"{key} {value}" for key, value in here.items()), flush=True)
    for name in options.modules or NAMES:
        began = time.monotonic()
        try:
            module = importlib.import_module(f".{name}", __package__)
        except ModuleNotFoundError as error:  # an extra
            print(f"{name}: left out, because {error.name} is not installed", flush=True)
            continue
        for row in module.run():
            rows.append({"module": name, **row._asdict()})
            print(row, flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": here, "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    main()
