"""Runs that learn a model of opponents: what is left in the folder, resuming, and what is
refused.
"""

from pathlib import Path

import numpy as np
import pytest

from fpmcts.no_limit_holdem.opponents import learn
from fpmcts.no_limit_holdem.opponents.model_file import MODEL_FILE, load
from fpmcts.training.algorithms import read_run
from fpmcts.training.opponent_model import REPORT, OpponentModelLearner
from fpmcts.training.run import Run
from games.base.settings import ConfigError
from games.no_limit_holdem.phh import parse
from games.no_limit_holdem.phh_write import write

HAND = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 1000]
actions = ['d dh p1 AsAh', 'd dh p2 KsKh', 'd dh p3 7d2c', {0}]
players = ['x', 'y', 'z']
"""
LINES = (
    "'p3 cbr 300', 'p1 f', 'p2 cc', 'd db 2h3h4d', 'p2 cc', 'p3 cc', 'd db 9s', 'p2 cc', 'p3 cbr "
    "200', 'p2 f'",
    "'p3 f', 'p1 cc', 'p2 cc', 'd db 2h3h4d', 'p1 cbr 100', 'p2 cc', 'd db 9s', 'p1 cc', 'p2 cc', "
    "'d db 9d', 'p1 cc', 'p2 cc'",
    "'p3 cc', 'p1 cbr 400', 'p2 f', 'p3 f'",
)


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    write(tmp_path / "hands.phhs", [parse(HAND.format(LINES[n % 3])) for n in range(60)])
    return tmp_path / "hands.phhs"


def test_resumed_equals_uninterrupted(
    hands: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "TREES", 3)
    monkeypatch.setattr(learn, "LEAST_ROWS", 5)
    keys = "algorithm=opponent_model", f"hands={hands}"
    assert len(list(Run.of(read_run((*keys, f"run_dir={tmp_path / 'a'}"))))) == 12
    config = read_run((*keys, f"run_dir={tmp_path / 'b'}"))
    for _, _ in zip(range(4), Run.of(config), strict=False):
        pass
    second = Run.of(config)
    assert second.where().startswith("4 of 12 parts")
    assert len(list(second)) == 8 and not list(Run.of(config))
    assert second.player().name == "mcts"
    with pytest.raises(ConfigError, match="player.'tabular'.: this run is played by mcts"):
        second.player("tabular")
    one, two = (load(tmp_path / name / MODEL_FILE) for name in "ab")
    for left, right in zip(
        [*one.model[:-1], *one.model.trees, *one.without.trees],
        [*two.model[:-1], *two.model.trees, *two.without.trees],
        strict=True,
    ):
        np.testing.assert_array_equal(left, right)
    assert "held out" in (tmp_path / "b" / REPORT).read_text()
    assert set(one.players.names) == {"x", "y", "z"} and one.players.counts[0, 0] > 40


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "hands=null: expected a file or folder of hand histories"),
        ("hands=nowhere.phhs", "hands=nowhere.phhs: no such file or folder"),
    ],
)
def test_hands_are_needed(keys: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        OpponentModelLearner(read_run(["algorithm=opponent_model", *keys.split()]))


def test_another_game_is_refused() -> None:
    with pytest.raises(ConfigError, match="game=leduc .*: expected game=no_limit_holdem"):
        read_run(["algorithm=opponent_model", "game=leduc"])


def test_a_bad_hand_is_left_out_and_said(hands: Path) -> None:
    hands.write_text(hands.read_text().replace("cbr 300", "cbr 150", 1))
    keys = ["algorithm=opponent_model", f"hands={hands}"]
    about = OpponentModelLearner(read_run(keys)).about
    assert "1 left out" in about
    assert "hand 1: move 1: p3 bets or raises to 150, where the least is 200" in about
