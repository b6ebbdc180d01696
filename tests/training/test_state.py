"""What a run's state knows beside its arrays: what it began from, how much there is to learn, whose weights are measured."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import training.game_worker
from evaluation.decks import evaluation_decks
from fpmcts.samples import Samples, empty_samples, flatten
from games.interface import seats_to_move
from games.kernels import Stream, deal_seeds
from networks.checkpoint import CheckpointError, load, save
from networks.evaluator import Evaluator
from networks.weights import module_arrays
from training.config import TrainConfig, parse_config
from training.reports import drain
from training.run_folder import RunFolder, Saved
from training.search_stage import keep, learning_steps
from training.trainer import Trainer

TINY: dict[str, Any] = {
    "threads": 1,
    "network": {"channels": 8, "blocks": 1, "objective": "wp"},
    "search": {"playouts": 4, "worlds": 4, "root": "gumbel"},
    "selfplay": {"lanes": 2},
    "train": {"reservoir": 500, "value_window": 500, "batch_size": 64},
}


def config(**changes: Any) -> TrainConfig:
    return replace(parse_config(TINY), **changes)


def trained(path: Path, step: int = 3) -> Path:
    """Returns the folder of a run whose weights are not those that a new run starts with."""
    trainer = Trainer(config(seed=9, run_dir=str(path)))
    trainer.state.step = step
    with RunFolder.open(trainer.config, parse_config) as folder:
        folder.save(trainer.get_state())
    return path


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_run_may_begin_from_a_run(what: str, tmp_path: Path) -> None:
    run = trained(tmp_path / "run")
    begun = Trainer(config(init_from=str(run if what == "folder" else run / "networks.safetensors")))
    for name, array in module_arrays(begun.state.playing.seat(0), "network.0").items():
        np.testing.assert_array_equal(array, load(run / "networks.safetensors")[0][name], err_msg=name)
    assert begun.state.bootstrap_games == 0


def test_init_from_that_cannot_be_read_names_the_key(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=f"init_from={tmp_path}: there is no checkpoint at"):
        Trainer(config(init_from=str(tmp_path)))


def test_a_run_that_began_from_weights_has_no_bootstrap_when_it_is_resumed(tmp_path: Path) -> None:
    begun = Trainer(config(init_from=str(trained(tmp_path / "run"))))
    resumed = Trainer(config(), begun.get_state())
    assert config().bootstrap.games > 0
    assert resumed.state.bootstrap_games == 0
    again = Trainer(config(), resumed.get_state())
    assert again.state.bootstrap_games == 0


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    run = trained(tmp_path / "run")
    arrays, meta = load(run / "networks.safetensors")
    name = next(name for name in arrays if name.endswith("weight"))
    arrays[name].flat[0] = np.nan
    save(tmp_path / "damaged.safetensors", arrays, meta)
    with pytest.raises(CheckpointError, match=f"{name} in the checkpoint holds numbers that are not finite"):
        Trainer(config(init_from=str(tmp_path / "damaged.safetensors")))


def some(trainer: Trainer, count: int) -> Samples:
    """Returns ``count`` searched decisions of each seat."""
    game = trainer.state.game
    states = game.empty(3 * count)
    states.seat[:] = np.arange(3 * count) % 3
    states.winner[:] = -1
    assert (np.bincount(seats_to_move(game, states)) == count).all()
    samples = empty_samples(game, 3 * count)._replace(states=states)
    samples.policy_weight[:] = 1.0
    return samples


def test_steps_of_an_iteration_count_every_chunk_of_games() -> None:
    """64 decisions and then 36 are 100, not 72; they survive a checkpoint in between."""
    trainer = Trainer(config())
    keep(trainer.state, some(trainer, 64))
    resumed = Trainer(config(), trainer.get_state())
    keep(resumed.state, some(resumed, 36))
    assert resumed.config.train.reuse == 4
    assert learning_steps(resumed.state, 1) == [400, 400, 400]
    assert learning_steps(resumed.state, 32) == [13, 13, 13]  # 12.5


def test_the_search_is_measured_with_present_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the policy is not measured before (evaluation.decks=0)."""
    trainer = Trainer(config(evaluation=replace(TrainConfig().evaluation, decks=0)))
    for parameter in trainer.state.playing.parameters():
        parameter.data.mul_(1.5)

    class MetError(Exception):
        pass

    def match(game: Any, player: Any, *rest: Any) -> None:
        raise MetError

    monkeypatch.setattr(training.game_worker, "duplicate_games", match)
    with pytest.raises(MetError):
        drain(trainer.evaluation.search({}))
    state = trainer.state
    observations = np.random.default_rng(0).integers(0, 2, (5, *state.game.spec.observation_shape)).astype(np.int8)
    seats = np.arange(5, dtype=np.int8) % 3
    expected = Evaluator(state.playing, state.config.precision).evaluate(observations, seats)
    np.testing.assert_array_equal(trainer.workers.local[0].evaluator.evaluate(observations, seats).policy, expected.policy)


def test_saved_state_has_what_the_next_step_needs() -> None:
    state = Trainer(config()).get_state()
    assert isinstance(state, Saved) and {"began_from", "offered", "step"} <= state.meta.keys()


def test_workers_change_neither_the_teachers_games_nor_a_match() -> None:
    seeds = deal_seeds(0, 20, Stream.BOOTSTRAP)
    one, three = (Trainer(config(threads=threads)).workers for threads in (1, 3))
    for (name, field), (_, other) in zip(flatten(drain(one.teach(seeds))), flatten(drain(three.teach(seeds))), strict=True):
        np.testing.assert_array_equal(field, other, err_msg=name)
    decks = evaluation_decks(one.state.game, 0, 150)
    first, second = drain(one.match(decks, False)), drain(three.match(decks, False))
    np.testing.assert_array_equal(first.records.moves, second.records.moves)
    assert len(first.seating) == 300
