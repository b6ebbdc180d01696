"""What a game gets without writing it, on the example of docs/adding-a-game.md."""

from pathlib import Path

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.play.interface import Game
from games.play.table import Table
from tests.games import driver


@pytest.fixture(scope="module")
def game() -> Game:
    return make("examples.sealed_bids")


def test_defaults(game: Game) -> None:
    states = game.deal(streams(0, 3))
    assert driver.stake(game.rules, states, 0) == 1.0
    assert driver.sure_win(game.rules, states, 0) == -1
    assert game.cards_left(states).tolist() == [0, 0, 0] and game.final_curves(states) == {}
    assert game.decoder.tolist() == [[action] for action in range(5)]
    for seat in range(2):
        told = Table(game, seed=3).describe(seat)
        assert told["legal"] == ["bid 0", "bid 1", "bid 2"][: 3 * (seat == 0)]
        assert told["view"]["cards"][1 - seat] == -1 < told["view"]["cards"][seat]
    assert game.parse_action("Bid 1 ") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deal": {"cards": [1, 2, 0], "bids": [-1, -1], "turn": 0}}, "deal: .*cards"),
        ({"deal": {"cards": [1, 2]}}, "the fields are cards"),
        ({"moves": ["bid 0", "bid 1", "call", "call"]}, "4 moves: expected at most 3"),
        ({"moves": ["bid 0", "fold"]}, "move 2 .fold.: not legal"),
        ({"returns": [2.0, -2.0]}, "the moves give"),
    ],
)
def test_damaged_records(game: Game, change: dict[str, object], message: str) -> None:
    record = game.record(game.deal(streams(0, 1)), 0, np.array([0, 1, 3]))
    assert record["returns"] == [-1.0, 1.0]
    with pytest.raises(ValueError, match=message):
        game.parse_record(record | change)


def test_what_a_game_does_not_offer(game: Game, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="has_tables"):
        _ = game.tables
    with pytest.raises(ValueError, match="too many information sets"):
        game.information_states()
    (tmp_path / "empty").write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match="empty, line 1"):
        game.read_decks(tmp_path / "empty")
