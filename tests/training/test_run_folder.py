"""The run folder: which checkpoint a run resumes from, what it began from, and what a failed start
leaves behind.
"""

import resource
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.nfsp.trainer import NFSPConfig
from fpmcts.progress import Progress
from fpmcts.training.config import TrainConfig
from fpmcts.training.curves import Curves
from fpmcts.training.interface import EpisodeBudget, Report, RunConfig, Saved
from fpmcts.training.run import Run
from fpmcts.training.run_folder import RunFolder, RunFolderError, keys_of
from games.base.settings import ConfigError
from networks.checkpoint import CheckpointError, load
from networks.resnet import NetworkConfig


def config(path: Path, **changes: Any) -> TrainConfig:
    return replace(TrainConfig(), run_dir=str(path), **changes)


def opened(path: Path, **changes: Any) -> RunFolder:
    return RunFolder.open(config(path, **changes))


def saved(step: int) -> Saved:
    return Saved(
        {"network.0.weight": np.full(3, step, np.float32), "reservoir.0.seen": np.array([step])},
        {"step": step},
    )


def loaded(folder: RunFolder) -> int:
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
    assert load(tmp_path / "run" / "checkpoint.previous.safetensors")[1]["step"] == 1
    assert load(latest)[1]["step"] == 3


@pytest.mark.parametrize("left", ["older", "damaged", "missing"])
def test_networks_are_those_of_the_checkpoint_after_a_kill_between_the_files(
    left: str, tmp_path: Path
) -> None:
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
    assert meta["step"] == 2 and arrays["network.0.weight"].tolist() == [2, 2, 2]
    assert set(arrays) == {"network.0.weight"}


def test_what_a_run_began_from_need_not_be_said_again(tmp_path: Path) -> None:
    with opened(tmp_path / "run", init_from="weights") as folder:
        folder.begin()
    with opened(tmp_path / "run") as folder:
        assert folder.config.init_from == "weights"
    with pytest.raises(RunFolderError, match="started with init_from=weights, not others"):
        opened(tmp_path / "run", init_from="others")


@dataclass(frozen=True)
class StepsConfig(RunConfig):
    """A run of two steps. Attributes: failure: What beginning it raises."""

    budget: EpisodeBudget = field(default_factory=lambda: EpisodeBudget(episodes=2))
    failure: Any = None

    def start(self, is_new: bool = True) -> "Steps":
        if self.failure is not None:
            raise self.failure
        return Steps()


class Steps:
    """An algorithm that counts."""

    saves_each_step, about = True, "two steps"

    def __init__(self) -> None:
        self.done = 0

    @property
    def spent(self) -> dict[str, int]:
        return {"episodes": self.done}

    def step(self, progress: Progress) -> Report:
        self.done += 1
        progress("stage", self.done, 2, "games")
        return Report(self.done, f"step {self.done}", {"curve": float(self.done)})

    def state(self) -> Saved:
        return saved(self.done)

    def load(self, found: Saved) -> None:
        self.done = int(found.meta["step"])


def test_the_loop(tmp_path: Path) -> None:
    """It stops after a step, with a checkpoint, and resumes from there; reports, lines and progress
    come as they should.
    """
    lines: list[str] = []
    seen: list[tuple[Any, ...]] = []
    config = StepsConfig(run_dir=str(tmp_path / "run"))
    first = Run.of(
        config, lambda *at: seen.append(at), lines.append, iter([False, True, True]).__next__
    )
    assert [report.line for report in first] == ["step 1"] and seen == [("stage", 1, 2, "games")]
    assert lines[0] == f"new run in {tmp_path / 'run'}" and lines[1] == "two steps"
    assert lines[2].startswith("stopped after 1 episodes, ")
    second = Run.of(config, say=lines.append)
    assert lines[3].startswith(f"resuming {tmp_path / 'run'} from 1 episodes")
    assert second.last is not None and second.last.line == "step 1"
    assert [report.line for report in second] == ["step 2"] and lines[-1] == "budget used up"
    assert not list(Run.of(config))
    unbounded = Run.of(
        replace(config, budget=EpisodeBudget()), say=lines.append, stopping=lambda: True
    )
    assert not list(unbounded) and "until Ctrl-C" in lines[-3]
    timed = Run.of(replace(config, budget=EpisodeBudget(minutes=2)))
    for timed.seconds, over in ((119.9, False), (120.0, True)):
        assert timed.is_finished() == over
    timed.folder.close()


def test_an_interrupted_step_is_repeated_and_what_it_left_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, closed = Run.of(StepsConfig(run_dir=str(tmp_path / "run"))), list[Any]()
    steps, first = iter(run), run.algorithm
    next(steps)

    def interrupted(self: Steps, progress: Progress) -> Report:
        self.done += 5
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Steps, "step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(steps)
    monkeypatch.setattr(Steps, "close", lambda self: closed.append(self), raising=False)
    assert [report.line for report in run] == ["step 2"]
    assert closed == [first, run.algorithm] and run.algorithm is not first


