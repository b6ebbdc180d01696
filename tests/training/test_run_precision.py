"""The precision of a run: chosen once, kept in its checkpoints, given to its actors."""

from dataclasses import replace

import pytest
import torch

from networks.resnet import NetworkConfig, PolicyValueNet
from networks.trial import Choice
from training import precision
from training.config import TrainConfig, parse_config
from training.nfsp import NFSPTrainer, parse_nfsp
from training.run_folder import Saved
from training.trainer import Trainer

CONFIG = parse_config({
    "threads": 1, "device": "cpu", "game": {"name": "kuhn"}, "bootstrap": {"kind": "none"}, "inference": {"phase1": "none"},
    "network": {"channels": 8, "blocks": 1, "objective": "wp", "value_head": "scalar", "hidden_head": False},
    "search": {"playouts": 4, "worlds": 4}, "selfplay": {"lanes": 2}, "train": {"reservoir": 50, "value_window": 50},
    "evaluation": {"baseline": "random"},
})  # fmt: skip
NFSP = parse_nfsp({"device": "cpu", "network": {"channels": 8, "blocks": 1, "value_head": "scalar", "hidden_head": False}})


def finds(monkeypatch: pytest.MonkeyPatch, *found: str) -> list[str]:
    """Lets trials find these the fastest, one after the other; returns those that are left."""
    left = list(found)

    def choose(net: PolicyValueNet, device: torch.device, with_int8: bool) -> Choice:
        assert not with_int8
        return Choice(left.pop(0), {"float32": 1000.0, "bfloat16": 3000.0})

    monkeypatch.setattr(precision, "choose_precision", choose)
    return left


def resumed(saved: Saved, config: TrainConfig = CONFIG) -> Trainer:
    return Trainer(config, saved)


def test_a_run_keeps_what_its_trial_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    finds(monkeypatch, "bfloat16")  # a second trial has no answer
    run = Trainer(CONFIG)
    assert run.description().endswith("precision bfloat16 (3,000 evaluations/s on one thread; float32 1,000)")
    assert run.config is run.state.config and run.config == replace(CONFIG, precision="bfloat16")
    saved = run.get_state()
    assert saved.meta["config"]["precision"] == "bfloat16"
    again = resumed(saved)
    assert again.description().endswith("precision bfloat16")
    players = [again.evaluation.evaluator, *(worker.evaluator for worker in again.workers.local)]
    assert {evaluator.precision for evaluator in players} == {"bfloat16"}
    assert parse_config(again.state.config.as_dict()).precision == "bfloat16", "as actors are told"
    saved.meta["config"] = resumed(saved, replace(CONFIG, precision="float32")).config.as_dict()
    assert resumed(saved).config.precision == "float32", "what was asked for meanwhile"


def test_a_run_of_a_former_version_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    finds(monkeypatch)
    saved = Trainer(replace(CONFIG, precision="float32")).get_state()
    saved.meta["config"]["precision"] = "auto"
    run = resumed(saved)
    assert run.config.precision == run.evaluation.evaluator.precision == "auto"
    assert resumed(run.get_state()).config.precision == "auto"


def test_small_networks_need_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("networks.trial.measured_rates", lambda runs: pytest.fail("a trial"))
    for native, name in ((torch.bfloat16, "bfloat16"), (torch.float32, "float32")):
        monkeypatch.setattr("networks.trial.resolve_precision", lambda asked, device, native=native: native)
        assert Trainer(CONFIG).config.precision == name
    assert CONFIG.network != NetworkConfig()


def test_fictitious_self_play_keeps_its_choice_too(monkeypatch: pytest.MonkeyPatch) -> None:
    finds(monkeypatch, "bfloat16")
    saved = NFSPTrainer(NFSP).get_state()
    again = NFSPTrainer(NFSP, saved)
    assert again.config.precision == again._averages.precision == "bfloat16"
    assert again.description().endswith("precision bfloat16")
