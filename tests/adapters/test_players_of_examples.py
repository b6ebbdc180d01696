"""The players of the adapters' examples."""

import pytest

for needed in ("pyspiel", "rlcard"):
    pytest.importorskip(
        needed, reason="the extra interop is not installed: pip install 'fpmcts[interop]'"
    )

# ruff: noqa: E402
from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players import load_player
from games import make


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
