"""Bad input to ``train.py``: one clear line that names the thing, a non-zero exit status, nothing overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hydra import compose, initialize_config_dir

from runtime.settings import ConfigError, flatten_config
from training.config import CHOICES, RANGES, TrainConfig, parse_config

ROOT = Path(__file__).resolve().parents[2]


def composed(*overrides: str) -> TrainConfig:
    """Returns the checked configuration of a command line."""
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        return parse_config(compose("config", list(overrides)))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs train.py."""
    return subprocess.run([sys.executable, "train.py", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_defaults_of_schema_and_files_agree() -> None:
    assert composed() == TrainConfig()


@pytest.mark.parametrize("experiment", sorted(path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml")))
def test_every_experiment_composes(experiment: str) -> None:
    composed(f"experiment={experiment}")


def test_tables_name_existing_keys() -> None:
    keys = {key for key, _ in flatten_config(TrainConfig())}
    assert set(CHOICES) <= keys
    assert set(RANGES) <= keys


@pytest.mark.parametrize(
    ("override", "key", "allowed"),
    [
        ("train.lr=-1", "train.lr", "from"),
        ("train.lr=fast", "train.lr", "float"),
        ("train.batch_size=1.5", "train.batch_size", "int"),
        ("+typo=1", "typo", "train"),
        ("+train.typo=1", "train.typo", "batch_size"),
        ("search.root=alpha", "search.root", "puct, gumbel"),
        ("device=tpu", "device", "auto, cpu, cuda"),
        ("resume=maybe", "resume", "true or false"),
        ("selfplay.full_share=0", "selfplay.full_share", "from"),
    ],
)
def test_bad_key_is_named(override: str, key: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        composed(override)
    assert str(caught.value).startswith(key)
    assert allowed in str(caught.value)


def test_unknown_game_names_the_allowed_ones(tmp_path: Path) -> None:
    result = run("game=doudizzhu", f"run_dir={tmp_path / 'run'}")
    assert result.returncode != 0
    assert "doudizzhu" in result.stderr and "doudizhu" in result.stderr
    assert not (tmp_path / "run").exists()


def test_error_of_use_is_one_line(tmp_path: Path) -> None:
    result = run("train.lr=-1", f"run_dir={tmp_path / 'run'}")
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == ["train.py: train.lr=-1.0: expected a value from 1e-12 to 10"]
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_without_a_device(tmp_path: Path) -> None:
    result = run("device=cuda", f"run_dir={tmp_path / 'run'}")
    assert result.returncode == 1
    assert result.stderr.startswith("train.py: device=cuda: this machine has no CUDA device")
    assert not (tmp_path / "run").exists()


def test_resume_false_refuses(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("seed: 0\n")
    result = run("resume=false", f"run_dir={tmp_path}")
    assert result.returncode == 1
    assert "resume=false" in result.stderr
    assert (tmp_path / "config.yaml").read_text() == "seed: 0\n"


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
