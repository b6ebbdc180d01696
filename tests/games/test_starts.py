"""Deals that are listed (``starts``), and networks of games with other options."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import trained
from games import make
from games.batches import take
from networks.checkpoint import CheckpointError
from tests.games import driver


@pytest.mark.parametrize(
    ("name", "options", "deals"),
    [
        ("kuhn", {}, 6),
        ("leduc", {}, 120),
        ("examples.sealed_bids", {}, 6),
        ("goofspiel", {}, 1),
        ("goofspiel", {"cards": 4, "prizes": "random"}, 24),
        ("phantom_tictactoe", {"variant": "small"}, 1),
    ],
)
def test_deals_are_listed(name: str, options: dict[str, Any], deals: int) -> None:
    """All are different and equally likely, and random deals are among them."""
    game = make(name, **options)
    states, chances = game.starts()
    rows = [str(take(states, slice(i, i + 1))) for i in range(len(chances))]
    assert len(set(rows)) == deals and chances.dtype == np.float64
    assert chances.sum() == pytest.approx(1) and (chances == chances[0]).all()
    dealt = game.deal(np.arange(9, dtype=np.uint64) << np.uint64(16))
    assert {str(take(dealt, slice(i, i + 1))) for i in range(9)} <= set(rows)
    assert driver.current_seat(game.rules, states, 0) >= 0


@pytest.mark.parametrize("name", ["doudizhu", "limit_holdem"])
def test_deals_of_large_games_are_not(name: str) -> None:
    with pytest.raises(
        ValueError, match=f"^the deals of {name} cannot be listed: expected a small game"
    ):
        make(name).starts()


@pytest.mark.parametrize(
    ("name", "learned", "played", "message"),
    [
        (
            "goofspiel",
            {"cards": 4},
            {"cards": 13},
            "learned game.cards=4; this match plays game.cards=13",
        ),
        (
            "goofspiel",
            {},
            {"prizes": "random"},
            "learned game.prizes=descending; this match plays game.prizes=random",
        ),
        (
            "phantom_tictactoe",
            {},
            {"reveal": False},
            "learned game.reveal=True; this match plays game.reveal=False",
        ),
    ],
)
def test_networks_of_other_options_are_refused(
    name: str,
    learned: dict[str, Any],
    played: dict[str, Any],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trained, "checkpoint_of", lambda *_: Path("run"))
    monkeypatch.setattr(
        trained, "load_trained", lambda *_, **__: SimpleNamespace(game=make(name, **learned))
    )
    host: Any = SimpleNamespace(
        game=make(name, **played), networks=None, device="cpu", once=lambda _, load: load()
    )
    with pytest.raises(CheckpointError, match=f"^run {message}$"):
        trained.trained_networks(host, "run")
