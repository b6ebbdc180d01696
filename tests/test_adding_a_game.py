"""The example of docs/adding-a-game.md: it is trained by the command, gets closer to an equilibrium, and is played at a table."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import evaluate
import train
from agents import load_player
from examples.sealed_bids import SealedBids
from games import make
from games.batches import take
from games.table import Table

NAME = "examples.sealed_bids"
SMALL = [
    "threads=1", "network.channels=8", "network.blocks=1", "network.head_channels=4", "network.head_units=32",
    "search.playouts=64", "search.worlds=16", "inference.particles=16", "episode.games=64", "episode.games_per_step=64",
    "train.batch_size=128", "device=cpu",
]  # fmt: skip
PAIRS = list(permutations(range(3), 2))
BIDS = range(3)


def policies(checkpoint: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the chances of the policy networks: bids of each seat ``[3 cards, 3 bids]``, and of a call ``[3 cards, 3 bids]``."""
    game = make(NAME)
    player = load_player("policy", game, str(checkpoint), temperature=1.0)
    first, second, calls = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    deals = game.deal(np.arange(6, dtype=np.uint64) << np.uint64(16))
    for i, (one, other) in enumerate(deals.cards.tolist()):
        table = Table(game, deal=take(deals, slice(i, i + 1)))
        first[one] = list(player.decide(table).policy.values())
        for bid in BIDS:
            table.play(bid)
            second[other] = list(player.decide(table).policy.values())
            table.play("bid 0")
            calls[one, bid] = player.decide(table).policy["call"]
            table.undo(2)
    return first, second, calls


def nash_conv(first: np.ndarray, second: np.ndarray, calls: np.ndarray) -> float:
    """Returns what both seats together could win (chips) by the best answers to each other, in place of these policies."""
    answers = 0.0
    for card in range(3):  # seat 0: the best bid, and then call or fold; a fold loses one chip
        others = [c for c in range(3) if c != card]
        called = [
            np.mean([sum(second[c, b] * (1 + bid + b) for b in BIDS) * (1 if card > c else -1) for c in others]) for bid in BIDS
        ]
        answers += max(-1.0, *called) / 3
    for card in range(3):  # seat 1: the best bid
        answers += max(
            sum(
                first[c, b] * (1 - calls[c, b] + calls[c, b] * (1 + b + bid) * (1 if card > c else -1)) / 2
                for c in range(3) if c != card for b in BIDS
            )
            for bid in BIDS
        ) / 3  # fmt: skip
    return answers


def test_the_measure_by_hand() -> None:
    """Who bids nothing and always calls: each seat wins one chip with the highest card, and with the middle one at times."""
    nothing, always = np.eye(3)[[0, 0, 0]], np.ones((3, 3))
    # Seat 0: with the lowest card it folds or loses 1; middle: +-1 by chance; highest: bid 2, 3 chips. Seat 1 likewise.
    assert nash_conv(nothing, nothing, always) == pytest.approx((-1 + 0 + 3) / 3 * 2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run that is begun, and not yet trained."""
    folder = tmp_path_factory.mktemp("sealed") / "run"
    train.main([f"game={NAME}", f"run_dir={folder}", "budget.iterations=1", "train.lr=1e-12", *SMALL])
    return folder


def test_it_learns(tmp_path: Path) -> None:
    begun, trained = tmp_path / "begun", tmp_path / "trained"
    train.main([f"game={NAME}", f"run_dir={begun}", "budget.iterations=1", "train.lr=1e-9", *SMALL])
    train.main([f"game={NAME}", f"run_dir={trained}", "budget.iterations=12", *SMALL])
    before, after = nash_conv(*policies(begun)), nash_conv(*policies(trained))
    print("NASHCONV", before, after)
    assert after < 0.5 * before
    game = make(NAME)
    players = [load_player("random", game, seed=1), load_player("policy", game, str(trained), seed=1)]
    searcher = load_player("fpmcts", game, str(trained), playouts=32, seed=1)
    won = 0.0
    for seed in range(6):
        for seat in range(2):
            table = Table(game, seed=seed)
            while not table.is_over:
                player = (searcher if seed < 3 else players[1]) if table.seat == seat else players[0]
                decision = player.decide(table)
                assert decision.move in [move.text for move in table.legal()]
                table.play(decision.move)
            assert table.returns is not None and sum(table.returns) == 0
            won += table.returns[seat]
    print("WON", won)


def test_evaluate_command() -> None:
    assert SealedBids and evaluate and NAME
