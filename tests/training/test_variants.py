"""Every choice of the configuration runs through a whole iteration, and its state survives a checkpoint."""

import copy
from pathlib import Path

import numpy as np
import pytest

from networks.checkpoint import CheckpointError
from training.algorithms import read_run
from training.config import TrainConfig, parse_config
from training.run_folder import RunFolder, RunFolderError
from training.trainer import Trainer

ROOT = Path(__file__).resolve().parents[2]
TINY = [
    "network.channels=8", "network.blocks=1", "search.playouts=6", "search.worlds=4", "inference.particles=8",
    "inference.candidates=16", "selfplay.lanes=4", "episode.games=6", "episode.games_per_step=6", "bootstrap.games_per_step=40",
    "bootstrap.kept=100", "train.batch_size=32", "train.reservoir=500", "evaluation.decks=2", "evaluation.search_decks=1",
    "evaluation.search_every=1", "evaluation.search_playouts=6", "threads=1",
]  # fmt: skip


def tiny(*overrides: str) -> TrainConfig:
    """Returns the configuration of a command line, made tiny."""
    games = [] if any("bootstrap=none" in o for o in overrides) else ["bootstrap.games=40"]
    games += [] if "experiment=paper" in overrides else ["episode.value_games=8"]
    given = {override.partition("=")[0]: override for override in (*TINY, *games, *overrides)}  # later ones count
    return read_run(list(given.values()))[0]


def run(config: TrainConfig, iterations: int = 1) -> Trainer:
    """Returns a trainer after its bootstrap and some iterations."""
    trainer = Trainer(config)
    while trainer.state.iteration < iterations:
        for _ in trainer.run_step():
            pass
    return trainer


@pytest.mark.parametrize(
    "override",
    [
        "experiment=paper",
        "search.rollout=0.9",
        "network.shared=true",
        "objective=adp",
        "bootstrap=none",
        *(
            pytest.param(override, marks=pytest.mark.slow)
            for override in (
                "inference=none",
                "search=puct",
                "train.divergence=forward",
                "episode.value_games=0",
                "selfplay.posterior=true",
                "search.prior_floor=2e-3",
                "train.averaging=5",
            )
        ),
    ],  # fmt: skip
)
def test_variant_runs(override: str, tmp_path: Path) -> None:
    config = tiny(override, f"run_dir={tmp_path / 'run'}")
    trainer = run(config)
    assert trainer.last_report is not None
    scalars = trainer.last_report.scalars
    assert all(np.isfinite(value) for value in scalars.values())
    assert {"loss/policy_0", "loss/value_0", "policy_against_rhcp/wp_all", "search_against_rhcp/wp_all"} <= scalars.keys()
    if override == "experiment=paper":
        assert {"loss/filter_0"} <= scalars.keys() and "loss/hidden_0" not in scalars
    with RunFolder.open(config, parse_config) as folder:
        folder.save(trainer.get_state())
        saved = folder.load()
    assert saved is not None
    again = Trainer(config)
    again.set_state(saved)
    state, restored = trainer.get_state(), again.get_state()
    assert state.arrays.keys() == restored.arrays.keys()
    for name, array in state.arrays.items():
        np.testing.assert_array_equal(array, restored.arrays[name], err_msg=name)


def test_policy_gradient_comes_after_the_searches() -> None:
    """It starts from the averages; the latest weights play its games, averages are measured."""
    trainer = Trainer(tiny("gradient.start=1", "gradient.games=40", "gradient.batch_size=16", "train.averaging=5"))
    names = []
    while trainer.state.iteration < 3:
        before = copy.deepcopy(trainer.state.playing)
        for _ in trainer.run_step():
            pass
        assert trainer.last_report is not None
        names.append(trainer.last_report.scalars.keys())
        distances = [
            sum(float((a - b).detach().abs().sum()) for a, b in zip(before.parameters(), after.parameters(), strict=True))
            for after in (trainer.state.networks, trainer.state.playing)
        ]
        if trainer.state.iteration > 1:
            assert 0.0 < distances[1] < 0.1 * distances[0]
    assert "loss/policy_0" in names[-3] and "loss/surrogate_0" not in names[-3]
    assert {"loss/surrogate_0", "loss/value_0", "policy_against_rhcp/wp_all"} <= names[-2] & names[-1]
    assert trainer.state.games_seen == 6 + 2 * 40


def test_averages_play_and_are_given_away() -> None:
    """The networks that learn are kept beside them, and differ."""
    trainer = run(tiny("train.averaging=5"))
    arrays = trainer.get_state().arrays
    other = Trainer(tiny())
    other.state.load_networks(trainer.get_state())
    names = [name for name in arrays if name.startswith("network.")]
    assert any(not np.array_equal(arrays[name], arrays[name.replace("network.", "learning.")]) for name in names)
    for name in names:
        np.testing.assert_array_equal(other.get_state().arrays[name], arrays[name], err_msg=name)


def test_threads_and_units_change_nothing() -> None:
    """Bootstrap, an iteration of searches in two chunks, one of policy gradient: the same arrays on any number of threads."""
    overrides = ["episode.games_per_step=4", "gradient.start=1", "gradient.games=40", "gradient.batch_size=16"]
    one = run(tiny(*overrides), iterations=2).get_state().arrays
    other = run(tiny(*overrides, "threads=2", "selfplay.unit_games=1", "selfplay.lanes=2"), iterations=2).get_state().arrays
    assert other.keys() == one.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_checkpoint_of_another_shape_is_refused() -> None:
    trainer = Trainer(tiny())
    other = Trainer(tiny("experiment=smoke"))  # the same tiny network: accepted
    other.state.load_networks(trainer.get_state())
    wider = Trainer(parse_config({"network": {"channels": 16, "blocks": 1, "objective": "wp"}, "threads": 1}))
    with pytest.raises(CheckpointError, match="channels"):  # of a run that goes on
        wider.set_state(trainer.get_state())
    with pytest.raises(CheckpointError, match="networks only grow"):  # of one that begins from it
        trainer.state.load_networks(wider.get_state())


def test_run_with_another_network_is_refused(tmp_path: Path) -> None:
    with RunFolder.open(tiny(f"run_dir={tmp_path}"), parse_config) as folder:
        folder.begin()
    with pytest.raises(RunFolderError, match=r"network.blocks=1, not 2"):
        RunFolder.open(with_two_blocks(tmp_path), parse_config)


def with_two_blocks(run_dir: Path) -> TrainConfig:
    overrides = [o for o in TINY if not o.startswith("network.blocks")]
    return read_run([*overrides, "bootstrap.games=40", "network.blocks=2", f"run_dir={run_dir}"])[0]


def test_two_writers_are_refused(tmp_path: Path) -> None:
    config = tiny(f"run_dir={tmp_path}")
    with RunFolder.open(config, parse_config), pytest.raises(RunFolderError, match="another process"):
        RunFolder.open(config, parse_config)
