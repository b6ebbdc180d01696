"""Players on tables: those of the run, whatever form they have; and that policies which players
state are those that they play.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.players import load_player
from fpmcts.players.lookup import PLAYERS, PlayerError, names
from fpmcts.players.tabular import TabularAgent, load_tabular
from fpmcts.tabular import algorithms
from fpmcts.tabular.hash_table import HEADER, Rows, find, seat_key
from games import make
from games.kernels import kernel
from games.kernels.rows import take
from games.play.interface import empty_records, seats_to_move
from games.play.tables import sequences
from games.poker import state
from networks.checkpoint import load, save
from tests.players.conftest import LEDUC


def test_a_wrong_option_is_an_error_before_anything_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fpmcts.players.warmup.compile_players", lambda *_: 1 / 0)
    with pytest.raises(ValueError, match=r"playout=3: unknown key; did you mean .*playouts"):
        load_player("fpmcts", LEDUC, playout=3)
    with pytest.raises(ValueError, match="no weights come with the project for leduc"):
        load_player("fpmcts", LEDUC, playouts=3)
    has = "no_limit_holdem-players=4; no_limit_holdem-players=3, no_limit_holdem have some; train"
    with pytest.raises(ValueError, match=has):
        load_player("policy", make("no_limit_holdem", players=4))
    with pytest.raises(ZeroDivisionError):
        load_player("fpmcts", make("doudizhu"), playouts=3)


@pytest.mark.parametrize("game", [LEDUC], ids=["leduc"])
@pytest.mark.parametrize("kind", [kind for kind in names("leduc") if PLAYERS[kind].states_policy])
def test_stated_policies_are_those_that_are_played(kind: str, game: Any, made: Any) -> None:
    """Frequencies of 2,000 moves at each of 24 views: within 5 standard errors, a false alarm for 1
    seed in 10,000.
    """
    agent, listed = made, game.information_states()
    for row in range(0, len(listed.node), 12):
        views = take(listed, np.full(2000, row))
        agent.start(2000, seed=row)
        moves = agent.act(np.arange(2000), views, empty_records(2000, 1))
        stated = agent.probabilities(take(listed, np.array([row])))[0]
        assert stated.sum() == pytest.approx(1.0)
        betting = game.betting
        for slot, chance in enumerate(stated[: betting.num_actions[listed.node[row]]]):
            share = np.mean(moves == betting.actions[listed.node[row], slot])
            assert abs(share - chance) <= 5 * np.sqrt(chance * (1 - chance) / 2000)


def test_tables_are_those_of_the_run(tabular_run: Path) -> None:
    """Average and greedy policies."""
    learner = algorithms.make("smooth_uct", "leduc", seed=0)
    arrays, _ = load(tabular_run / "checkpoint.safetensors")
    learner.set_state({name.removeprefix("learner."): array for name, array in arrays.items()})
    game = make("leduc")
    listed = game.information_states()
    rows = game.tables.infosets(listed.cards, listed.node)
    for policy, table in (
        ("average", learner.average_policy()),
        ("greedy", learner.greedy_policy()),
    ):
        played = load_tabular(tabular_run, game, policy).look(listed)[1]
        np.testing.assert_array_equal(played, table[rows])


def test_tables_that_tell_suits(tmp_path: Path) -> None:
    """The table has rows for each card of a rank; each view finds its own."""
    learner = algorithms.make("outcome_sampling", make("leduc", suits=True), seed=0)
    learner.run(5000)
    meta = {"game": {"name": "leduc", "suits": True}, "algorithm": {"name": "outcome_sampling"}}
    save(
        tmp_path / "x",
        {f"learner.{name}": array for name, array in learner.get_state().items()},
        meta,
    )
    game = make("leduc")
    policy = load_tabular(tmp_path / "x", game)
    texts = policy.game.infoset_texts()
    for node, cards in ((0, [3, -1, -1]), (2, [-1, 4, -1])):
        views = state.States(np.array([cards], np.int8), np.array([node], np.int32))
        row = texts.index(
            f"{game.card_names[max(cards)]} {sequences(game.betting)[0][node]}".strip()
        )
        np.testing.assert_array_equal(
            TabularAgent(policy).probabilities(views)[0], learner.average_policy()[row]
        )


@kernel
def place_of(rules: Any, states: Any, i: int, seat: int, rows: Rows) -> int:
    return find(rows, seat_key(rules, states, i, seat), seat)


def test_hashed_tables_are_played(tmp_path: Path) -> None:
    """Those of a game outside the tree, at views: hidden cards are not read."""
    name = "examples.sealed_bids"
    learner = algorithms.make("ismcts", name, seed=0, selection="exp3")
    learner.run(2000)
    arrays = {f"learner.{key}": array for key, array in learner.get_state().items()}
    options = {"name": "ismcts", "selection": "exp3"}
    save(tmp_path / "x", arrays, {"game": {"name": name}, "algorithm": options})
    player, game = load_player("tabular", make(name), run=str(tmp_path / "x")), make(name)
    states = game.starts()[0]
    seats = seats_to_move(game, states)
    rows, found = learner.policy(), player.probabilities(game.view(states, seats))
    for k, seat in enumerate(seats):
        place = place_of(game.rules, states, k, seat, rows) + HEADER
        np.testing.assert_array_equal(found[k], rows.words[place : place + found.shape[1]])
    assert 0.0 < found.min() and found.sum(axis=1) == pytest.approx(1.0)


def test_runs_that_cannot_be_played(tabular_run: Path, poker_run: Path, tmp_path: Path) -> None:
    arrays, meta = load(tabular_run / "checkpoint.safetensors")
    save(tmp_path / "strange", arrays, meta | {"algorithm": {"name": "guessing"}})
    for path, game, words in (
        (
            poker_run / "networks.safetensors",
            "leduc",
            ["holds no tables", "smooth_uct", "policy and fpmcts"],
        ),
        (tmp_path / "strange", "leduc", ["guessing", "smooth_uct"]),
    ):
        with pytest.raises(PlayerError) as caught:
            load_player("tabular", make(game), run=str(path))
        assert "\n" not in str(caught.value)
        assert all(word in str(caught.value) for word in ["tabular", *words]), caught.value
