"""The benchmarks that the command names are there; their numbers are not tested."""

import importlib

from benchmarks.__main__ import NAMES
from benchmarks.measure import Row, median_seconds


def test_every_name_is_a_benchmark() -> None:
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in NAMES)


def test_a_ratio_above_one_is_good() -> None:
    assert str(Row("games", 30_000, "games/s", 20_000, {"C++": 15_000})) == (
        "games: 30,000 games/s, target 20,000 (x1.50), C++ 15,000 (x2.00)"
    )
    assert str(Row("start", 5.0, "s", 15.0)) == "start: 5 s, target 15 (x3.00)"
    assert median_seconds(lambda: None) >= 0
