"""Pots as people see them, beside what the kernels pay out, and the words of an illegal amount."""

import random

import numpy as np
import pytest

from games import make
from games.no_limit_holdem.deals import hand_strengths
from games.no_limit_holdem.pots import pots
from games.play.table import IllegalMove, Table


def test_whoever_is_best_wins_each_pot() -> None:
    """Paid out pot by pot to the best hand among those who can win it, the pots are the returns
    (apart from odd chips)."""
    game, chance, with_sides, shared = (
        make("no_limit_holdem", players=5, ante=10, stacks=3000, least_stack=300),
        random.Random(4),
        0,
        0,
    )
    for seed in range(150):
        table = Table(game, seed=seed)
        while not table.is_over:
            moves = [move.text for move in table.legal()]
            table.play(
                chance.choice(
                    [move for move in moves if move != "fold" or chance.random() < 0.5] or moves
                )
            )
            states = table.states
            told = pots(states, 0)
            assert sum(pot["chips"] for pot in told) == states.paid.sum() and all(
                pot["chips"] > 0 for pot in told
            )
            assert all(
                set(later["seats"]) <= set(pot["seats"])
                for pot, later in zip(told, told[1:], strict=False)
            )
        strengths = np.zeros(5, np.int32)
        hand_strengths(game.rules, states, 0, states.board[0], strengths)
        won = -states.paid[0].astype(float)
        for pot in told:
            best = max(strengths[seat] for seat in pot["seats"])
            winners = [seat for seat in pot["seats"] if strengths[seat] == best]
            shared += len(winners) > 1
            won[winners] += pot["chips"] / len(winners)
        np.testing.assert_allclose(won, table.returns, atol=4)
        with_sides += len(told) > 1
    assert with_sides > 30 and shared > 0


def test_a_side_pot_by_hand() -> None:
    table = Table(make("no_limit_holdem", players=3, stacks=[1000, 3000, 3000], ante=10), seed=1)
    assert table.describe()["pots"] == [{"chips": 180, "seats": [0, 1, 2]}]
    for move in ("r300", "all-in", "r2000"):
        table.play(move)
    assert table.describe()["pots"] == [
        {"chips": 990 + 990 + 300 + 30, "seats": [0, 1, 2]},
        {"chips": 1010, "seats": [1, 2]},
    ]


@pytest.mark.parametrize(
    ("moves", "move", "besides"),
    [
        (["r300"], "raise 499", "any raise to 500 … 10000 chips, as r500"),
        (["all-in"], "r10000", "no raise is allowed"),
    ],
)
def test_an_illegal_amount_is_refused_with_the_bounds(
    moves: list[str], move: str, besides: str
) -> None:
    table = Table(make("no_limit_holdem"), seed=1)
    for made in moves:
        table.play(made)
    with pytest.raises(IllegalMove) as error:
        table.play(move)
    assert (
        str(error.value).endswith(f"; {besides}")
        and move in str(error.value)
        and "\n" not in str(error.value)
    )
    assert len(table.moves) == len(moves)
