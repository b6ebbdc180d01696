"""The benchmarks that the command names are there; their numbers are not tested."""

import importlib

from benchmarks.__main__ import NAMES


def test_every_name_is_a_benchmark() -> None:
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in NAMES)
