"""Networks of a run as players: the same moves as in the run, through a file without its paths, and
clear refusals.
"""

import functools
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.players import load_player
from fpmcts.players.lookup import PlayerError
from fpmcts.players.trained import checkpoint_of, export, load_trained, untrained_of
from fpmcts.training.config import TrainConfig
from fpmcts.training.fpmcts import FPMCTS
from games import make
from games.base.files import shipped
from games.play.table import Table
from inference.determinizer import InferenceSettings
from networks.checkpoint import CheckpointError, load, save
from networks.resnet import NetworkConfig, build_networks
from tests.players.conftest import saved

GAME = make("doudizhu")


def test_outputs_are_those_of_the_run(run: Path, tiny: TrainConfig) -> None:
    trainer = FPMCTS(tiny)
    trained = load_trained(run, "doudizhu", precision="float32")
    rng = np.random.default_rng(0)
    observations = rng.integers(0, 2, (9, *GAME.spec.observation_shape)).astype(np.int8)
    seats = np.arange(9, dtype=np.int8) % 3
    for mine, theirs in zip(
        trained.evaluator.evaluate(observations, seats),
        trainer.evaluation.evaluator.evaluate(observations, seats),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_networks_without_a_head_draw_no_worlds_from_it(run: Path) -> None:
    trained = load_trained(run, "doudizhu")
    without = NetworkConfig(channels=4, blocks=0, hidden_head=False)
    headless = replace(trained, networks=build_networks(GAME.spec, without, 0))
    with pytest.raises(CheckpointError, match="phase1=marginal: .* no head for hidden cards"):
        headless.determinizer_maker(InferenceSettings(phase1="marginal"))
    headless.determinizer_maker(InferenceSettings(phase1="none"))


def test_export_keeps_the_weights_and_no_path(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "weights.safetensors")
    before, _ = load(run / "networks.safetensors")
    after, meta = load(tmp_path / "weights.safetensors")
    assert before.keys() == after.keys() and all(
        (before[name] == after[name]).all() for name in before
    )
    assert "secret" not in str(meta) and meta["config"]["seed"] == 3
    assert load_trained(tmp_path / "weights.safetensors", "doudizhu").objective == "wp"
    export(run, half := tmp_path / "half.safetensors", half=True)
    for name, array in load(half)[0].items():
        assert array.dtype != np.float32
        np.testing.assert_allclose(array, before[name], rtol=1e-3, atol=1e-7)
    assert load_trained(half, "doudizhu").objective == "wp"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("config", [], "its metadata have a value of type list at config; expected one of type"),
        ("config.game", "leduc", "its metadata have nothing at config.game.name"),
        ("config.game.name", 3, "a value of type int at config.game.name"),
        ("config.network", None, "cannot be used: .* network is not a group of keys"),
        ("config.search", 3, "cannot be used: .* search is not a group of keys"),
        ("config.network.channels", 512, r"stem.*expected \[512, .*of real numbers"),
    ],
)
def test_metadata_that_are_not_those_of_networks(
    poker_run: Path, tmp_path: Path, key: str, value: object, said: str
) -> None:
    arrays, meta = load(poker_run / "networks.safetensors")
    if key == "config.network.channels":
        meta["config"]["network"]["blocks"] = 20  # 250 MB in both networks
    *above, last = key.split(".")
    functools.reduce(dict.__getitem__, above, meta)[last] = value
    save(tmp_path / "other", arrays, meta)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read in (load_trained, untrained_of):
        if key != "config.search" or read is load_trained:
            with pytest.raises(CheckpointError, match=f"^{tmp_path / 'other'}.*{said}"):
                read(tmp_path / "other", "leduc")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_refusals(run: Path, tabular_run: Path, tmp_path: Path, tiny: TrainConfig) -> None:
    with pytest.raises(CheckpointError, match="is a run on tables, which plays as LABEL=tabular"):
        load_trained(tabular_run / "checkpoint.safetensors", "leduc")
    with pytest.raises(PlayerError, match="fpmcts.*no filter network"):
        load_player("fpmcts", GAME, str(run), phase1="filter")
    auction = shipped("models") / "doudizhu-bidding=call-doubling=true.safetensors"
    with pytest.raises(PlayerError, match="learned game.bidding=call; this match plays .*=none"):
        load_player("policy", GAME, str(auction))
    scalar = replace(tiny, network=replace(tiny.network, value_head="scalar"))
    with pytest.raises(CheckpointError, match="objective=adp.*scalar value head for wp"):
        load_trained(saved(scalar, tmp_path), "doudizhu", objective="adp")


@pytest.mark.parametrize(
    "options",
    [
        {"bidding": "call"},
        {"bidding": "call", "forced": True, "rules": "botzone"},
        {"rules": "douzero"},
    ],
    ids=str,
)
def test_weights_play_under_other_rules(options: dict[str, Any]) -> None:
    """Without doubling, with other kickers: the outputs are the same, or fewer."""
    game = make("doudizhu", **options)
    player = load_player("policy", game)
    assert player.game.options == replace(game.options, encoding=player.game.options.encoding)
    table = Table(game, seed=1)
    while not table.is_over:
        table.play(player.decide(table).move)
    with pytest.raises(PlayerError, match="learned game.bidding=.*; this match plays .*=rob"):
        load_player("policy", make("doudizhu", bidding="rob"), str(checkpoint_of(game, None)))


def test_weights_that_learned_another_doubling() -> None:
    game = make("doudizhu", bidding="rob", doubling="each")
    none, some = (f"doudizhu-bidding=rob-doubling={doubling}" for doubling in ("each", "true"))
    with pytest.raises(CheckpointError, match=f"no weights .* for {none}; .*{some}, .*have some"):
        load_player("policy", game)
    shared = str(checkpoint_of(make("doudizhu", bidding="rob"), None))
    with pytest.raises(PlayerError, match="learned game.doubling=true; this .*=each"):
        load_player("policy", game, shared)


def test_the_weights_of_the_project_are_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frozen = "models/frozen/2026-11.safetensors"
    assert (
        checkpoint_of(make("doudizhu"), frozen).is_absolute()
        and checkpoint_of(make("doudizhu"), frozen).exists()
    )
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        checkpoint_of(make("doudizhu"), "models/none.safetensors")
    with pytest.raises(CheckpointError, match="there is no checkpoint at /dev/zero"):
        checkpoint_of(make("doudizhu"), "/dev/zero")
    assert make("no_limit_holdem", players=3, ante=5).weights == "no_limit_holdem-players=3"
    assert make("doudizhu", encoding="paper").weights == "doudizhu"
    for players, name in ((2, "no_limit_holdem"), (3, "no_limit_holdem-players=3")):
        found = checkpoint_of(make("no_limit_holdem", players=players), None)
        assert found.stem == name
    own = tmp_path / frozen
    own.parent.mkdir(parents=True)
    own.touch()
    assert checkpoint_of(make("doudizhu"), frozen) == Path(frozen)
