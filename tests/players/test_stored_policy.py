"""The tables that come with the project: how good they are, what their player says of a position,
and files that are none.
"""

from pathlib import Path

import numpy as np
import pytest

from fpmcts.players import load_player
from fpmcts.players.lookup import PlayerError
from fpmcts.players.tabular import TabularAgent, export, load_tabular
from fpmcts.tabular import stored_policy
from fpmcts.tabular.best_response import nash_conv
from games import make
from games.base.files import ROOT
from games.kuhn.game import Kuhn
from games.leduc.game import Leduc
from games.limit_holdem.game import LimitHoldem
from games.play.decision import RETURN
from games.play.interface import Game
from games.play.table import Table
from games.play.tables import sequences
from games.poker.game import LimitPoker
from games.poker.state import States
from networks.checkpoint import CheckpointError, load, save

KUHN, LEDUC = Kuhn(), Leduc()
MODELS = ROOT / "models"
SMALL = pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn", "leduc"])


def player(game: Game, run: str = "") -> TabularAgent:
    made = load_player("tabular", game, run=run)
    assert isinstance(made, TabularAgent)
    return made


@SMALL
def test_small_games_are_nearly_exact(game: LimitPoker) -> None:
    assert nash_conv(game.tables, player(game).policy.table()) < 1e-4
    assert load(MODELS / f"{game.spec.name}-tables.safetensors")[1]["stored"]["nash_conv"] < 1e-4


@SMALL
def test_a_decision_tells_exact_values(game: LimitPoker) -> None:
    """Its own moves lose nothing; its report depends on no card that the seat cannot see."""
    made = player(game)
    for seed in range(5):
        table = Table(game, seed=seed)
        while not table.is_over:
            seat, told = table.seat, made.decide(table)
            assert told.root is not None and told.hidden is not None and told.unit == RETURN
            assert [row.move for row in told.root] == list(told.policy or {})
            assert all(row.visits == 0 and row.standard_error == 0.0 for row in told.root)
            # Its policy loses a little in places that itself it hardly ever comes to.
            assert max(row.mean or 0.0 for row in told.root) - (told.value or 0.0) < 2e-2
            assert told.hidden.kinds == game.spec.hidden_kinds and told.hidden.listed
            held = np.array(told.hidden.probabilities)[0]
            assert held[:, 1].sum() == pytest.approx(1.0) and np.allclose(held.sum(axis=1), 1.0)
            seen = table.view(seat).cards[0]
            assert not held[seen[seen >= 0], 1].any()
            table.play(told.move)


def test_a_run_is_exported_as_it_plays(tabular_run: Path, tmp_path: Path) -> None:
    said = export(tabular_run, tmp_path / "leduc.safetensors")
    assert "of 288 information sets" in said and "NashConv" in said and "\n" not in said
    expected, got = (
        load_tabular(tabular_run, LEDUC),
        load_tabular(tmp_path / "leduc.safetensors", LEDUC),
    )
    np.testing.assert_allclose(got.table(), expected.table(), atol=1e-6)
    with pytest.raises(CheckpointError, match="was exported before"):
        export(tmp_path / "leduc.safetensors", tmp_path / "again")


def test_rare_moves_go_and_the_best_one_stays() -> None:
    policy = np.array([[0.1, 0.3, 0.6], [0.5, 0.5, 0.0], [0.34, 0.33, 0.33], [0.0, 0.0, 0.0]])
    expected = [[0.0, 1 / 3, 2 / 3], [0.5, 0.5, 0], [0.34, 0.33, 0.33], [0, 0, 0]]
    np.testing.assert_allclose(stored_policy.without_rare_moves(policy, 0.3), np.array(expected))


def test_limit_holdem_needs_no_tables_of_buckets() -> None:
    """The tables of E[HS²] in a user's cache are not asked for, whatever the abstraction of the
    match.
    """
    game = LimitHoldem()
    made = player(game)
    assert (
        made.policy.game.bucket_names[1]
        == make("limit_holdem", abstraction="made_hands").tables.bucket_names[1]
    )
    raised = list(sequences(game.betting)[0]).index("r")
    hands = [[48, 49], [0, 21]]  # a pair of aces, seven and two of two suits
    views = States(
        np.array([[*hand, *[-1] * 7] for hand in hands], np.int8), np.full(2, raised, np.int32)
    )
    aces, trash = made.probabilities(views)
    assert aces[2] > 0.8  # raises
    assert trash[0] > 0.8  # folds
    told = made.decide(Table(game, seed=1))
    assert (
        told.root is None
        and told.policy is not None
        and sum(told.policy.values()) == pytest.approx(1.0)
    )


def test_files_that_are_none(tmp_path: Path) -> None:
    whole, (arrays, meta) = (
        MODELS / "leduc-tables.safetensors",
        load(MODELS / "leduc-tables.safetensors"),
    )
    changed = bytearray(whole.read_bytes())
    changed[-1] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    save(tmp_path / "short", arrays | {"weights": arrays["weights"][1:]}, meta)
    save(tmp_path / "negative", arrays | {"weights": -arrays["weights"]}, meta)
    for path, words in (
        (tmp_path / "changed", "checksum"),
        (tmp_path / "short", "weights of shape"),
        (tmp_path / "negative", "expected finite numbers"),
        (MODELS / "kuhn-tables.safetensors", "plays kuhn; expected a run of leduc"),
    ):
        with pytest.raises(PlayerError, match=words) as caught:
            player(LEDUC, run=str(path))
        assert "\n" not in str(caught.value)
