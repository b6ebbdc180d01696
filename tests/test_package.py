"""The package that others install: settings, weights and page travel with it, and its commands work from any folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


def run(folder: Path, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=os.environ | changes, capture_output=True, text=True, timeout=900)


def test_help_and_unknown_commands() -> None:
    told = run(ROOT, sys.executable, "-m", "runtime.command", "--help")
    assert told.returncode == 0 and "fpmcts train" in told.stdout
    wrong = run(ROOT, sys.executable, "-m", "runtime.command", "trian")
    assert wrong.returncode == 2 and wrong.stderr.startswith("fpmcts trian: expected one of train, evaluate, play, reproduce")


@pytest.mark.slow
def test_a_wheel_trains_evaluates_and_serves_from_any_folder(tmp_path: Path) -> None:
    source, there, work = tmp_path / "source", tmp_path / "there", tmp_path / "work"
    work.mkdir()
    files = run(ROOT, "git", "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    for name in files:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    built = run(source, *PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), ".")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("fpmcts-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"conf/train.yaml", "models/doudizhu.safetensors", "web/static/index.html"} <= set(names)
    assert not any(name.startswith(("tests/", "runs/")) for name in names)
    assert run(work, *PIP, "install", "--no-deps", "--target", str(there), str(wheel)).returncode == 0
    command = [sys.executable, str(there / "bin" / "fpmcts")]
    trained = run(work, *command, "train", "game=kuhn", "algorithm=smooth_uct", "budget.episodes=100000", PYTHONPATH=str(there))
    assert trained.returncode == 0 and (work / "runs" / "kuhn-smooth_uct-0").is_dir(), trained.stderr
    played = run(work, *command, "evaluate", "a=policy", "b=random", "decks=20", "processes=1", PYTHONPATH=str(there))
    assert played.returncode == 0 and "policy against random" in played.stdout, played.stderr
    listed = run(work, *command, "play", "--help", PYTHONPATH=str(there))
    assert listed.returncode == 0 and "port" in listed.stdout, listed.stderr
