"""A run that was killed with ``kill -9`` and resumed equals one that was not, bit for
bit, and its curves have no doubled points.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from fpmcts.training.run import Run
from networks.checkpoint import load
from tests.training.tiny_run import command_line, config, same
from train import main

ROOT = Path(__file__).resolve().parents[2]
MORE = ["evaluation.decks=4", "budget.iterations=4", "threads=2", "seed=7"]


def finish(run_dir: Path) -> list[str]:
    """Runs the training to its end; returns what it said."""
    said: list[str] = []
    assert list(Run(config(*MORE, f"run_dir={run_dir}"), say=said.append))
    return said


def points(run_dir: Path) -> dict[str, list[int]]:
    """Returns the steps of every curve."""
    events = EventAccumulator(str(run_dir))
    events.Reload()
    return {
        tag: sorted(event.step for event in events.Scalars(tag)) for tag in events.Tags()["scalars"]
    }


def saved(run_dir: Path) -> int:
    """Returns the step of the last checkpoint."""
    try:
        return int(load(run_dir / "checkpoint.safetensors")[1]["steps"])
    except ValueError:  # none yet, or replaced while it was read
        return 0


def kill(run_dir: Path, after: int) -> None:
    """Starts the training and kills it just after a checkpoint, wherever it is then."""
    process = subprocess.Popen(
        [sys.executable, "train.py", *command_line(*MORE, f"run_dir={run_dir}")],
        cwd=ROOT,
        start_new_session=True,  # a group of its own, which the signal reaches
    )
    while process.poll() is None and saved(run_dir) < after:
        time.sleep(0.01)
    assert process.poll() is None, "the run ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


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
