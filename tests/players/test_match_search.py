"""What a search does in matches: its root rule, c, inference and objective are those of training,
the rest is in conf/match.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from fpmcts.players import load_player, match_search
from fpmcts.players.search_agent import SearchAgent
from fpmcts.search.search import SearchSettings
from games import make
from games.base.settings import ConfigError
from inference.determinizer import InferenceSettings
from networks.checkpoint import load, save

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


def test_a_run_of_p_uct_is_played_by_p_uct(run: Path, tmp_path: Path) -> None:
    """With its own c, inference and objective; a leaf is worth what it was in training."""
    checkpoint = trained_with(
        run,
        tmp_path,
        search={"target": "visits", "c": 1.5, "uniform": 0.5, "solve": False},
        inference={"phase1": "none", "phase2": False, "epsilon": 0.125},
    )
    agent = search_of(checkpoint)
    settings = agent.settings
    assert (settings.target, settings.c, settings.uniform) == ("visits", 1.5, 0.5)
    assert (settings.rollout, settings.slots, settings.solve) == (0.9, 4, False)
    assert (settings.playouts, settings.worlds) == (64, 64)
    # Alone, a search sees returns before it is over: p-UCT learns nothing from what is in flight.
    for playouts, alone in ((16, 4), (64, 16), (256, 64), (4096, 64)):
        assert search_of(checkpoint, playouts=playouts)._table_settings.slots == alone
    assert search_of(checkpoint, slots=2)._table_settings.slots == 2
    inference = agent._inference
    assert (inference.phase1, inference.phase2, inference.epsilon) == ("none", False, 0.125)
    by_paper = search_of(checkpoint, match="paper")
    for paper in (by_paper.settings, by_paper._table_settings):
        assert (paper.playouts, paper.worlds, paper.slots, paper.rollout) == (600, 256, 1, 0.0)
    assert load_player("policy", GAME, str(run)).solve
    assert not load_player("policy", GAME, checkpoint).solve
    assert load_player("policy", GAME, checkpoint, solve=True).solve
    told = search_of(checkpoint, target="advantages", c=3.0, slots=8, objective="adp")
    assert agent.win_only and not told.win_only
    assert told.settings == replace(settings, target="advantages", c=3.0, slots=8)


def test_files_change_the_search_and_what_is_given_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "default.yaml").write_text("playouts: 32\nslots: 3\nstrength: 7.0")
    (tmp_path / "doudizhu.yaml").write_text("slots: 7")
    monkeypatch.setattr(match_search, "FOLDER", tmp_path)
    trained = SearchSettings(playouts=1000, worlds=9, c=3.0)
    found = match_search.match_search(trained, "doudizhu", {"strength": 2.0})
    assert found == replace(trained, playouts=32, worlds=32, slots=7, strength=2.0)
    found = match_search.match_search(trained, "leduc", {"playouts": 900})
    assert found == replace(trained, playouts=900, worlds=256, slots=3, strength=7.0)


def test_weights_of_former_searches_are_played(run: Path, tmp_path: Path) -> None:
    """Those trained with sequential halving at the root play by p-UCT."""
    former = {"root": "gumbel", "considered": 8, "gumbel_noise": 1.0, "strength": 9.0}
    settings = search_of(trained_with(run, tmp_path, search=former)).settings
    assert (settings.root, settings.strength) == ("puct", 9.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("playout: 3", "default.yaml: playout=3: unknown key; did you mean .*playouts"),
        ("- playouts", "default.yaml: expected keys of the search"),
    ],
)
def test_files_that_cannot_be_used(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "default.yaml").write_text(text)
    monkeypatch.setattr(match_search, "FOLDER", tmp_path)
    with pytest.raises(ConfigError, match=words):
        match_search.match_changes("leduc")


def test_particles_follow_the_playouts() -> None:
    trained = InferenceSettings(phase1="none", particles=32)
    for playouts, given, particles in (
        (4, {}, 32),
        (64, {}, 64),
        (2000, {}, 1024),
        (100, {"particles": 40}, 40),
        (64, {"phase1": "marginal"}, 640),
    ):
        assert match_search.match_inference(trained, playouts, given).particles == particles


def test_more_particles_need_a_smaller_share_of_effective_ones() -> None:
    trained = InferenceSettings(phase1="marginal", ess_floor=0.1)
    for given, floor in (({}, 0.03), ({"ess_floor": 0.5}, 0.5), ({"phase1": "none"}, 0.1)):
        assert match_search.match_inference(trained, 64, given).ess_floor == floor
    lower = InferenceSettings(phase1="marginal", ess_floor=0.01)
    assert match_search.match_inference(lower, 64, {}).ess_floor == 0.01
