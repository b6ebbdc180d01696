"""A disk that fills at ten points of a run and of an evaluation: one clear line, nothing left that
is not whole, and the same command resumes and reaches the same result.
"""

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import numpy as np
import pytest

from fpmcts.evaluation import command as evaluate
from fpmcts.evaluation.report import TournamentReport
from fpmcts.training.algorithms import read_run
from fpmcts.training.run import Run
from fpmcts.training.run_folder import RunFolder, RunFolderError
from games.base.settings import InputError
from networks.checkpoint import CheckpointError, load
from tests.training.test_resume import points
from tests.training.tiny_run import command_line, same

POINTS = 10
RUNS = {
    "tables": ["game=kuhn", "algorithm=cfr_plus", "budget.episodes=5"],
    "networks": command_line("budget.iterations=2", "evaluation.decks=4", "gradient.start=1"),
}
MATCH = ("game=leduc", "a=random", "b=always_call", "decks=60", "processes=1", "device=cpu")


class File:
    """An open file that asks the disk before it writes."""

    def __init__(self, file: Any, disk: "Disk") -> None:
        self._file, self._disk = file, disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def write(self, data: Any) -> int:
        if self._disk.is_full():
            self._file.write(data[: len(data) // 2])
            self._disk.refuse()
        return int(self._file.write(data))


class Disk:
    """Counts what is asked of the disk; of ``room`` requests on it refuses all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room, self.asked = 10**9, 0
        opened = Path.open

        def open_(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
            file = opened(path, mode, *rest, **options)
            return file if mode in ("r", "rb") else File(file, self)

        monkeypatch.setattr(Path, "open", open_)
        monkeypatch.setattr(os, "fsync", self._guarded(lambda descriptor: None))
        monkeypatch.setattr(os, "replace", self._guarded(os.replace))

    def is_full(self) -> bool:
        self.asked += 1
        return self.asked > self.room

    def refuse(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _guarded(self, call: Callable[..., None]) -> Callable[..., None]:
        def guarded(*arguments: Any) -> None:
            is_folder = isinstance(arguments[0], int) and S_ISDIR(os.fstat(arguments[0]).st_mode)
            if not is_folder and self.is_full():
                self.refuse()
            call(*arguments)

        return guarded

    @contextmanager
    def full_after(self, room: int) -> Iterator[None]:
        self.room, self.asked = room, 0
        try:
            yield
        finally:
            self.room = 10**9


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*")]


@pytest.mark.parametrize("kind", ["tables", pytest.param("networks", marks=pytest.mark.slow)])
def test_a_run_goes_on_after_the_disk_was_full(
    kind: str, tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunFolder, "is_save_due", lambda *_: True)  # whatever the time

    config = read_run(RUNS[kind])

    def train(name: str) -> None:
        list(Run.of(replace(config, run_dir=str(tmp_path / name))))

    train("whole")
    asked, whole = disk.asked, load(tmp_path / "whole" / "checkpoint.safetensors")[0]
    for room in np.linspace(0, asked - 1, POINTS).astype(int):
        name = f"full-{room}"
        with (
            disk.full_after(room),
            pytest.raises((RunFolderError, CheckpointError), match="No space left") as caught,
        ):
            train(name)
        assert "\n" not in str(caught.value) and not hidden(tmp_path / name)
        train(name)
        same(load(tmp_path / name / "checkpoint.safetensors")[0], whole)
        assert points(tmp_path / name) == points(tmp_path / "whole")


def test_an_evaluation_goes_on_after_the_disk_was_full(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fpmcts.evaluation.plan.FAST_DECKS", 15)
    monkeypatch.setattr(TournamentReport, "_plots", lambda report: {})  # they take seconds to draw

    def play(name: str) -> None:
        keys = {"unfinished": "unfinished", "report": "report", "save": "games.jsonl"}
        given = [f"{key}={tmp_path / name / file}" for key, file in keys.items()]
        assert evaluate.main([*MATCH, *given]) == 0

    def results(name: str) -> tuple[str, object]:
        report = json.loads((tmp_path / name / "report" / "report.json").read_text())
        return (tmp_path / name / "games.jsonl").read_text(), report["matches"][0]["total"]

    (tmp_path / "whole").mkdir()
    play("whole")
    for room in np.linspace(0, disk.asked - 1, POINTS).astype(int):
        name = f"full-{room}"
        (tmp_path / name).mkdir()
        with disk.full_after(room), pytest.raises(InputError) as caught:
            play(name)
        line = evaluate.ending(caught.value)
        assert "No space left" in line and "\n" not in line and not hidden(tmp_path / name)
        kept = [
            len(path.read_bytes().splitlines()) - 1
            for path in (tmp_path / name / "unfinished").glob("*")
        ]
        capsys.readouterr()
        play(name)
        assert results(name) == results("whole")
        assert ("continuing" in capsys.readouterr().out) == (sum(kept) > 0)
        assert not list((tmp_path / name / "unfinished").iterdir())
