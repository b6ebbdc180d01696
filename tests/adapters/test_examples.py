"""Every adapter's example: at most 40 lines, and it runs."""

import os
import subprocess
import sys

import pytest

for needed in ("pyspiel", "rlcard", "pettingzoo"):
    pytest.importorskip(
        needed, reason="the extra interop is not installed: pip install 'fpmcts[interop]'"
    )

# ruff: noqa: E402
from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players import load_player
from games import make
from games.base.files import ROOT

SAY = {
    "pettingzoo_game": "of 20 games against random peasants",
    "open_spiel_measure": "our tables in OpenSpiel's Kuhn: NashConv 0.0000",
    "open_spiel_player": "tabular against open_spiel: 20 decks, 40 games",
    "rlcard_player": "rhcp against rlcard: 20 decks, 40 games",
    "rlcard_referee": "both say the same",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAY)
def test_they_run(name: str) -> None:
    command = [sys.executable, f"examples/{name}.py"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0 and SAY[name] in done.stdout, done.stderr


def test_the_players_of_examples_play() -> None:
    leduc = make("leduc")
    bot = load_player("open_spiel", leduc, bot="examples.open_spiel_player:make")
    assert (
        duplicate_match(leduc, load_player("random", leduc), bot, num_decks=3, seed=0).num_games
        == 6
    )
    doudizhu = make("doudizhu")
    agent = load_player("rlcard", doudizhu, agent="examples.rlcard_player:make")
    assert (
        duplicate_match(
            doudizhu, load_player("random", doudizhu), agent, num_decks=2, seed=0
        ).num_games
        == 4
    )
