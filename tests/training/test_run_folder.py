"""The folder of a run: which checkpoint it goes on from, what it began from, and what a failed start leaves behind."""

import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from networks.checkpoint import CheckpointError, load
from runtime.settings import ConfigError
from training.config import TrainConfig, parse_config
from training.curves import Curves
from training.loop import run_loop
from training.reports import Event, Report
from training.run_folder import RunFolder, RunFolderError, Saved


def config(path: Path, **changes: Any) -> TrainConfig:
    return replace(TrainConfig(), run_dir=str(path), **changes)


def opened(path: Path, **changes: Any) -> RunFolder[TrainConfig]:
    return RunFolder.open(config(path, **changes), parse_config)


def saved(step: int) -> Saved:
    return Saved({"network.0.weight": np.full(3, step, np.float32), "reservoir.0.seen": np.array([step])}, {"step": step})


def loaded(folder: RunFolder[TrainConfig]) -> int:
    found = folder.load()
    assert found is not None
    return int(found.meta["step"])


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path) -> None:
    with opened(tmp_path / "run") as folder:
        folder.save(saved(1))
        folder.save(saved(2))
        assert loaded(folder) == 2 and not folder.notes
    latest = tmp_path / "run" / "checkpoint.safetensors"
    latest.write_bytes(latest.read_bytes()[:-1])
    with opened(tmp_path / "run") as folder:
        assert loaded(folder) == 1
        assert len(folder.notes) == 1 and "checkpoint.previous" in folder.notes[0]
        folder.save(saved(3))  # does not put the damaged one in the place of the whole one
    assert load(tmp_path / "run" / "checkpoint.previous.safetensors")[1] == {"step": 1}
    assert load(latest)[1] == {"step": 3}


def test_two_damaged_checkpoints_are_an_error(tmp_path: Path) -> None:
    with opened(tmp_path / "run") as folder:
        folder.save(saved(1))
        folder.save(saved(2))
        for name in ("checkpoint", "checkpoint.previous"):
            (folder.path / f"{name}.safetensors").write_bytes(b"\0" * 100)
        with pytest.raises(CheckpointError, match="checkpoint.safetensors"):
            folder.load()


@pytest.mark.parametrize("left", ["older", "damaged", "missing"])
def test_networks_are_those_of_the_checkpoint_after_a_kill_between_the_files(left: str, tmp_path: Path) -> None:
    networks = tmp_path / "run" / "networks.safetensors"
    with opened(tmp_path / "run") as folder:
        folder.save(saved(1))
        older = networks.read_bytes()
        folder.save(saved(2))
    networks.write_bytes(older if left == "older" else older[:-1])
    if left == "missing":
        networks.unlink()
    with opened(tmp_path / "run") as folder:
        assert loaded(folder) == 2
    arrays, meta = load(networks)
    assert meta == {"step": 2} and arrays["network.0.weight"].tolist() == [2, 2, 2]
    assert set(arrays) == {"network.0.weight"}


def test_what_a_run_began_from_need_not_be_said_again(tmp_path: Path) -> None:
    with opened(tmp_path / "run", init_from="weights") as folder:
        folder.begin()
    with opened(tmp_path / "run") as folder:
        assert folder.config.init_from == "weights"
    with pytest.raises(RunFolderError, match="started with init_from=weights, not others"):
        opened(tmp_path / "run", init_from="others")


def test_a_run_that_did_not_begin_from_weights_cannot_do_so_later(tmp_path: Path) -> None:
    with opened(tmp_path / "run") as folder:
        folder.begin()
    with pytest.raises(RunFolderError, match="started with init_from=None, not weights"):
        opened(tmp_path / "run", init_from="weights")


class Steps:
    """A run of two steps."""

    saves_each_step = True

    def __init__(self, config: TrainConfig, found: Saved | None) -> None:
        self.done = 0 if found is None else int(found.meta["step"])
        self.seconds = 0.0
        self.last_report = Report(self.done, "line", {"curve": 1.0}) if self.done else None

    def run_step(self) -> Iterator[Event]:
        yield Event("stage", 1, 2, "games")
        self.done += 1
        self.last_report = Report(self.done, f"step {self.done}", {"curve": float(self.done)})

    def is_finished(self, budget: Any) -> bool:
        return self.done >= 2

    def where(self) -> str:
        return f"step {self.done}"

    def description(self) -> str:
        return "two steps"

    def get_state(self) -> Saved:
        return saved(self.done)


def said(folder: RunFolder[TrainConfig], stop: Any = lambda: False) -> list[Any]:
    with folder:
        return [item for item in run_loop(folder, Steps, stop) if not isinstance(item, Event)]


def test_the_loop(tmp_path: Path) -> None:
    first = said(opened(tmp_path / "run"), iter([False, True, True]).__next__)
    assert first[0] == f"new run in {tmp_path / 'run'}" and "until Ctrl-C" in first[1] and first[2] == "two steps"
    assert first[3][0].line == "step 1" and first[4].startswith("stopped after step 1")
    second = said(opened(tmp_path / "run"))
    assert second[0] == f"resuming {tmp_path / 'run'} from step 1"
    assert second[3][0].line == "step 2" and second[4] == "budget used up"


@pytest.mark.parametrize(
    ("failure", "raised"), [(MemoryError("Unable to allocate 43 TiB"), ConfigError), (CheckpointError("gone"), CheckpointError)]
)
def test_a_start_that_fails_leaves_nothing_behind(failure: Exception, raised: type[Exception], tmp_path: Path) -> None:
    def fails(config: TrainConfig, found: Saved | None) -> Steps:
        raise failure

    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("kept")
    for path in (tmp_path / "new" / "run", mine):
        with pytest.raises(raised), opened(path) as folder:
            list(run_loop(folder, fails, lambda: False))
    assert not (tmp_path / "new" / "run").exists()
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    assert said(opened(tmp_path / "new" / "run", seed=1))[-1] == "budget used up"  # the corrected command


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """Files may not grow: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(RunFolderError, match=r"run_dir=.*: the curves cannot be written \(File too large\)"):
            Curves(tmp_path, 1).add(Report(1, "", {"a": 1.0}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
