"""``python evaluate.py`` as a user runs it: killed, interrupted, and given bad input."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from fpmcts.adapters.players.foreign import ExternalPlayerError
from fpmcts.evaluation import command as evaluate
from fpmcts.players.lookup import PlayerError
from games.base.files import ROOT
from games.base.settings import InputError

MATCH = ("a=rhcp", "b=random", "decks=3000", "processes=2", "device=cpu")
"""Six tasks."""


def command(tmp_path: Path, *arguments: str) -> list[str]:
    """Returns the command line, what is unfinished kept under ``tmp_path``."""
    return [sys.executable, "evaluate.py", f"unfinished={tmp_path / 'unfinished'}", *arguments]


def run(tmp_path: Path, *arguments: str) -> str:
    """Returns what a match prints that is played to its end."""
    return subprocess.run(
        command(tmp_path, *arguments), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    line = command(tmp_path, *arguments)
    return subprocess.Popen(line, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def scores(text: str) -> list[str]:
    """Returns the lines of scores."""
    return re.findall(r"^  (?:all games|as .*) +(?:WP|mbb/h) .*$", text, re.MULTILINE)


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return [int(line) for line in listed.split()]


def are_gone(workers: list[int], seconds: float = 20.0) -> bool:
    """Returns whether processes end."""
    files = [Path(f"/proc/{pid}/cmdline") for pid in workers]
    deadline = time.monotonic() + seconds
    while any(file.exists() and file.read_bytes() for file in files):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wait_for_a_task(tmp_path: Path) -> None:
    """Waits until one task of a running match is finished."""
    deadline = time.monotonic() + 240
    while not any(len(path.read_bytes().splitlines()) > 1 for path in tmp_path.rglob("*.jsonl")):
        assert time.monotonic() < deadline, "no task was finished"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_and_continued_equals_uninterrupted(tmp_path: Path, how: int) -> None:
    whole = run(tmp_path / "whole", *MATCH)
    assert len(scores(whole)) == 3
    process = started(tmp_path, *MATCH)
    wait_for_a_task(tmp_path)
    workers = children(process.pid)
    os.kill(process.pid, how)
    process.communicate(timeout=120)
    assert workers and are_gone(workers)
    continued = run(tmp_path, *MATCH)
    assert "continuing: " in continued and scores(continued) == scores(whole)


def test_ctrl_c_keeps_what_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, with tasks of a few decks: the same command continues, and signals then mean
    what they meant before.
    """
    monkeypatch.setattr("fpmcts.evaluation.plan.FAST_DECKS", 20)
    players = ["game=leduc", "a=random", "b=always_call", "decks=4000", "processes=1", "device=cpu"]

    def play(folder: str) -> tuple[int, str]:
        status = evaluate.main([*players, f"unfinished={tmp_path / folder}"])
        return status, capsys.readouterr().out

    def interrupt() -> None:
        wait_for_a_task(tmp_path / "stopped")
        os.kill(os.getpid(), signal.SIGINT)

    _, whole = play("whole")
    assert len(scores(whole)) == 3
    assert not list((tmp_path / "whole").iterdir()), "a complete match leaves nothing unfinished"
    thread = threading.Thread(target=interrupt)
    thread.start()
    status, stopped = play("stopped")
    thread.join()
    assert status == 130 and "stopping after the games that are being played" in stopped
    assert "the same command continues" in stopped and not scores(stopped)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    status, continued = play("stopped")
    assert status == 0 and "continuing: " in continued and scores(continued) == scores(whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["a=policy", "a.checkpoint=/nowhere", "b=rhcp"],
            ["a=policy", "no checkpoint at /nowhere"],
        ),
        (["a=rhcp", "b=random", "decks=/nowhere"], ["decks=/nowhere", "no such file"]),
        (["a=rhcp", "b=random", "save=/nowhere/games"], ["save=/nowhere/games", "does not exist"]),
    ],
)
def test_errors_of_use(arguments: list[str], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        evaluate.main(arguments)
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("command", ["python 'player.py", "/nowhere/player"])
def test_a_command_that_fails_leaves_no_files_and_states_no_precision(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [f"{key}={tmp_path / 'new' / key}" for key in ("unfinished", "report")]
    players = ["a=policy", "b=external", f"b.command={command}", "processes=1", "device=cpu"]
    with pytest.raises((PlayerError, ExternalPlayerError)):
        evaluate.main([*players, *folders])
    assert not list(tmp_path.iterdir())
    assert "precision" not in "".join(capsys.readouterr())


def test_a_fault_in_the_middle_keeps_what_is_finished(tmp_path: Path) -> None:
    """The client answers 148 questions, the moves of several tasks of two decks, and dies."""
    client = tmp_path / "client.py"
    source = (ROOT / "examples" / "external_player.py").read_text()
    client.write_text(
        source.replace("for line in sys.stdin:", "for number, line in zip(range(150), sys.stdin):")
    )
    player = ("a=external", f"a.command={sys.executable} {client}", "b=rhcp")
    with pytest.raises(ExternalPlayerError, match='ended with status 0.*"hand": '):
        evaluate.main([*player, "decks=20", "processes=1", f"unfinished={tmp_path}"])
    (kept,) = tmp_path.glob("*.jsonl")
    assert len(kept.read_text().splitlines()) > 1


def test_cfg_job_prints_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["a=fpmcts", "a.playouts=600", "b=rhcp", "--cfg", "job"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (
        shown["decks"] == "100"
        and shown["player"]["a"]["playouts"] == 600
        and shown["player"]["b"] == {"kind": "rhcp"}
    )
