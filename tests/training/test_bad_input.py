"""Bad input to ``train.py``: one clear line that names the thing, a non-zero exit status, nothing
overwritten.
"""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from fpmcts.training.algorithms import read_run
from fpmcts.training.config import TrainConfig
from games.settings import ConfigError

ROOT = Path(__file__).resolve().parents[2]


def composed(*overrides: str) -> TrainConfig:
    """Returns the checked configuration of a command line."""
    return read_run(overrides)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs train.py."""
    return subprocess.run(
        [sys.executable, "train.py", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "experiment", sorted(path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml"))
)
def test_every_experiment_composes(experiment: str) -> None:
    composed(f"experiment={experiment}")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ("train.lr=fast", "train.lr=fast: expected a value of type float"),
        ("+typo=1", "typo=1: unknown key; expected one of algorithm, bootstrap, budget"),
        ("serch=gumbel", "serch=gumbel: unknown key; did you mean search?"),
        (
            "search=gumbell",
            "search=gumbell: expected one of gumbel, poker, puct; did you mean gumbel?",
        ),
        ("playouts=8", "playouts=8: unknown key; did you mean search.playouts?"),
        ("game=doudizzhu", "game=doudizzhu: "),
        ("device=tpu", "device=tpu: expected one of auto, cpu, cuda"),
        ("network.objective=adp", "network.objective=adp: set objective alone, which is wp"),
        ("search.playouts=${x}", "search.playouts=${x}: Interpolation key 'x' not found"),
        ("seed=1,2", "seed=1,2: expected one value"),
        ("seed=[", "seed=[: the value cannot be read"),
        ("search=", "search=: the value is missing"),
        ("~search.playouts", "~search.playouts: a key cannot be removed"),
        ("seed=1 seed=2", "seed=2: seed is given twice"),
        (
            "inference=enumeration",
            "inference.active_below=0: inference would never be used in doudizhu",
        ),
        (
            "experiment=leduc_figure2",
            "experiment=leduc_figure2: is a figure of several runs; draw it with: python -m "
            "fpmcts.papers",
        ),
        (
            "algorithm=uct search.playouts=8",
            "search.playouts=8: unknown key; algorithm=uct has no such key",
        ),
        (
            "algorithm=uct experiment=smoke",
            "experiment=smoke: sets network, which algorithm=uct does not have",
        ),
        (
            "algorithm=usct",
            "algorithm=usct: expected one of cfr_plus, fpmcts, ismcts, nfsp, opponent_model, "
            "outcome_sampling, ",
        ),
        ("algorithm.epsilon=1", "algorithm.epsilon=1: algorithm=fpmcts has no options of its own"),
    ],
)
def test_bad_key_is_named_in_one_line(overrides: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        composed(*overrides.split())
    message = str(caught.value)
    assert message.startswith(words) and "\n" not in message, message


@pytest.mark.slow
def test_stores_that_cannot_fit_leave_nothing_behind(tmp_path: Path) -> None:
    """They are checked before they are written to: until then the system promises more memory than
    there is.
    """
    result = run("train.reservoir=1000000000", f"run_dir={tmp_path / 'run'}")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert (
        "train.reservoir does not fit:" in result.stderr
        or "does not fit into memory" in result.stderr
    )
    assert not (tmp_path / "run").exists()


def test_error_of_use_is_one_line(tmp_path: Path) -> None:
    result = run("train.lr=-1", f"run_dir={tmp_path / 'run'}")
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == [
        "train.py: train.lr=-1.0: expected at least 1e-12 and at most 10"
    ]
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_without_a_device(tmp_path: Path) -> None:
    result = run("device=cuda", f"run_dir={tmp_path / 'run'}")
    assert result.returncode == 1
    assert result.stderr.startswith("train.py: device=cuda: this machine has no CUDA device")
    assert not (tmp_path / "run").exists()


def test_run_dir_that_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    result = run(f"run_dir={path}")
    assert result.returncode == 1
    assert str(path) in result.stderr and "cannot be written" in result.stderr
    assert path.read_text() == "mine"


def test_truncated_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(b"\x00" * 100)
    result = run(f"run_dir={tmp_path}")
    assert result.returncode == 1
    assert "checkpoint.safetensors" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert path.read_bytes() == b"\x00" * 100
