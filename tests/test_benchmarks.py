"""The benchmarks that the command names are there; their numbers are not tested."""

import importlib
from pathlib import Path

import pytest

from benchmarks import decisions
from benchmarks.__main__ import LONG, NAMES, main
from benchmarks.selfplay import SETTINGS, composed
from games.base.settings import ConfigError
from games.play.table import Table


def test_every_name_is_a_benchmark() -> None:
    assert all(callable(importlib.import_module(f"benchmarks.{name}").run) for name in NAMES + LONG)


def test_a_set_of_decisions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every legal move has a loss, so that every player has a regret; the same set again."""
    file, again = tmp_path / "set.jsonl", tmp_path / "again.jsonl"
    with pytest.raises(ConfigError, match="there is no .*set.jsonl; make=300 makes it"):
        main(["decisions", "a=rhcp", f"file={file}"])
    assert main(["decisions", "make=2", "worlds=4", f"file={file}"]) == 0
    main(["decisions", "make=2", "worlds=4", f"file={again}"])
    assert file.read_bytes() == again.read_bytes()
    rows = decisions.read(file)
    for row in rows:
        table = Table("doudizhu", record=row["record"])
        assert [*row["losses"]] == [move.text for move in table.legal()]
        assert row["losses"][row["best"]] == [0, 0]
        assert all(-1 <= loss <= 1 for loss, _ in row["losses"].values())
    assert main(["decisions", "a=rhcp", "b=random", f"file={file}"]) == 0
    assert capsys.readouterr().out.count("2 positions") == 2
    with pytest.raises(ConfigError, match="world=4: unknown key"):
        main(["decisions", "make=2", "world=4", f"file={file}"])
    with pytest.raises(ConfigError, match="expected a player"):
        main(["decisions"])


def test_the_decisions_of_the_project_are_whole() -> None:
    for row in decisions.read(decisions.FILE):
        table = Table("doudizhu", record=row["record"])
        assert [*row["losses"]] == [move.text for move in table.legal()]
        assert row["losses"][row["best"]] == [0, 0]


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_self_play_are_valid(name: str) -> None:
    composed(*SETTINGS[name]).check()
