"""The benchmarks that the command names are there; their numbers are not tested."""

import importlib

import pytest

from benchmarks.__main__ import LONG, NAMES
from benchmarks.selfplay import SETTINGS, composed


def test_every_name_is_a_benchmark() -> None:
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in NAMES + LONG)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_self_play_are_valid(name: str) -> None:
    composed(*SETTINGS[name]).check()
