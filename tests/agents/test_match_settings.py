"""What a search does in matches: its root rule, c, inference and objective are those of training, the rest is in conf/match."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents import load_player, match_settings
from agents.general.search_agent import SearchAgent
from agents.match_settings import MatchSettings
from fpmcts.search import SearchSettings
from games import GAMES, make
from networks.checkpoint import load, save
from runtime.settings import ConfigError

GAME = make("doudizhu")


def trained_with(run: Path, folder: Path, **groups: dict[str, object]) -> str:
    """Returns a checkpoint of a run with other settings."""
    arrays, meta = load(run / "networks.safetensors")
    config = dict(meta["config"])
    for group, values in groups.items():
        config[group] = {**config[group], **values}
    save(folder / "x", arrays, meta | {"config": config})
    return str(folder / "x")


def search_of(checkpoint: str | None, **options: object) -> SearchAgent:
    agent = load_player("fpmcts", GAME, checkpoint, **options)
    assert isinstance(agent, SearchAgent)
    return agent


def test_the_weights_of_the_project_search_as_before() -> None:
    agent = search_of(None)
    assert agent.settings == SearchSettings(
        root="gumbel", playouts=64, c=2.0, worlds=64, slots=4, considered=8, strength=24.0, signal=0.15, prior_floor=2e-3,
        gumbel_noise=0.0, solve=True, rollout=0.9,
    )  # fmt: skip
    inference = agent._table_determinizer.settings
    assert (inference.phase1, inference.phase2, inference.particles, inference.active_below) == ("marginal", True, 64, 15)
    assert agent.win_only and agent._table_slots == 64


def test_a_run_of_p_uct_is_played_by_p_uct(run: Path, tmp_path: Path) -> None:
    """With its own c, inference and objective; a leaf is worth what it was in training."""
    checkpoint = trained_with(
        run, tmp_path, search={"root": "puct", "c": 1.5, "rollout": 0.25, "slots": 2, "solve": False},
        inference={"phase1": "none", "phase2": False, "epsilon": 0.125},
    )  # fmt: skip
    agent = search_of(checkpoint)
    settings = agent.settings
    assert (settings.root, settings.c, settings.rollout, settings.slots, settings.solve) == ("puct", 1.5, 0.25, 2, False)
    assert (settings.playouts, settings.worlds) == (64, 64)
    inference = agent._table_determinizer.settings
    assert (inference.phase1, inference.phase2, inference.epsilon) == ("none", False, 0.125)
    told = search_of(checkpoint, root="gumbel", c=3.0, slots=8).settings
    assert (told.root, told.c, told.slots, told.rollout, told.prior_floor) == ("gumbel", 3.0, 8, 0.9, 2e-3)


def test_the_objective_is_that_of_training(run: Path) -> None:
    assert search_of(str(run)).win_only
    assert not search_of(str(run), objective="adp").win_only


def test_a_file_changes_the_searches(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (match_settings.FOLDER / "doudizhu.yaml").read_text()
    text = text.replace("playouts: 64", "playouts: 32").replace(" slots: 4\n", " slots: 7\n")
    (tmp_path / "doudizhu.yaml").write_text(text)
    monkeypatch.setattr(match_settings, "FOLDER", tmp_path)
    assert (search_of(str(run)).settings.playouts, search_of(str(run)).settings.slots) == (32, 7)
    assert search_of(str(run), playouts=5).settings.playouts == 5


def test_a_file_may_change_the_strength(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (match_settings.FOLDER / "doudizhu.yaml").read_text()
    (tmp_path / "doudizhu.yaml").write_text(text.replace("gumbel:\n", "gumbel:\n  strength: 7.0\n"))
    monkeypatch.setattr(match_settings, "FOLDER", tmp_path)
    assert search_of(str(run), root="gumbel").settings.strength == 7.0
    assert search_of(str(run), root="gumbel", strength=3.0).settings.strength == 3.0


@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_has_settings_for_every_root_rule(game: str, root: str) -> None:
    settings = match_settings.match_settings(game, root)
    assert settings.playouts == 64 and settings.table_slots == 64
    assert replace(settings) == settings and isinstance(settings, MatchSettings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gumbel: {}", "expected settings for each of"),
        ("[1]", "expected settings for each of"),
        ("gumbel: {playout: 3}\npuct: {}", "playout"),
        ("gumbel: {playouts: 0, most_worlds: 1, most_particles: 1, prior_floor: null, rollout: null, slots: null, "
         "table_slots: 1}\npuct: {}", "playouts=0"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used(text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "default.yaml").write_text(text)
    monkeypatch.setattr(match_settings, "FOLDER", tmp_path)
    with pytest.raises(ConfigError, match=words):
        match_settings.match_settings("leduc", "gumbel")
