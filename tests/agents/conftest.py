"""A run with untrained networks, for the players that need some."""

from pathlib import Path

import pytest

from networks.checkpoint import save
from networks.resnet import NetworkConfig
from training.config import BootstrapSettings, TrainConfig
from training.trainer import Trainer

TINY = TrainConfig(
    run_dir="somewhere/secret", seed=3, device="cpu", precision="float32", threads=1, bootstrap=BootstrapSettings(kind="none"),
    network=NetworkConfig(objective="wp", channels=8, blocks=1, head_channels=2, head_units=8),
)  # fmt: skip


@pytest.fixture(scope="session")
def tiny() -> TrainConfig:
    """Returns the configuration of the run."""
    return TINY


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the run."""
    folder = tmp_path_factory.mktemp("run")
    state = Trainer(TINY).get_state()
    save(folder / "networks.safetensors", {k: v for k, v in state.arrays.items() if k.startswith("network.")}, state.meta)
    return folder
