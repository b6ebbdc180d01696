"""A game written in a few lines: the defaults of ``games.interface.Game`` and of the generic
kernels."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from games.generic import copy_row, register_all
from games.interface import Game, GameSpec
from games.kernels import kernel, random_below, streams
from games.table import Table
from tests.games import driver


class Rules(NamedTuple):
    """Attributes: size: int8 ``[1]``, cards in the deck."""

    size: np.ndarray


class Pair(NamedTuple):
    """Attributes: of: int8 ``[B, 2]``, the card of each seat, -1 = hidden."""

    of: np.ndarray


class States(NamedTuple):
    """B states. Attributes: cards: as above; turn: int8 ``[B]``; last: int8 ``[B]``, the last
    action."""

    cards: Pair
    turn: np.ndarray
    last: np.ndarray


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    actions[0], actions[1] = 0, 1
    return 2


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    states.turn[i] += 1 if action == 1 else 2  # who folds ends it
    states.last[i] = action


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    return states.turn[i] if states.turn[i] < 2 else -1


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    won = 0 if states.cards.of[i, 0] > states.cards.of[i, 1] else 1
    if states.last[i] == 0:
        won = 3 - states.turn[i]
    return 1.0 if won == seat else -1.0


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    out[:] = 0
    out[0, states.cards.of[i, seat]] = 1


register_all(Rules, legal, step, current_seat, team_return, observe)


@kernel
def _copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    copy_row(rules, source, i, target, j)


@kernel
def _deal(seeds: np.ndarray, size: int, cards: np.ndarray) -> None:
    for i in range(seeds.size):
        cards[i, 0] = random_below(seeds, i, size)
        cards[i, 1] = (cards[i, 0] + 1 + random_below(seeds, i, size - 1)) % size


class HighCard(Game):
    """Each seat may fold; the higher card wins."""

    action_names = ("fold", "stay")

    def __init__(self) -> None:
        self.rules = Rules(np.array([5], np.int8))
        self.spec = GameSpec(
            name="high_card",
            num_seats=2,
            teams=(0, 1),
            num_actions=2,
            observation_shape=(1, 5),
            observation_scale=np.ones(1, np.float32),
            policy_size=2,
            max_legal=2,
            max_moves=2,
            max_return=1.0,
            team_names=("A", "B"),
            seat_names=("A", "B"),
            stake_factors=(1.0,),
            hidden_counts=2,
        )

    def deal(self, seeds: np.ndarray) -> States:
        states = States(
            Pair(np.zeros((len(seeds), 2), np.int8)), *np.zeros((2, len(seeds)), np.int8)
        )
        _deal(np.array(seeds), 5, states.cards.of)
        return states

    def view(self, states: States, seats: np.ndarray) -> States:
        own = np.arange(2) == np.asarray(seats)[:, None]
        return States(
            Pair(np.where(own, states.cards.of, -1).astype(np.int8)),
            states.turn.copy(),
            states.last.copy(),
        )


@pytest.fixture(scope="module")
def game() -> HighCard:
    return HighCard()


def test_default_kernels(game: HighCard) -> None:
    states, copy = game.deal(streams(0, 3)), game.empty(2)
    assert copy.cards.of.shape == (2, 2) and copy.turn.dtype == np.int8
    driver.step(game.rules, states, 1, 1)
    _copy_row(game.rules, states, 1, copy, 0)
    assert (
        (copy.cards.of[0] == states.cards.of[1]).all()
        and copy.turn.tolist() == [1, 0]
        and copy.last.tolist() == [1, 0]
    )
    assert (
        driver.stake(game.rules, states, 0) == 1.0 and driver.sure_win(game.rules, states, 0) == -1
    )


def test_a_table_with_all_defaults(game: HighCard, tmp_path: Path) -> None:
    table = Table(game, seed=3)
    first = table.describe(0)
    assert first["legal"] == ["fold", "stay"] and first["view"]["cards"]["of"][1] == -1
    assert table.describe(1)["legal"] == [] and table.describe(1)["view"]["cards"]["of"][0] == -1
    table.play("Stay")
    table.play("fold")
    record = json.loads(json.dumps(table.record()))
    assert record["returns"] == [1.0, -1.0] and record["moves"] == ["stay", "fold"]
    assert Table(game, record=record).returns == table.returns
    path = tmp_path / "decks.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert game.read_decks(path).cards.of.tolist() == [record["deal"]["cards"]["of"]]
    with pytest.raises(ValueError, match="expected one of fold, stay"):
        game.parse_action("raise")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deal": {"cards": {"of": [1, 300]}, "turn": 0, "last": 0}}, "deal"),
        ({"deal": {"cards": {"of": [1, 2]}, "turn": "x", "last": 0}}, "no numbers"),
        ({"moves": ["fold", "stay"]}, "move 2 .stay.: expected none, the game is over"),
        ({"returns": [2.0, -2.0]}, "the moves give"),
    ],
)
def test_damaged_records(game: HighCard, change: dict[str, object], message: str) -> None:
    record = game.record(game.deal(streams(0, 1)), 0, np.array([1, 1]))
    with pytest.raises(ValueError, match=message):
        game.parse_record(record | change)


def test_what_a_game_does_not_offer(game: HighCard, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="has_tables"):
        _ = game.tables
    with pytest.raises(ValueError, match="too many information states"):
        game.information_states()
    (tmp_path / "empty").write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match="empty, line 1"):
        game.read_decks(tmp_path / "empty")
    assert (
        game.cards_left(game.empty(3)).tolist() == [0, 0, 0]
        and game.final_curves(game.empty(1)) == {}
    )
    assert game.decoder.tolist() == [[0], [1]]