def test_a_run_of_an_earlier_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("seed: 0\n")
    (tmp_path / "networks.safetensors").touch()
    with pytest.raises(
        RunFolderError,
        match="started by another version .*; give another run_dir; to start a new run from",
    ):
        opened(tmp_path)


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (MemoryError("Unable to allocate 43 TiB"), ConfigError),
        (CheckpointError("gone"), CheckpointError),
    ],
)
def test_a_start_that_fails_leaves_nothing_behind(
    failure: Exception, raised: type[Exception], tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("kept")
    for path in (tmp_path / "new" / "run", mine):
        with pytest.raises(raised):
            Run.of(StepsConfig(run_dir=str(path), failure=failure))
    assert not (tmp_path / "new").exists()
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    assert (
        len(list(Run.of(StepsConfig(run_dir=str(tmp_path / "new" / "run"), seed=1)))) == 2
    )  # the corrected command


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    with opened(tmp_path) as folder:
        folder.begin()
    kept = (tmp_path / "config.yaml").read_text()
    with pytest.raises(RunFolderError, match="resume=false"):
        opened(tmp_path, resume=False)
    assert (tmp_path / "config.yaml").read_text() == kept


def test_two_writers_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "run"), pytest.raises(RunFolderError, match="another run"):
        opened(tmp_path / "run")


def test_what_a_killed_save_left_is_removed(tmp_path: Path) -> None:
    with opened(tmp_path / "run") as folder:
        folder.save(saved(1))
    names = {path.name for path in (tmp_path / "run").iterdir()}
    for name in (".checkpoint.safetensors.partial", ".tmpAb12Cd"):
        (tmp_path / "run" / name).touch()
    with opened(tmp_path / "run") as folder:
        assert loaded(folder) == 1
    assert {path.name for path in (tmp_path / "run").iterdir()} == names


def test_a_folder_with_something_else_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("version: 2\nsomething: else\n")
    with pytest.raises(RunFolderError, match="holds a different kind of run"):
        opened(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """Files may not grow: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(
            RunFolderError, match=r"run_dir=.*: the curves cannot be written \(File too large\)"
        ):
            Curves(tmp_path, 1).add(Report(1, "", {"a": 1.0}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_step_whose_save_failed_is_saved_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = StepsConfig(run_dir=str(tmp_path / "run"))
    run = Run.of(config)

    def full(self: RunFolder, saved: Saved) -> None:
        raise CheckpointError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save", full)
        for done in (1, 2):
            with pytest.raises(CheckpointError):
                list(run)
            assert run.algorithm.spent == {"episodes": done}
    assert not list(run) and Run.of(config).algorithm.spent == {"episodes": 2}


def test_keys_of_former_versions_are_left_out_or_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "run") as folder:
        folder.begin()
    file, former = tmp_path / "run" / "config.yaml", "  unit_games: 4\n  posterior: true\n"
    text = file.read_text().replace("selfplay:\n", f"selfplay:\n{former}")
    file.write_text(text)
    with opened(tmp_path / "run"):
        assert "posterior" not in keys_of(tmp_path / "run")["selfplay"]
    file.write_text(text.replace("posterior: true", "posterior: false"))
    with pytest.raises(RunFolderError, match="selfplay.posterior=False is no longer supported"):
        opened(tmp_path / "run")
    with pytest.raises(RunFolderError, match="selfplay.posterior=False is no longer supported"):
        keys_of(tmp_path / "run")


def test_a_part_of_the_method_may_not_change(tmp_path: Path) -> None:
    """The memory of NFSP; that of a table may, which is its size."""
    network = NetworkConfig(objective="wp", value_head="scalar", dense=True, blocks=0)
    usual = NFSPConfig(run_dir=str(tmp_path / "run"), network=network)
    with RunFolder.open(usual) as folder:
        folder.save(saved(1))
    smaller = replace(usual, algorithm=replace(usual.algorithm, memory=1000))
    with pytest.raises(RunFolderError, match="started with algorithm.memory=100000, not 1000"):
        RunFolder.open(smaller)


@pytest.mark.parametrize("key", ["remembered", "selfplay"])
def test_what_affects_only_the_speed_may_change(tmp_path: Path, key: str) -> None:
    with opened(tmp_path / "run") as folder:
        folder.save(saved(1))
    value: Any = 7 if key == "remembered" else replace(TrainConfig().selfplay, lanes=7)
    with opened(tmp_path / "run", **{key: value}) as folder:
        assert loaded(folder) == 1
