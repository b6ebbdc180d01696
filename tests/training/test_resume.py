"""A run that was killed with ``kill -9`` and resumed equals one that was not, bit for bit, and its
curves have no doubled points.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from networks.checkpoint import load

ROOT = Path(__file__).resolve().parents[2]
TINY = [
    "game=kuhn",
    "episode.games=16",
    "episode.games_per_step=8",
    "episode.value_games=12",
    "search.playouts=8",
    "train.batch_size=16",
    "train.reservoir=40",
    "train.averaging=5",
    "evaluation.decks=4",
    "gradient.start=2",
    "gradient.games=2048",
    "network.channels=8",
    "network.blocks=1",
    "budget.iterations=4",
    "threads=2",
    "seed=7",
]


def start(run_dir: Path) -> subprocess.Popen[bytes]:
    """Returns a training process in a folder; it gets its own process group."""
    command = [sys.executable, "train.py", *TINY, f"run_dir={run_dir}"]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


def finish(run_dir: Path) -> str:
    """Runs the training to its end; returns what it printed."""
    process = start(run_dir)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, out.decode()
    return out.decode()


def weights(run_dir: Path) -> dict[str, np.ndarray]:
    """Returns the arrays of the last checkpoint."""
    arrays, _ = load(run_dir / "checkpoint.safetensors")
    return arrays


def points(run_dir: Path) -> dict[str, list[int]]:
    """Returns the steps of every curve."""
    events = EventAccumulator(str(run_dir))
    events.Reload()
    return {tag: [event.step for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run_dir = tmp_path_factory.mktemp("runs") / "uninterrupted"
    finish(run_dir)
    return run_dir


def test_killed_and_resumed_equals_uninterrupted(uninterrupted: Path, tmp_path: Path) -> None:
    run_dir = tmp_path / "killed"
    kills = 0
    # Once in self-play, at its end, in the policy gradient: just after that many checkpoints,
    # wherever it is then.
    for saved in (1, 4, 5):
        process = start(run_dir)
        while process.poll() is None and _step(run_dir) < saved:
            time.sleep(0.01)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
    assert kills == 3, "the run ended before it could be killed"
    assert "resuming" in finish(run_dir)
    expected, got = weights(uninterrupted), weights(run_dir)
    assert expected.keys() == got.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(array, got[name], err_msg=name)
    curves = points(run_dir)
    assert curves
    for tag, steps in curves.items():
        assert max(Counter(steps).values()) == 1, tag
    assert {tag: sorted(steps) for tag, steps in curves.items()} == points(uninterrupted)


def _step(run_dir: Path) -> int:
    path = run_dir / "checkpoint.safetensors"
    if not path.exists():
        return 0
    try:
        return int(load(path)[1]["steps"])
    except ValueError:  # replaced while it was read
        return 0


def test_ctrl_c_saves_and_stops(tmp_path: Path) -> None:
    run_dir = tmp_path / "stopped"
    process = start(run_dir)
    while process.poll() is None and _step(run_dir) < 1:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out.decode()
    assert "stopped after" in out.decode()
    assert _step(run_dir) >= 1
