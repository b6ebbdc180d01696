"""Random kills (``kill -9``) of the processes of a run: it learns what it learns undisturbed, it
says one line where it was not the one that was killed, and nothing stays behind.
"""

import os
import random
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from uuid import uuid4

import pytest

from networks.checkpoint import CHECKPOINT, load
from tests.training.tiny_run import KUHN, command_line, same

sys.path.insert(0, str(Path(__file__).resolve().parent))  # its processes import it by this name
from killing import points, saved, start  # noqa: E402

pytestmark = pytest.mark.slow
FILES = {
    "config.yaml",
    "lock",
    "checkpoint.safetensors",
    "checkpoint.previous.safetensors",
    "networks.safetensors",
}
LIMIT = 600.0
"""Seconds within which a run ends that nobody kills any more, on a busy machine and
with kernels to compile."""

LINE = "train.py: "
SEARCHES = [*(key for key in KUHN if "gradient." not in key), "gradient.start=null"]
BIDS = ["experiment=bidding", "gradient.games=96", "gradient.thaw=2", "evaluation.search_decks=0"]


def marked(mark: str) -> list[int]:
    """Returns the processes that were started with a variable of the environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended
            continue
    return found


def name(process: int) -> str:
    """Returns the name of a process, "" where it has ended."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("kills", "base", "keys"),
    [
        (15, SEARCHES, ["threads=2"]),
        (20, BIDS, ["threads=2"]),
        (10, SEARCHES, ["cluster=ray", "cluster.actors=2"]),
        (10, SEARCHES, ["cluster=ray", "cluster.actors=2", "cluster.lag=1"]),
    ],
    ids=["local", "bids", "cluster", "cluster with a lag"],
)
def test_random_kills(kills: int, base: list[str], keys: list[str], tmp_path: Path) -> None:
    rng, mark, said, run = random.Random(7), uuid4().hex, tmp_path / "said", tmp_path / "run"
    said.touch()
    killed: list[str] = []

    def train(folder: Path, iterations: int, *more: str) -> BaseProcess:
        budget = f"budget.iterations={iterations}"
        small = ["evaluation.decks=4", budget, f"run_dir={folder}"]
        return start(
            command_line(*small, *more, base=base),
            said,
            {"FPMCTS_TEST": mark, "RAY_worker_niceness": "0"},
        )

    def wait(process: BaseProcess) -> None:
        """Waits until a random moment: of the start, or of a step."""
        wanted, started = saved(run) + rng.randrange(4), time.monotonic()
        while process.is_alive() and saved(run) < wanted:
            assert time.monotonic() - started < LIMIT, (killed, said.read_text().splitlines()[-9:])
            time.sleep(0.03)
        time.sleep(rng.uniform(0.0, 0.3))

    def check_end(process: BaseProcess) -> None:
        """What it was that ended the process was a kill, or is said in a line."""
        lines = said.read_text().splitlines()
        assert "Traceback" not in said.read_text(), (killed, lines[-40:])
        assert process.exitcode in (0, 1, -signal.SIGKILL), (killed, process.exitcode, lines[-9:])
        deadline = time.monotonic() + 10  # the guard speaks after the end
        while process.exitcode == 1 and not said.read_text().splitlines()[-1].startswith(LINE):
            assert time.monotonic() < deadline, (killed, said.read_text().splitlines()[-9:])
            time.sleep(0.05)

    while len(killed) < kills:
        process, before = train(run, 100_000, *keys), saved(run, "iteration")
        while len(killed) < kills and process.is_alive():
            wait(process)
            # Not the guard (tests/cluster/test_guard.py), which alone can say that another ended.
            others = {one for one in marked(mark) if name(one) != "sh"}
            victim = rng.choice(sorted({process.pid, *others}))
            killed.append("driver" if victim == process.pid else name(victim))
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            process.join(0.1)
        if len(killed) == kills:
            process.kill()
        process.join()
        check_end(process)
        assert saved(run, "iteration") >= before
    iterations = saved(run, "iteration") + 2
    for folder, more in ((run, keys), (tmp_path / "whole", [*keys[2:], "threads=1"])):
        process = train(folder, iterations, *more)
        process.join(LIMIT)
        assert process.exitcode == 0, said.read_text().splitlines()[-9:]
    same(*(load(folder / CHECKPOINT)[0] for folder in (run, tmp_path / "whole")))
    curves, whole = points(run), points(tmp_path / "whole")
    assert all(curves[tag] == steps for tag, steps in whole.items())
    left = {path.name for path in run.iterdir() if not path.name.startswith("events.")}
    assert left <= FILES, "what no run needs"
    deadline = time.monotonic() + 20
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not marked(mark), [name(one) for one in marked(mark)]
