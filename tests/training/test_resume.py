"""A run that was killed with ``kill -9`` and resumed equals one that was not, bit for
bit, and its curves have no doubled points.
"""

import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from fpmcts.training.command import main
from fpmcts.training.run import Run
from networks.checkpoint import CheckpointError, load, save
from tests.training.tiny_run import command_line, config, same

sys.path.insert(0, str(Path(__file__).resolve().parent))  # its processes import it by this name
from killing import points, saved, start  # noqa: E402

MORE = ["evaluation.decks=4", "budget.iterations=4", "threads=2", "seed=7"]


def finish(run_dir: Path) -> list[str]:
    """Runs the training to its end; returns what it said."""
    said: list[str] = []
    assert list(Run.of(config(*MORE, f"run_dir={run_dir}"), say=said.append))
    return said


def kill(run_dir: Path, after: int) -> None:
    """Starts the training and kills it just after a checkpoint, wherever it is then."""
    process = start(command_line(*MORE, f"run_dir={run_dir}"), run_dir.with_name("said"))
    while process.is_alive() and saved(run_dir) < after:
        time.sleep(0.01)
    assert process.is_alive(), "the run ended before it could be killed"
    process.kill()
    process.join()


@pytest.mark.parametrize(
    "kills",
    # In self-play, at its end, in the policy gradient.
    [(4,), pytest.param((1, 4, 5), marks=pytest.mark.slow)],
    ids=["once", "three times"],
)
def test_killed_and_resumed_equals_uninterrupted(kills: tuple[int, ...], tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for after in kills:
        kill(parts, after)
    assert any("resuming" in line for line in finish(parts))
    finish(whole)
    same(*(load(folder / "checkpoint.safetensors")[0] for folder in (parts, whole)))
    curves = points(parts)
    assert curves == points(whole)
    assert all(len(set(steps)) == len(steps) for steps in curves.values())


def test_ctrl_c_saves_and_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def press() -> None:
        while not saved(tmp_path):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    Thread(target=press, daemon=True).start()
    try:
        main(command_line("budget.iterations=1000", f"run_dir={tmp_path}"))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert "stopped after" in capsys.readouterr().out


def test_a_checkpoint_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    """Its samples have other fields, as those of Doudizhu before its auction was a phase."""
    given = config("budget.iterations=1", "evaluation.decks=0", f"run_dir={tmp_path}")
    list(Run.of(given, say=lambda _: None))
    for file in tmp_path.glob("checkpoint*.safetensors"):
        arrays, meta = load(file)
        save(file, {name: x for name, x in arrays.items() if "states." not in name}, meta)
    with pytest.raises(CheckpointError, match=f"no 'states.*: init_from={tmp_path}$"):
        Run.of(given)
