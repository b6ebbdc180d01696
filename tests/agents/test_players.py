"""Every kind of player sees its view and nothing else: with hidden hands exchanged, input and move are the same."""

import sys
from pathlib import Path

import numpy as np
import pytest

from agents.players import KINDS, Maker, Player
from games import make
from games.interface import Records, States, take
from games.kernels import ROOT, Stream, deal_seeds

GAME = make("doudizhu")
DEALS = 12
OPTIONS: dict[str, dict[str, object]] = {
    "pimc": {"worlds": 4},
    "policy": {"temperature": 1.0},
    "fpmcts": {"playouts": 4},
    "mix": {"seats": ["rhcp", "random", "random"]},
}


def exchanged(deals: States) -> States:
    """Returns the deals with the hands of the two peasants exchanged: the landlord, who leads, cannot tell."""
    other = take(deals, np.arange(len(deals.seat)))
    other.hands[:, 1], other.hands[:, 2] = deals.hands[:, 2], deals.hands[:, 1]
    return other


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_hands_change_nothing(kind: str, run: Path) -> None:
    options = dict(OPTIONS.get(kind, {}))
    if kind in ("policy", "fpmcts"):
        options["checkpoint"] = str(run)
    if kind == "external":
        options["command"] = f"{sys.executable} {ROOT / 'examples' / 'external_player.py'}"
    players = {name: Player(name, name, KINDS[name].options(), name) for name in ("rhcp", "random")}
    players["x"] = Player("x", kind, KINDS[kind].options(**options), "x")
    deals = GAME.deal(deal_seeds(1, DEALS, Stream.EVALUATION))
    assert (deals.hands != exchanged(deals).hands).any()
    records = Records(np.full((DEALS, GAME.spec.max_moves), -1, np.int16), np.zeros(DEALS, np.int16))
    moves, views = [], []
    for states in (deals, exchanged(deals)):
        agent = Maker(GAME, "standard", players).make("x")
        agent.start(DEALS, seed=5)
        views.append(GAME.view(states, states.seat.astype(np.int64)))
        moves.append(agent.act(np.arange(DEALS), views[-1], records))
        getattr(agent, "close", lambda: None)()
    for mine, theirs in zip(*views, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(*moves)
