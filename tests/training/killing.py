"""Training in processes that may be killed. They are forked from one that has imported what a run
needs, so that they begin within moments.
"""

import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from games.base.files import ROOT
from networks.checkpoint import CHECKPOINT, CheckpointError, load

forks = multiprocessing.get_context("forkserver")
forks.set_forkserver_preload(["fpmcts.training.command", "fpmcts.training.fpmcts", "torch._dynamo"])


def start(
    arguments: list[str], said: Path, environment: Mapping[str, str] = {}
) -> multiprocessing.process.BaseProcess:
    """Returns the process of ``train.py`` with some arguments; what it says is added to a file."""
    process = forks.Process(target=_train, args=(arguments, said, dict(environment)))
    process.start()
    return process


def _train(arguments: list[str], said: Path, environment: dict[str, str]) -> None:
    os.setsid()
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.environ |= environment
    sys.argv = ["train.py", *arguments]
    runpy.run_path(str(ROOT / "train.py"), run_name="__main__")


def points(run_dir: Path) -> dict[str, list[int]]:
    """Returns the steps of every curve."""
    events = EventAccumulator(str(run_dir))
    events.Reload()
    return {
        tag: sorted(event.step for event in events.Scalars(tag)) for tag in events.Tags()["scalars"]
    }


def saved(run_dir: Path, counter: str = "steps") -> int:
    """Returns a counter of the last checkpoint."""
    try:
        return int(load(run_dir / CHECKPOINT)[1][counter])
    except CheckpointError:  # none yet, or replaced while it was read
        return 0
