"""Runs with untrained networks, and one of tables, for the players that need some."""

from pathlib import Path

import pytest

from games import Choice
from inference.determinizer import InferenceSettings
from networks.checkpoint import save
from networks.resnet import NetworkConfig
from training.config import BootstrapSettings, TrainConfig
from training.fpmcts import FPMCTS
from training.interface import EpisodeBudget
from training.run import Run
from training.tabular import TabularConfig

TINY = TrainConfig(
    run_dir="somewhere/secret", seed=3, device="cpu", precision="float32", threads=1, bootstrap=BootstrapSettings(kind="none"),
    network=NetworkConfig(objective="wp", channels=8, blocks=1, head_channels=2, head_units=8),
)  # fmt: skip
TINY_POKER = TrainConfig(
    seed=3, device="cpu", precision="float32", threads=1, bootstrap=BootstrapSettings(kind="none"), objective="adp",
    game=Choice("leduc"), inference=InferenceSettings(phase1="none"),
    network=NetworkConfig(
        objective="adp", value_head="scalar", hidden_head=False, channels=8, blocks=1, head_channels=2, head_units=8
    ),
)  # fmt: skip


@pytest.fixture(scope="session")
def tiny() -> TrainConfig:
    """Returns the configuration of the run."""
    return TINY


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the run."""
    return _saved(TINY, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def poker_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run on Leduc."""
    return _saved(TINY_POKER, tmp_path_factory.mktemp("poker"))


@pytest.fixture(scope="session")
def tabular_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run of Smooth UCT on Leduc, two steps long."""
    folder = tmp_path_factory.mktemp("tabular") / "run"
    config = TabularConfig(
        run_dir=str(folder), game=Choice("leduc"), budget=EpisodeBudget(episodes=1100)
    )
    assert len(list(Run(config))) == 2
    return folder


def _saved(config: TrainConfig, folder: Path) -> Path:
    """Returns the folder with the networks of a run before its first step."""
    state = FPMCTS(config).state()
    networks = {k: v for k, v in state.arrays.items() if k.startswith("network.")}
    save(folder / "networks.safetensors", networks, state.meta | {"seconds": 0.0})
    return folder
