"""``python evaluate.py`` as a user runs it: killed, interrupted, and given bad input."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import evaluate
from fpmcts.evaluation.command import help_text
from fpmcts.evaluation.errors import ERRORS

ROOT = Path(__file__).resolve().parent.parent
MATCH = ("a=rhcp", "b=random", "decks=3000", "processes=2", "device=cpu")
"""Six tasks."""


def command(tmp_path: Path, *arguments: str) -> list[str]:
    """Returns the command line, what is unfinished kept under ``tmp_path``."""
    return [sys.executable, "evaluate.py", f"unfinished={tmp_path / 'unfinished'}", *arguments]


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(tmp_path, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def scores(text: str) -> list[str]:
    """Returns the lines of scores."""
    return re.findall(r"^  (?:all games|as .*) +WP .*$", text, re.MULTILINE)


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return [int(line) for line in listed.split()]


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    line = command(tmp_path, *arguments)
    return subprocess.Popen(line, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def begun(tmp_path: Path) -> subprocess.Popen[str]:
    """Returns the running match, one of its tasks finished."""
    process, deadline = started(tmp_path, *MATCH), time.monotonic() + 240
    while not any(len(path.read_bytes().splitlines()) > 1 for path in tmp_path.rglob("*.jsonl")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "no task was finished"
        time.sleep(0.02)
    return process


def are_gone(workers: list[int]) -> bool:
    """Returns whether processes have ended."""
    files = [Path(f"/proc/{pid}/cmdline") for pid in workers]
    return not any(file.exists() and file.read_bytes() for file in files)


@pytest.mark.slow
def test_killed_and_continued_equals_uninterrupted(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", *MATCH)
    assert whole.returncode == 0, whole.stderr
    assert len(scores(whole.stdout)) == 3
    assert not list((tmp_path / "whole").rglob("*.jsonl")), (
        "a complete match leaves nothing unfinished"
    )

    process = begun(tmp_path)
    workers = children(process.pid)
    assert workers
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    while not are_gone(workers):
        assert time.monotonic() < deadline, "a worker outlived the program"
        time.sleep(0.05)

    continued = run(tmp_path, *MATCH)
    assert "continuing: " in continued.stdout
    assert scores(continued.stdout) == scores(whole.stdout)


def test_ctrl_c_ends_after_the_games_under_way(tmp_path: Path) -> None:
    process = begun(tmp_path)
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode in (0, 130), errors  # 0: the last tasks were under way
    assert "stopping after the games that are being played" in output
    if process.returncode == 130:
        assert "the same command continues" in output


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    hours = ("a=pimc", "a.worlds=4096", "b=rhcp", "decks=400", "processes=2", "device=cpu")
    process = started(tmp_path, *hours)
    deadline = time.monotonic() + 60
    while len(workers := children(process.pid)) < 2:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    for _ in range(2):
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in errors, errors
    assert are_gone(workers)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["a=policy", "a.checkpoint=/nowhere", "b=rhcp"],
            ["a=policy", "no checkpoint at /nowhere"],
        ),
        (["a=rhcp", "b=random", "decks=/nowhere"], ["decks=/nowhere", "no such file"]),
        (["a=rhcp", "b=random", "save=/nowhere/games"], ["save=/nowhere/games", "no folder"]),
    ],
)
def test_errors_of_use(arguments: list[str], words: list[str]) -> None:
    with pytest.raises(ERRORS) as caught:
        evaluate.main(arguments)
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_fault_in_the_middle_keeps_what_is_finished(tmp_path: Path) -> None:
    """The client answers 148 questions, the moves of several tasks of two decks, and dies."""
    client = tmp_path / "client.py"
    source = (ROOT / "examples" / "external_player.py").read_text()
    client.write_text(
        source.replace("for line in sys.stdin:", "for number, line in zip(range(150), sys.stdin):")
    )
    player = ("a=external", f"a.command={sys.executable} {client}")
    done = run(tmp_path, *player, "b=rhcp", "decks=20", "processes=1")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "the program ended with status 0" in done.stderr and '"hand": ' in done.stderr
    assert "the same command continues" in done.stderr
    assert list((tmp_path / "unfinished").rglob("*.jsonl"))


def test_help_names_every_key_and_player() -> None:
    text = help_text("")
    assert all(word in text for word in ("decks:", "report:", "fpmcts:", "external:", "lbr:"))
    assert "playouts" in help_text("fpmcts") and "deck" in help_text("decks")


def test_cfg_job_prints_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["a=fpmcts", "a.playouts=600", "b=rhcp", "--cfg", "job"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (
        shown["decks"] == "100"
        and shown["player"]["a"]["playouts"] == 600
        and shown["player"]["b"] == {"kind": "rhcp"}
    )
